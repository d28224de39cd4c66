; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))))
]) @definition.function
; The head of a function whose body the grammar cannot parse.
(ERROR (function_declarator declarator: (identifier) @name) @definition.function)
(ERROR (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
; Prototypes and variables; those in functions are dropped later, which is cheaper than a pattern for each parent.
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @definition.function
(declaration declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
  ])))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (identifier) @name))))
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)
    ])))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (identifier) @name))))
  ])
]) @definition.variable

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (array_declarator
    declarator: (field_identifier) @name)))
  (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator
    declarator: (field_identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name))))
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
]) @definition.field

(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
; A tag and a typedef name: the members belong to the tag, the name follows them.
(type_definition
  type: [
    (struct_specifier name: (_) @_tag body: (_))
    (union_specifier name: (_) @_tag body: (_))
    (enum_specifier name: (_) @_tag body: (_))
  ]
  declarator: (type_identifier) @name @definition.type
  (#not-eq? @_tag @name))
(type_definition
  type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))]
  declarator: (pointer_declarator declarator: (type_identifier) @name @definition.type))
(type_definition
  type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)
  ]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator [
      (type_identifier) @name
      (pointer_declarator declarator: (type_identifier) @name)
    ]))
    (pointer_declarator declarator: (function_declarator declarator: (type_identifier) @name))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name))))
  ]) @definition.type

(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro
(preproc_function_def name: (identifier) @name !value) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.constant
; A flag; the guard of a header is none.
(preproc_def name: (identifier) @name !value (#not-match? @name "(_H_*|_INCLUDED_*)$")) @definition.constant

(preproc_include path: (_) @import)
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(type_identifier) @reference.type
