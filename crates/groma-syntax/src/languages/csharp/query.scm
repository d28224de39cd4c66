; Captures: see "Add a language" in CONTRIBUTING.md.
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(comment) @comment
(attribute_list) @attribute

(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(record_declaration name: (identifier) @name) @definition.struct
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property))
(record_declaration (parameter_list "(" @access.public))
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.variant
(delegate_declaration name: (identifier) @name) @definition.type
(constructor_declaration name: (identifier) @name) @definition.constructor
(method_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration name: (identifier) @name) @definition.property
(indexer_declaration "this" @name) @definition.property
(event_declaration name: (identifier) @name) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(field_declaration (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field

(using_directive !name (identifier) @import)
(using_directive (qualified_name) @import)
(invocation_expression function: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (member_access_expression name: (identifier) @reference.call)
  (member_access_expression name: (generic_name (identifier) @reference.call))
  (conditional_access_expression (member_binding_expression name: (identifier) @reference.call))
])
(object_creation_expression type: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (qualified_name name: (identifier) @reference.call)
])
(parameter type: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(indexer_declaration type: (identifier) @reference.type)
(delegate_declaration type: (identifier) @reference.type)
(local_function_statement type: (identifier) @reference.type)
(base_list (identifier) @reference.base)
(base_list (qualified_name name: (identifier) @reference.base))
(base_list (qualified_name name: (generic_name (identifier) @reference.base)))
(base_list (generic_name . (identifier) @reference.base))
(primary_constructor_base_type type: (identifier) @reference.base)
(primary_constructor_base_type type: (generic_name . (identifier) @reference.base))
(type_parameter_constraint type: (identifier) @reference.type)
(generic_name (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(array_type type: (identifier) @reference.type)
(nullable_type type: (identifier) @reference.type)
(cast_expression type: (identifier) @reference.type)
(typeof_expression type: (identifier) @reference.type)
(as_expression right: (identifier) @reference.type)
(catch_declaration type: (identifier) @reference.type)
(declaration_pattern type: (identifier) @reference.type)
(attribute name: (identifier) @reference.type)
; A capitalised qualifier is a type.
(member_access_expression expression: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
