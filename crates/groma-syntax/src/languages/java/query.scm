; Captures: see "Add a language" in CONTRIBUTING.md.
(package_declaration [(identifier) (scoped_identifier)] @package)
[(line_comment) (block_comment)] @comment
[(marker_annotation) (annotation)] @attribute

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.struct
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
(record_declaration parameters: (formal_parameters "(" @access.public))
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.variant
(constructor_declaration name: (identifier) @name) @definition.constructor
(compact_constructor_declaration name: (identifier) @name) @definition.constructor
(method_declaration name: (identifier) @name) @definition.method
(field_declaration (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(import_declaration [(identifier) (scoped_identifier)] @import . (asterisk)? @import.member)
(method_invocation name: (identifier) @reference.call)
(method_reference "::" (identifier) @reference.call)
(object_creation_expression type: (type_identifier) @reference.call)
(object_creation_expression type: (generic_type (type_identifier) @reference.call))
(marker_annotation name: (identifier) @reference.type)
(annotation name: (identifier) @reference.type)
(type_identifier) @reference.type
(superclass [
  (type_identifier) @reference.base
  (scoped_type_identifier (type_identifier) @reference.base .)
  (generic_type . (type_identifier) @reference.base)
  (generic_type . (scoped_type_identifier (type_identifier) @reference.base .))
])
(super_interfaces (type_list [
  (type_identifier) @reference.base
  (scoped_type_identifier (type_identifier) @reference.base .)
  (generic_type . (type_identifier) @reference.base)
  (generic_type . (scoped_type_identifier (type_identifier) @reference.base .))
]))
(extends_interfaces (type_list [
  (type_identifier) @reference.base
  (scoped_type_identifier (type_identifier) @reference.base .)
  (generic_type . (type_identifier) @reference.base)
  (generic_type . (scoped_type_identifier (type_identifier) @reference.base .))
]))
; A capitalised qualifier is a type.
(method_invocation object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
(method_invocation object: (field_access field: (identifier) @reference.type) (#match? @reference.type "^[A-Z]"))
(field_access object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
(method_reference . (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
