; Captures: see "Add a language" in CONTRIBUTING.md.
(package_header (identifier) @package)
[(line_comment) (multiline_comment)] @comment
(annotation) @attribute

(class_declaration "interface" (type_identifier) @name) @definition.interface
(class_declaration "enum" (type_identifier) @name) @definition.enum
(class_declaration (modifiers (class_modifier "data")) (type_identifier) @name) @definition.struct
(class_declaration "class" (type_identifier) @name) @definition.class
(object_declaration (type_identifier) @name) @definition.class
(enum_entry (simple_identifier) @name) @definition.variant
(type_alias (type_identifier) @name) @definition.type
(secondary_constructor "constructor" @name) @definition.constructor
(function_declaration receiver: (receiver_type (user_type (type_identifier) @receiver))
  (simple_identifier) @name) @definition.method
(function_declaration (simple_identifier) @name) @definition.function
(class_parameter (binding_pattern_kind) . (simple_identifier) @name) @definition.property
(source_file (property_declaration (modifiers (property_modifier "const"))
  (variable_declaration (simple_identifier) @name)) @definition.constant)
(source_file (property_declaration receiver: (receiver_type (user_type (type_identifier) @receiver))
  (variable_declaration (simple_identifier) @name)) @definition.property)
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration (modifiers (property_modifier "const"))
  (variable_declaration (simple_identifier) @name)) @definition.constant)
(class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.property)
(enum_class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.property)

(import_header (identifier) @import . (wildcard_import)? @import.member)
(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @reference.call)))
(infix_expression (_) . (simple_identifier) @reference.call . (_))
(type_identifier) @reference.type
(delegation_specifier (user_type (type_identifier) @reference.base .))
(delegation_specifier (user_type (type_identifier) @reference.base . (type_arguments) .))
(delegation_specifier (constructor_invocation (user_type (type_identifier) @reference.base .)))
(delegation_specifier (constructor_invocation (user_type (type_identifier) @reference.base . (type_arguments) .)))
(explicit_delegation (user_type (type_identifier) @reference.base .))
(explicit_delegation (user_type (type_identifier) @reference.base . (type_arguments) .))
; A capitalised qualifier is a type.
(navigation_expression . (simple_identifier) @reference.type (#match? @reference.type "^[A-Z]"))
