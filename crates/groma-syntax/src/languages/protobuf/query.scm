; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment
(package (full_ident) @package)

(message (message_name (identifier) @name) (message_body) @body) @definition.struct
(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum
(enum_field . (identifier) @name) @definition.variant
(field (type) . (identifier) @name) @definition.field
(map_field (type) . (identifier) @name) @definition.field
(oneof . (identifier) @name) @definition.property
(oneof_field (type) . (identifier) @name) @definition.field
(service (service_name (identifier) @name)) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method

(import path: (string) @import)
(message_or_enum_type (identifier) @reference.type .)
(extend (full_ident (identifier) @reference.type .))
