; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment
(module_attribute name: (atom) @package)

; A specification and the clauses below it are one definition.
(spec fun: (atom) @name sigs: (type_sig args: (expr_args) @clause)) @definition.function @signature
(fun_decl clause: (function_clause name: (atom) @name args: (expr_args) @clause body: (_) @body)) @definition.function
(callback fun: (atom) @name) @definition.method
(record_decl name: (atom) @name) @definition.struct
(record_decl fields: (record_field name: (atom) @name) @definition.field @signature)
(type_alias name: (type_name name: (atom) @name)) @definition.type
(opaque name: (type_name name: (atom) @name)) @definition.type
(pp_define lhs: (macro_lhs name: (_) @name args: (_)) replacement: (_) @body) @definition.macro
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.constant

(pp_include file: (string) @import)
(pp_include_lib file: (string) @import)
(import_attribute module: (atom) @import)
(behaviour_attribute name: (atom) @reference.type)
(call expr: (atom) @reference.call)
(internal_fun fun: (atom) @reference.call)
(external_fun fun: (atom) @reference.call)
(macro_call_expr name: (var) @reference.call (#not-any-of? @reference.call "MODULE" "LINE" "FILE" "FUNCTION_NAME"))
(record_name name: (atom) @reference.type)
