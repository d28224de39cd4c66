; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment
(template_declaration parameters: (template_parameter_list) @attribute)
(template_declaration (requires_clause) @attribute)
(field_declaration_list (access_specifier) @access)

(namespace_definition name: (_) @name) @definition.module
; Members of an anonymous namespace are local to the file.
(namespace_definition !name body: (declaration_list "{" @access.private))
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
] body: (_)) @definition.class
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
  (qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @name))
] body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.trait

; A test macro of GoogleTest defines a test named by its suite and its case.
(function_definition !type declarator: (function_declarator declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name)
    . (parameter_declaration type: (type_identifier) @name) .))
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P")) @definition.test
(function_definition declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator
    declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator
    declarator: [(identifier) (field_identifier) (operator_name)] @name))
] (#not-any-of? @name "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P")) @definition.function
(function_definition declarator: [
  (function_declarator declarator: (template_function name: (identifier) @name))
  (function_declarator declarator: (qualified_identifier scope: (_) @receiver
    name: [(identifier) (destructor_name) (operator_name) (operator_cast)] @name))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @receiver
    name: [(identifier) (destructor_name) (operator_name) (operator_cast)] @name)))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier
    scope: (_) @receiver name: [(identifier) (destructor_name) (operator_name) (operator_cast)] @name))))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier
    scope: (_) @receiver name: [(identifier) (operator_name)] @name)))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier
    name: (qualified_identifier scope: (_) @receiver name: [(identifier) (operator_name)] @name))))
  (reference_declarator (function_declarator declarator: (qualified_identifier
    scope: (_) @receiver name: [(identifier) (operator_name)] @name)))
  (reference_declarator (function_declarator declarator: (qualified_identifier
    name: (qualified_identifier scope: (_) @receiver name: [(identifier) (operator_name)] @name))))
]) @definition.function
; The head of a function whose body the grammar cannot parse.
(ERROR (function_declarator declarator: (identifier) @name) @definition.function)
(ERROR (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
; Members that are only declared.
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition.function
; Prototypes and variables; those in functions are dropped later, which is cheaper than a pattern for each parent.
(declaration declarator: [
  (function_declarator declarator: [(identifier) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: (identifier) @name))
]) @definition.function
(declaration (type_qualifier ["const" "constexpr"])
  declarator: (init_declarator declarator: (identifier) @name)) @definition.constant
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
; Members defined outside of their class.
(declaration declarator: [
  (qualified_identifier scope: (_) @receiver name: (identifier) @name)
  (qualified_identifier name: (qualified_identifier scope: (_) @receiver name: (identifier) @name))
  (pointer_declarator declarator: (qualified_identifier scope: (_) @receiver name: (identifier) @name))
  (init_declarator declarator: [
    (qualified_identifier scope: (_) @receiver name: (identifier) @name)
    (qualified_identifier name: (qualified_identifier scope: (_) @receiver name: (identifier) @name))
    (pointer_declarator declarator: (qualified_identifier scope: (_) @receiver name: (identifier) @name))
    (array_declarator declarator: (qualified_identifier scope: (_) @receiver name: (identifier) @name))
  ])
]) @definition.variable
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (reference_declarator (field_identifier) @name)
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
    (type_identifier) (primitive_type) (sized_type_specifier) (qualified_identifier) (template_type)
    (dependent_type)
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
    (reference_declarator (type_identifier) @name)
    (reference_declarator (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name))))
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
(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (field_identifier) @reference.call)
  (field_expression field: (template_method name: (field_identifier) @reference.call))
  (template_function name: (identifier) @reference.call)
  (qualified_identifier name: [
    (identifier) @reference.call
    (template_function name: (identifier) @reference.call)
    (qualified_identifier name: [
      (identifier) @reference.call
      (template_function name: (identifier) @reference.call)
      (qualified_identifier name: (identifier) @reference.call)
    ])
  ])
])
(new_expression type: (type_identifier) @reference.call)
(type_identifier) @reference.type
(base_class_clause [
  (type_identifier) @reference.base
  (template_type name: (type_identifier) @reference.base)
  (qualified_identifier name: [
    (type_identifier) @reference.base
    (template_type name: (type_identifier) @reference.base)
    (qualified_identifier name: [
      (type_identifier) @reference.base
      (template_type name: (type_identifier) @reference.base)
    ])
  ])
])
