; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(rule (targets . (_) @name) (#not-match? @name "^\\.[A-Z]")) @definition.resource
(variable_assignment name: (_) @name) @definition.variable
(shell_assignment name: (_) @name) @definition.variable
(define_directive name: (_) @name) @definition.macro

(include_directive filenames: (list (_) @import))
(prerequisites (word) @reference.type)
(variable_reference (word) @reference.type)
