; Captures: see "Add a language" in CONTRIBUTING.md.
[(line_comment) (block_comment)] @comment
; A string directly above a definition is its doc.
(source_file (string_literal) @comment)
(module_definition (string_literal) @comment)

(module_definition name: (identifier) @name) @definition.module
(function_definition (signature [
  (identifier) @name
  (call_expression . [(identifier) @name (field_expression (identifier) @name .) (field_expression (quote_expression) @name .)])
  (typed_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))
  (where_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))
  (where_expression . (typed_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)])))
]) @signature) @definition.function
(assignment . [
  (call_expression . [(identifier) @name (field_expression (identifier) @name .)])
  (typed_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))
  (where_expression . (call_expression . [(identifier) @name (field_expression (identifier) @name .)]))
] (operator) @body) @definition.function
(macro_definition (signature (call_expression . (identifier) @name))) @definition.macro
(abstract_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))])) @definition.interface
(primitive_definition (type_head [(identifier) @name (_ . (identifier) @name)])) @definition.type
(struct_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))])) @definition.struct
(struct_definition (typed_expression . (identifier) @name) @definition.field)
(struct_definition (type_head) (identifier) @name @definition.field)
(const_statement (assignment . (identifier) @name)) @definition.constant
(macrocall_expression (macro_identifier (identifier) @_enum) (macro_argument_list . (identifier) @name)
  (#eq? @_enum "enum")) @definition.enum
(source_file (assignment . (identifier) @name (operator)) @definition.variable)
(module_definition (assignment . (identifier) @name (operator)) @definition.variable)

(using_statement (identifier) @import)
(using_statement (scoped_identifier) @import)
(using_statement (selected_import . (_) @import))
(using_statement (import_path) @import)
(import_statement (identifier) @import)
(import_statement (scoped_identifier) @import)
(import_statement (selected_import . (_) @import))
(import_statement (import_path) @import)
(call_expression . (identifier) @_include (argument_list . (string_literal) @import) (#eq? @_include "include"))
(call_expression . (identifier) @reference.call)
(call_expression . (field_expression (identifier) @reference.call .))
(broadcast_call_expression . (identifier) @reference.call)
(macro_identifier (identifier) @reference.call)
(typed_expression (_) (identifier) @reference.type .)
(typed_expression (_) (parametrized_type_expression . (identifier) @reference.type) .)
(binary_expression (operator) @_sub (identifier) @reference.type . (#eq? @_sub "<:"))
