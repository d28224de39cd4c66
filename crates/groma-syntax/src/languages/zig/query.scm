; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(variable_declaration . (identifier) @name (struct_declaration) @body) @definition.struct
(variable_declaration . (identifier) @name (union_declaration) @body) @definition.struct
(variable_declaration . (identifier) @name (opaque_declaration) @body) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration) @body) @definition.enum
(variable_declaration . (identifier) @name (error_set_declaration) @body) @definition.enum
(test_declaration (string (string_content) @name) (block) @body) @definition.test
(test_declaration (identifier) @name (block) @body) @definition.test
(enum_declaration (container_field name: (_) @name) @definition.variant)
(enum_declaration (container_field . type: (identifier) @name) @definition.variant)
(error_set_declaration (identifier) @name @definition.variant)
(struct_declaration (container_field name: (_) @name) @definition.field)
(union_declaration (container_field name: (_) @name) @definition.field)

; Values outside of functions; imports are no values.
(source_file (variable_declaration "var" . (identifier) @name) @definition.variable)
(source_file (variable_declaration "const" . (identifier) @name
  [(integer) (string) (boolean) (call_expression) (field_expression) (struct_initializer)]) @definition.constant)
(struct_declaration (variable_declaration "const" . (identifier) @name
  [(integer) (string) (call_expression) (field_expression)]) @definition.constant)

(builtin_function (builtin_identifier) @_import (arguments (string (string_content) @import))
  (#any-of? @_import "@import" "@embedFile" "@cInclude"))
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression member: (identifier) @reference.call))
(parameter type: (identifier) @reference.type)
(parameter type: (pointer_type (identifier) @reference.type))
(parameter type: (slice_type (identifier) @reference.type))
(container_field type: (identifier) @reference.type)
(container_field type: (slice_type (identifier) @reference.type))
(container_field type: (pointer_type (identifier) @reference.type))
(function_declaration type: (identifier) @reference.type)
(error_union_type error: (identifier) @reference.type)
(error_union_type ok: (identifier) @reference.type)
