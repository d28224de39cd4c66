//! What the captures of a query file mean.

use groma_core::{ReferenceKind, SymbolKind, Visibility};

/// The meaning of a capture. CONTRIBUTING.md lists them for authors of queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Capture {
    /// `@definition.KIND`: a definition; the same match holds its `@name`.
    Definition(SymbolKind),
    /// `@name`; where one match has several, they are the parts of one name.
    Name,
    /// `@signature`: the whole signature, when it is not the text before the body.
    Signature,
    /// `@clause`: one clause of a definition. Neighbours with the same name are one symbol if the captured
    /// nodes (usually the parameters) have equally many children.
    Clause,
    /// `@reaches`: a definition that extends to the next such one, like a `FROM` of a container file.
    Reaches,
    /// `@doc`: a doc string inside the definition.
    Doc,
    /// `@body`: where the signature ends, when that is not the node's `body` field.
    Body,
    /// `@receiver`: the type a method belongs to, when it is not inside of it.
    Receiver,
    /// `@scope`: a node that qualifies the names in it without being a symbol, named by `@scope.name`.
    Scope,
    ScopeName,
    /// `@package`: the package, module or namespace the file declares; `@package.part` is appended to it.
    Package,
    PackagePart,
    /// `@access`: a keyword like `private:` that applies to the definitions after it, up to the end of its parent node.
    /// `@access.public` and `@access.private` make any node such a marker.
    Access,
    AccessIs(Visibility),
    /// `@import`: the path of an import; `@import.member` in the same match is appended to it.
    Import,
    ImportMember,
    /// `@import.child`: a module that this file declares and that is another file.
    ImportChild,
    /// `@reference.call`, `@reference.type` and `@reference.base`.
    Reference(ReferenceKind),
    /// `@reference.member`: appended to the reference of the same match.
    ReferenceMember,
    /// `@implementor`: the type that extends or implements the `@reference.base` of the same match, where it is
    /// not the definition around it.
    Implementor,
    /// `@comment`: a comment; directly above a definition it is its doc.
    Comment,
    /// `@attribute`: a decorator or attribute; directly above a definition it belongs to it.
    Attribute,
    /// `@_...`: used by a predicate only.
    Ignored,
}

impl Capture {
    /// The meaning of a capture name. Panics on an unknown name, which is a mistake in a query file; a test compiles all of
    /// them.
    pub fn named(name: &str) -> Self {
        if let Some(kind) = name.strip_prefix("definition.") {
            return Self::Definition(
                kind.parse().unwrap_or_else(|error| panic!("@{name}: {error}")),
            );
        }
        match name {
            "name" => Self::Name,
            "signature" => Self::Signature,
            "clause" => Self::Clause,
            "reaches" => Self::Reaches,
            "doc" => Self::Doc,
            "body" => Self::Body,
            "receiver" => Self::Receiver,
            "scope" => Self::Scope,
            "scope.name" => Self::ScopeName,
            "package" => Self::Package,
            "package.part" => Self::PackagePart,
            "access" => Self::Access,
            "access.public" => Self::AccessIs(Visibility::Public),
            "access.private" => Self::AccessIs(Visibility::Private),
            "import" => Self::Import,
            "import.member" => Self::ImportMember,
            "import.child" => Self::ImportChild,
            "reference.call" => Self::Reference(ReferenceKind::Call),
            "reference.type" => Self::Reference(ReferenceKind::Type),
            "reference.base" => Self::Reference(ReferenceKind::Base),
            "reference.member" => Self::ReferenceMember,
            "implementor" => Self::Implementor,
            "comment" => Self::Comment,
            "attribute" => Self::Attribute,
            _ if name.starts_with('_') => Self::Ignored,
            _ => panic!("unknown capture @{name}"),
        }
    }
}
