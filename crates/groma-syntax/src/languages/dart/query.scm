; Captures: see "Add a language" in CONTRIBUTING.md.
[(comment) (documentation_comment)] @comment
(library_name (_) @package)
(annotation) @attribute

(function_declaration signature: (function_signature name: (identifier) @name)) @definition.function
(class_declaration name: (identifier) @name) @definition.class
(mixin_declaration name: (identifier) @name) @definition.trait
(extension_declaration name: (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.enum
(enum_entry name: (identifier) @name) @definition.variant
(type_alias (type_identifier) @name) @definition.type
(top_level_variable_declaration "const" (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.constant
(top_level_variable_declaration (_ (_ name: (identifier) @name))) @definition.variable

(member_declaration (method_declaration signature: (method_signature (function_signature name: (identifier) @name)) body: (_) @body)) @definition.method
(member_declaration (method_declaration signature: (method_signature (getter_signature name: (identifier) @name)) body: (_) @body)) @definition.property
(member_declaration (method_declaration signature: (method_signature (setter_signature name: (identifier) @name)) body: (_) @body)) @definition.property
(member_declaration (method_declaration signature: (method_signature (operator_signature operator: (_) @name)) body: (_) @body)) @definition.method
(member_declaration (method_declaration signature: (method_signature (factory_constructor_signature name: (identifier) @name . parameters: (_))) body: (_) @body)) @definition.constructor
(member_declaration (method_declaration signature: (method_signature (constructor_signature name: (identifier) @name . parameters: (_))) body: (_) @body)) @definition.constructor
(member_declaration (declaration (function_signature name: (identifier) @name))) @definition.method
(member_declaration (declaration (getter_signature name: (identifier) @name))) @definition.property
(member_declaration (declaration (setter_signature name: (identifier) @name))) @definition.property
(member_declaration (declaration (constructor_signature name: (identifier) @name . parameters: (_)))) @definition.constructor
(member_declaration (declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name)))) @definition.field
(member_declaration (declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name)))) @definition.field

(import_specification uri: (configurable_uri (uri) @import))
(library_export uri: (configurable_uri (uri) @import))
(part_directive uri: (uri) @import)
(part_of_directive (uri) @import)
(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: (identifier) @reference.call))
(type_identifier) @reference.type
(superclass (type . (type_identifier) @reference.base))
(mixins (type . (type_identifier) @reference.base))
(interfaces (type . (type_identifier) @reference.base))
(mixin_declaration (type . (type_identifier) @reference.base))
; A capitalised qualifier is a type.
(member_expression object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
