; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

; Definitions are calls, so patterns test the called name.
(call target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block (unary_operator operand: (call target: (identifier) @_doc (arguments (string) @doc)))) @body
  (#eq? @_def "defmodule") (#eq? @_doc "moduledoc")) @definition.module
(call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body
  (#eq? @_def "defmodule")) @definition.module
(call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body
  (#eq? @_def "defprotocol")) @definition.interface
(call target: (identifier) @_def
  (arguments . (alias) @name (keywords (pair value: (alias) @name)))
  (do_block) @body
  (#eq? @_def "defimpl")) @definition.module
(call target: (identifier) @_def
  (arguments . [
    (identifier) @name @clause
    (call target: (identifier) @name (arguments) @clause)
    (binary_operator left: (call target: (identifier) @name (arguments) @clause) operator: "when")
  ] . (keywords)? @body)
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp")) @definition.function
(call target: (identifier) @_def
  (arguments . [
    (identifier) @name @clause
    (call target: (identifier) @name (arguments) @clause)
    (binary_operator left: (call target: (identifier) @name (arguments) @clause) operator: "when")
  ] . (keywords)? @body)
  (do_block)? @body
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp")) @definition.macro
(call target: (identifier) @_def (arguments . (string (quoted_content) @name)) (do_block) @body
  (#any-of? @_def "test" "property")) @definition.test

; Module attributes: docs, types, callbacks, constants.
(unary_operator operator: "@" operand: (call target: (identifier) @_at (arguments [(string) (sigil)] @comment))
  (#any-of? @_at "doc" "typedoc" "shortdoc" "moduledoc"))
(unary_operator operator: "@" operand: (call target: (identifier) @_at)
  (#any-of? @_at "doc" "typedoc" "spec" "impl" "deprecated" "since" "tag")) @attribute
(unary_operator operator: "@" operand: (call target: (identifier) @_at
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))
  (#any-of? @_at "type" "typep" "opaque")) @definition.type
(unary_operator operator: "@" operand: (call target: (identifier) @_at
    (arguments (binary_operator left: (call target: (identifier) @name))))
  (#any-of? @_at "callback" "macrocallback")) @definition.method
(do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments (_)))
  (#not-any-of? @name "doc" "typedoc" "shortdoc" "moduledoc" "spec" "impl" "deprecated" "since" "tag" "moduletag"
    "type" "typep" "opaque" "callback" "macrocallback" "behaviour" "derive" "enforce_keys" "optional_callbacks"
    "compile" "dialyzer" "before_compile" "after_compile" "on_load" "external_resource")) @definition.constant)

(call target: (identifier) @_in (arguments . (alias) @import)
  (#any-of? @_in "alias" "import" "require" "use"))
(call target: (identifier) @_in (arguments . (dot left: (alias) @import right: (tuple (alias) @import.member)))
  (#any-of? @_in "alias" "import" "require" "use"))
(unary_operator operator: "@" operand: (call target: (identifier) @_at (arguments (alias) @reference.base))
  (#eq? @_at "behaviour"))
(call target: (identifier) @reference.call
  (#not-any-of? @reference.call "def" "defp" "defmacro" "defmacrop" "defmodule" "defprotocol" "defimpl" "defstruct"
    "defguard" "defguardp" "defdelegate" "defexception" "alias" "import" "require" "use" "if" "unless" "case" "cond"
    "with" "for" "fn" "try" "receive" "quote" "unquote" "unquote_splicing" "test" "describe" "setup" "raise"
    "doc" "moduledoc" "typedoc" "spec" "type" "typep" "opaque" "callback" "behaviour" "impl" "tag"))
(call target: (dot right: (identifier) @reference.call) (arguments))
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @reference.call operator: "/"))
(dot left: (alias) @reference.type)
(struct (alias) @reference.type)
