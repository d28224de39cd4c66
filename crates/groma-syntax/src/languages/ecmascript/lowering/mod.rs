//! Lowers JavaScript and TypeScript: block and function scopes, modules in both notations, values by annotations,
//! constructors, assignments and results.

mod classes;
mod expressions;
mod functions;
mod members;
mod modules;
mod objects;
mod patterns;
mod scopes;
mod statements;
mod types;

use crate::lowering::{Lowerer, Lowering, vocabulary};
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};
use rustc_hash::{FxHashMap, FxHashSet};

pub(in crate::languages) static LOWERING: Lowering =
    Lowering { kinds: Kind::NAMES, fields: Field::NAMES, lower };

vocabulary! {
    kinds {
        AbstractClass = "abstract_class_declaration",
        AbstractMethod = "abstract_method_signature",
        Ambient = "ambient_declaration",
        Arguments = "arguments",
        Array = "array",
        ArrayPattern = "array_pattern",
        ArrayType = "array_type",
        Arrow = "arrow_function",
        As = "as_expression",
        Assignment = "assignment_expression",
        AssignmentPattern = "assignment_pattern",
        Augmented = "augmented_assignment_expression",
        Await = "await_expression",
        Binary = "binary_expression",
        Call = "call_expression",
        CallSignature = "call_signature",
        Catch = "catch_clause",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassExpression = "class",
        ClassHeritage = "class_heritage",
        Comment = "comment",
        ComputedName = "computed_property_name",
        ConditionalType = "conditional_type",
        Constraint = "constraint",
        ConstructSignature = "construct_signature",
        ConstructorType = "constructor_type",
        Decorator = "decorator",
        DefaultType = "default_type",
        Enum = "enum_declaration",
        EnumAssignment = "enum_assignment",
        Export = "export_statement",
        ExportClause = "export_clause",
        ExportSpecifier = "export_specifier",
        Extends = "extends_clause",
        ExtendsType = "extends_type_clause",
        False = "false",
        Field = "field_definition",
        ForIn = "for_in_statement",
        ForLoop = "for_statement",
        Function = "function_declaration",
        FunctionExpression = "function_expression",
        FunctionSignature = "function_signature",
        FunctionType = "function_type",
        Generator = "generator_function",
        GeneratorDeclaration = "generator_function_declaration",
        GenericType = "generic_type",
        Identifier = "identifier",
        Implements = "implements_clause",
        ImportAlias = "import_alias",
        ImportClause = "import_clause",
        ImportKeyword = "import",
        ImportRequire = "import_require_clause",
        ImportSpecifier = "import_specifier",
        ImportStatement = "import_statement",
        IndexSignature = "index_signature",
        IndexTypeQuery = "index_type_query",
        InferType = "infer_type",
        Instantiation = "instantiation_expression",
        Interface = "interface_declaration",
        InterfaceBody = "interface_body",
        InternalModule = "internal_module",
        IntersectionType = "intersection_type",
        JsxAttribute = "jsx_attribute",
        JsxClosing = "jsx_closing_element",
        JsxOpening = "jsx_opening_element",
        JsxSelfClosing = "jsx_self_closing_element",
        Lexical = "lexical_declaration",
        LiteralType = "literal_type",
        LookupType = "lookup_type",
        MappedType = "mapped_type_clause",
        Member = "member_expression",
        Method = "method_definition",
        MethodSignature = "method_signature",
        Module = "module",
        NamedImports = "named_imports",
        NamespaceExport = "namespace_export",
        NamespaceImport = "namespace_import",
        NestedIdentifier = "nested_identifier",
        NestedType = "nested_type_identifier",
        New = "new_expression",
        NonNull = "non_null_expression",
        Null = "null",
        Number = "number",
        Object = "object",
        ObjectAssignmentPattern = "object_assignment_pattern",
        ObjectPattern = "object_pattern",
        ObjectType = "object_type",
        OptionalParameter = "optional_parameter",
        Pair = "pair",
        PairPattern = "pair_pattern",
        Parenthesized = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PredefinedType = "predefined_type",
        PrivateProperty = "private_property_identifier",
        Program = "program",
        PropertyIdentifier = "property_identifier",
        PropertySignature = "property_signature",
        PublicField = "public_field_definition",
        ReadonlyType = "readonly_type",
        Regex = "regex",
        RequiredParameter = "required_parameter",
        RestPattern = "rest_pattern",
        Return = "return_statement",
        Satisfies = "satisfies_expression",
        Shorthand = "shorthand_property_identifier",
        ShorthandPattern = "shorthand_property_identifier_pattern",
        Spread = "spread_element",
        StatementBlock = "statement_block",
        String = "string",
        StringFragment = "string_fragment",
        Subscript = "subscript_expression",
        Super = "super",
        SwitchBody = "switch_body",
        Template = "template_string",
        Ternary = "ternary_expression",
        This = "this",
        ThisType = "this_type",
        True = "true",
        TupleType = "tuple_type",
        TypeAlias = "type_alias_declaration",
        TypeAnnotation = "type_annotation",
        TypeArguments = "type_arguments",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter",
        TypePredicate = "type_predicate",
        TypeQuery = "type_query",
        Unary = "unary_expression",
        Undefined = "undefined",
        UnionType = "union_type",
        Variable = "variable_declaration",
        VariableDeclarator = "variable_declarator",
        Yield = "yield_expression",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        ArgumentsOf = "arguments",
        Body = "body",
        ConstraintOf = "constraint",
        Constructor = "constructor",
        FunctionOf = "function",
        Index = "index",
        Key = "key",
        Left = "left",
        ModuleOf = "module",
        Name = "name",
        ObjectOf = "object",
        Parameter = "parameter",
        Parameters = "parameters",
        Pattern = "pattern",
        Property = "property",
        ReturnType = "return_type",
        Right = "right",
        Consequence = "consequence",
        Source = "source",
        TypeArgumentsOf = "type_arguments",
        TypeOf = "type",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// The state of a walk.
struct Script<'t> {
    /// What `this` means.
    this: ExpressionId,
    /// What `super` means.
    base: ExpressionId,
    /// What the function around returns.
    results: Vec<ExpressionId>,
    /// What is passed to the next function expression: the element of a container whose method takes it.
    passed: Option<ExpressionId>,
    /// What imports bind in this file.
    imports: FxHashMap<&'t str, ExpressionId>,
    /// Variables of the file that are other names for required modules.
    required: FxHashMap<&'t str, ExpressionId>,
    /// Names that an export clause lists.
    exported: FxHashSet<&'t str>,
    /// Names that the file defines or imports.
    own: FxHashSet<&'t str>,
    /// The number of branches and loops around, within the function.
    branches: u32,
}

fn lower<'t>(lower: &mut Lowerer<'t>, root: Node<'t>) {
    // The first expression is what a walk that is cut off gives.
    let unknown = lower.unknown();
    let mut script = Script {
        this: unknown,
        base: unknown,
        results: Vec::new(),
        passed: None,
        imports: FxHashMap::default(),
        required: FxHashMap::default(),
        exported: FxHashSet::default(),
        own: lower.symbols().iter().map(|symbol| symbol.name.as_str()).collect(),
        branches: 0,
    };
    lower.open();
    script.read_exports(lower, root);
    script.hoist_module(lower, root);
    script.children(lower, root);
    lower.close();
}

impl<'t> Script<'t> {
    /// Walks a node: records the names in it and tells what it means as an expression.
    fn walk(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        self.walk_as(lower, node, ReferenceKind::Value)
    }

    /// The same, for a node whose name is used in a certain way.
    fn walk_as(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        lower.nested(node, |lower, node| {
            let is_done = self.statement(lower, node) || self.declaration(lower, node);
            if is_done { lower.unknown() } else { self.expression(lower, node, kind) }
        })
    }

    fn children(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            self.walk(lower, child);
        }
    }

    /// One of several meanings, the first that is found.
    fn any(&self, lower: &mut Lowerer<'t>, meanings: &[ExpressionId]) -> ExpressionId {
        let unknown = lower.unknown();
        meanings.iter().rev().fold(unknown, |rest, one| match lower.get(*one) {
            Expression::External if rest != unknown => rest,
            _ => lower.either(*one, rest),
        })
    }

    /// The text of a name without quotes.
    fn name_of(&self, lower: &Lowerer<'t>, node: Node<'t>) -> &'t str {
        lower.text_of(node).trim_matches(['"', '\'', '`'])
    }

    /// Sets the type of the symbol that is named at `node`: of a function its result, else its value.
    fn define(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        if let Some(symbol) = lower.symbol_named_at(node) {
            let is_callable = lower.symbols()[symbol as usize].kind.is_callable();
            let meaning = if is_callable { lower.call(value) } else { value };
            if meaning != lower.symbol(symbol) {
                lower.set_type(symbol, meaning);
            }
        }
    }
}
