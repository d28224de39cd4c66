//! C: what the names of a file mean.
//!
//! Pointers, arrays and what they point to are the same here: a member is that of the struct behind all of them.

use crate::lowering::{Lowerer, Lowering, vocabulary};
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

vocabulary! {
    kinds {
        AbstractFunction = "abstract_function_declarator",
        ArrayDeclarator = "array_declarator",
        Assignment = "assignment_expression",
        Attribute = "attribute_specifier",
        AttributeDeclaration = "attribute_declaration",
        Attributed = "attributed_declarator",
        Call = "call_expression",
        Cast = "cast_expression",
        Comma = "comma_expression",
        Compound = "compound_statement",
        CompoundLiteral = "compound_literal_expression",
        Conditional = "conditional_expression",
        Declaration = "declaration",
        Declspec = "ms_declspec_modifier",
        Enum = "enum_specifier",
        Enumerator = "enumerator",
        FieldDeclaration = "field_declaration",
        FieldDesignator = "field_designator",
        FieldExpression = "field_expression",
        FieldIdentifier = "field_identifier",
        For = "for_statement",
        FunctionDeclarator = "function_declarator",
        FunctionDefinition = "function_definition",
        Identifier = "identifier",
        Include = "preproc_include",
        InitDeclarator = "init_declarator",
        InitializerList = "initializer_list",
        InitializerPair = "initializer_pair",
        MacroType = "macro_type_specifier",
        Parameter = "parameter_declaration",
        Parameters = "parameter_list",
        Parenthesized = "parenthesized_expression",
        ParenthesizedDeclarator = "parenthesized_declarator",
        Pointer = "pointer_expression",
        PointerDeclarator = "pointer_declarator",
        PreprocArgument = "preproc_arg",
        PreprocDefinition = "preproc_def",
        PreprocFunction = "preproc_function_def",
        PreprocParameters = "preproc_params",
        Primitive = "primitive_type",
        Sized = "sized_type_specifier",
        Struct = "struct_specifier",
        Subscript = "subscript_expression",
        TypeDefinition = "type_definition",
        TypeDescriptor = "type_descriptor",
        TypeIdentifier = "type_identifier",
        Union = "union_specifier",
    }
    fields {
        Alternative = "alternative",
        Argument = "argument",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Declarator = "declarator",
        Designator = "designator",
        Selected = "field",
        Function = "function",
        Index = "index",
        Left = "left",
        Name = "name",
        Parameters = "parameters",
        Path = "path",
        Right = "right",
        Type = "type",
        Value = "value",
    }
}

pub(super) static LOWERING: Lowering = Lowering { kinds: Kind::NAMES, fields: Field::NAMES, lower };

fn lower<'t>(lower: &mut Lowerer<'t>, root: Node<'t>) {
    C::default().children(lower, root);
}

/// The state of a walk.
#[derive(Default)]
struct C {
    /// The named structs around the current node, innermost last: the fields of one without a name belong to them.
    structs: Vec<ExpressionId>,
    /// What the initializer lists around initialize.
    initialized: Vec<ExpressionId>,
}

impl<'t> C {
    fn children(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            self.node(lower, child);
        }
    }

    /// Lowers a node and what is below it; the value of an expression or of a type.
    fn node(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        lower.nested(node, |lower, node| self.any(lower, node))
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

    fn any(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::FunctionDefinition => self.function(lower, node),
            Kind::Declaration | Kind::Parameter => self.declaration(lower, node),
            Kind::FieldDeclaration => self.fields(lower, node),
            Kind::TypeDefinition => self.type_definition(lower, node),
            Kind::Compound | Kind::For => {
                lower.open();
                self.children(lower, node);
                lower.close();
            }
            Kind::Include => {
                if let Some(path) = Field::Path.of(lower, node) {
                    let path = lower.text_of(path).trim_matches(['"', '<', '>']);
                    let module = lower.module(path);
                    lower.bind("*", module, node, true);
                }
            }
            Kind::PreprocDefinition | Kind::PreprocFunction => macro_definition(lower, node),
            Kind::PreprocArgument => tokens(lower, node, &[]),
            Kind::Attribute | Kind::AttributeDeclaration | Kind::Declspec => {}
            Kind::Enumerator => {
                self.field(lower, node, Field::Value);
            }
            Kind::Struct | Kind::Union | Kind::Enum | Kind::TypeIdentifier | Kind::MacroType => {
                return self.type_value(lower, node);
            }
            Kind::TypeDescriptor => {
                let value = self.field(lower, node, Field::Type);
                if let Some(declarator) = Field::Declarator.of(lower, node) {
                    self.declarator(lower, declarator, false);
                }
                return value;
            }
            Kind::Primitive | Kind::Sized => return Some(lower.external()),
            _ => return self.expression(lower, node),
        }
        None
    }

    fn expression(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::Identifier => Some(name(lower, node, ReferenceKind::Value)),
            Kind::Call => self.call(lower, node),
            Kind::FieldExpression => self.member(lower, node, ReferenceKind::Value),
            Kind::Pointer => self.field(lower, node, Field::Argument),
            Kind::Subscript => {
                self.field(lower, node, Field::Index);
                self.field(lower, node, Field::Argument)
            }
            Kind::Parenthesized | Kind::Comma => {
                node.named_children().fold(None, |_, child| self.node(lower, child))
            }
            Kind::Cast => {
                let value = self.field(lower, node, Field::Type);
                self.field(lower, node, Field::Value);
                value
            }
            Kind::CompoundLiteral => {
                let value = self.field(lower, node, Field::Type);
                self.initialize(lower, node, value);
                value
            }
            Kind::Assignment => {
                let value = self.field(lower, node, Field::Left);
                self.field(lower, node, Field::Right);
                value
            }
            Kind::Conditional => {
                self.field(lower, node, Field::Condition);
                let first = self.field(lower, node, Field::Consequence);
                let second = self.field(lower, node, Field::Alternative);
                first.or(second)
            }
            Kind::InitializerPair => {
                self.initializer_pair(lower, node);
                None
            }
            _ => {
                self.children(lower, node);
                None
            }
        }
    }

    fn call(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let function = Field::Function.of(lower, node)?;
        let callee = match Kind::of(lower, function) {
            Kind::Identifier => Some(name(lower, function, ReferenceKind::Call)),
            Kind::FieldExpression => self.member(lower, function, ReferenceKind::Call),
            _ => self.node(lower, function),
        };
        self.field(lower, node, Field::Arguments);
        callee.map(|callee| lower.call(callee))
    }

    fn member(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> Option<ExpressionId> {
        let of = self.field(lower, node, Field::Argument);
        let of = of.unwrap_or_else(|| lower.unknown());
        let field = Field::Selected.of(lower, node)?;
        let member = lower.member(of, lower.text_of(field));
        lower.refer(field, kind, member);
        Some(member)
    }

    /// Lowers the `value` of a node that initializes something.
    fn initialize(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, of: Option<ExpressionId>) {
        let of = of.unwrap_or_else(|| lower.unknown());
        self.initialized.push(of);
        self.field(lower, node, Field::Value);
        self.initialized.pop();
    }

    /// `.field = value`
    fn initializer_pair(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let mut of = self.initialized.last().copied();
        for designator in Field::Designator.all(lower, node) {
            if Kind::of(lower, designator) != Kind::FieldDesignator {
                self.node(lower, designator);
                continue;
            }
            for field in designator.named_children() {
                let object = of.unwrap_or_else(|| lower.unknown());
                let member = lower.member(object, lower.text_of(field));
                lower.refer(field, ReferenceKind::Value, member);
                of = Some(member);
            }
        }
        self.initialize(lower, node, of);
    }
}

/// Types and declarations.
impl<'t> C {
    /// A value of the type that a node names or defines.
    fn type_value(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let is = self.type_in(lower, node)?;
        Some(lower.instance(is))
    }

    fn type_in(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        match Kind::of(lower, node) {
            Kind::TypeIdentifier => Some(name(lower, node, ReferenceKind::Type)),
            Kind::MacroType => {
                if let Some(called) = Field::Name.of(lower, node) {
                    name(lower, called, ReferenceKind::Call);
                }
                let inner = self.field(lower, node, Field::Type);
                inner.or_else(|| Some(lower.unknown()))
            }
            Kind::Struct | Kind::Union | Kind::Enum => self.tagged(lower, node),
            _ => self.node(lower, node),
        }
    }

    /// A struct, union or enum, perhaps with its members.
    fn tagged(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> Option<ExpressionId> {
        let tag = Field::Name.of(lower, node);
        let Some(body) = Field::Body.of(lower, node) else {
            return tag.map(|tag| name(lower, tag, ReferenceKind::Type));
        };
        let symbol = tag.and_then(|tag| lower.symbol_named_at(tag));
        // Without a tag, a name behind the body may be that of the type.
        let symbol = symbol.or_else(|| named_by_definition(lower, node));
        let Some(symbol) = symbol else {
            self.children(lower, body);
            return self.structs.last().copied();
        };
        let is = lower.symbol(symbol);
        self.structs.push(is);
        self.children(lower, body);
        self.structs.pop();
        Some(is)
    }

    /// Walks down a declarator to the name it declares. Parameters are declared if they are of the function being
    /// defined, and else only name their types.
    fn declarator(
        &mut self,
        lower: &mut Lowerer<'t>,
        declarator: Node<'t>,
        defines: bool,
    ) -> Option<Declared<'t>> {
        let mut node = declarator;
        let mut is_function = false;
        loop {
            match Kind::of(lower, node) {
                Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier => {
                    return Some(Declared { name: node, is_function });
                }
                Kind::FunctionDeclarator | Kind::AbstractFunction => {
                    is_function = true;
                    if let Some(parameters) = Field::Parameters.of(lower, node) {
                        self.parameters(lower, parameters, defines);
                    }
                }
                // A pointer to a function is a variable.
                Kind::ParenthesizedDeclarator => is_function = false,
                _ => {}
            }
            let inner = Field::Declarator.of(lower, node);
            let inner = inner.or_else(|| node.named_children().next());
            for child in node.named_children() {
                let known = inner.is_some_and(|inner| inner.at == child.at)
                    || Kind::of(lower, child) == Kind::Parameters;
                if !known && Kind::of(lower, node) != Kind::InitDeclarator {
                    self.node(lower, child);
                }
            }
            node = inner?;
        }
    }

    fn parameters(&mut self, lower: &mut Lowerer<'t>, parameters: Node<'t>, defines: bool) {
        if !defines {
            lower.open();
        }
        self.children(lower, parameters);
        if !defines {
            lower.close();
        }
    }

    fn function(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        hidden_macro(lower, node);
        let result = self.field(lower, node, Field::Type);
        lower.open();
        let declarator = Field::Declarator.of(lower, node);
        let declared = declarator.and_then(|one| self.declarator(lower, one, true));
        let symbol = declared.and_then(|declared| lower.symbol_named_at(declared.name));
        if let (Some(symbol), Some(result)) = (symbol, result) {
            lower.set_type(symbol, result);
        }
        for child in node.named_children() {
            let is_head = [Field::Type, Field::Declarator]
                .iter()
                .any(|field| child.field_in_parent() == lower.field_id(*field as u8));
            if !is_head {
                self.node(lower, child);
            }
        }
        lower.close();
    }

    /// Variables, prototypes and parameters.
    fn declaration(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        hidden_macro(lower, node);
        let value = self.field(lower, node, Field::Type);
        let value = value.unwrap_or_else(|| lower.unknown());
        let declarators: Vec<_> = Field::Declarator.all(lower, node).collect();
        for declarator in declarators {
            let declared = self.declarator(lower, declarator, false);
            if let Some(Declared { name: named, is_function }) = declared {
                match lower.symbol_named_at(named) {
                    Some(symbol) => lower.set_type(symbol, value),
                    None if is_function => {
                        name(lower, named, ReferenceKind::Value);
                    }
                    None => lower.declare(lower.text_of(named), value),
                }
            }
            if Kind::of(lower, declarator) == Kind::InitDeclarator {
                self.initialize(lower, declarator, Some(value));
            }
        }
    }

    fn fields(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let value = self.field(lower, node, Field::Type);
        for declarator in Field::Declarator.all(lower, node) {
            let declared = self.declarator(lower, declarator, false);
            let symbol = declared.and_then(|declared| lower.symbol_named_at(declared.name));
            if let (Some(symbol), Some(value)) = (symbol, value) {
                lower.set_type(symbol, value);
            }
        }
    }

    fn type_definition(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let is = Field::Type.of(lower, node).and_then(|node| self.type_in(lower, node));
        for declarator in Field::Declarator.all(lower, node) {
            let declared = self.declarator(lower, declarator, false);
            let symbol = declared.and_then(|declared| lower.symbol_named_at(declared.name));
            let (Some(symbol), Some(is)) = (symbol, is) else { continue };
            if is != lower.symbol(symbol) {
                lower.set_type(symbol, is);
            }
        }
    }
}

/// A declared name.
#[derive(Clone, Copy)]
struct Declared<'t> {
    name: Node<'t>,
    is_function: bool,
}

/// Records a use of a name that is no local; what it means.
fn name<'t>(lower: &mut Lowerer<'t>, node: Node<'t>, kind: ReferenceKind) -> ExpressionId {
    let text = lower.text_of(node);
    if kind != ReferenceKind::Type
        && let Some(local) = lower.local(text)
    {
        return local;
    }
    let meaning = lower.name(text);
    lower.refer(node, kind, meaning);
    meaning
}

/// The symbol of `typedef struct { … } name;`, by its body.
fn named_by_definition(lower: &Lowerer<'_>, specifier: Node<'_>) -> Option<u32> {
    let definition = specifier.parent()?;
    if Kind::of(lower, definition) != Kind::TypeDefinition {
        return None;
    }
    let name = Field::Declarator.of(lower, definition)?;
    lower.symbol_named_at(name)
}

/// The macro at the start of the line of a declaration, which was hidden from the parser.
fn hidden_macro<'t>(lower: &mut Lowerer<'t>, node: Node<'t>) {
    let line = node.start_byte() - node.column() as usize;
    let before = lower.text.get(line..node.start_byte()).unwrap_or("").trim_end();
    if !before.is_empty() && before.bytes().all(is_word) {
        let meaning = lower.name(before);
        lower.refer_at(line, before, ReferenceKind::Value, meaning);
    }
}

/// The body of a macro is text; what it names is used.
fn macro_definition<'t>(lower: &mut Lowerer<'t>, node: Node<'t>) {
    let parameters = Field::Parameters.of(lower, node).into_iter().flat_map(Node::named_children);
    let parameters: Vec<_> = parameters.map(|parameter| lower.text_of(parameter)).collect();
    if let Some(value) = Field::Value.of(lower, node) {
        tokens(lower, value, &parameters);
    }
}

/// Records the names in a text that is not parsed, except the parameters of a macro.
fn tokens<'t>(lower: &mut Lowerer<'t>, node: Node<'t>, parameters: &[&str]) {
    let text = lower.text_of(node);
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut is_member = false;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'"' || byte == b'\'' {
            at = after_quote(bytes, at);
        } else if byte.is_ascii_alphanumeric() || byte == b'_' {
            let length = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
            let word = &text[at..at + length];
            let after = bytes[at + length..].iter().find(|byte| **byte != b' ');
            if !byte.is_ascii_digit() && !parameters.contains(&word) && !KEYWORDS.contains(&word) {
                let kind = match after {
                    Some(b'(') => ReferenceKind::Call,
                    _ => ReferenceKind::Value,
                };
                let meaning = if is_member {
                    let unknown = lower.unknown();
                    lower.member(unknown, word)
                } else {
                    lower.name(word)
                };
                lower.refer_at(node.start_byte() + at, word, kind, meaning);
            }
            at += length;
            is_member = false;
        } else {
            if !byte.is_ascii_whitespace() {
                is_member = byte == b'.' || byte == b'>' && at > 0 && bytes[at - 1] == b'-';
            }
            at += 1;
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Behind the string or character that starts at `at`.
fn after_quote(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != bytes[at] {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(bytes.len())
}

#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "break", "case", "char", "const", "continue", "default", "defined", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "return", "short", "signed", "sizeof", "static",
    "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
];
