//! What JavaScript, TypeScript and the component formats built on them share: most of the query, the lowering and the
//! import resolver.

mod lowering;
mod resolve;

pub(super) use lowering::LOWERING;
pub(super) use resolve::IMPORTS;

/// Members of strings, arrays, promises, events and elements.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "abort", "add", "addEventListener", "all", "any", "append", "apply", "at", "bind", "body", "call", "catch", "children",
    "clear", "close", "concat", "data", "delete", "done", "emit", "end", "entries", "error", "every", "filter", "finally",
    "find", "findIndex", "flat", "forEach", "get", "has", "headers", "href", "id", "includes", "indexOf", "insertBefore",
    "join", "key", "keys", "length", "map", "match", "message", "method", "name", "next", "off", "on", "once", "open",
    "parentNode", "parse", "path", "pop", "push", "querySelector", "race", "read", "reduce", "reject", "remove",
    "removeChild", "removeEventListener", "replace", "resolve", "return", "send", "set", "shift", "signal", "size",
    "slice", "some", "sort", "splice", "split", "stack", "status", "style", "target", "test", "text", "then", "throw",
    "toString", "trim", "type", "unshift", "url", "value", "valueOf", "values", "write",
];
