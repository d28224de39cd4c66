//! What ctags calls a definition and we do not, each with its reason.

/// A definition that ctags found.
pub struct Tag {
    /// The file.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// The language, as ctags calls it.
    pub language: String,
    /// The kind, as ctags calls it.
    pub kind: String,
    /// The text of the line.
    pub text: String,
    /// Whether the grammar could read the whole file.
    pub readable: bool,
}

impl Tag {
    fn any(&self) -> bool {
        true
    }

    fn is_unreadable(&self) -> bool {
        !self.readable
    }

    fn is_anonymous(&self) -> bool {
        ["__anon", "anonFunc", "Anonymous"].iter().any(|start| self.name.starts_with(start))
    }

    fn is_indented(&self) -> bool {
        self.text.starts_with([' ', '\t'])
    }

    /// What follows the name on the line.
    fn rest(&self) -> &str {
        self.text.split_once(&self.name).map_or("", |(_, rest)| rest).trim_start()
    }

    fn is_switch(&self) -> bool {
        self.rest().is_empty() || self.rest().starts_with("/*") || self.rest().starts_with("//")
    }

    fn is_macro(&self) -> bool {
        self.name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    }

    fn is_call(&self) -> bool {
        self.is_macro() && self.rest().starts_with('(')
    }

    fn is_test(&self) -> bool {
        matches!(&*self.name, "TEST" | "TEST_F" | "TEST_P" | "TYPED_TEST" | "TYPED_TEST_P")
    }

    fn has_arrow(&self) -> bool {
        self.text.contains("=>") || self.text.trim_end().ends_with(')')
    }

    /// Whether no word says who may use it.
    fn is_statement(&self) -> bool {
        let words = ["public", "private", "protected", "internal", "static", "readonly", "const"];
        !words.iter().any(|word| self.text.trim_start().starts_with(word))
    }

    fn is_result(&self) -> bool {
        self.text.contains("func(") && self.rest().starts_with(['{', ']'])
    }

    fn is_local(&self) -> bool {
        let text = self.text.trim_start();
        self.is_indented() && (text.starts_with("const ") || text.starts_with("var "))
    }

    fn is_lambda(&self) -> bool {
        self.is_indented() && self.text.contains("lambda")
    }

    fn is_argument(&self) -> bool {
        self.rest().starts_with('=') && !self.rest()[1..].trim_start().starts_with("function")
    }

    fn is_conversion(&self) -> bool {
        self.name.starts_with("operator ")
    }

    fn is_type(&self) -> bool {
        self.rest().starts_with('(') && self.rest().contains(")(")
    }

    fn is_computed(&self) -> bool {
        self.name.ends_with(']')
    }

    fn is_constraint(&self) -> bool {
        self.text.contains("where ")
    }

    fn is_embedded(&self) -> bool {
        self.rest().starts_with('[') || self.rest().starts_with('}')
    }

    fn is_no_constant(&self) -> bool {
        self.text.contains(&format!("@{}", self.name))
            || self.text.contains(&format!("{}(", self.name))
    }

    fn is_default(&self) -> bool {
        self.text.contains(" default ")
    }

    fn is_writer(&self) -> bool {
        self.name.ends_with('=')
    }

    fn is_cut(&self) -> bool {
        self.rest().starts_with(['?', '!', '='])
    }

    fn is_comparison(&self) -> bool {
        self.rest().starts_with("=>") || self.rest().starts_with("==")
    }

    fn is_declared(&self) -> bool {
        self.rest().starts_with(';')
    }

    fn is_lifetime(&self) -> bool {
        self.text.contains("'static ")
    }

    fn is_array(&self) -> bool {
        self.name.ends_with('=')
    }
}

/// What is left out on purpose: language (`*` for any), kind of ctags (`*` for any), which of them, and why.
type Row = (&'static str, &'static str, fn(&Tag) -> bool, &'static str);

#[rustfmt::skip]
const EXPLAINED: &[Row] = &[
    ("*", "*", Tag::is_anonymous, "without a name: ctags makes one up"),
    ("C", "macro", Tag::is_switch, "a macro without a value: a switch or an include guard"),
    ("C++", "macro", Tag::is_switch, "a macro without a value: a switch or an include guard"),
    ("C", "function", Tag::is_macro, "made by a macro, which ctags takes for the name"),
    ("C", "variable", Tag::is_macro, "an attribute macro that ctags takes for the name"),
    ("C++", "enumerator", Tag::is_call, "a macro call that ctags takes for a name"),
    ("C++", "function", Tag::is_test, "a test, found by its suite and its name"),
    ("C++", "function", Tag::is_call, "made by a macro, which ctags takes for the name"),
    ("C++", "function", Tag::is_conversion, "a conversion, whose name is a type"),
    ("C++", "function", Tag::is_type, "a type that ctags takes for the name, which is in parentheses"),
    ("C#", "namespace", Tag::any, "kept as the package of the file"),
    ("C#", "field", Tag::has_arrow, "a parameter of a member without braces"),
    ("C#", "field", Tag::is_statement, "a statement inside of a member"),
    ("C#", "class", Tag::is_constraint, "a type parameter with a constraint"),
    ("C#", "property", Tag::is_constraint, "a type parameter with a constraint"),
    ("Go", "package", Tag::any, "kept as the package of the file"),
    ("Go", "packageName", Tag::any, "another name for an import"),
    ("Go", "anonMember", Tag::any, "an embedded type, kept as a reference"),
    ("Go", "member", Tag::is_embedded, "an embedded type, kept as a reference"),
    ("Go", "var", Tag::is_result, "the result of a function that is a value"),
    ("Go", "func", Tag::is_result, "the result of a function that is a value"),
    ("Go", "const", Tag::is_local, "a constant inside of a function"),
    ("Go", "var", Tag::is_local, "a variable inside of a function"),
    ("Java", "package", Tag::any, "kept as the package of the file"),
    ("Java", "enumConstant", Tag::is_no_constant, "an annotation or an argument of a constant"),
    ("Java", "field", Tag::is_default, "the default value of an annotation's element"),
    ("Lua", "function", Tag::is_argument, "the result of a call that is given a function"),
    ("Lua", "function", Tag::is_computed, "a key that is no name"),
    ("PHP", "alias", Tag::any, "a name that is imported"),
    ("PHP", "namespace", Tag::any, "kept as the package of the file"),
    ("PHP", "variable", Tag::is_indented, "a variable inside of a function"),
    ("Python", "unknown", Tag::any, "a name that is imported"),
    ("Python", "namespace", Tag::any, "a name that is imported"),
    ("Python", "function", Tag::is_lambda, "a variable inside of a function"),
    ("Python", "variable", Tag::is_indented, "a variable of a loop or a nested block"),
    ("Ruby", "accessor", Tag::is_writer, "found by the name of the attribute"),
    ("Ruby", "alias", Tag::is_cut, "ctags cuts off the last character of the name"),
    ("Ruby", "constant", Tag::is_comparison, "`=>`, `==` or `===` that ctags takes for an assignment"),
    ("Rust", "implementation", Tag::any, "a block that belongs to its type, not a definition"),
    ("Rust", "module", Tag::is_declared, "a module that is another file"),
    ("Rust", "variable", Tag::is_lifetime, "the type behind a lifetime"),
    ("Rust", "variable", Tag::is_indented, "a variable inside of a function"),
    ("Sh", "heredoc", Tag::any, "the end of a text"),
    ("Sh", "function", Tag::is_array, "an array that ctags takes for a function"),
    ("*", "*", Tag::is_unreadable, "in a file that the grammar cannot read whole"),
];

/// Why a tag is missing, where that is on purpose.
pub fn explanation(tag: &Tag) -> Option<&'static str> {
    EXPLAINED
        .iter()
        .find(|(language, kind, which, _)| {
            let fits = |wanted: &str, given: &str| wanted == "*" || wanted == given;
            fits(language, &tag.language) && fits(kind, &tag.kind) && which(tag)
        })
        .map(|(.., why)| *why)
}
