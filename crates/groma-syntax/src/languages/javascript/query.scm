; Captures: see "Add a language" in CONTRIBUTING.md. ecmascript.scm comes first.
(class_declaration name: (identifier) @name) @definition.class
(field_definition property: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
]) @definition.method
(field_definition property: (_) @name) @definition.field
(class_heritage (identifier) @reference.base)
(class_heritage (member_expression property: (property_identifier) @reference.base))
