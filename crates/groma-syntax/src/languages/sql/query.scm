; Captures: see "Add a language" in CONTRIBUTING.md.
[(comment) (marginalia)] @comment

(create_table (object_reference schema: (identifier)? @receiver name: (identifier) @name) (column_definitions)? @body) @definition.resource
(create_view (object_reference schema: (identifier)? @receiver name: (identifier) @name) (create_query)? @body) @definition.resource
(create_materialized_view (object_reference schema: (identifier)? @receiver name: (identifier) @name) (create_query)? @body) @definition.resource
(create_function (object_reference name: (identifier) @name) (function_body) @body) @definition.function
(create_index column: (identifier) @name) @definition.resource
(create_trigger (keyword_trigger) . (object_reference name: (identifier) @name)) @definition.resource
(create_type (object_reference name: (identifier) @name)) @definition.type
(create_schema (identifier) @name) @definition.module
(create_sequence (object_reference name: (identifier) @name)) @definition.resource
(create_table (column_definitions (column_definition name: (identifier) @name) @definition.field))

(relation (object_reference name: (identifier) @reference.type))
(insert (object_reference name: (identifier) @reference.type))
(alter_table (object_reference name: (identifier) @reference.type))
(create_index (object_reference name: (identifier) @reference.type))
(create_trigger (object_reference name: (identifier) @reference.type))
(column_definition (object_reference name: (identifier) @reference.type))
(invocation (object_reference name: (identifier) @reference.call))
