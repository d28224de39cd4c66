//! Annotations: the types they name, and what a value of such a type is.

use super::{Field, Kind, Python};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};

/// Longest annotation in a string that is read.
const MAX_STRING: usize = 400;

impl<'t> Python<'t> {
    /// Records the types that an annotation names and tells what a value of it is.
    pub(super) fn annotation(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        lower.nested(node, |lower, node| match Kind::of(lower, node) {
            Kind::Type | Kind::Parenthesized => match node.named_children().next() {
                Some(inner) => self.annotation(lower, inner),
                None => lower.unknown(),
            },
            Kind::Identifier | Kind::Attribute | Kind::MemberType => self.named_type(lower, node),
            Kind::String => self.string_type(lower, node),
            Kind::None | Kind::Ellipsis => lower.unknown(),
            Kind::BinaryOperator | Kind::UnionType => {
                let sides: Vec<ExpressionId> =
                    node.named_children().map(|side| self.annotation(lower, side)).collect();
                self.any(lower, &sides)
            }
            Kind::GenericType => {
                let mut parts = node.named_children();
                let Some(name) = parts.next() else { return lower.unknown() };
                let arguments: Vec<Node<'t>> = parts.flat_map(Node::named_children).collect();
                self.generic_type(lower, name, &arguments)
            }
            Kind::Subscript => {
                let Some(name) = Field::Value.of(lower, node) else { return lower.unknown() };
                let arguments: Vec<Node<'t>> = Field::SubscriptOf.all(lower, node).collect();
                self.generic_type(lower, name, &arguments)
            }
            Kind::List | Kind::Tuple | Kind::ExpressionList => {
                for child in node.named_children() {
                    self.annotation(lower, child);
                }
                lower.unknown()
            }
            _ => self.walk_as(lower, node, ReferenceKind::Type),
        })
    }

    fn named_type(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let class = if Kind::of(lower, node) == Kind::MemberType {
            let mut parts = node.named_children();
            let of = parts.next().map(|of| self.annotation(lower, of));
            let (Some(of), Some(name)) = (of, parts.next()) else { return lower.unknown() };
            let member = lower.member(class_of(lower, of), lower.text_of(name));
            lower.refer(name, ReferenceKind::Type, member);
            member
        } else {
            self.walk_as(lower, node, ReferenceKind::Type)
        };
        self.value_of(lower, last_part(lower.text_of(node)), class)
    }

    /// A value of a type by its name.
    fn value_of(
        &mut self,
        lower: &mut Lowerer<'t>,
        name: &str,
        class: ExpressionId,
    ) -> ExpressionId {
        match (name, self.class) {
            ("Self", Some(class)) => {
                let class = lower.symbol(class.symbol);
                lower.instance(class)
            }
            ("Any", _) => lower.unknown(),
            _ => lower.instance(class),
        }
    }

    fn generic_type(
        &mut self,
        lower: &mut Lowerer<'t>,
        name: Node<'t>,
        arguments: &[Node<'t>],
    ) -> ExpressionId {
        let class = self.walk_as(lower, name, ReferenceKind::Type);
        let name = last_part(lower.text_of(name));
        if name == "Literal" {
            return lower.external();
        }
        let is_repeated = arguments.last().is_some_and(|last| lower.text_of(*last) == "...");
        let meanings: Vec<ExpressionId> =
            arguments.iter().map(|argument| self.annotation(lower, *argument)).collect();
        self.applied(lower, name, class, &meanings, is_repeated)
    }

    /// A value of a generic type. `arguments` are values of the types it is applied to.
    fn applied(
        &mut self,
        lower: &mut Lowerer<'t>,
        name: &str,
        class: ExpressionId,
        arguments: &[ExpressionId],
        is_repeated: bool,
    ) -> ExpressionId {
        let (first, last) = match (arguments.first(), arguments.last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => return lower.instance(class),
        };
        match name {
            "Optional" | "Union" => self.any(lower, arguments),
            "Annotated"
            | "Final"
            | "ClassVar"
            | "Required"
            | "NotRequired"
            | "ReadOnly"
            | "InitVar"
            | "Awaitable"
            | "Unpack"
            | "ContextManager"
            | "AbstractContextManager"
            | "AsyncContextManager"
            | "AbstractAsyncContextManager" => first,
            "Coroutine" => last,
            "Type" | "type" => class_of(lower, first),
            "Callable" => lower.function(last),
            "tuple" | "Tuple" if !is_repeated => lower.tuple(arguments.to_vec()),
            "dict"
            | "Dict"
            | "Mapping"
            | "MutableMapping"
            | "OrderedDict"
            | "defaultdict"
            | "DefaultDict"
            | "WeakValueDictionary"
            | "ChainMap" => lower.container(last),
            "tuple" | "Tuple" | "list" | "List" | "set" | "Set" | "frozenset" | "FrozenSet"
            | "Sequence" | "MutableSequence" | "Iterable" | "Iterator" | "Collection" | "deque"
            | "Deque" | "Generator" | "AsyncIterator" | "AsyncIterable" | "AsyncGenerator"
            | "AbstractSet" | "MutableSet" | "KeysView" | "ValuesView" | "Reversible" => {
                lower.container(first)
            }
            _ => lower.instance(class),
        }
    }

    /// An annotation in quotes.
    fn string_type(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let content =
            node.named_children().find(|one| Kind::of(lower, *one) == Kind::StringContent);
        let Some(content) = content.filter(|content| content.byte_range().len() <= MAX_STRING)
        else {
            return lower.unknown();
        };
        let mut quoted =
            Quoted { start: content.start_byte(), text: lower.text_of(content), at: 0 };
        self.quoted(lower, &mut quoted, 0)
    }

    fn quoted(
        &mut self,
        lower: &mut Lowerer<'t>,
        text: &mut Quoted<'t>,
        depth: u32,
    ) -> ExpressionId {
        let Some((start, name)) = text.name().filter(|_| depth < 20) else {
            text.at += 1;
            return lower.unknown();
        };
        let mut class = self.resolved(lower, name);
        lower.refer_at(start, name, ReferenceKind::Type, class);
        let mut last = name;
        while text.eat('.') {
            let Some((start, name)) = text.name() else { break };
            class = lower.member(class, name);
            lower.refer_at(start, name, ReferenceKind::Type, class);
            last = name;
        }
        let mut meaning = match last {
            "None" => lower.unknown(),
            _ => self.value_of(lower, last, class),
        };
        if text.eat('[') {
            let mut arguments = Vec::new();
            while !text.eat(']') && text.at < text.text.len() {
                let argument = self.quoted(lower, text, depth + 1);
                arguments.push(argument);
                text.eat(',');
            }
            meaning = self.applied(lower, last, class, &arguments, text.text.contains("..."));
        }
        if text.eat('|') {
            let other = self.quoted(lower, text, depth + 1);
            meaning = self.any(lower, &[meaning, other]);
        }
        meaning
    }

    /// `T = TypeVar("T", bound=Base)` stands for its bound.
    pub(super) fn type_variable(
        &mut self,
        lower: &mut Lowerer<'t>,
        value: Option<Node<'t>>,
    ) -> Option<ExpressionId> {
        let value = value.filter(|value| Kind::of(lower, *value) == Kind::Call)?;
        let function = Field::FunctionOf.of(lower, value)?;
        if last_part(lower.text_of(function)) != "TypeVar" {
            return None;
        }
        let arguments = Field::Arguments.of(lower, value)?;
        let bound = arguments.named_children().find(|argument| {
            let name = Field::Name.of(lower, *argument);
            name.is_some_and(|name| lower.text_of(name) == "bound")
        });
        match bound.and_then(|bound| Field::Value.of(lower, bound)) {
            Some(bound) => {
                let meaning = self.annotation(lower, bound);
                Some(class_of(lower, meaning))
            }
            None => Some(lower.unknown()),
        }
    }
}

/// The class of which an expression is a value.
fn class_of(lower: &Lowerer<'_>, value: ExpressionId) -> ExpressionId {
    match lower.get(value) {
        Expression::Instance(class) => *class,
        _ => value,
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name).trim()
}

/// An annotation in quotes, and how far it is read.
struct Quoted<'t> {
    /// The offset of the text in the file.
    start: usize,
    text: &'t str,
    at: usize,
}

impl<'t> Quoted<'t> {
    fn skip_space(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, character: char) -> bool {
        self.skip_space();
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(character));
        self.at += if found { character.len_utf8() } else { 0 };
        found
    }

    /// The identifier here, with its offset in the file.
    fn name(&mut self) -> Option<(usize, &'t str)> {
        self.skip_space();
        let rest = self.text.get(self.at..)?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let start = self.start + self.at;
        self.at += end;
        (end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit()))
            .then_some((start, &rest[..end]))
    }
}
