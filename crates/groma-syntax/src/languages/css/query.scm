; Captures: see "Add a language" in CONTRIBUTING.md.
[(comment) (js_comment)] @comment

(rule_set (selectors) @name (block) @body) @definition.resource
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.resource
(media_statement (_) @name . (block) @body) @definition.module
(supports_statement (_) @name . (block) @body) @definition.module
(at_rule (at_keyword) @name (block) @body) @definition.resource
(declaration (property_name) @name (#match? @name "^--")) @definition.variable

(import_statement (string_value) @import)
(import_statement (call_expression (arguments [(string_value) (plain_value)] @import)))
(call_expression (function_name) @_var (arguments . (plain_value) @reference.type) (#eq? @_var "var"))
