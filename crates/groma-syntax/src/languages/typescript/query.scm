; Captures: see "Add a language" in CONTRIBUTING.md. ecmascript.scm comes first.
(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_body name: (property_identifier) @name @definition.variant)
(enum_assignment name: (property_identifier) @name) @definition.variant
(type_alias_declaration name: (type_identifier) @name) @definition.type
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(function_signature name: (identifier) @name) @definition.function
(method_signature ["get" "set"] name: (_) @name) @definition.property
(method_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.function
(public_field_definition name: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
]) @definition.method
(public_field_definition name: (_) @name) @definition.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.field
(required_parameter "readonly" pattern: (identifier) @name) @definition.field
(interface_body (property_signature name: (_) @name) @definition.field)
(object_type (property_signature name: (_) @name) @definition.field)
(as_expression (object (pair key: [(property_identifier) (string)] @name @definition.field)))
(satisfies_expression (object (pair key: [(property_identifier) (string)] @name @definition.field)))
(public_field_definition value: (object (pair key: [(property_identifier) (string)] @name @definition.field)))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(internal_module body: (statement_block
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)))

(import_require_clause source: (string) @import)
(extends_clause value: (identifier) @reference.base)
(extends_clause value: (member_expression property: (property_identifier) @reference.base))
(extends_type_clause type: [
  (type_identifier) @reference.base
  (nested_type_identifier name: (type_identifier) @reference.base)
  (generic_type name: (type_identifier) @reference.base)
  (generic_type name: (nested_type_identifier name: (type_identifier) @reference.base))
])
(implements_clause [
  (type_identifier) @reference.base
  (nested_type_identifier name: (type_identifier) @reference.base)
  (generic_type name: (type_identifier) @reference.base)
  (generic_type name: (nested_type_identifier name: (type_identifier) @reference.base))
])
(type_identifier) @reference.type
