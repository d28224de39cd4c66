; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

; Functions are values that are assigned, with any of the arrows.
(binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-"] rhs: (function_definition body: (_) @body)) @definition.function
(binary_operator lhs: (function_definition) operator: ["->" "->>"] rhs: (identifier) @name) @definition.function
(argument name: (identifier) @name value: (function_definition body: (_) @body)) @definition.function
(program (binary_operator lhs: (identifier) @name rhs: (call function: (identifier) @_set arguments: (_) @body)
  (#any-of? @_set "setClass" "setRefClass" "R6Class")) @definition.class)
(program (call function: (identifier) @_set arguments: (arguments . argument: (argument value: (string content: (_) @name)))
  (#any-of? @_set "setClass" "setRefClass")) @definition.class)
(call function: (identifier) @_set arguments: (arguments . argument: (argument value: (string content: (_) @name)) argument: (argument value: (string content: (_) @receiver)))
  (#eq? @_set "setMethod")) @definition.method
(call function: (identifier) @_set arguments: (arguments . argument: (argument value: (string content: (_) @name)))
  (#any-of? @_set "setGeneric" "setMethod" "setValidity")) @definition.function
(program (call function: (identifier) @_test arguments: (arguments . argument: (argument value: (string content: (_) @name)))
  (#any-of? @_test "test_that" "describe")) @definition.test)
(program (binary_operator lhs: (identifier) @name operator: ["<-" "="]
  rhs: [(float) (integer) (string) (true) (false) (null) (call) (identifier) (binary_operator) (unary_operator) (subset) (extract_operator)]) @definition.variable)

(call function: (identifier) @_in arguments: (arguments . argument: (argument value: [(identifier) (string)] @import))
  (#any-of? @_in "library" "require" "requireNamespace" "source" "box::use"))
(namespace_operator lhs: (identifier) @reference.type)
(call function: (identifier) @reference.call)
(call function: (namespace_operator rhs: (identifier) @reference.call))
(call function: (extract_operator rhs: (identifier) @reference.call))
