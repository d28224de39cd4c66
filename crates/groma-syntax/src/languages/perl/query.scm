; Captures: see "Add a language" in CONTRIBUTING.md.
[(comment) (pod)] @comment

; A package extends to the next one, unless it has a block.
(package_statement name: (package) @name (block) @body) @definition.module
(source_file (package_statement name: (package) @name . ";") @definition.module @reaches)
(subroutine_declaration_statement name: (bareword) @name) @definition.function
(method_declaration_statement name: (bareword) @name) @definition.method
(expression_statement (assignment_expression
  left: (variable_declaration variable: (scalar (varname) @name))
  right: (anonymous_subroutine_expression body: (_) @body))) @definition.function
(source_file (expression_statement (assignment_expression left: (variable_declaration variable: (_ (varname) @name)))) @definition.variable)
(use_statement module: (package) @_constant (list_expression . (autoquoted_bareword) @name)
  (#eq? @_constant "constant")) @definition.constant

(use_statement module: (package) @import
  (#not-any-of? @import "strict" "warnings" "utf8" "constant" "parent" "base" "vars" "lib" "feature" "integer"))
(use_statement module: (package) @_base (string_literal content: (_) @import) (#any-of? @_base "parent" "base"))
(use_statement module: (package) @_base (list_expression (string_literal content: (_) @import))
  (#any-of? @_base "parent" "base"))
(require_expression (bareword) @import)
(require_expression (string_literal) @import)
(function_call_expression function: (function) @reference.call)
(ambiguous_function_call_expression function: (function) @reference.call)
(method_call_expression method: (method) @reference.call)
