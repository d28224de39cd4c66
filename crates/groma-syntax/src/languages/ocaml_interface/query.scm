; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(value_specification (value_name) @name type: (function_type)) @definition.function
(value_specification (value_name) @name) @definition.variable
(external (value_name) @name) @definition.function
(type_definition (type_binding name: (_) @name body: (record_declaration) @body) @definition.struct)
(type_definition (type_binding name: (_) @name body: (variant_declaration) @body) @definition.enum)
(type_definition (type_binding name: (_) @name) @definition.type) @signature
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.variant @signature)
(field_declaration (field_name) @name) @definition.field @signature
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.struct
(module_type_definition (module_type_name) @name) @definition.interface
(compilation_unit (module_definition (module_binding (module_name) @name) @definition.module))
(signature (module_definition (module_binding (module_name) @name) @definition.module))
(class_binding (class_name) @name) @definition.class
(class_type_binding (class_type_name) @name) @definition.interface
(method_specification (method_name) @name) @definition.method

(type_constructor) @reference.type
(module_type_name) @reference.type
(open_module_signature module: (_) @import)
