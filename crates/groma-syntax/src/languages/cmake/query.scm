; Captures: see "Add a language" in CONTRIBUTING.md.
[(line_comment) (bracket_comment)] @comment

(function_def (function_command (argument_list . (argument) @name)) (body) @body) @definition.function
(macro_def (macro_command (argument_list . (argument) @name)) (body) @body) @definition.macro
(normal_command (identifier) @_add (argument_list . (argument) @name)
  (#match? @_add "^(?i:add_(library|executable|custom_target)|project)$") (#not-match? @name "\\$")) @definition.resource
(source_file (normal_command (identifier) @_set (argument_list . (argument) @name)
  (#match? @_set "^(?i:set|option)$") (#not-match? @name "\\$")) @definition.variable)

(normal_command (identifier) @_in (argument_list . (argument) @import)
  (#match? @_in "^(?i:include|find_package|add_subdirectory)$"))
(normal_command (identifier) @_link (argument_list (argument) (argument) @reference.type)
  (#match? @_link "^(?i:target_link_libraries)$")
  (#not-match? @reference.type "^(PUBLIC|PRIVATE|INTERFACE)$|\\$"))
(normal_command (identifier) @reference.call)
