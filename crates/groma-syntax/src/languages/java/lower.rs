//! Java: what the names of a file mean.

use crate::lowering::{Lowerer, Lowering, vocabulary};
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind, SymbolKind};
use rustc_hash::FxHashSet;

vocabulary! {
    kinds {
        Annotation = "annotation",
        AnnotationElement = "annotation_type_element_declaration",
        AnnotationType = "annotation_type_declaration",
        ArrayAccess = "array_access",
        ArrayCreation = "array_creation_expression",
        ArrayType = "array_type",
        Assignment = "assignment_expression",
        Asterisk = "asterisk",
        Block = "block",
        Break = "break_statement",
        Cast = "cast_expression",
        Catch = "catch_clause",
        CatchParameter = "catch_formal_parameter",
        CatchType = "catch_type",
        Class = "class_declaration",
        ClassBody = "class_body",
        CompactConstructor = "compact_constructor_declaration",
        ConstantDeclaration = "constant_declaration",
        Constructor = "constructor_declaration",
        ConstructorBody = "constructor_body",
        Continue = "continue_statement",
        ElementValuePair = "element_value_pair",
        EnhancedFor = "enhanced_for_statement",
        Enum = "enum_declaration",
        EnumConstant = "enum_constant",
        FieldAccess = "field_access",
        FieldDeclaration = "field_declaration",
        For = "for_statement",
        FormalParameter = "formal_parameter",
        GenericType = "generic_type",
        Identifier = "identifier",
        Import = "import_declaration",
        InferredParameters = "inferred_parameters",
        Instanceof = "instanceof_expression",
        Interface = "interface_declaration",
        ExtendsInterfaces = "extends_interfaces",
        Labeled = "labeled_statement",
        Lambda = "lambda_expression",
        LocalVariable = "local_variable_declaration",
        MarkerAnnotation = "marker_annotation",
        Method = "method_declaration",
        MethodInvocation = "method_invocation",
        MethodReference = "method_reference",
        ObjectCreation = "object_creation_expression",
        Package = "package_declaration",
        Parenthesized = "parenthesized_expression",
        Permits = "permits",
        Record = "record_declaration",
        Resource = "resource",
        ScopedIdentifier = "scoped_identifier",
        ScopedType = "scoped_type_identifier",
        SpreadParameter = "spread_parameter",
        StaticInitializer = "static_initializer",
        StringLiteral = "string_literal",
        Super = "super",
        SuperInterfaces = "super_interfaces",
        Superclass = "superclass",
        Switch = "switch_expression",
        SwitchLabel = "switch_label",
        Ternary = "ternary_expression",
        This = "this",
        TryWithResources = "try_with_resources_statement",
        TypeArguments = "type_arguments",
        TypeBound = "type_bound",
        TypeIdentifier = "type_identifier",
        TypeList = "type_list",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypePattern = "type_pattern",
        RecordPatternComponent = "record_pattern_component",
        VariableDeclarator = "variable_declarator",
    }
    fields {
        Alternative = "alternative",
        Arguments = "arguments",
        Array = "array",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Dimensions = "dimensions",
        Selected = "field",
        Index = "index",
        Key = "key",
        Left = "left",
        Name = "name",
        Object = "object",
        Parameters = "parameters",
        Right = "right",
        Type = "type",
        Value = "value",
    }
}

pub(super) static LOWERING: Lowering = Lowering { kinds: Kind::NAMES, fields: Field::NAMES, lower };

/// Types of the standard library that hold or give values of their last argument.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "ArrayDeque", "ArrayList", "Callable", "Collection", "CompletableFuture", "Deque", "Future", "HashMap", "HashSet",
    "Iterable", "Iterator", "LinkedHashMap", "LinkedHashSet", "LinkedList", "List", "ListIterator", "Map", "Optional",
    "PriorityQueue", "Queue", "Set", "SortedMap", "SortedSet", "Stream", "Supplier", "TreeMap", "TreeSet", "Vector",
];

fn lower<'t>(lower: &mut Lowerer<'t>, root: Node<'t>) {
    let symbols = lower.symbols().iter();
    // A constructor has the name of its type and is meant by no other.
    let symbols = symbols.filter(|symbol| symbol.kind != SymbolKind::Constructor);
    let members = symbols.filter_map(|symbol| Some((symbol.parent?, symbol.name.as_str())));
    Java { members: members.collect(), ..Java::default() }.children(lower, root);
}

/// A type around the current node.
#[derive(Clone, Copy)]
struct Around {
    /// The definition, or the type that an anonymous class extends.
    is: ExpressionId,
    /// Its symbol, if it has a name.
    symbol: Option<u32>,
    /// What it extends.
    base: Option<ExpressionId>,
    /// Whether it may have members that it does not define.
    inherits: bool,
}

/// The state of a walk.
#[derive(Default)]
struct Java<'t> {
    /// The names that each type of the file defines.
    members: FxHashSet<(u32, &'t str)>,
    /// The types around the current node, innermost last.
    around: Vec<Around>,
    type_parameters: Vec<(&'t str, ExpressionId)>,
    /// The values that the `switch`es around are over.
    subjects: Vec<ExpressionId>,
}

impl<'t> Java<'t> {
    fn children(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            self.node(lower, child);
        }
    }

    /// Lowers a node and what is below it; the value of an expression.
    fn node(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        lower.nested(node, |lower, node| self.any(lower, node))
    }

    fn value(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        match self.node(lower, node) {
            Some(value) => value,
            None => lower.unknown(),
        }
    }

    fn any(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::Class | Kind::Interface | Kind::Enum | Kind::Record | Kind::AnnotationType => {
                self.type_declaration(lower, node);
            }
            Kind::Method
            | Kind::Constructor
            | Kind::CompactConstructor
            | Kind::AnnotationElement => {
                self.method(lower, node);
            }
            Kind::FieldDeclaration | Kind::ConstantDeclaration | Kind::LocalVariable => {
                self.variables(lower, node);
            }
            Kind::EnumConstant => self.enum_constant(lower, node),
            Kind::Import => import(lower, node),
            Kind::Package | Kind::Break | Kind::Continue => {}
            Kind::Labeled => {
                node.named_children().skip(1).for_each(|child| {
                    self.node(lower, child);
                });
            }
            Kind::Block
            | Kind::ConstructorBody
            | Kind::For
            | Kind::TryWithResources
            | Kind::Catch
            | Kind::StaticInitializer => {
                lower.open();
                self.children(lower, node);
                lower.close();
            }
            Kind::EnhancedFor => self.enhanced_for(lower, node),
            Kind::Resource
            | Kind::FormalParameter
            | Kind::TypePattern
            | Kind::CatchParameter
            | Kind::SpreadParameter
            | Kind::RecordPatternComponent => {
                self.parameter(lower, node);
            }
            Kind::Annotation | Kind::MarkerAnnotation => self.annotation(lower, node),
            Kind::SwitchLabel => self.switch_label(lower, node),
            Kind::TypeIdentifier | Kind::ScopedType | Kind::GenericType | Kind::ArrayType => {
                return Some(self.type_value(lower, node));
            }
            _ => return self.expression(lower, node),
        }
        None
    }

    fn expression(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::Identifier => Some(self.identifier(lower, node)),
            Kind::This => self.around.last().map(|around| lower.instance(around.is)),
            Kind::Super => {
                let base = self.around.last().and_then(|around| around.base);
                base.map(|base| lower.instance(base))
            }
            Kind::FieldAccess => self.field_access(lower, node),
            Kind::MethodInvocation => self.call(lower, node),
            Kind::ObjectCreation => self.creation(lower, node),
            Kind::Lambda => Some(self.lambda(lower, node)),
            Kind::MethodReference => self.method_reference(lower, node),
            Kind::ArrayAccess => {
                let array = Field::Array.of(lower, node)?;
                let array = self.value(lower, array);
                self.field(lower, node, Field::Index);
                Some(lower.element(array))
            }
            Kind::ArrayCreation => {
                let element = self.typed(lower, node);
                let rest = node
                    .named_children()
                    .filter(|child| child.field_in_parent() != lower.field_id(Field::Type as u8));
                rest.collect::<Vec<_>>().into_iter().for_each(|child| {
                    self.node(lower, child);
                });
                Some(lower.container(element))
            }
            Kind::Cast => {
                let value = self.typed(lower, node);
                self.field(lower, node, Field::Value);
                Some(value)
            }
            Kind::Assignment => {
                let left = self.field(lower, node, Field::Left);
                self.field(lower, node, Field::Right);
                left
            }
            Kind::Ternary => {
                self.field(lower, node, Field::Condition);
                let first = self.field(lower, node, Field::Consequence);
                let second = self.field(lower, node, Field::Alternative);
                first.filter(|first| *lower.get(*first) != Expression::External).or(second)
            }
            Kind::Parenthesized => {
                let inner = node.named_children().last()?;
                self.node(lower, inner)
            }
            Kind::Instanceof => {
                self.instance_of(lower, node);
                Some(lower.external())
            }
            Kind::Switch => {
                let subject = Field::Condition.of(lower, node)?;
                let subject = self.value(lower, subject);
                self.subjects.push(subject);
                self.field(lower, node, Field::Body);
                self.subjects.pop();
                None
            }
            Kind::StringLiteral => Some(lower.external()),
            _ => {
                self.children(lower, node);
                None
            }
        }
    }

    /// Lowers the child with the field.
    fn field(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        field: Field,
    ) -> Option<ExpressionId> {
        let child = field.of(lower, node)?;
        self.node(lower, child)
    }

    /// What a name means that is no local: a member of a type around, or a name of the file.
    fn unqualified(&self, lower: &mut Lowerer<'t>, name: &'t str) -> ExpressionId {
        // Outer types and the file matter only as long as no inner one defines the name.
        let mut candidates = Vec::new();
        let mut is_defined = false;
        for around in self.around.iter().rev() {
            if around.symbol.is_some_and(|symbol| lower.symbols()[symbol as usize].name == name) {
                candidates.push(around.is);
                is_defined = true;
                break;
            }
            is_defined = around.symbol.is_some_and(|symbol| self.members.contains(&(symbol, name)));
            if is_defined || around.inherits {
                candidates.push(lower.member(around.is, name));
            }
            if is_defined {
                break;
            }
        }
        if !is_defined {
            candidates.push(lower.name(name));
        }
        let last = candidates.pop().unwrap_or_else(|| lower.unknown());
        candidates.into_iter().rev().fold(last, |found, member| lower.either(member, found))
    }

    fn identifier(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let name = lower.text_of(node);
        if let Some(local) = lower.local(name) {
            return local;
        }
        let meaning = self.unqualified(lower, name);
        // A name like `Cart` is that of a type, one like `MAX` of a constant.
        let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        let kind = if is_type { ReferenceKind::Type } else { ReferenceKind::Value };
        lower.refer(node, kind, meaning);
        meaning
    }

    fn field_access(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let object = Field::Object.of(lower, node)?;
        let field = Field::Selected.of(lower, node)?;
        let object = self.value(lower, object);
        if Kind::of(lower, field) == Kind::This {
            return Some(lower.instance(object));
        }
        let member = lower.member(object, lower.text_of(field));
        lower.refer(field, ReferenceKind::Value, member);
        Some(member)
    }

    fn call(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let object = self.field(lower, node, Field::Object);
        let has_object = Field::Object.of(lower, node).is_some();
        let name = Field::Name.of(lower, node)?;
        let text = lower.text_of(name);
        let method = match object {
            Some(object) => lower.member(object, text),
            None if has_object => {
                let unknown = lower.unknown();
                lower.member(unknown, text)
            }
            None => self.unqualified(lower, text),
        };
        lower.refer(name, ReferenceKind::Call, method);
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::TypeArguments {
                self.children(lower, child);
            }
        }
        self.field(lower, node, Field::Arguments);
        Some(lower.call(method))
    }

    fn creation(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let created = Field::Type.of(lower, node)?;
        let is = self.type_name(lower, created, ReferenceKind::Call);
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::ClassBody => {
                    self.around.push(Around { is, symbol: None, base: Some(is), inherits: true });
                    self.scoped_children(lower, child);
                    self.around.pop();
                }
                _ if child.at == created.at => {}
                _ => {
                    self.node(lower, child);
                }
            }
        }
        Some(lower.instance(is))
    }

    fn scoped_children(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        lower.open();
        self.children(lower, node);
        lower.close();
    }

    fn lambda(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        lower.open();
        if let Some(parameters) = Field::Parameters.of(lower, node) {
            let unknown = lower.unknown();
            match Kind::of(lower, parameters) {
                Kind::Identifier => lower.declare(lower.text_of(parameters), unknown),
                Kind::InferredParameters => {
                    for name in parameters.named_children() {
                        lower.declare(lower.text_of(name), unknown);
                    }
                }
                _ => self.children(lower, parameters),
            }
        }
        let result = self.field(lower, node, Field::Body);
        lower.close();
        let result = result.unwrap_or_else(|| lower.unknown());
        lower.function(result)
    }

    fn method_reference(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
    ) -> Option<ExpressionId> {
        let mut children = node.named_children();
        let of = children.next()?;
        let of = if matches!(
            Kind::of(lower, of),
            Kind::GenericType | Kind::ScopedType | Kind::TypeIdentifier
        ) {
            self.type_name(lower, of, ReferenceKind::Type)
        } else {
            self.value(lower, of)
        };
        match children.last().filter(|name| Kind::of(lower, *name) == Kind::Identifier) {
            Some(name) => {
                let member = lower.member(of, lower.text_of(name));
                lower.refer(name, ReferenceKind::Value, member);
                Some(member)
            }
            None => {
                let made = lower.instance(of);
                Some(lower.function(made))
            }
        }
    }

    fn instance_of(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.field(lower, node, Field::Left);
        let named = Field::Name.of(lower, node);
        let mut value = None;
        for child in node.named_children().skip(1) {
            if named.is_none_or(|name| name.at != child.at) {
                value = self.node(lower, child).or(value);
            }
        }
        if let Some(name) = named {
            let value = value.unwrap_or_else(|| lower.unknown());
            lower.declare(lower.text_of(name), value);
        }
    }

    fn switch_label(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            let subject = self.subjects.last().copied();
            let (Kind::Identifier, Some(subject)) = (Kind::of(lower, child), subject) else {
                self.node(lower, child);
                continue;
            };
            let name = lower.text_of(child);
            let constant = lower.member(subject, name);
            let other = self.unqualified(lower, name);
            let meaning = lower.either(constant, other);
            lower.refer(child, ReferenceKind::Value, meaning);
        }
    }

    fn annotation(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(name) = Field::Name.of(lower, node) else { return };
        let is = self.type_name(lower, name, ReferenceKind::Type);
        let Some(arguments) = Field::Arguments.of(lower, node) else { return };
        for argument in arguments.named_children() {
            if Kind::of(lower, argument) != Kind::ElementValuePair {
                self.node(lower, argument);
                continue;
            }
            if let Some(key) = Field::Key.of(lower, argument) {
                let member = lower.member(is, lower.text_of(key));
                lower.refer(key, ReferenceKind::Value, member);
            }
            self.field(lower, argument, Field::Value);
        }
    }
}

/// Types and declarations.
impl<'t> Java<'t> {
    /// The type that a node names, recorded as a use of this kind.
    fn type_name(
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
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = lower.text_of(node);
                let known = self.type_parameters.iter().rev().find(|(known, _)| *known == name);
                if let Some((_, bound)) = known {
                    return *bound;
                }
                let meaning = self.unqualified(lower, name);
                lower.refer(node, kind, meaning);
                meaning
            }
            Kind::ScopedType | Kind::ScopedIdentifier => self.scoped_type(lower, node, kind),
            Kind::GenericType => {
                let mut is = None;
                for child in node.named_children() {
                    match Kind::of(lower, child) {
                        Kind::TypeArguments => self.children(lower, child),
                        _ => is = Some(self.type_name(lower, child, kind)),
                    }
                }
                is.unwrap_or_else(|| lower.unknown())
            }
            Kind::ArrayType => {
                self.children(lower, node);
                lower.external()
            }
            _ => {
                self.children(lower, node);
                lower.external()
            }
        }
    }

    /// `Outer.Inner`, or a type with its package.
    fn scoped_type(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let parts = node.named_children().filter(|child| {
            let kind = Kind::of(lower, *child);
            !matches!(kind, Kind::Annotation | Kind::MarkerAnnotation)
        });
        let parts: Vec<_> = parts.collect();
        let [scope, name] = parts[..] else { return lower.unknown() };
        let qualifier = lower.text_of(scope);
        let is_package = qualifier.split('.').all(|part| part.starts_with(char::is_lowercase));
        let outer = if is_package {
            lower.module(qualifier)
        } else {
            self.type_name(lower, scope, ReferenceKind::Type)
        };
        let member = lower.member(outer, lower.text_of(name));
        lower.refer(name, kind, member);
        member
    }

    /// A value of the type that a node names.
    fn type_value(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::ArrayType => {
                let element = node.named_children().next();
                let element = element.and_then(|element| self.node(lower, element));
                let element = element.unwrap_or_else(|| lower.external());
                lower.container(element)
            }
            Kind::GenericType if self.is_container(lower, node) => {
                let mut held = None;
                for child in node.named_children() {
                    if Kind::of(lower, child) != Kind::TypeArguments {
                        self.type_name(lower, child, ReferenceKind::Type);
                        continue;
                    }
                    for argument in child.named_children() {
                        held = self.node(lower, argument);
                    }
                }
                let held = held.unwrap_or_else(|| lower.unknown());
                lower.container(held)
            }
            Kind::TypeIdentifier if lower.text_of(node) == "var" => lower.unknown(),
            _ => {
                let is = self.type_name(lower, node, ReferenceKind::Type);
                lower.instance(is)
            }
        }
    }

    fn is_container(&self, lower: &Lowerer<'t>, node: Node<'t>) -> bool {
        let name = node.named_children().next().map(|base| lower.text_of(base));
        let name = name.map(|name| name.rsplit('.').next().unwrap_or(name));
        name.is_some_and(|name| CONTAINERS.binary_search(&name).is_ok())
    }

    /// A value of the type in the `type` field.
    fn typed(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        match Field::Type.of(lower, node) {
            Some(node) => self.node(lower, node).unwrap_or_else(|| lower.external()),
            None => lower.unknown(),
        }
    }

    fn type_declaration(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(name) = Field::Name.of(lower, node) else { return };
        let Some(symbol) = lower.symbol_named_at(name) else {
            return self.scoped_children(lower, node);
        };
        let is = lower.symbol(symbol);
        let parameters = self.type_parameters.len();
        lower.open();
        let mut around = Around { is, symbol: Some(symbol), base: None, inherits: false };
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::TypeParameters => self.declare_types(lower, child),
                Kind::Superclass | Kind::SuperInterfaces | Kind::ExtendsInterfaces => {
                    let base = self.bases(lower, child);
                    around.inherits = true;
                    if Kind::of(lower, child) == Kind::Superclass {
                        around.base = base;
                    }
                }
                Kind::Permits => self.children(lower, child),
                _ if child.at == name.at => {}
                _ => {
                    // Members of the type are visible in its body and in what annotates it.
                    self.around.push(around);
                    self.member_of_head(lower, child);
                    self.around.pop();
                }
            }
        }
        lower.close();
        self.type_parameters.truncate(parameters);
    }

    /// The body of a type, its modifiers, or the components of a record.
    fn member_of_head(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        if node.field_in_parent() != lower.field_id(Field::Parameters as u8) {
            return self.children(lower, node);
        }
        // Components are fields; as locals they would hide them.
        for component in node.named_children() {
            let value = self.typed(lower, component);
            let symbol =
                Field::Name.of(lower, component).and_then(|name| lower.symbol_named_at(name));
            if let Some(symbol) = symbol {
                lower.set_type(symbol, value);
            }
        }
    }

    /// The types in a clause, the first of them returned.
    fn bases(&mut self, lower: &mut Lowerer<'t>, clause: Node<'t>) -> Option<ExpressionId> {
        let mut first = None;
        for child in clause.named_children() {
            let base = if Kind::of(lower, child) == Kind::TypeList {
                self.bases(lower, child)
            } else {
                Some(self.type_name(lower, child, ReferenceKind::Base))
            };
            first = first.or(base);
        }
        first
    }

    fn declare_types(&mut self, lower: &mut Lowerer<'t>, parameters: Node<'t>) {
        let from = self.type_parameters.len();
        let external = lower.external();
        // Bounds may name any of them.
        for parameter in parameters.named_children() {
            let is_name = |child: &Node<'_>| {
                matches!(Kind::of(lower, *child), Kind::TypeIdentifier | Kind::Identifier)
            };
            let name = parameter.named_children().find(is_name).map(|name| lower.text_of(name));
            self.type_parameters.push((name.unwrap_or(""), external));
        }
        for (at, parameter) in (from..).zip(parameters.named_children()) {
            for child in parameter.named_children() {
                match Kind::of(lower, child) {
                    Kind::TypeBound => {
                        if let Some(bound) = self.bound(lower, child) {
                            self.type_parameters[at].1 = bound;
                        }
                    }
                    Kind::TypeIdentifier | Kind::Identifier => {}
                    _ => {
                        self.node(lower, child);
                    }
                }
            }
        }
    }

    fn bound(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let mut first = None;
        for child in node.named_children() {
            let is = self.type_name(lower, child, ReferenceKind::Type);
            first = first.or(Some(is));
        }
        first
    }

    fn method(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(name) = Field::Name.of(lower, node) else { return };
        let parameters = self.type_parameters.len();
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::TypeParameters {
                self.declare_types(lower, child);
            }
        }
        lower.open();
        if Kind::of(lower, node) == Kind::CompactConstructor {
            self.declare_components(lower, node);
        }
        for child in node.named_children() {
            let field = child.field_in_parent();
            if field == lower.field_id(Field::Type as u8) && field != 0 {
                let mut result = self.node(lower, child).unwrap_or_else(|| lower.external());
                if Field::Dimensions.of(lower, node).is_some() {
                    result = lower.container(result);
                }
                if let Some(symbol) = lower.symbol_named_at(name) {
                    lower.set_type(symbol, result);
                }
            } else if child.at != name.at && Kind::of(lower, child) != Kind::TypeParameters {
                self.node(lower, child);
            }
        }
        lower.close();
        self.type_parameters.truncate(parameters);
    }

    /// In a compact constructor the components of the record are parameters.
    fn declare_components(&mut self, lower: &mut Lowerer<'t>, constructor: Node<'t>) {
        let record = constructor.parent().and_then(|body| body.parent());
        let components = record.and_then(|record| Field::Parameters.of(lower, record));
        for component in components.into_iter().flat_map(Node::named_children) {
            let Some(name) = Field::Name.of(lower, component) else { continue };
            let meaning = match lower.symbol_named_at(name) {
                Some(symbol) => lower.symbol(symbol),
                None => lower.unknown(),
            };
            lower.declare(lower.text_of(name), meaning);
        }
    }

    /// Fields, constants and local variables.
    fn variables(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let mut declared = lower.unknown();
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::VariableDeclarator {
                self.variable(lower, child, declared);
            } else if child.field_in_parent() == lower.field_id(Field::Type as u8) {
                declared = self.node(lower, child).unwrap_or_else(|| lower.external());
            } else {
                self.node(lower, child);
            }
        }
    }

    fn variable(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, declared: ExpressionId) {
        let Some(name) = Field::Name.of(lower, node) else { return };
        let value = self.field(lower, node, Field::Value);
        let mut meaning = declared;
        if Field::Dimensions.of(lower, node).is_some() {
            meaning = lower.container(meaning);
        }
        if lower.is_unknown(meaning) {
            meaning = value.unwrap_or(meaning);
        }
        match lower.symbol_named_at(name) {
            Some(symbol) => lower.set_type(symbol, meaning),
            None => lower.declare(lower.text_of(name), meaning),
        }
    }

    /// A parameter, resource, pattern or caught exception: a type, a name and perhaps a value.
    fn parameter(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let mut value = None;
        let mut name = Field::Name.of(lower, node);
        let mut several = false;
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::VariableDeclarator => {
                    name = Field::Name.of(lower, child);
                    several = true;
                }
                // A pattern has no fields: its name is what follows its type.
                Kind::Identifier if value.is_some() && name.is_none() => name = Some(child),
                Kind::CatchType => {
                    for one in child.named_children() {
                        value = self.node(lower, one).or(value);
                    }
                }
                _ if name.is_some_and(|name| name.at == child.at) => {}
                _ => {
                    let found = self.node(lower, child);
                    value = value.filter(|value| !lower.is_unknown(*value)).or(found);
                }
            }
        }
        let Some(name) = name else { return };
        let mut value = value.unwrap_or_else(|| lower.external());
        if several {
            value = lower.container(value);
        }
        lower.declare(lower.text_of(name), value);
    }

    fn enhanced_for(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        lower.open();
        let declared = self.typed(lower, node);
        let over = self.field(lower, node, Field::Value).unwrap_or_else(|| lower.unknown());
        let held = lower.element(over);
        let meaning = if lower.is_unknown(declared) { held } else { declared };
        if let Some(name) = Field::Name.of(lower, node) {
            lower.declare(lower.text_of(name), meaning);
        }
        self.field(lower, node, Field::Body);
        lower.close();
    }

    fn enum_constant(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let around = self.around.last().copied();
        let name = Field::Name.of(lower, node);
        let symbol = name.and_then(|name| lower.symbol_named_at(name));
        if let (Some(symbol), Some(around)) = (symbol, around) {
            let value = lower.instance(around.is);
            lower.set_type(symbol, value);
        }
        for child in node.named_children() {
            if name.is_none_or(|name| name.at != child.at) {
                self.node(lower, child);
            }
        }
    }
}

/// `import a.b.C;`, `import static a.b.C.d;` and both with `.*`.
fn import<'t>(lower: &mut Lowerer<'t>, node: Node<'t>) {
    let mut parts = Vec::new();
    let mut everything = false;
    let mut rest: Vec<Node<'t>> = node.named_children().collect();
    rest.reverse();
    while let Some(child) = rest.pop() {
        match Kind::of(lower, child) {
            Kind::ScopedIdentifier => {
                let mut inner: Vec<_> = child.named_children().collect();
                inner.reverse();
                rest.extend(inner);
            }
            Kind::Identifier => parts.push(child),
            Kind::Asterisk => everything = true,
            _ => {}
        }
    }
    let is_type = |part: &Node<'_>| lower.text_of(*part).starts_with(char::is_uppercase);
    let types = parts.iter().position(is_type);
    // Without a capital the last part is a type, unless everything in a package is meant.
    let types = types.unwrap_or(parts.len() - usize::from(!everything && !parts.is_empty()));
    let package: Vec<_> = parts[..types].iter().map(|part| lower.text_of(*part)).collect();
    let mut meaning = lower.module(&package.join("."));
    for part in &parts[types..] {
        meaning = lower.member(meaning, lower.text_of(*part));
        lower.refer(*part, ReferenceKind::Import, meaning);
    }
    match parts.last() {
        _ if everything => lower.bind("*", meaning, node, false),
        Some(last) => lower.bind(lower.text_of(*last), meaning, node, false),
        None => {}
    }
}
