; Captures: see "Add a language" in CONTRIBUTING.md. ecmascript.scm comes first.
(class_declaration name: (identifier) @name) @definition.class
(field_definition property: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
]) @definition.method
(field_definition property: (_) @name) @definition.field
(field_definition value: (object (pair key: [(property_identifier) (string)] @name @definition.field)))
; Fields that methods assign; the first assignment of a class counts.
(assignment_expression left: (member_expression object: (this)
  property: [(property_identifier) (private_property_identifier)] @name) @definition.field) @signature
(class_heritage (identifier) @reference.base)
(class_heritage (member_expression property: (property_identifier) @reference.base))
