; Captures: see "Add a language" in CONTRIBUTING.md.
[(comment) (multiline_comment)] @comment
(attribute) @attribute

(class_declaration declaration_kind: "class" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @scope.name .)) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface
(enum_entry name: (simple_identifier) @name) @definition.variant
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(function_declaration name: [(simple_identifier) (custom_operator) "==" "<"] @name) @definition.function
(protocol_function_declaration name: [(simple_identifier) (custom_operator) "==" "<"] @name) @definition.function
(init_declaration "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_) @body) @definition.property)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_) @body) @definition.property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)

(import_declaration (identifier) @import)
(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(call_expression . (prefix_expression target: (simple_identifier) @reference.call))
(constructor_expression constructed_type: (user_type (type_identifier) @reference.call))
(macro_invocation (simple_identifier) @reference.call)
(type_identifier) @reference.type
(inheritance_specifier inherits_from: (user_type (type_identifier) @reference.base .))
(inheritance_specifier inherits_from: (user_type (type_identifier) @reference.base . (type_arguments) .))
(class_declaration declaration_kind: "extension" name: [
  (user_type (type_identifier) @implementor .)
  (user_type (type_identifier) @implementor . (type_arguments) .)
] (inheritance_specifier inherits_from: [
  (user_type (type_identifier) @reference.base .)
  (user_type (type_identifier) @reference.base . (type_arguments) .)
]))
; A capitalised qualifier is a type.
(navigation_expression target: (simple_identifier) @reference.type (#match? @reference.type "^[A-Z]"))
