; What JavaScript and TypeScript share.
; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment
(decorator) @attribute

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
; A function assigned to a name, at the top of the file or long enough to be worth finding.
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function)
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function))
(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (statement_block) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)])) @definition.function
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (statement_block) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)])) @definition.function
(lexical_declaration (variable_declarator name: (identifier) @name
  value: (class body: (_) @body))) @definition.class

; Functions put into objects: `app.use = function () {}`, `Cart.prototype.total = ...`, `exports.open = ...`.
(program (expression_statement (assignment_expression
  left: (member_expression
    object: [
      (identifier) @receiver
      (member_expression object: (identifier) @receiver)
    ]
    property: (property_identifier) @name)
  right: [
    (function_expression body: (_) @body)
    (arrow_function body: (_) @body)
    (generator_function body: (_) @body)
  ])) @definition.function)
(program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier))
  right: (class name: (_) @name body: (_) @body))) @definition.class)
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @receiver property: (property_identifier) @name)
  right: [(identifier) (member_expression) (string) (number) (object) (array) (call_expression)
          (new_expression) (template_string)]) (#eq? @receiver "exports")) @definition.variable)
(pair key: [(property_identifier) (string)] @name value: [
  (function_expression body: (_) @body)
  (arrow_function body: (statement_block) @body)
  (generator_function body: (_) @body)
]) @definition.method
(variable_declarator value: (object (pair key: [(property_identifier) (string)] @name
  value: (arrow_function body: (_) @body)) @definition.method))
(method_definition ["get" "set"] name: (_) @name) @definition.property
(method_definition name: (_) @name) @definition.method
; Members of objects that something is given the name of: a variable, a field, a result. Options that a call is given are no
; definitions.
(variable_declarator value: (object (pair key: [(property_identifier) (string)] @name value: (object)) @definition.field))
(variable_declarator value: (object (pair key: [(property_identifier) (string)] @name @definition.field)))
(assignment_expression right: (object (pair key: [(property_identifier) (string)] @name value: (object)) @definition.field))
(assignment_expression right: (object (pair key: [(property_identifier) (string)] @name @definition.field)))
(export_statement value: (object (pair key: [(property_identifier) (string)] @name value: (object)) @definition.field))
(export_statement value: (object (pair key: [(property_identifier) (string)] @name @definition.field)))
(return_statement (object (pair key: [(property_identifier) (string)] @name @definition.field)))
(arrow_function body: (parenthesized_expression
  (object (pair key: [(property_identifier) (string)] @name @definition.field))))
(pair value: (object (pair key: [(property_identifier) (string)] @name @definition.field)))

(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program (export_statement [
  (lexical_declaration (variable_declarator name: (identifier) @name))
  (variable_declaration (variable_declarator name: (identifier) @name))
] @definition.variable))

(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (import) arguments: (arguments . (string) @import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @import .)
  (#eq? @_require "require"))
(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: [
  (property_identifier) (private_property_identifier)] @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression property: (property_identifier) @reference.call))
(decorator (identifier) @reference.call)
; A capitalised qualifier is a type.
(member_expression object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
