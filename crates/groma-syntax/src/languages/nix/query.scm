; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(binding attrpath: (attrpath) @name expression: (function_expression)) @definition.function
(let_expression (binding_set (binding attrpath: (attrpath) @name) @definition.variable))
; The attributes of the file's set, of a set in it, and of the set that its function or `let` returns.
(source_code expression: (attrset_expression (binding_set (binding attrpath: (attrpath) @name) @definition.key)))
(source_code expression: (rec_attrset_expression (binding_set (binding attrpath: (attrpath) @name) @definition.key)))
(source_code expression: (attrset_expression (binding_set (binding
  expression: (attrset_expression (binding_set (binding attrpath: (attrpath) @name) @definition.key))))))
(function_expression body: (attrset_expression (binding_set (binding attrpath: (attrpath) @name) @definition.key)))
(let_expression body: (attrset_expression (binding_set (binding attrpath: (attrpath) @name) @definition.key)))

(apply_expression function: (variable_expression name: (identifier) @_import) argument: [(path_expression) (spath_expression)] @import
  (#eq? @_import "import"))
(apply_expression function: (select_expression attrpath: (attrpath attr: (identifier) @_call .)) argument: (path_expression) @import
  (#eq? @_call "callPackage"))
(apply_expression function: (variable_expression name: (identifier) @reference.call))
(apply_expression function: (select_expression attrpath: (attrpath attr: (identifier) @reference.call .)))
