; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment
(decorator) @attribute
(module . (expression_statement (string) @comment))

(decorated_definition
  (decorator [(identifier) @_property (attribute attribute: (identifier) @_property)])
  definition: (function_definition name: (identifier) @name
    body: (block . (expression_statement (string) @doc)?)) @definition.property
  (#match? @_property "property$|^(setter|getter|deleter)$"))
(function_definition name: (identifier) @name
  body: (block . (expression_statement (string) @doc)?)) @definition.function
(class_definition name: (identifier) @name
  body: (block . (expression_statement (string) @doc)?)) @definition.class
(module (expression_statement (assignment left: (identifier) @name
  right: (lambda body: (_) @body)) @definition.function))
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
; Variables of a module that are defined in `if` and `try`.
(module (if_statement [
  consequence: (block (expression_statement (assignment left: (identifier) @name) @definition.variable))
  alternative: (_ (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))
]))
(module (try_statement [
  (block (expression_statement (assignment left: (identifier) @name) @definition.variable))
  (_ (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))
]))
(module (expression_statement (assignment left: (pattern_list (identifier) @name @definition.variable))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
; Fields that methods assign; the first assignment of a class counts.
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name) @definition.field
  (#eq? @_self "self")) @signature
(assignment left: (pattern_list
  (attribute object: (identifier) @_self attribute: (identifier) @name) @definition.field)
  (#eq? @_self "self")) @signature
(type_alias_statement left: (type [
  (identifier) @name
  (generic_type (identifier) @name)
])) @definition.type

(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import name: (dotted_name) @import.member)
(import_from_statement module_name: (_) @import name: (aliased_import name: (dotted_name) @import.member))
(import_from_statement module_name: (_) @import (wildcard_import))
(call function: (identifier) @reference.call)
(call function: (attribute attribute: (identifier) @reference.call))
(decorator (identifier) @reference.call)
(decorator (attribute attribute: (identifier) @reference.call))
(type (identifier) @reference.type)
(type (attribute attribute: (identifier) @reference.type))
(type (string (string_content) @reference.type))
(type (generic_type (identifier) @reference.type))
(type (binary_operator [left: (identifier) right: (identifier)] @reference.type))
(type (subscript value: (attribute attribute: (identifier) @reference.type)))
(class_definition superclasses: (argument_list [
  (identifier) @reference.base
  (attribute attribute: (identifier) @reference.base)
  (subscript value: (identifier) @reference.base)
  (subscript value: (attribute attribute: (identifier) @reference.base))
  (keyword_argument value: (identifier) @reference.type)
]))
(except_clause (identifier) @reference.type)
; A capitalised qualifier is a type.
(attribute object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
