; Captures: see "Add a language" in CONTRIBUTING.md.
[(comment) (haddock)] @comment
(pragma) @attribute
(header module: (module) @package)

; A type signature and the equations below it are one definition.
(declarations (signature name: [(variable) @name @clause (prefix_id (operator) @name @clause)] type: (name)) @definition.constant @signature)
(declarations (signature name: [(variable) @name @clause (prefix_id (operator) @name @clause)]) @definition.function @signature)
(declarations (function name: [(variable) @name @clause (prefix_id (operator) @name @clause)] match: (_) @body) @definition.function)
(declarations (bind name: (variable) @name @clause match: (_) @body) @definition.function)
(declarations (function (infix operator: [(operator) (infix_id)] @name @clause) match: (_) @body) @definition.function)
(class_declarations (signature name: [(variable) @name @clause (prefix_id (operator) @name @clause)]) @definition.method @signature)
(class_declarations (function name: [(variable) @name @clause (prefix_id (operator) @name @clause)] match: (_) @body) @definition.method)
(class_declarations (bind name: (variable) @name @clause match: (_) @body) @definition.method)
(instance_declarations (signature name: [(variable) @name @clause (prefix_id (operator) @name @clause)]) @definition.method @signature)
(instance_declarations (function name: [(variable) @name @clause (prefix_id (operator) @name @clause)] match: (_) @body) @definition.method)
(instance_declarations (bind name: (variable) @name @clause match: (_) @body) @definition.method)

(data_type name: (_) @name constructors: (data_constructors . (data_constructor) .)) @definition.struct
(data_type name: (_) @name) @definition.enum
(newtype name: (_) @name) @definition.struct
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name "where"? @body) @definition.trait
(instance name: (_) @name patterns: (type_patterns) @name "where"? @body) @definition.module
; The only constructor of a type is the type.
(data_constructors (data_constructor constructor: (_ name: (_) @name)) @definition.variant @signature . (data_constructor))
(data_constructors (data_constructor) . (data_constructor constructor: (_ name: (_) @name)) @definition.variant @signature)
(gadt_constructors constructor: (gadt_constructor name: (_) @name) @definition.variant @signature)
(field name: (field_name (variable) @name)) @definition.field @signature

(import module: (module) @import)
(apply function: (variable) @reference.call)
(apply function: (constructor) @reference.call)
(apply function: (qualified id: (variable) @reference.call))
(exp (variable) @reference.call)
(match expression: (variable) @reference.call)
(name) @reference.type
