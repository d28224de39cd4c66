; Captures: see "Add a language" in CONTRIBUTING.md.
(namespace_definition name: (namespace_name) @package)
(comment) @comment
(attribute_list) @attribute

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.variant
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.function
(property_declaration (property_element name: (variable_name) @name)) @definition.field
(property_promotion_parameter name: (variable_name) @name) @definition.field
(const_declaration (const_element . (name) @name)) @definition.constant
(program (expression_statement (assignment_expression left: (variable_name) @name)) @definition.variable)
(function_call_expression function: (name) @_define arguments: (arguments . (argument (string) @name))
  (#eq? @_define "define")) @definition.constant

(namespace_use_declaration (namespace_use_clause . [(name) (qualified_name)] @import))
(namespace_use_declaration (namespace_name) @import
  body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @import.member)))
(require_expression [(string) @import (binary_expression right: (string) @import)])
(require_once_expression [(string) @import (binary_expression right: (string) @import)])
(include_expression [(string) @import (binary_expression right: (string) @import)])
(include_once_expression [(string) @import (binary_expression right: (string) @import)])
(function_call_expression function: (name) @reference.call)
(function_call_expression function: (qualified_name (name) @reference.call))
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(scoped_call_expression scope: (name) @reference.type)
(object_creation_expression (name) @reference.call)
(object_creation_expression (qualified_name (name) @reference.call))
(class_constant_access_expression . (name) @reference.type)
(named_type (name) @reference.type)
(named_type (qualified_name (name) @reference.type))
(base_clause (name) @reference.base)
(base_clause (qualified_name (name) @reference.base))
(class_interface_clause (name) @reference.base)
(class_interface_clause (qualified_name (name) @reference.base))
(use_declaration (name) @reference.base)
(use_declaration (qualified_name (name) @reference.base))
(attribute (name) @reference.type)
