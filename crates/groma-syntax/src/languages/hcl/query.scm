; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(block (identifier) @_block . (string_lit (template_literal) @name) . (string_lit (template_literal) @name) . (block_start) @body
  (#eq? @_block "resource")) @definition.resource
(block (identifier) @name @_block . (string_lit (template_literal) @name) . (string_lit (template_literal) @name) . (block_start) @body
  (#eq? @_block "data")) @definition.resource
(block (identifier) @_block . (string_lit (template_literal) @name) . (block_start) @body
  (#eq? @_block "variable")) @definition.variable
(block (identifier) @_block . (string_lit (template_literal) @name) . (block_start) @body
  (#eq? @_block "module")) @definition.module
(block (identifier) @_block . (string_lit (template_literal) @name) . (block_start) @body
  (#eq? @_block "output")) @definition.resource
; Any other block at the top is named by its type and labels: `provider.aws`, `job.web`.
(config_file (body (block . (identifier) @name @_block . (string_lit (template_literal) @name) . (block_start) @body) @definition.resource)
  (#not-any-of? @_block "variable" "module" "output"))
(config_file (body (block . (identifier) @name . (block_start) @body) @definition.resource))
(config_file (body (attribute . (identifier) @name) @definition.key))
(block (identifier) @_block (body (attribute . (identifier) @name) @definition.variable)
  (#eq? @_block "locals"))

(block (identifier) @_block (body (attribute (identifier) @_key (expression (literal_value (string_lit (template_literal) @import)))))
  (#eq? @_block "module") (#eq? @_key "source"))
(function_call (identifier) @reference.call)
(expression (variable_expr (identifier) @_space) . (get_attr (identifier) @reference.type)
  (#any-of? @_space "var" "local" "module"))
(expression (variable_expr (identifier) @reference.type) . (get_attr (identifier) @reference.member) . (get_attr (identifier) @reference.member)
  (#eq? @reference.type "data"))
(expression (variable_expr (identifier) @reference.type) . (get_attr (identifier) @reference.member)
  (#not-any-of? @reference.type "var" "local" "module" "data" "each" "self" "count" "path" "terraform"))
