; Captures: see "Add a language" in CONTRIBUTING.md.
(package_clause name: (_) @package)
((package_clause) . (package_clause name: (_) @package.part))
[(comment) (block_comment)] @comment
(annotation) @attribute

(trait_definition name: (_) @name) @definition.trait
(class_definition "case" name: (_) @name) @definition.struct
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(package_object name: (_) @name) @definition.module
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.variant
(full_enum_case name: (_) @name) @definition.variant
(type_definition name: (type_identifier) @name) @definition.type
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(given_definition name: (_) @name body: [(template_body) (with_template_body)]) @definition.class
(given_definition name: (_) @name) @definition.variable
(class_parameter ["val" "var"] name: (_) @name) @definition.field
; Of several parameter lists only the first declares fields.
(class_definition "case" [(identifier) (operator_identifier) (type_parameters) (access_modifier) (annotation)]
  . class_parameters: (class_parameters (class_parameter name: (_) @name) @definition.field))
(template_body (val_definition pattern: [
  (identifier) @name
  (identifiers (identifier) @name)
  (tuple_pattern (identifier) @name)
]) @definition.field)
(template_body (var_definition pattern: (identifier) @name) @definition.field)
(template_body (val_declaration name: (_) @name) @definition.field)
(template_body (var_declaration name: (_) @name) @definition.field)
(compilation_unit (val_definition pattern: (identifier) @name) @definition.variable)
(extension_definition parameters: (parameters (parameter type: [
  (type_identifier) @scope.name
  (generic_type type: (type_identifier) @scope.name)
]))) @scope

(import_declaration) @import
(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (identifier) @reference.call)
  (generic_function function: (identifier) @reference.call)
  (generic_function function: (field_expression field: (identifier) @reference.call))
])
(instance_expression (type_identifier) @reference.call)
(instance_expression (generic_type type: (type_identifier) @reference.call))
(type_identifier) @reference.type
(extends_clause [
  (type_identifier) @reference.base
  (generic_type type: (type_identifier) @reference.base)
  (stable_type_identifier (type_identifier) @reference.base)
  (compound_type [
    (type_identifier) @reference.base
    (generic_type type: (type_identifier) @reference.base)
    (stable_type_identifier (type_identifier) @reference.base)
  ])
])
; A capitalised qualifier is a type.
(field_expression value: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
