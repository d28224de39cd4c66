; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @receiver field: (identifier) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @receiver method: (identifier) @name)) @definition.method
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @receiver field: (identifier) @name))
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)
  (expression_list . value: [(number) (string) (table_constructor) (true) (false) (nil) (binary_expression)
    (dot_index_expression) (identifier) (unary_expression) (parenthesized_expression)]))) @definition.variable)
(chunk (assignment_statement (variable_list . name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list . name: (dot_index_expression table: (_) @receiver field: (identifier) @name))) @definition.field)

(function_call name: (identifier) @_require arguments: (arguments . (string content: (string_content) @import))
  (#any-of? @_require "require" "dofile" "loadfile"))
(function_call name: (identifier) @reference.call)
(function_call name: (dot_index_expression field: (identifier) @reference.call))
(function_call name: (method_index_expression method: (identifier) @reference.call))
