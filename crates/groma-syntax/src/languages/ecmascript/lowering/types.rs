//! Types: the names in them, and what a value of such a type is.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};

impl<'t> Script<'t> {
    /// Records the types that an annotation names and tells what a value of it is.
    pub(super) fn annotation(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        self.annotation_as(lower, node, ReferenceKind::Type)
    }

    pub(super) fn annotations(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
    ) -> Vec<ExpressionId> {
        let mut found = Vec::new();
        for child in node.named_children() {
            if Kind::of(lower, child) != Kind::Comment {
                found.push(self.annotation(lower, child));
            }
        }
        found
    }

    pub(super) fn annotation_as(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        lower.nested(node, |lower, node| match Kind::of(lower, node) {
            Kind::TypeIdentifier => {
                let class = self.identifier(lower, node, kind);
                self.value_of(lower, lower.text_of(node), class)
            }
            Kind::NestedType => {
                let class = self.nested_type(lower, node, kind);
                lower.instance(class)
            }
            Kind::GenericType => self.generic(lower, node, kind),
            Kind::UnionType | Kind::IntersectionType => {
                let sides = self.annotations(lower, node);
                self.any(lower, &sides)
            }
            Kind::ObjectType => self.object_type(lower, node),
            Kind::FunctionType | Kind::ConstructorType => self.function_type(lower, node),
            Kind::ConditionalType => self.conditional_type(lower, node),
            Kind::TypePredicate => {
                Field::TypeOf.of(lower, node).map(|one| self.annotation(lower, one));
                lower.external()
            }
            Kind::TypeQuery | Kind::Member | Kind::Call | Kind::Identifier => {
                self.queried(lower, node)
            }
            Kind::LookupType => self.lookup_type(lower, node),
            Kind::ThisType => self.this,
            Kind::InferType => {
                for child in node.named_children().skip(1) {
                    self.annotation(lower, child);
                }
                lower.unknown()
            }
            Kind::PredefinedType => match lower.text_of(node) {
                "any" | "unknown" | "object" => lower.unknown(),
                _ => lower.external(),
            },
            Kind::LiteralType => match lower.text_of(node) {
                "null" | "undefined" => lower.unknown(),
                _ => lower.external(),
            },
            _ => self.composed_type(lower, node),
        })
    }

    /// A type whose meaning follows from its parts.
    fn composed_type(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let parts = self.annotations(lower, node);
        let first = parts.first().copied();
        match (Kind::of(lower, node), first) {
            (Kind::ArrayType, Some(first)) => lower.container(first),
            (Kind::TupleType, Some(_)) => lower.tuple(parts),
            (Kind::IndexTypeQuery, _) => lower.external(),
            (_, Some(first)) if parts.len() == 1 => first,
            _ => lower.unknown(),
        }
    }

    /// A value of the type that a name means: that of a type parameter is what it is constrained to.
    fn value_of(
        &mut self,
        lower: &mut Lowerer<'t>,
        name: &str,
        class: ExpressionId,
    ) -> ExpressionId {
        match lower.local(name) {
            Some(local) if !is_definition(lower, local) => local,
            _ => lower.instance(class),
        }
    }

    /// `module.Name`
    fn nested_type(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let (module, name) = (Field::ModuleOf.of(lower, node), Field::Name.of(lower, node));
        let Some((module, name)) = module.zip(name) else { return lower.unknown() };
        let of = self.walk(lower, module);
        let member = lower.member(of, lower.text_of(name));
        lower.refer(name, kind, member);
        member
    }

    fn generic(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let Some(name) = Field::Name.of(lower, node) else { return lower.unknown() };
        let meaning = self.annotation_as(lower, name, kind);
        let arguments = Field::TypeArgumentsOf.of(lower, node);
        let arguments = arguments.map_or(Vec::new(), |list| self.annotations(lower, list));
        let (Some(first), Some(last)) = (arguments.first().copied(), arguments.last().copied())
        else {
            return meaning;
        };
        match lower.text_of(name) {
            "Promise" | "PromiseLike" | "Awaited" | "Partial" | "Readonly" | "Required"
            | "NonNullable" | "Omit" | "Pick" | "Extract" | "Exclude" | "DeepReadonly"
            | "InstanceType" => first,
            "Array"
            | "ReadonlyArray"
            | "Set"
            | "ReadonlySet"
            | "WeakSet"
            | "Iterable"
            | "Iterator"
            | "IterableIterator"
            | "AsyncIterable"
            | "AsyncIterator"
            | "AsyncIterableIterator"
            | "Generator"
            | "AsyncGenerator"
            | "ArrayLike" => lower.container(first),
            "Map" | "ReadonlyMap" | "WeakMap" | "Record" => lower.container(last),
            "ReturnType" => lower.call(first),
            _ => meaning,
        }
    }

    /// An object type: its members, or what it holds.
    fn object_type(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let owner = self.record(lower, node);
        let mut meaning = lower.unknown();
        for member in node.named_children() {
            let found = lower.nested(member, |lower, member| self.type_member(lower, member));
            meaning = lower.either(meaning, found);
        }
        owner.unwrap_or(meaning)
    }

    fn function_type(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let function = self.function(lower, node, Some(self.this));
        let made = Field::TypeOf.of(lower, node).map(|one| self.annotation(lower, one));
        match made {
            Some(made) => lower.function(made),
            None => function,
        }
    }

    fn conditional_type(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        lower.open();
        let unknown = lower.unknown();
        let (left, right) = (Field::Left.of(lower, node), Field::Right.of(lower, node));
        left.map(|left| self.annotation(lower, left));
        if let Some(right) = right {
            for leaf in right.named_leaves() {
                let parent = leaf.parent().map(|parent| Kind::of(lower, parent));
                if parent == Some(Kind::InferType) {
                    lower.declare(lower.text_of(leaf), unknown);
                }
            }
            self.annotation(lower, right);
        }
        let mut results = Vec::new();
        for part in [Field::Consequence, Field::Alternative] {
            if let Some(part) = part.of(lower, node) {
                results.push(self.annotation(lower, part));
            }
        }
        lower.close();
        self.any(lower, &results)
    }

    /// `typeof value`, `import("m").Name`: the value itself.
    fn queried(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::TypeQuery => {
                let mut meaning = lower.unknown();
                for child in node.named_children() {
                    meaning = self.walk(lower, child);
                }
                meaning
            }
            _ => {
                let class = self.walk_as(lower, node, ReferenceKind::Type);
                lower.instance(class)
            }
        }
    }

    /// `T["name"]`
    fn lookup_type(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let mut parts = node.named_children();
        let (Some(of), Some(index)) = (parts.next(), parts.next()) else { return lower.unknown() };
        let of = self.annotation(lower, of);
        self.annotation(lower, index);
        let name = lower.text_of(index);
        if name.starts_with(['"', '\'']) {
            lower.member(of, self.name_of(lower, index))
        } else {
            lower.element(of)
        }
    }
}

/// Whether a local is the name of a definition or an import rather than of a type parameter.
fn is_definition(lower: &Lowerer<'_>, local: ExpressionId) -> bool {
    match lower.get(local) {
        Expression::Symbol(_) | Expression::Module(_) => true,
        Expression::Member(of, _) => matches!(lower.get(*of), Expression::Module(_)),
        _ => false,
    }
}
