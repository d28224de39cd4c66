//! Types: the definitions they name, and what values of them are like.

use super::{Field, Kind, Rust};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

/// Types whose members are those of their first argument.
#[rustfmt::skip]
const TRANSPARENT: &[&str] = &[
    "Arc", "AssertUnwindSafe", "Box", "CachePadded", "Cow", "LazyLock", "ManuallyDrop", "MaybeUninit", "MutexGuard",
    "NonNull", "Pin", "Rc", "Ref", "RefMut", "RwLockReadGuard", "RwLockWriteGuard", "Weak", "Wrapping",
];

/// Types that hold values of their first argument.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "BTreeSet", "BinaryHeap", "Cell", "HashSet", "LinkedList", "Mutex", "OnceCell", "OnceLock", "Option", "Peekable",
    "Poll", "RefCell", "Result", "RwLock", "UnsafeCell", "Vec", "VecDeque",
];

/// Types that hold values of their last argument.
const MAPS: &[&str] = &["BTreeMap", "HashMap", "IndexMap"];

impl<'t> Rust<'t> {
    /// The definition that a type names, recorded as a use of this kind.
    pub(super) fn type_name(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let found = lower.nested(node, |lower, node| Some(self.type_in(lower, node, kind)));
        found.unwrap_or_else(|| lower.unknown())
    }

    fn type_in(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::TypeIdentifier | Kind::Identifier | Kind::ScopedType | Kind::ScopedIdentifier => {
                self.path(lower, node, kind)
            }
            Kind::GenericType | Kind::GenericTurbofish => {
                let is = match Field::Type.of(lower, node) {
                    Some(base) => self.type_name(lower, base, kind),
                    None => lower.unknown(),
                };
                self.arguments(lower, node);
                is
            }
            Kind::ReferenceType | Kind::PointerType => match Field::Type.of(lower, node) {
                Some(inner) => self.type_name(lower, inner, kind),
                None => lower.unknown(),
            },
            Kind::DynamicType | Kind::AbstractType => match Field::Trait.of(lower, node) {
                Some(inner) => self.type_name(lower, inner, kind),
                None => lower.unknown(),
            },
            Kind::BracketedType | Kind::QualifiedType => {
                // `<T as Trait>` has the members of the trait.
                let mut is = None;
                for child in node.named_children() {
                    is = Some(self.type_name(lower, child, ReferenceKind::Type));
                }
                is.unwrap_or_else(|| lower.unknown())
            }
            Kind::TraitBounds => self.first_bound(lower, node),
            Kind::Primitive => lower.external(),
            Kind::Lifetime => lower.external(),
            _ => {
                self.parts(lower, node);
                lower.external()
            }
        }
    }

    /// Types and expressions inside of a type.
    fn parts(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::Lifetime | Kind::MutableSpecifier => {}
                Kind::Block => {
                    self.node(lower, child);
                }
                Kind::TypeBinding => {
                    if let Some(bound) = Field::Type.of(lower, child) {
                        self.type_value(lower, bound);
                    }
                }
                _ => {
                    self.type_value(lower, child);
                }
            }
        }
    }

    fn arguments(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::TypeArguments {
                self.parts(lower, child);
            }
        }
    }

    fn first_bound(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let mut first = None;
        for child in node.named_children() {
            if Kind::of(lower, child) != Kind::Lifetime {
                let is = self.type_name(lower, child, ReferenceKind::Type);
                first = first.or(Some(is));
            }
        }
        first.unwrap_or_else(|| lower.external())
    }

    /// A value of a type.
    pub(super) fn type_value(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let found = lower.nested(node, |lower, node| Some(self.value_in(lower, node)));
        found.unwrap_or_else(|| lower.unknown())
    }

    fn value_in(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::ReferenceType | Kind::PointerType => match Field::Type.of(lower, node) {
                Some(inner) => self.type_value(lower, inner),
                None => lower.unknown(),
            },
            Kind::GenericType => self.generic_value(lower, node),
            Kind::ArrayType => {
                let mut children = node.named_children();
                let element = children.next().map(|one| self.type_value(lower, one));
                children.for_each(|length| {
                    self.node(lower, length);
                });
                let element = element.unwrap_or_else(|| lower.unknown());
                lower.container(element)
            }
            Kind::TupleType => {
                let items: Vec<_> = node.named_children().collect();
                let items = items.into_iter().map(|item| self.type_value(lower, item)).collect();
                lower.tuple(items)
            }
            Kind::FunctionType => {
                let result = Field::ReturnType.of(lower, node);
                let result = result.map(|result| self.type_value(lower, result));
                for child in node.named_children() {
                    if child.field_in_parent() == lower.field_id(Field::Parameters as u8) {
                        self.parts(lower, child);
                    } else if child.field_in_parent() == lower.field_id(Field::Trait as u8) {
                        self.type_name(lower, child, ReferenceKind::Type);
                    }
                }
                let result = result.unwrap_or_else(|| lower.external());
                lower.function(result)
            }
            Kind::TypeArguments => {
                self.parts(lower, node);
                lower.external()
            }
            Kind::TypeParameters => {
                self.children(lower, node);
                lower.external()
            }
            _ => {
                let is = self.type_name(lower, node, ReferenceKind::Type);
                lower.instance(is)
            }
        }
    }

    /// `Arc<T>` is a `T`, `Vec<T>` holds them, any other type is itself.
    fn generic_value(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let Some(base) = Field::Type.of(lower, node) else { return lower.unknown() };
        let text = lower.text_of(base);
        let name = text.rsplit("::").next().unwrap_or(text);
        let is = self.type_name(lower, base, ReferenceKind::Type);
        let mut values = Vec::new();
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::TypeArguments {
                for argument in child.named_children() {
                    match Kind::of(lower, argument) {
                        Kind::Lifetime => {}
                        Kind::TypeBinding => {
                            if let Some(bound) = Field::Type.of(lower, argument) {
                                self.type_value(lower, bound);
                            }
                        }
                        _ => values.push(self.type_value(lower, argument)),
                    }
                }
            }
        }
        let (Some(first), Some(last)) = (values.first(), values.last()) else {
            return lower.instance(is);
        };
        if TRANSPARENT.contains(&name) {
            *first
        } else if CONTAINERS.contains(&name) {
            lower.container(*first)
        } else if MAPS.contains(&name) {
            lower.container(*last)
        } else {
            lower.instance(is)
        }
    }

    /// What an alias stands for: another name of a type, or a value of something that has no name.
    pub(super) fn aliased(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::TypeIdentifier | Kind::ScopedType => {
                self.type_name(lower, node, ReferenceKind::Type)
            }
            _ => {
                let value = self.type_value(lower, node);
                match *lower.get(value) {
                    groma_core::Expression::Instance(of) => of,
                    _ => value,
                }
            }
        }
    }

    /// Declares the type parameters of an item, with the traits that bound them.
    pub(super) fn generics(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let from = self.type_parameters.len();
        let parameters = Field::TypeParameters.of(lower, node);
        let parameters: Vec<_> = parameters.into_iter().flat_map(Node::named_children).collect();
        let external = lower.external();
        for parameter in &parameters {
            if let Some(name) = parameter_name(lower, *parameter) {
                self.type_parameters.push((name, external));
            }
        }
        for parameter in parameters {
            let bound = Field::Bounds.of(lower, parameter);
            let bound = bound.map(|bound| self.type_name(lower, bound, ReferenceKind::Type));
            if let (Some(bound), Some(name)) = (bound, parameter_name(lower, parameter)) {
                self.bound(from, name, bound);
            }
            for child in parameter.named_children() {
                let is_type = child.field_in_parent() == lower.field_id(Field::Type as u8);
                if is_type || Kind::of(lower, parameter) == Kind::AttributeItem {
                    self.type_value(lower, child);
                }
            }
        }
        self.where_clauses(lower, node, from);
    }

    fn where_clauses(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, from: usize) {
        for clause in node.named_children() {
            for predicate in clause.named_children() {
                if Kind::of(lower, predicate) != Kind::WherePredicate {
                    continue;
                }
                let left = Field::Left.of(lower, predicate);
                let bound = Field::Bounds.of(lower, predicate);
                let bound = bound.map(|bound| self.type_name(lower, bound, ReferenceKind::Type));
                let Some(left) = left else { continue };
                self.type_value(lower, left);
                if let Some(bound) = bound {
                    self.bound(from, lower.text_of(left), bound);
                }
            }
        }
    }

    fn bound(&mut self, from: usize, name: &str, bound: ExpressionId) {
        let known = self.type_parameters[from..].iter_mut().find(|(known, _)| *known == name);
        if let Some((_, meaning)) = known {
            *meaning = bound;
        }
    }
}

/// The name of a type or const parameter.
fn parameter_name<'t>(lower: &Lowerer<'t>, parameter: Node<'t>) -> Option<&'t str> {
    match Kind::of(lower, parameter) {
        Kind::TypeParameter | Kind::ConstParameter => {
            Field::Name.of(lower, parameter).map(|name| lower.text_of(name))
        }
        Kind::TypeIdentifier => Some(lower.text_of(parameter)),
        _ => None,
    }
}
