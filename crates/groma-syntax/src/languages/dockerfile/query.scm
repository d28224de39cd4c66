; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

; A stage extends to the next one.
(from_instruction as: (image_alias) @name) @definition.resource @reaches
(from_instruction (image_spec) @name !as) @definition.resource @reaches
(arg_instruction (arg_pair name: (unquoted_string) @name)) @definition.variable
(env_instruction (env_pair name: (unquoted_string) @name) @definition.variable)
(label_instruction (label_pair key: (_) @name) @definition.key)

(from_instruction (image_spec name: (image_name) @reference.type))
