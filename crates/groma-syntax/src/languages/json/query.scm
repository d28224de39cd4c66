; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(document (object (pair key: (string (string_content) @name)) @definition.key))
(document (object (pair value: (object (pair key: (string (string_content) @name)) @definition.key))))
