; Captures: see "Add a language" in CONTRIBUTING.md.
[(line_comment) (block_comment)] @comment
(attribute_item) @attribute

(impl_item type: [
  (type_identifier) @scope.name
  (generic_type type: (type_identifier) @scope.name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @scope.name))
  (scoped_type_identifier name: (type_identifier) @scope.name)
  (reference_type type: (type_identifier) @scope.name)
]) @scope
; Members of a trait implementation are as visible as the trait.
(impl_item trait: (_) @access.public)

(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.variant
(field_declaration name: (field_identifier) @name) @definition.field
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name body: (_)) @definition.module
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name) @definition.macro

(use_declaration argument: (_) @import)
(mod_item name: (identifier) @import.child !body)
(extern_crate_declaration name: (identifier) @import)
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(call_expression function: (scoped_identifier name: (identifier) @reference.call))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @reference.call)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @reference.call)))
(macro_invocation macro: [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)
])
(type_identifier) @reference.type
(impl_item trait: [
  (type_identifier) @reference.base
  (scoped_type_identifier name: (type_identifier) @reference.base)
  (generic_type type: (type_identifier) @reference.base)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @reference.base))
] type: [
  (type_identifier) @implementor
  (scoped_type_identifier name: (type_identifier) @implementor)
  (generic_type type: (type_identifier) @implementor)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @implementor))
  (reference_type type: (type_identifier) @implementor)
  (reference_type type: (scoped_type_identifier name: (type_identifier) @implementor))
  (reference_type type: (generic_type type: (type_identifier) @implementor))
  (reference_type type: (generic_type type: (scoped_type_identifier name: (type_identifier) @implementor)))
  (dynamic_type trait: (type_identifier) @implementor)
])
; Any other type, like a tuple or a slice, is named by its text.
(impl_item trait: [
  (type_identifier) @reference.base
  (scoped_type_identifier name: (type_identifier) @reference.base)
  (generic_type type: (type_identifier) @reference.base)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @reference.base))
] type: (_) @implementor)
(trait_item bounds: (trait_bounds [
  (type_identifier) @reference.base
  (scoped_type_identifier name: (type_identifier) @reference.base)
  (generic_type type: (type_identifier) @reference.base)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @reference.base))
]))
; A capitalised qualifier is a type.
(scoped_identifier path: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)
] (#match? @reference.type "^[A-Z]"))
