//! Rust: what the names of a file mean.
//!
//! References, smart pointers and futures are transparent: a member is that of what is behind them. Containers
//! (`Option`, `Vec`, `Mutex`) are kept, and methods like `unwrap` take out what they hold.

mod item;
mod pattern;
mod tokens;
mod types;

use crate::lowering::{Lowerer, Lowering, vocabulary};
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};

vocabulary! {
    kinds {
        AbstractType = "abstract_type",
        ArrayType = "array_type",
        AssociatedType = "associated_type",
        AttributeItem = "attribute_item",
        Await = "await_expression",
        Block = "block",
        BracketedType = "bracketed_type",
        Call = "call_expression",
        CapturedPattern = "captured_pattern",
        Closure = "closure_expression",
        ClosureParameters = "closure_parameters",
        Const = "const_item",
        ConstParameter = "const_parameter",
        Crate = "crate",
        DeclarationList = "declaration_list",
        DynamicType = "dynamic_type",
        Enum = "enum_item",
        EnumVariant = "enum_variant",
        ExpressionStatement = "expression_statement",
        ExternCrate = "extern_crate_declaration",
        FieldDeclaration = "field_declaration",
        FieldExpression = "field_expression",
        FieldIdentifier = "field_identifier",
        FieldInitializer = "field_initializer",
        FieldPattern = "field_pattern",
        For = "for_expression",
        Function = "function_item",
        FunctionSignature = "function_signature_item",
        FunctionType = "function_type",
        GenericFunction = "generic_function",
        GenericType = "generic_type",
        GenericTurbofish = "generic_type_with_turbofish",
        Identifier = "identifier",
        If = "if_expression",
        Impl = "impl_item",
        Index = "index_expression",
        InnerAttributeItem = "inner_attribute_item",
        IntegerLiteral = "integer_literal",
        Label = "label",
        Let = "let_declaration",
        LetCondition = "let_condition",
        Lifetime = "lifetime",
        LifetimeParameter = "lifetime_parameter",
        MacroDefinition = "macro_definition",
        MacroInvocation = "macro_invocation",
        MatchArm = "match_arm",
        MatchPattern = "match_pattern",
        Match = "match_expression",
        Metavariable = "metavariable",
        Module = "mod_item",
        MutPattern = "mut_pattern",
        MutableSpecifier = "mutable_specifier",
        OrPattern = "or_pattern",
        OrderedFields = "ordered_field_declaration_list",
        Parameter = "parameter",
        Parenthesized = "parenthesized_expression",
        PointerType = "pointer_type",
        Primitive = "primitive_type",
        QualifiedType = "qualified_type",
        RefPattern = "ref_pattern",
        Reference = "reference_expression",
        ReferencePattern = "reference_pattern",
        ReferenceType = "reference_type",
        RemainingField = "remaining_field_pattern",
        ScopedIdentifier = "scoped_identifier",
        ScopedType = "scoped_type_identifier",
        ScopedUseList = "scoped_use_list",
        SelfWord = "self",
        SelfParameter = "self_parameter",
        ShorthandField = "shorthand_field_identifier",
        ShorthandInitializer = "shorthand_field_initializer",
        SlicePattern = "slice_pattern",
        Static = "static_item",
        StringLiteral = "string_literal",
        Struct = "struct_item",
        StructExpression = "struct_expression",
        StructPattern = "struct_pattern",
        Super = "super",
        TokenTree = "token_tree",
        Trait = "trait_item",
        TraitBounds = "trait_bounds",
        Try = "try_expression",
        TupleExpression = "tuple_expression",
        TuplePattern = "tuple_pattern",
        TupleStructPattern = "tuple_struct_pattern",
        TupleType = "tuple_type",
        TypeArguments = "type_arguments",
        TypeBinding = "type_binding",
        TypeCast = "type_cast_expression",
        TypeIdentifier = "type_identifier",
        TypeItem = "type_item",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        Unary = "unary_expression",
        Union = "union_item",
        UnsafeBlock = "unsafe_block",
        AsyncBlock = "async_block",
        UseAs = "use_as_clause",
        UseDeclaration = "use_declaration",
        UseList = "use_list",
        UseWildcard = "use_wildcard",
        Visibility = "visibility_modifier",
        WherePredicate = "where_predicate",
        While = "while_expression",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        Argument = "argument",
        Arguments = "arguments",
        Body = "body",
        Bounds = "bounds",
        Condition = "condition",
        Consequence = "consequence",
        Selected = "field",
        Function = "function",
        Left = "left",
        List = "list",
        Macro = "macro",
        Name = "name",
        Parameters = "parameters",
        Path = "path",
        Pattern = "pattern",
        ReturnType = "return_type",
        Trait = "trait",
        Type = "type",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

pub(super) static LOWERING: Lowering = Lowering { kinds: Kind::NAMES, fields: Field::NAMES, lower };

/// Methods that give what a container holds.
#[rustfmt::skip]
const TAKES: &[&str] = &[
    "back", "back_mut", "borrow", "borrow_mut", "entry", "expect", "first", "first_mut", "front", "front_mut",
    "get_or_init", "get_or_insert_with", "insert", "into_inner", "last", "last_mut", "load", "lock", "next",
    "next_back", "or_default", "or_insert", "or_insert_with", "peek", "peek_mut", "pop", "pop_back", "pop_front",
    "read", "recv", "remove", "replace", "swap_remove", "take", "unwrap", "unwrap_err", "unwrap_or",
    "unwrap_or_default", "unwrap_or_else", "write",
];

/// Methods that give the same again, or a container of the same.
#[rustfmt::skip]
const KEEPS: &[&str] = &[
    "as_deref", "as_deref_mut", "as_mut", "as_ref", "borrow", "borrow_mut", "by_ref", "clone", "cloned", "collect",
    "copied", "deref", "deref_mut", "drain", "enumerate", "filter", "get", "get_mut", "get_ref", "into", "into_boxed_slice",
    "into_iter", "iter", "iter_mut", "map_err", "ok", "ok_or", "ok_or_else", "or_else", "project", "rev", "skip", "take",
    "to_owned", "to_vec", "try_into", "values", "values_mut", "with_context", "context", "zip",
];

/// Names that are hardly ever defined by a project: the standard library's crates, and what is always in scope.
const STANDARD: &[&str] =
    &["Err", "None", "Ok", "Some", "String", "Vec", "alloc", "core", "drop", "std"];

/// Functions of smart pointers whose result behaves like their argument.
const TRANSPARENT: &[&str] = &["Arc", "Box", "Cow", "Pin", "Rc"];

fn lower<'t>(lower: &mut Lowerer<'t>, root: Node<'t>) {
    Rust::default().items(lower, root);
}

/// The state of a walk.
#[derive(Default)]
struct Rust<'t> {
    /// The inline modules around the current node, innermost last.
    modules: Vec<ExpressionId>,
    /// What `Self` means, innermost last.
    selves: Vec<ExpressionId>,
    type_parameters: Vec<(&'t str, ExpressionId)>,
    /// Whether the current `use` is seen outside of its module.
    is_public: bool,
}

impl<'t> Rust<'t> {
    fn children(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            self.node(lower, child);
        }
    }

    /// Lowers a node and what is below it; the value of an expression.
    fn node(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        lower.nested(
            node,
            |lower, node| {
                if self.item(lower, node) { None } else { self.expression(lower, node) }
            },
        )
    }

    fn value(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        match self.node(lower, node) {
            Some(value) => value,
            None => lower.unknown(),
        }
    }

    fn field(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        field: Field,
    ) -> Option<ExpressionId> {
        let child = field.of(lower, node)?;
        self.node(lower, child)
    }

    fn expression(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfWord => {
                Some(self.path(lower, node, ReferenceKind::Value))
            }
            Kind::FieldExpression => self.member(lower, node, ReferenceKind::Value),
            Kind::GenericFunction => self.generic_function(lower, node, ReferenceKind::Value),
            Kind::Call => self.call(lower, node),
            Kind::StructExpression => self.struct_expression(lower, node),
            Kind::MacroInvocation => self.macro_call(lower, node),
            Kind::Closure => Some(self.closure(lower, node)),
            Kind::Try => {
                let inner = node.named_children().next()?;
                let value = self.value(lower, inner);
                Some(lower.element(value))
            }
            Kind::Index => {
                let mut children = node.named_children();
                let of = children.next()?;
                let of = self.value(lower, of);
                children.for_each(|child| {
                    self.node(lower, child);
                });
                Some(lower.element(of))
            }
            Kind::Await | Kind::Parenthesized | Kind::Unary => {
                node.named_children().fold(None, |_, child| self.node(lower, child))
            }
            Kind::Reference => self.field(lower, node, Field::Value),
            Kind::TupleExpression => {
                let items: Vec<_> = node.named_children().collect();
                let items = items.into_iter().map(|item| self.value(lower, item)).collect();
                Some(lower.tuple(items))
            }
            Kind::TypeCast => {
                self.field(lower, node, Field::Value);
                let cast = Field::Type.of(lower, node)?;
                Some(self.type_value(lower, cast))
            }
            Kind::StringLiteral | Kind::IntegerLiteral => Some(lower.external()),
            Kind::Lifetime | Kind::Label | Kind::Metavariable | Kind::Visibility => None,
            _ => self.control(lower, node),
        }
    }

    /// Statements and expressions with blocks.
    fn control(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::Block => self.block(lower, node),
            Kind::UnsafeBlock | Kind::AsyncBlock => {
                node.named_children().fold(None, |_, child| self.node(lower, child))
            }
            Kind::If => {
                lower.open();
                self.field(lower, node, Field::Condition);
                let first = self.field(lower, node, Field::Consequence);
                lower.close();
                let second = self.field(lower, node, Field::Alternative);
                first.filter(|first| !lower.is_unknown(*first)).or(second)
            }
            Kind::While => {
                lower.open();
                self.children(lower, node);
                lower.close();
                None
            }
            Kind::For => {
                let over = Field::Value.of(lower, node)?;
                let over = self.value(lower, over);
                let each = lower.element(over);
                lower.open();
                if let Some(pattern) = Field::Pattern.of(lower, node) {
                    self.pattern(lower, pattern, each);
                }
                self.field(lower, node, Field::Body);
                lower.close();
                None
            }
            Kind::Match => self.match_expression(lower, node),
            Kind::Let | Kind::LetCondition => {
                self.let_binding(lower, node);
                None
            }
            Kind::TypeArguments
            | Kind::TypeParameters
            | Kind::ReferenceType
            | Kind::GenericType
            | Kind::ScopedType
            | Kind::TypeIdentifier
            | Kind::TupleType
            | Kind::DynamicType
            | Kind::AbstractType
            | Kind::ArrayType
            | Kind::FunctionType
            | Kind::PointerType
            | Kind::TraitBounds
            | Kind::QualifiedType
            | Kind::BracketedType => Some(self.type_value(lower, node)),
            _ => {
                self.children(lower, node);
                None
            }
        }
    }

    fn block(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        lower.open();
        self.declare_items(lower, node);
        let mut last = None;
        for child in node.named_children() {
            let value = self.node(lower, child);
            let is_statement = Kind::of(lower, child) == Kind::ExpressionStatement;
            last = value.filter(|_| !is_statement);
        }
        lower.close();
        last
    }

    fn let_binding(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let declared = Field::Type.of(lower, node).map(|one| self.type_value(lower, one));
        let value = self.field(lower, node, Field::Value);
        self.field(lower, node, Field::Alternative);
        let known = declared.filter(|declared| !lower.is_unknown(*declared));
        let meaning = known.or(value).unwrap_or_else(|| lower.unknown());
        if let Some(pattern) = Field::Pattern.of(lower, node) {
            self.pattern(lower, pattern, meaning);
        }
    }

    fn match_expression(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
    ) -> Option<ExpressionId> {
        let subject = Field::Value.of(lower, node)?;
        let subject = self.value(lower, subject);
        let mut result = None;
        for arm in Field::Body.of(lower, node)?.named_children() {
            if Kind::of(lower, arm) != Kind::MatchArm {
                self.node(lower, arm);
                continue;
            }
            lower.open();
            if let Some(pattern) = Field::Pattern.of(lower, arm) {
                self.pattern(lower, pattern, subject);
            }
            let value = self.field(lower, arm, Field::Value);
            result = result.or(value.filter(|value| !lower.is_unknown(*value)));
            lower.close();
        }
        result
    }

    fn closure(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        lower.open();
        let unknown = lower.unknown();
        if let Some(parameters) = Field::Parameters.of(lower, node) {
            for parameter in parameters.named_children() {
                match Kind::of(lower, parameter) {
                    Kind::Parameter => self.parameter(lower, parameter),
                    _ => self.pattern(lower, parameter, unknown),
                }
            }
        }
        if let Some(result) = Field::ReturnType.of(lower, node) {
            self.type_value(lower, result);
        }
        let result = self.field(lower, node, Field::Body).unwrap_or(unknown);
        lower.close();
        lower.function(result)
    }

    /// A name that is no local: an item of the inline modules around, of the file, or of what it imports.
    fn unqualified(&self, lower: &mut Lowerer<'t>, name: &'t str) -> ExpressionId {
        let mut found = lower.name(name);
        for module in &self.modules {
            let member = lower.member(*module, name);
            found = lower.either(member, found);
        }
        found
    }

    /// What a path means; all its names are recorded, the last as a use of this kind.
    fn path(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let found = lower.nested(node, |lower, node| Some(self.path_in(lower, node, kind, false)));
        found.unwrap_or_else(|| lower.unknown())
    }

    fn path_in(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
        is_head: bool,
    ) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::ScopedIdentifier | Kind::ScopedType => {
                let Some(name) = Field::Name.of(lower, node) else { return lower.unknown() };
                let outer = match Field::Path.of(lower, node) {
                    Some(path) => {
                        let kind = match kind {
                            ReferenceKind::Import => kind,
                            _ => ReferenceKind::Value,
                        };
                        let outer = lower.nested(path, |lower, path| {
                            Some(self.path_in(lower, path, kind, true))
                        });
                        outer.unwrap_or_else(|| lower.unknown())
                    }
                    // `::name` is a crate.
                    None => {
                        let module = lower.module(lower.text_of(name));
                        lower.refer(name, kind, module);
                        return module;
                    }
                };
                let is_type = is_head && lower.text_of(name).starts_with(char::is_uppercase);
                let kind = match kind {
                    ReferenceKind::Value if is_type => ReferenceKind::Type,
                    other => other,
                };
                self.below(lower, outer, name, kind)
            }
            Kind::Crate => lower.module("crate"),
            Kind::SelfWord if is_head || kind == ReferenceKind::Import => match self.modules.last()
            {
                Some(module) => *module,
                None => lower.module("self"),
            },
            Kind::SelfWord => lower.local("self").unwrap_or_else(|| lower.unknown()),
            Kind::Super => self.above(lower, 1),
            Kind::Metavariable if lower.text_of(node) == "$crate" => lower.module("crate"),
            Kind::Identifier | Kind::TypeIdentifier => self.head(lower, node, kind, is_head),
            Kind::GenericType
            | Kind::GenericTurbofish
            | Kind::BracketedType
            | Kind::QualifiedType => self.type_name(lower, node, ReferenceKind::Type),
            _ => {
                self.children(lower, node);
                lower.unknown()
            }
        }
    }

    /// The module `levels` above the current one.
    fn above(&mut self, lower: &mut Lowerer<'t>, levels: usize) -> ExpressionId {
        match self.modules.len().checked_sub(levels) {
            Some(0) => lower.module("self"),
            Some(at) => self.modules[at - 1],
            None => {
                let supers = levels - self.modules.len();
                lower.module(&vec!["super"; supers].join("::"))
            }
        }
    }

    /// A member of a path; `super` of `super` is further above.
    fn below(
        &mut self,
        lower: &mut Lowerer<'t>,
        outer: ExpressionId,
        name: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        match Kind::of(lower, name) {
            Kind::Super => {
                let path = match lower.get(outer) {
                    Expression::Module(path) => path.to_string(),
                    _ => String::new(),
                };
                match path.as_str() {
                    "self" => lower.module("super"),
                    path => lower.module(&format!("{path}::super")),
                }
            }
            Kind::SelfWord => outer,
            _ if *lower.get(outer) == Expression::External => outer,
            _ => {
                let member = lower.member(outer, lower.text_of(name));
                lower.refer(name, kind, member);
                member
            }
        }
    }

    /// The first name of a path.
    fn head(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
        is_head: bool,
    ) -> ExpressionId {
        let name = lower.text_of(node);
        if name == "Self" {
            return self.selves.last().copied().unwrap_or_else(|| lower.unknown());
        }
        if let Some((_, bound)) =
            self.type_parameters.iter().rev().find(|(known, _)| *known == name)
        {
            return *bound;
        }
        if let Some(local) = lower.local(name).filter(|_| kind != ReferenceKind::Import) {
            // A path or a type never starts with a variable.
            let is_item = matches!(lower.get(local), Expression::Symbol(_));
            if is_item {
                lower.refer(node, kind, local);
            }
            if is_item || !is_head && kind != ReferenceKind::Type {
                return local;
            }
        }
        if STANDARD.contains(&name) {
            return lower.external();
        }
        // A capitalised qualifier is a type.
        let is_type =
            is_head && kind == ReferenceKind::Value && name.starts_with(char::is_uppercase);
        let kind = if is_type { ReferenceKind::Type } else { kind };
        let mut meaning = self.unqualified(lower, name);
        // A path may start with the name of a crate.
        let is_head = is_head || kind == ReferenceKind::Import;
        if is_head && name.starts_with(char::is_lowercase) {
            let module = lower.module(name);
            meaning = lower.either(meaning, module);
        }
        lower.refer(node, kind, meaning);
        meaning
    }

    fn member(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> Option<ExpressionId> {
        let of = Field::Value.of(lower, node)?;
        let of = self.value(lower, of);
        let field = Field::Selected.of(lower, node)?;
        let name = lower.text_of(field);
        if let Ok(position) = name.parse::<usize>() {
            return Some(lower.item(of, position));
        }
        let member = lower.member(of, name);
        lower.refer(field, kind, member);
        Some(member)
    }

    fn generic_function(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> Option<ExpressionId> {
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::TypeArguments {
                self.type_value(lower, child);
            }
        }
        let function = Field::Function.of(lower, node)?;
        self.callee(lower, function, kind)
    }

    fn callee(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::Identifier | Kind::ScopedIdentifier => Some(self.path(lower, node, kind)),
            Kind::FieldExpression => self.member(lower, node, kind),
            Kind::GenericFunction => self.generic_function(lower, node, kind),
            _ => self.node(lower, node),
        }
    }

    fn call(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let function = Field::Function.of(lower, node)?;
        let callee = self.callee(lower, function, ReferenceKind::Call);
        let mut first = None;
        for argument in Field::Arguments.of(lower, node).into_iter().flat_map(Node::named_children)
        {
            let value = self.value(lower, argument);
            first = first.or(Some(value));
        }
        let callee = callee?;
        let called = lower.call(callee);
        let text = lower.text_of(function);
        if Kind::of(lower, function) == Kind::FieldExpression {
            return Some(method_result(lower, callee, called));
        }
        Some(match (text, first) {
            ("Some" | "Ok" | "Err", Some(value)) => lower.container(value),
            (_, Some(value)) if is_transparent(text) => value,
            _ => called,
        })
    }

    fn struct_expression(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
    ) -> Option<ExpressionId> {
        let name = Field::Name.of(lower, node)?;
        let is = self.type_name(lower, name, ReferenceKind::Type);
        for one in Field::Body.of(lower, node).into_iter().flat_map(Node::named_children) {
            match Kind::of(lower, one) {
                Kind::FieldInitializer => {
                    if let Some(field) = Field::Selected.of(lower, one) {
                        let member = lower.member(is, lower.text_of(field));
                        lower.refer(field, ReferenceKind::Value, member);
                    }
                    self.field(lower, one, Field::Value);
                }
                Kind::ShorthandInitializer => {
                    for field in one.named_children() {
                        let member = lower.member(is, lower.text_of(field));
                        lower.refer(field, ReferenceKind::Value, member);
                    }
                }
                _ => {
                    self.node(lower, one);
                }
            }
        }
        Some(lower.instance(is))
    }

    /// A macro without a path may be defined anywhere in the crate before.
    fn macro_name(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        if Kind::of(lower, node) != Kind::Identifier {
            self.path(lower, node, ReferenceKind::Call);
            return;
        }
        let name = lower.text_of(node);
        let found = self.unqualified(lower, name);
        let root = lower.module("crate");
        let exported = lower.member(root, name);
        let meaning = lower.either(found, exported);
        lower.refer(node, ReferenceKind::Call, meaning);
    }

    fn macro_call(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let called = Field::Macro.of(lower, node)?;
        self.macro_name(lower, called);
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::TokenTree {
                self.tokens(lower, child);
            }
        }
        None
    }
}

/// What a method call gives: the result of the method of the project, or else what is known of the method's name.
fn method_result(
    lower: &mut Lowerer<'_>,
    method: ExpressionId,
    called: ExpressionId,
) -> ExpressionId {
    let Expression::Member(of, name) = lower.get(method) else { return called };
    let (of, name) = (*of, name.clone());
    if TAKES.binary_search(&&*name).is_ok() {
        let held = lower.element(of);
        return lower.either(called, held);
    }
    if KEEPS.contains(&&*name) {
        return lower.either(called, of);
    }
    called
}

/// Whether a path is a constructor or a clone of a smart pointer.
fn is_transparent(path: &str) -> bool {
    let Some((pointer, function)) = path.rsplit_once("::") else { return false };
    let pointer = pointer.rsplit("::").next().unwrap_or(pointer);
    matches!(function, "new" | "clone" | "from" | "pin") && TRANSPARENT.contains(&pointer)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_of_methods_are_in_order() {
        assert!(super::TAKES.is_sorted());
    }
}
