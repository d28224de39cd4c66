; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(function_definition name: (word) @name) @definition.function
; Bats: `@test "name" {` is a command to the grammar, and its body are the commands that follow.
(program (command name: (command_name) @_test argument: [(string (string_content) @name) (raw_string) @name] (#eq? @_test "@test"))
  @definition.test @reaches)
(program (declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @definition.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (variable_assignment name: (variable_name) @name) @definition.variable)

(command name: (command_name) @_in argument: (word) @import (#any-of? @_in "source" "." "load"))
(command name: (command_name) @_in argument: (string (string_content) @import) (#any-of? @_in "source" "." "load"))
(command name: (command_name (word) @reference.call))
