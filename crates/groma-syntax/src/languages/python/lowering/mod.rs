//! Lowers Python: scopes as the interpreter has them, values by annotations, constructors, assignments and results.
//!
//! A class scope is not visible in its methods, so bodies of functions in a class are walked after the class is closed.
//! What is assigned in a branch does not replace what the name meant before, but precedes it.

mod definitions;
mod expressions;
mod imports;
mod scopes;
mod statements;
mod types;

use crate::lowering::{Lowerer, Lowering, vocabulary};
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};
use rustc_hash::FxHashSet;

pub(super) static LOWERING: Lowering = Lowering { kinds: Kind::NAMES, fields: Field::NAMES, lower };

vocabulary! {
    kinds {
        AliasedImport = "aliased_import",
        ArgumentList = "argument_list",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        Assert = "assert_statement",
        Assignment = "assignment",
        Attribute = "attribute",
        AugmentedAssignment = "augmented_assignment",
        Await = "await",
        BinaryOperator = "binary_operator",
        Block = "block",
        BooleanOperator = "boolean_operator",
        Call = "call",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        Class = "class_definition",
        ClassPattern = "class_pattern",
        Comment = "comment",
        Comparison = "comparison_operator",
        ConcatenatedString = "concatenated_string",
        Conditional = "conditional_expression",
        ConstrainedType = "constrained_type",
        Decorated = "decorated_definition",
        Decorator = "decorator",
        DefaultParameter = "default_parameter",
        Dictionary = "dictionary",
        DictionaryComprehension = "dictionary_comprehension",
        DictionarySplatPattern = "dictionary_splat_pattern",
        DottedName = "dotted_name",
        Elif = "elif_clause",
        Else = "else_clause",
        Ellipsis = "ellipsis",
        Except = "except_clause",
        ExpressionList = "expression_list",
        ExpressionStatement = "expression_statement",
        False = "false",
        Float = "float",
        For = "for_statement",
        ForIn = "for_in_clause",
        Function = "function_definition",
        FutureImport = "future_import_statement",
        Generator = "generator_expression",
        GenericType = "generic_type",
        Global = "global_statement",
        Identifier = "identifier",
        If = "if_statement",
        Import = "import_statement",
        ImportFrom = "import_from_statement",
        Integer = "integer",
        KeywordArgument = "keyword_argument",
        KeywordPattern = "keyword_pattern",
        Lambda = "lambda",
        List = "list",
        ListComprehension = "list_comprehension",
        ListPattern = "list_pattern",
        ListSplatPattern = "list_splat_pattern",
        Match = "match_statement",
        MemberType = "member_type",
        NamedExpression = "named_expression",
        None = "none",
        Nonlocal = "nonlocal_statement",
        Not = "not_operator",
        Pair = "pair",
        Parenthesized = "parenthesized_expression",
        PatternList = "pattern_list",
        Return = "return_statement",
        Set = "set",
        SetComprehension = "set_comprehension",
        Slice = "slice",
        SplatPattern = "splat_pattern",
        String = "string",
        StringContent = "string_content",
        Subscript = "subscript",
        True = "true",
        Try = "try_statement",
        Tuple = "tuple",
        TuplePattern = "tuple_pattern",
        Type = "type",
        TypeAlias = "type_alias_statement",
        TypeParameter = "type_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        TypedParameter = "typed_parameter",
        UnionType = "union_type",
        While = "while_statement",
        WildcardImport = "wildcard_import",
        With = "with_statement",
        WithItem = "with_item",
        Yield = "yield",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        AttributeName = "attribute",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        DefinitionOf = "definition",
        FunctionOf = "function",
        Left = "left",
        ModuleName = "module_name",
        Name = "name",
        Object = "object",
        Parameters = "parameters",
        ReturnType = "return_type",
        Right = "right",
        SubscriptOf = "subscript",
        Superclasses = "superclasses",
        TypeOf = "type",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// Where names are bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Module,
    Class,
    Function,
}

/// The class around a method.
#[derive(Clone, Copy)]
struct Class {
    symbol: u32,
    /// A value of its bases; unknown if it has none.
    bases: ExpressionId,
}

/// A function whose body is walked later.
struct Pending<'t> {
    node: Node<'t>,
    parameters: Vec<(&'t str, ExpressionId)>,
    class: Option<Class>,
    /// What a call of it gives by its annotation.
    declared: Option<ExpressionId>,
    /// Whether its decorators make a context manager of a generator.
    is_context: bool,
}

/// The state of a walk.
struct Python<'t> {
    scopes: Vec<Scope>,
    class: Option<Class>,
    /// Bodies of functions in the open classes.
    pending: Vec<Pending<'t>>,
    /// What the function around returns and yields.
    results: Vec<ExpressionId>,
    yields: Vec<ExpressionId>,
    /// The number of branches and loops around, within the function.
    branches: u32,
    /// Names of the built-in scope that the file defines or imports itself.
    own: FxHashSet<&'t str>,
    /// Whether a wildcard import may bring any name.
    has_wildcard: bool,
}

fn lower<'t>(lower: &mut Lowerer<'t>, root: Node<'t>) {
    // The first expression is what a walk that is cut off gives.
    lower.unknown();
    let mut python = Python {
        scopes: vec![Scope::Module],
        class: None,
        pending: Vec::new(),
        results: Vec::new(),
        yields: Vec::new(),
        branches: 0,
        own: FxHashSet::default(),
        has_wildcard: false,
    };
    lower.open();
    python.hoist_module(lower, root);
    python.children(lower, root);
    lower.close();
}

impl<'t> Python<'t> {
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
            let is_done = self.statement(lower, node);
            if is_done { lower.unknown() } else { self.expression(lower, node, kind) }
        })
    }

    fn children(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            self.walk(lower, child);
        }
    }

    /// Walks a part that may not run, or may run several times.
    fn branch(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.branches += 1;
        self.walk(lower, node);
        self.branches -= 1;
    }

    /// One of several meanings, the first that is found.
    fn any(&self, lower: &mut Lowerer<'t>, meanings: &[ExpressionId]) -> ExpressionId {
        let unknown = lower.unknown();
        meanings.iter().rev().fold(unknown, |rest, one| match lower.get(*one) {
            Expression::External if rest != unknown => rest,
            _ => lower.either(*one, rest),
        })
    }
}
