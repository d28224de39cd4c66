//! Go: every name with its meaning. Types are written out in declarations, so few values stay unknown.

use crate::lowering::{Lowerer, Lowering, vocabulary};
use crate::tree::Node;
use groma_core::{Binding, Expression, ExpressionId, ReferenceKind};
use rustc_hash::FxHashSet;

vocabulary! {
    kinds {
        Array = "array_type",
        Assignment = "assignment_statement",
        Binary = "binary_expression",
        Block = "block",
        Call = "call_expression",
        Channel = "channel_type",
        Comment = "comment",
        CommunicationCase = "communication_case",
        Composite = "composite_literal",
        ConstSpec = "const_spec",
        DefaultCase = "default_case",
        ExpressionCase = "expression_case",
        ExpressionList = "expression_list",
        ExpressionSwitch = "expression_switch_statement",
        FieldDeclaration = "field_declaration",
        FieldIdentifier = "field_identifier",
        For = "for_statement",
        FuncLiteral = "func_literal",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        GenericType = "generic_type",
        Identifier = "identifier",
        If = "if_statement",
        ImplicitArray = "implicit_length_array_type",
        ImportSpec = "import_spec",
        Index = "index_expression",
        InterfaceType = "interface_type",
        KeyedElement = "keyed_element",
        LabelName = "label_name",
        LiteralElement = "literal_element",
        LiteralValue = "literal_value",
        Map = "map_type",
        MethodDeclaration = "method_declaration",
        MethodElem = "method_elem",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        Parenthesized = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        Pointer = "pointer_type",
        QualifiedType = "qualified_type",
        RangeClause = "range_clause",
        Receive = "receive_statement",
        Selector = "selector_expression",
        ShortVar = "short_var_declaration",
        Slice = "slice_type",
        SliceExpression = "slice_expression",
        StructType = "struct_type",
        TypeAlias = "type_alias",
        TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion_expression",
        TypeCase = "type_case",
        TypeConversion = "type_conversion_expression",
        TypeElem = "type_elem",
        TypeIdentifier = "type_identifier",
        TypeInstantiation = "type_instantiation_expression",
        TypeParameter = "type_parameter_declaration",
        TypeSpec = "type_spec",
        TypeSwitch = "type_switch_statement",
        Unary = "unary_expression",
        VarSpec = "var_spec",
        VariadicParameter = "variadic_parameter_declaration",
    }
    fields {
        Alias = "alias",
        Arguments = "arguments",
        Body = "body",
        Element = "element",
        Function = "function",
        Left = "left",
        Name = "name",
        Operand = "operand",
        Package = "package",
        Parameters = "parameters",
        Path = "path",
        Receiver = "receiver",
        Result = "result",
        Right = "right",
        Selected = "field",
        Type = "type",
        TypeArguments = "type_arguments",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

pub(super) static LOWERING: Lowering =
    Lowering { kinds: Kind::NAMES, fields: Field::NAMES, lower: file };

fn file<'t>(lower: &mut Lowerer<'t>, root: Node<'t>) {
    let mut walk = Walk { lower, packages: FxHashSet::default() };
    walk.children(root);
}

struct Walk<'w, 't> {
    lower: &'w mut Lowerer<'t>,
    /// The names of imported packages.
    packages: FxHashSet<&'t str>,
}

impl<'t> Walk<'_, 't> {
    fn kind(&self, node: Node<'_>) -> Kind {
        Kind::of(self.lower, node)
    }

    fn get(&self, node: Node<'t>, field: Field) -> Option<Node<'t>> {
        field.of(self.lower, node)
    }

    fn children(&mut self, node: Node<'t>) {
        for child in node.named_children() {
            self.node(child);
        }
    }

    /// Walks a declaration, a statement or an expression whose value does not matter.
    fn node(&mut self, node: Node<'t>) {
        if self.lower.enter(node) {
            self.statement(node);
            self.lower.leave();
        }
    }

    fn statement(&mut self, node: Node<'t>) {
        match self.kind(node) {
            Kind::Comment | Kind::LabelName => {}
            Kind::ImportSpec => self.import(node),
            Kind::FunctionDeclaration | Kind::MethodDeclaration => self.callable(node),
            Kind::TypeSpec | Kind::TypeAlias => self.type_spec(node),
            Kind::VarSpec | Kind::ConstSpec => self.variables(node),
            Kind::Block
            | Kind::If
            | Kind::For
            | Kind::ExpressionSwitch
            | Kind::ExpressionCase
            | Kind::DefaultCase
            | Kind::CommunicationCase => {
                self.lower.open();
                self.children(node);
                self.lower.close();
            }
            Kind::TypeSwitch => self.type_switch(node),
            Kind::ShortVar | Kind::Receive => self.short_var(node),
            Kind::Assignment => self.assignment(node),
            Kind::RangeClause => self.range(node),
            Kind::Other | Kind::ExpressionList => self.children(node),
            _ => {
                self.value(node);
            }
        }
    }

    // Declarations.

    fn import(&mut self, node: Node<'t>) {
        let Some(path) = self.get(node, Field::Path) else { return };
        let path = self.lower.text_of(path).trim_matches(['"', '`']);
        let alias = self.get(node, Field::Name).map(|name| self.lower.text_of(name));
        let target = self.lower.module(path);
        let name = match alias {
            Some("_") => return,
            Some(".") => Binding::EVERYTHING,
            Some(name) => name,
            None => package_name(path),
        };
        self.packages.insert(name);
        self.lower.bind(name, target, node, false);
    }

    fn callable(&mut self, node: Node<'t>) {
        let symbol = self.get(node, Field::Name).and_then(|name| self.lower.symbol_named_at(name));
        self.lower.open();
        if let Some(receiver) = self.get(node, Field::Receiver) {
            self.receiver(receiver);
        }
        let result = self.signature(node);
        if let Some(symbol) = symbol {
            self.lower.set_type(symbol, result);
        }
        if let Some(body) = self.get(node, Field::Body) {
            self.children(body);
        }
        self.lower.close();
    }

    /// The receiver of a method, whose type arguments declare its type parameters.
    fn receiver(&mut self, list: Node<'t>) {
        for arguments in list.named_below() {
            if self.kind(arguments) == Kind::TypeArguments {
                let unknown = self.lower.unknown();
                let names: Vec<&'t str> =
                    arguments.named_leaves().map(|leaf| self.lower.text_of(leaf)).collect();
                names.into_iter().for_each(|name| self.lower.declare(name, unknown));
            }
        }
        self.parameters(list);
    }

    /// Declares type parameters, parameters and named results; what a call gives.
    fn signature(&mut self, node: Node<'t>) -> ExpressionId {
        if let Some(list) = self.get(node, Field::TypeParameters) {
            self.type_parameters(list);
        }
        if let Some(list) = self.get(node, Field::Parameters) {
            self.parameters(list);
        }
        let Some(result) = self.get(node, Field::Result) else { return self.lower.external() };
        if self.kind(result) != Kind::ParameterList {
            return self.type_value(result);
        }
        let results = self.parameters(result);
        match results.as_slice() {
            [only] => *only,
            _ => self.lower.tuple(results),
        }
    }

    fn type_parameters(&mut self, list: Node<'t>) {
        let unknown = self.lower.unknown();
        let parameters: Vec<Node<'t>> = list
            .named_children()
            .filter(|child| self.kind(*child) == Kind::TypeParameter)
            .collect();
        let names: Vec<Node<'t>> =
            parameters.iter().flat_map(|one| Field::Name.all(self.lower, *one)).collect();
        for name in names {
            self.lower.declare(self.lower.text_of(name), unknown);
        }
        for parameter in parameters {
            let Some(constraint) = self.get(parameter, Field::Type) else { continue };
            let mut terms = constraint.named_children();
            let only = terms.next().filter(|_| terms.next().is_none());
            let meaning = match only {
                Some(only) => self.type_name(only),
                None => {
                    self.children_as_types(constraint);
                    unknown
                }
            };
            for name in Field::Name.all(self.lower, parameter).collect::<Vec<_>>() {
                self.lower.assign(self.lower.text_of(name), meaning);
            }
        }
    }

    /// Declares the parameters of a list; their values, one for each parameter.
    fn parameters(&mut self, list: Node<'t>) -> Vec<ExpressionId> {
        let mut values = Vec::new();
        for parameter in list.named_children() {
            let kind = self.kind(parameter);
            if !matches!(kind, Kind::ParameterDeclaration | Kind::VariadicParameter) {
                continue;
            }
            let mut value = match self.get(parameter, Field::Type) {
                Some(written) => self.type_value(written),
                None => self.lower.unknown(),
            };
            if kind == Kind::VariadicParameter {
                value = self.lower.container(value);
            }
            let before = values.len();
            for name in Field::Name.all(self.lower, parameter).collect::<Vec<_>>() {
                self.lower.declare(self.lower.text_of(name), value);
                values.push(value);
            }
            if values.len() == before {
                values.push(value);
            }
        }
        values
    }

    fn type_spec(&mut self, node: Node<'t>) {
        let Some(name) = self.get(node, Field::Name) else { return };
        let symbol = self.lower.symbol_named_at(name);
        if !self.lower.is_outside() {
            let meaning = match symbol {
                Some(symbol) => self.lower.symbol(symbol),
                None => self.lower.unknown(),
            };
            self.lower.declare(self.lower.text_of(name), meaning);
        }
        self.lower.open();
        if let Some(list) = self.get(node, Field::TypeParameters) {
            self.type_parameters(list);
        }
        if let Some(written) = self.get(node, Field::Type) {
            let meaning = match self.kind(node) {
                Kind::TypeAlias => self.type_name(written),
                // Its fields are its members already.
                _ if self.kind(written) == Kind::StructType => {
                    self.fields(written);
                    self.lower.unknown()
                }
                _ => self.type_value(written),
            };
            if let Some(symbol) = symbol {
                self.lower.set_type(symbol, meaning);
            }
        }
        self.lower.close();
    }

    fn variables(&mut self, node: Node<'t>) {
        let declared = match self.get(node, Field::Type) {
            Some(written) => Some(self.type_value(written)),
            None => self.type_before(node),
        };
        let value = self.get(node, Field::Value);
        let values = value.map_or_else(Vec::new, |value| self.values(value));
        let names: Vec<Node<'t>> = Field::Name.all(self.lower, node).collect();
        for (at, name) in names.iter().enumerate() {
            if self.kind(*name) != Kind::Identifier {
                continue;
            }
            let meaning = declared.unwrap_or_else(|| self.nth(&values, at, names.len()));
            match self.lower.symbol_named_at(*name) {
                Some(symbol) => self.lower.set_type(symbol, meaning),
                None => self.lower.declare(self.lower.text_of(*name), meaning),
            }
        }
    }

    /// The type of a constant without type and value: that of the one before it.
    fn type_before(&mut self, node: Node<'t>) -> Option<ExpressionId> {
        if self.kind(node) != Kind::ConstSpec || self.get(node, Field::Value).is_some() {
            return None;
        }
        let before = node.before().filter(|before| self.kind(*before) == Kind::ConstSpec)?;
        let name = self.get(before, Field::Name)?;
        match self.lower.symbol_named_at(name) {
            Some(symbol) => self.lower.type_of(symbol),
            None => self.lower.local(self.lower.text_of(name)),
        }
    }

    // Statements.

    fn short_var(&mut self, node: Node<'t>) {
        let values = match self.get(node, Field::Right) {
            Some(right) => self.values(right),
            None => Vec::new(),
        };
        let Some(left) = self.get(node, Field::Left) else { return };
        let names = self.operands(left);
        // `x = <-c` assigns to what is declared already.
        let declares = self.kind(node) == Kind::ShortVar || self.has_between(node, ":=");
        for (at, name) in names.iter().enumerate() {
            if !declares || self.kind(*name) != Kind::Identifier {
                self.value(*name);
                continue;
            }
            let meaning = self.nth(&values, at, names.len());
            self.lower.declare(self.lower.text_of(*name), meaning);
        }
    }

    /// Whether a token is between the two sides of a statement.
    fn has_between(&self, node: Node<'t>, token: &str) -> bool {
        let sides = (self.get(node, Field::Left), self.get(node, Field::Right));
        let (Some(left), Some(right)) = sides else { return false };
        let between = self.lower.text.get(left.end_byte()..right.start_byte());
        between.is_some_and(|between| between.contains(token))
    }

    fn assignment(&mut self, node: Node<'t>) {
        let values = match self.get(node, Field::Right) {
            Some(right) => self.values(right),
            None => Vec::new(),
        };
        let Some(left) = self.get(node, Field::Left) else { return };
        let targets = self.operands(left);
        for (at, target) in targets.iter().enumerate() {
            let before = self.value(*target);
            if self.kind(*target) == Kind::Identifier && self.lower.is_unknown(before) {
                let meaning = self.nth(&values, at, targets.len());
                self.lower.assign(self.lower.text_of(*target), meaning);
            }
        }
    }

    fn range(&mut self, node: Node<'t>) {
        let over = match self.get(node, Field::Right) {
            Some(right) => self.value(right),
            None => self.lower.unknown(),
        };
        let Some(left) = self.get(node, Field::Left) else { return };
        let names = self.operands(left);
        let declares = self.has_between(node, ":=");
        for (at, name) in names.iter().enumerate() {
            if !declares || self.kind(*name) != Kind::Identifier {
                self.value(*name);
                continue;
            }
            // Alone it is an index, which has no members, or what a channel sends.
            let meaning =
                if at + 1 == names.len() { self.lower.element(over) } else { self.lower.unknown() };
            self.lower.declare(self.lower.text_of(*name), meaning);
        }
    }

    fn type_switch(&mut self, node: Node<'t>) {
        let alias = self.get(node, Field::Alias);
        let alias = alias.and_then(|list| self.operands(list).first().copied());
        let alias = alias.map(|name| self.lower.text_of(name));
        self.lower.open();
        let mut value = self.lower.unknown();
        for child in node.named_children() {
            match self.kind(child) {
                Kind::TypeCase => self.type_case(child, alias, value),
                Kind::DefaultCase => {
                    self.lower.open();
                    alias.into_iter().for_each(|alias| self.lower.declare(alias, value));
                    self.children(child);
                    self.lower.close();
                }
                _ if Field::Alias.all(self.lower, node).any(|one| one.at == child.at) => {}
                _ if Field::Value.all(self.lower, node).any(|one| one.at == child.at) => {
                    value = self.value(child);
                }
                _ => self.node(child),
            }
        }
        self.lower.close();
    }

    fn type_case(&mut self, node: Node<'t>, alias: Option<&'t str>, value: ExpressionId) {
        let types: Vec<Node<'t>> = Field::Type.all(self.lower, node).collect();
        let values: Vec<ExpressionId> = types.iter().map(|one| self.type_value(*one)).collect();
        let meaning = if let [only] = values.as_slice() { *only } else { value };
        self.lower.open();
        alias.into_iter().for_each(|alias| self.lower.declare(alias, meaning));
        let last = types.last().map_or(node.at, |last| last.at);
        for child in node.named_children().filter(|child| child.at > last) {
            self.node(child);
        }
        self.lower.close();
    }

    // Values.

    /// The expressions of a list, or the only one.
    fn operands(&self, node: Node<'t>) -> Vec<Node<'t>> {
        match self.kind(node) {
            Kind::ExpressionList => {
                node.named_children().filter(|one| self.kind(*one) != Kind::Comment).collect()
            }
            _ => vec![node],
        }
    }

    fn values(&mut self, node: Node<'t>) -> Vec<ExpressionId> {
        let nodes = self.operands(node);
        nodes.into_iter().map(|node| self.value(node)).collect()
    }

    /// The value at a position: of as many, or of the results of one call.
    fn nth(&mut self, values: &[ExpressionId], at: usize, count: usize) -> ExpressionId {
        match values {
            [only] if count > 1 => self.lower.item(*only, at),
            _ => match values.get(at) {
                Some(value) => *value,
                None => self.lower.unknown(),
            },
        }
    }

    /// Walks an expression; what it means.
    fn value(&mut self, node: Node<'t>) -> ExpressionId {
        self.value_as(node, ReferenceKind::Value)
    }

    fn value_as(&mut self, node: Node<'t>, kind: ReferenceKind) -> ExpressionId {
        if !self.lower.enter(node) {
            return self.lower.unknown();
        }
        let value = self.expression(node, kind);
        self.lower.leave();
        value
    }

    fn expression(&mut self, node: Node<'t>, kind: ReferenceKind) -> ExpressionId {
        match self.kind(node) {
            Kind::Identifier => self.identifier(node, kind),
            Kind::Selector => self.selector(node, kind),
            Kind::Call => self.call(node),
            Kind::Composite => self.composite(node),
            Kind::FuncLiteral => {
                self.lower.open();
                let result = self.signature(node);
                if let Some(body) = self.get(node, Field::Body) {
                    self.children(body);
                }
                self.lower.close();
                self.lower.function(result)
            }
            Kind::Parenthesized => {
                let inner = node.named_children().next();
                self.optional(inner, kind)
            }
            Kind::Unary => {
                let operand = self.get(node, Field::Operand);
                let value = self.optional(operand, kind);
                if self.lower.text_of(node).starts_with("<-") {
                    self.lower.element(value)
                } else {
                    value
                }
            }
            Kind::Binary => {
                let left = self.get(node, Field::Left);
                let value = self.optional(left, ReferenceKind::Value);
                let right = self.get(node, Field::Right);
                self.optional(right, ReferenceKind::Value);
                value
            }
            Kind::Index => {
                let value = self.indexed(node, kind);
                self.lower.element(value)
            }
            Kind::SliceExpression => self.indexed(node, kind),
            Kind::TypeAssertion | Kind::TypeConversion => {
                let operand = self.get(node, Field::Operand);
                self.optional(operand, ReferenceKind::Value);
                match self.get(node, Field::Type) {
                    // `New[T](x)` looks like a conversion, and calls a function as often as not.
                    Some(written) if self.kind(written) == Kind::GenericType => {
                        let called = self.type_name_as(written, ReferenceKind::Call);
                        self.lower.call(called)
                    }
                    Some(written) => self.type_value(written),
                    None => self.lower.unknown(),
                }
            }
            Kind::TypeInstantiation => {
                let meaning = match self.get(node, Field::Type) {
                    Some(written) => self.type_name(written),
                    None => self.lower.unknown(),
                };
                for argument in node.named_children().skip(1) {
                    self.type_value(argument);
                }
                meaning
            }
            Kind::LiteralValue => {
                let unknown = self.lower.unknown();
                self.literal(node, unknown);
                unknown
            }
            Kind::TypeIdentifier
            | Kind::QualifiedType
            | Kind::GenericType
            | Kind::Pointer
            | Kind::ParenthesizedType
            | Kind::Slice
            | Kind::Array
            | Kind::ImplicitArray
            | Kind::Map
            | Kind::Channel
            | Kind::FunctionType
            | Kind::StructType
            | Kind::InterfaceType => self.type_value(node),
            Kind::FieldIdentifier | Kind::Comment | Kind::LabelName => self.lower.unknown(),
            _ => {
                // A literal, or a list of arguments.
                self.children(node);
                self.lower.external()
            }
        }
    }

    /// Walks what is in brackets; the value before them.
    fn indexed(&mut self, node: Node<'t>, kind: ReferenceKind) -> ExpressionId {
        let operand = self.get(node, Field::Operand);
        let value = self.optional(operand, kind);
        for child in node.named_children() {
            if operand.is_none_or(|operand| operand.at != child.at) {
                self.node(child);
            }
        }
        value
    }

    fn optional(&mut self, node: Option<Node<'t>>, kind: ReferenceKind) -> ExpressionId {
        match node {
            Some(node) => self.value_as(node, kind),
            None => self.lower.unknown(),
        }
    }

    fn identifier(&mut self, node: Node<'t>, kind: ReferenceKind) -> ExpressionId {
        let name = self.lower.text_of(node);
        if let Some(local) = self.lower.local(name) {
            self.refer_to_local(node, local, kind);
            return local;
        }
        if PREDECLARED.binary_search(&name).is_ok() {
            return self.lower.external();
        }
        let target = self.lower.name(name);
        if !self.packages.contains(name) {
            self.lower.refer(node, kind, target);
        }
        target
    }

    /// A local type is a symbol, so its uses are references.
    fn refer_to_local(&mut self, node: Node<'t>, local: ExpressionId, kind: ReferenceKind) {
        if let Expression::Symbol(index) = *self.lower.get(local)
            && self.lower.symbols()[index as usize].name == self.lower.text_of(node)
        {
            self.lower.refer(node, kind, local);
        }
    }

    fn selector(&mut self, node: Node<'t>, kind: ReferenceKind) -> ExpressionId {
        let operand = self.get(node, Field::Operand);
        let of = self.optional(operand, ReferenceKind::Value);
        let Some(field) = self.get(node, Field::Selected) else { return self.lower.unknown() };
        let target = self.lower.member(of, self.lower.text_of(field));
        self.lower.refer(field, kind, target);
        target
    }

    fn call(&mut self, node: Node<'t>) -> ExpressionId {
        let Some(function) = self.get(node, Field::Function) else { return self.lower.unknown() };
        let name = self.lower.text_of(function);
        let arguments = self.get(node, Field::Arguments);
        if let Some(list) = self.get(node, Field::TypeArguments) {
            self.children_as_types(list);
        }
        let is_local = self.lower.local(name).is_some();
        if self.kind(function) == Kind::Identifier && !is_local {
            let first = arguments.and_then(|list| list.named_children().next());
            match (name, first) {
                ("new" | "make", Some(first)) => {
                    let made = self.type_value(first);
                    arguments
                        .into_iter()
                        .flat_map(|list| list.named_children().skip(1))
                        .for_each(|argument| self.node(argument));
                    return made;
                }
                ("append" | "min" | "max", Some(first)) => {
                    let target = self.lower.name(name);
                    self.lower.refer(function, ReferenceKind::Call, target);
                    let value = self.value(first);
                    arguments
                        .into_iter()
                        .flat_map(|list| list.named_children().skip(1))
                        .for_each(|argument| self.node(argument));
                    let called = self.lower.call(target);
                    return if name == "append" { value } else { called };
                }
                _ => {}
            }
        }
        let of = self.value_as(function, ReferenceKind::Call);
        if let Some(arguments) = arguments {
            self.children(arguments);
        }
        self.lower.call(of)
    }

    fn composite(&mut self, node: Node<'t>) -> ExpressionId {
        let value = match self.get(node, Field::Type) {
            Some(written) => self.type_value(written),
            None => self.lower.unknown(),
        };
        if let Some(body) = self.get(node, Field::Body) {
            self.literal(body, value);
        }
        value
    }

    /// The elements of a literal of a type.
    fn literal(&mut self, body: Node<'t>, value: ExpressionId) {
        for element in body.named_children() {
            match self.kind(element) {
                Kind::KeyedElement => self.keyed(element, value),
                Kind::LiteralElement => self.literal_element(element, value),
                Kind::LiteralValue => {
                    let inner = self.lower.element(value);
                    self.nested_literal(element, inner);
                }
                _ => self.node(element),
            }
        }
    }

    fn nested_literal(&mut self, body: Node<'t>, value: ExpressionId) {
        if self.lower.enter(body) {
            self.literal(body, value);
            self.lower.leave();
        }
    }

    fn literal_element(&mut self, element: Node<'t>, of: ExpressionId) {
        for inner in element.named_children() {
            if self.kind(inner) == Kind::LiteralValue {
                let value = self.lower.element(of);
                self.nested_literal(inner, value);
            } else {
                self.node(inner);
            }
        }
    }

    /// `key: value`: a field of the type, or an expression if the type is a map or a list.
    fn keyed(&mut self, element: Node<'t>, value: ExpressionId) {
        let mut parts = element.named_children().filter(|part| self.kind(*part) != Kind::Comment);
        let (key, of) = (parts.next(), parts.next());
        let name = key.and_then(|key| match self.kind(key) {
            Kind::LiteralElement => key.named_children().next(),
            _ => Some(key),
        });
        let name = name
            .filter(|name| matches!(self.kind(*name), Kind::Identifier | Kind::FieldIdentifier));
        let mut field = self.lower.unknown();
        match name {
            Some(name) => field = self.key(name, value),
            None => {
                if let Some(key) = key {
                    self.literal_element_or_value(key, value);
                }
            }
        }
        let Some(of) = of else { return };
        // In a literal of a struct the value belongs to the field, in one of a map to its elements.
        let inner = self.lower.element(value);
        let inner = self.lower.either(field, inner);
        match self.kind(of) {
            Kind::LiteralValue => self.nested_literal(of, inner),
            Kind::LiteralElement => {
                for part in of.named_children() {
                    if self.kind(part) == Kind::LiteralValue {
                        self.nested_literal(part, inner);
                    } else {
                        self.node(part);
                    }
                }
            }
            _ => self.node(of),
        }
    }

    fn literal_element_or_value(&mut self, node: Node<'t>, value: ExpressionId) {
        match self.kind(node) {
            Kind::LiteralElement => self.literal_element(node, value),
            Kind::LiteralValue => self.nested_literal(node, value),
            _ => self.node(node),
        }
    }

    fn key(&mut self, name: Node<'t>, value: ExpressionId) -> ExpressionId {
        let text = self.lower.text_of(name);
        if let Expression::Container(_) = self.lower.get(value) {
            self.value(name);
            return self.lower.unknown();
        }
        let member = self.lower.member(value, text);
        // A type of this package may be a map, whose keys are constants of this package; one of another hardly is.
        let target = match self.lower.local(text) {
            None if !self.is_imported(value) => {
                let bare = self.lower.name(text);
                self.lower.either(member, bare)
            }
            _ => member,
        };
        self.lower.refer(name, ReferenceKind::Value, target);
        member
    }

    /// Whether a value is of a type that another package declares.
    fn is_imported(&self, value: ExpressionId) -> bool {
        match self.lower.get(value) {
            Expression::Instance(of) => matches!(self.lower.get(*of), Expression::Member(..)),
            _ => false,
        }
    }

    // Types.

    fn children_as_types(&mut self, node: Node<'t>) {
        for child in node.named_children() {
            self.type_value(child);
        }
    }

    /// Walks a type; what a value of it means.
    fn type_value(&mut self, node: Node<'t>) -> ExpressionId {
        if !self.lower.enter(node) {
            return self.lower.unknown();
        }
        let value = self.type_expression(node);
        self.lower.leave();
        value
    }

    fn type_expression(&mut self, node: Node<'t>) -> ExpressionId {
        match self.kind(node) {
            Kind::Pointer | Kind::ParenthesizedType | Kind::Parenthesized => {
                match node.named_children().next() {
                    Some(inner) => self.type_value(inner),
                    None => self.lower.unknown(),
                }
            }
            Kind::Unary => match self.get(node, Field::Operand) {
                Some(inner) => self.type_value(inner),
                None => self.lower.unknown(),
            },
            Kind::TypeIdentifier
            | Kind::Identifier
            | Kind::QualifiedType
            | Kind::GenericType
            | Kind::Selector => {
                let named = self.type_name(node);
                self.lower.instance(named)
            }
            Kind::Slice | Kind::Array | Kind::ImplicitArray => {
                let element = self.get(node, Field::Element);
                for other in node.named_children() {
                    if element.is_none_or(|element| element.at != other.at) {
                        self.node(other);
                    }
                }
                self.contained(element)
            }
            Kind::Map => {
                let value = self.get(node, Field::Value);
                for other in node.named_children() {
                    if value.is_none_or(|value| value.at != other.at) {
                        self.type_value(other);
                    }
                }
                self.contained(value)
            }
            Kind::Channel => {
                let value = self.get(node, Field::Value);
                self.contained(value)
            }
            Kind::FunctionType => {
                self.lower.open();
                let result = self.signature(node);
                self.lower.close();
                self.lower.function(result)
            }
            Kind::StructType => self.fields(node),
            Kind::InterfaceType => {
                self.interface(node);
                self.lower.unknown()
            }
            Kind::Comment => self.lower.unknown(),
            _ => {
                self.children_as_types(node);
                self.lower.unknown()
            }
        }
    }

    fn contained(&mut self, element: Option<Node<'t>>) -> ExpressionId {
        let element = match element {
            Some(element) => self.type_value(element),
            None => self.lower.unknown(),
        };
        self.lower.container(element)
    }

    /// Walks the name of a type; the type.
    fn type_name(&mut self, node: Node<'t>) -> ExpressionId {
        self.type_name_as(node, ReferenceKind::Type)
    }

    fn type_name_as(&mut self, node: Node<'t>, kind: ReferenceKind) -> ExpressionId {
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.lower.text_of(node);
                if let Some(local) = self.lower.local(name) {
                    self.refer_to_local(node, local, kind);
                    return local;
                }
                if super::LANGUAGE.builtins.binary_search(&name).is_ok() {
                    return self.lower.external();
                }
                let target = self.lower.name(name);
                self.lower.refer(node, kind, target);
                target
            }
            Kind::QualifiedType => {
                let package = self.get(node, Field::Package);
                let name = self.get(node, Field::Name);
                let (Some(package), Some(name)) = (package, name) else {
                    return self.lower.unknown();
                };
                let package = self.lower.name(self.lower.text_of(package));
                let target = self.lower.member(package, self.lower.text_of(name));
                self.lower.refer(name, kind, target);
                target
            }
            Kind::GenericType => {
                if let Some(arguments) = self.get(node, Field::TypeArguments) {
                    self.children_as_types(arguments);
                }
                match self.get(node, Field::Type) {
                    Some(inner) => self.type_name_as(inner, kind),
                    None => self.lower.unknown(),
                }
            }
            Kind::TypeElem | Kind::Pointer | Kind::ParenthesizedType => {
                let mut inner = node.named_children();
                match (inner.next(), inner.next()) {
                    (Some(only), None) => self.type_name_as(only, kind),
                    _ => {
                        self.children_as_types(node);
                        self.lower.unknown()
                    }
                }
            }
            Kind::Selector => self.selector(node, kind),
            _ => self.type_value(node),
        }
    }

    /// The fields of a struct: a value of it, as if it had no name.
    fn fields(&mut self, node: Node<'t>) -> ExpressionId {
        let mut members = Vec::new();
        for list in node.named_children() {
            for field in list.named_children() {
                if self.kind(field) != Kind::FieldDeclaration {
                    continue;
                }
                let names: Vec<Node<'t>> = Field::Name.all(self.lower, field).collect();
                let Some(written) = self.get(field, Field::Type) else { continue };
                if names.is_empty() {
                    self.type_name_as(written, ReferenceKind::Base);
                    continue;
                }
                let value = self.type_value(written);
                for name in names {
                    if let Some(symbol) = self.lower.symbol_named_at(name) {
                        self.lower.set_type(symbol, value);
                        members.push(symbol);
                    }
                }
            }
        }
        self.lower.record(members)
    }

    fn interface(&mut self, node: Node<'t>) {
        for element in node.named_children() {
            match self.kind(element) {
                Kind::MethodElem => self.callable(element),
                Kind::TypeElem => {
                    let mut terms = element.named_children();
                    match (terms.next(), terms.next()) {
                        (Some(only), None) => {
                            self.type_name_as(only, ReferenceKind::Base);
                        }
                        _ => self.children_as_types(element),
                    }
                }
                _ => {}
            }
        }
    }
}

/// Constants and functions of the language that a package hardly ever redefines, ascending.
const PREDECLARED: &[&str] = &["false", "iota", "len", "make", "nil", "panic", "true"];

/// The name that a package most likely has: the last part of its path, without version and the usual affixes.
fn package_name(path: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let last = match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    };
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn packages_are_called_by_their_folder() {
        for (path, name) in [
            ("fmt", "fmt"),
            ("net/http", "http"),
            ("github.com/go-chi/chi/v5", "chi"),
            ("gopkg.in/yaml.v3", "yaml"),
            ("github.com/mattn/go-isatty", "isatty"),
        ] {
            assert_eq!(package_name(path), name, "{path}");
        }
    }
}
