; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(document (pair . (_) @name) @definition.key)
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key
(table (pair . (_) @name) @definition.key)
(table_array_element (pair . (_) @name) @definition.key)
