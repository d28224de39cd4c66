; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment
; `private` on a line of its own; other words are ignored.
(body_statement (identifier) @access)

(module name: (constant) @name) @definition.module
(module name: (scope_resolution scope: (_) @receiver name: (constant) @name)) @definition.module
(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_) @receiver name: (constant) @name)) @definition.class
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(alias name: (_) @name) @definition.method
(assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)
  (#any-of? @_maker "Class" "Data" "Module" "Struct")) @definition.class
(assignment left: (constant) @name) @definition.constant
(assignment left: (class_variable) @name) @definition.field
(call !receiver method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer" "cattr_accessor" "mattr_accessor")
) @definition.property
(call !receiver method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "alias_method" "define_method" "delegate" "scope")) @definition.method

(call !receiver method: (identifier) @_require arguments: (argument_list (string) @import)
  (#any-of? @_require "autoload" "load" "require" "require_relative"))
(call method: [(identifier) (constant)] @reference.call)
(constant) @reference.type
(superclass (constant) @reference.base)
(superclass (scope_resolution name: (constant) @reference.base))
(call !receiver method: (identifier) @_mix arguments: (argument_list [
  (constant) @reference.base
  (scope_resolution name: (constant) @reference.base)
]) (#any-of? @_mix "include" "extend" "prepend"))
