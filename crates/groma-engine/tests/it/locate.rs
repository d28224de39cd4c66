//! Symbol lookup: exact, qualified, case-insensitive and similar names.

use groma_core::SymbolKind;
use groma_engine::{Cancel, LocateAnswer, LocateRequest};
use groma_testkit::{Sandbox, Setup};

const PROJECT: &str = "\
//- crates/shop/src/auth/jwt.rs
/// A token.
pub struct Token { validate: bool }

impl Token {
    /// Checks it.
    pub fn validate(&self) -> bool { self.validate }
}

pub fn validate_token(text: &str) -> bool { true }

fn parse_server_config() {}

#[cfg(test)]
mod tests {
    fn validate() {}
}
//- crates/shop/src/cart.rs
pub fn validate() {}

pub fn Validate() {}
//- web/token.ts
export function validateToken(text: string): boolean { return true }

export class Token {
    validate(): boolean { return true }
}
//- web/token.test.ts
export function validate() {}
//- store/user.go
package store

type User struct{}

func (u *User) Validate() error { return nil }
//- store/user_test.go
package store

func Validate() {}
//- docs/guide.md
# Validate

How to validate.
";

fn project() -> Sandbox {
    Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, PROJECT)
}

fn locate(project: &Sandbox, request: &LocateRequest) -> LocateAnswer {
    project.engine().locate(request, &(), &Cancel::default()).unwrap()
}

/// The definitions of a name: match, place, kind, qualified name.
fn defined(project: &Sandbox, request: &LocateRequest) -> Vec<String> {
    let answer = locate(project, request);
    assert!(answer.definitions.is_sorted_by(|a, b| a.score >= b.score), "{answer:?}");
    assert!(answer.definitions.iter().all(|one| (0.0..=1.0).contains(&one.score)), "{answer:?}");
    let line = |one: &groma_engine::Definition| {
        let symbol = &one.symbol;
        format!(
            "{} {}:{} {} {}",
            one.matched.as_str(),
            one.path,
            symbol.name_line,
            symbol.kind,
            symbol.qualified
        )
    };
    answer.definitions.iter().map(line).collect()
}

fn named(project: &Sandbox, name: &str) -> Vec<String> {
    defined(project, &LocateRequest::new(name))
}

#[test]
fn the_exact_name_comes_first_and_code_before_values_and_tests() {
    let project = project();
    assert_eq!(
        named(&project, "validate"),
        [
            "exact crates/shop/src/auth/jwt.rs:6 method auth::jwt::Token::validate",
            "exact crates/shop/src/cart.rs:1 function cart::validate",
            "exact web/token.ts:4 method Token.validate",
            "exact web/token.test.ts:1 function validate",
            "exact crates/shop/src/auth/jwt.rs:15 test auth::jwt::tests::validate",
            "exact crates/shop/src/auth/jwt.rs:2 field auth::jwt::Token::validate",
            "ignoring_case crates/shop/src/cart.rs:3 function cart::Validate",
            "ignoring_case store/user.go:5 method store.User.Validate",
            "ignoring_case store/user_test.go:3 function store.Validate",
            "ignoring_case docs/guide.md:1 section Validate",
        ]
    );
}

#[test]
fn a_qualified_name_is_understood_in_any_notation() {
    let project = project();
    let method = "qualified crates/shop/src/auth/jwt.rs:6 method auth::jwt::Token::validate";
    for name in [
        "auth::jwt::Token::validate",
        "jwt::Token::validate",
        "crate::auth::jwt::Token::validate()",
        "jwt.Token.validate",
        "auth/jwt/Token#validate",
        "auth\\jwt\\Token->validate",
    ] {
        assert_eq!(named(&project, name)[0], method, "{name}");
    }
    // Folders, crates and file names count, with others in between.
    assert_eq!(named(&project, "shop::Token::validate")[0], method);
    assert_eq!(named(&project, "jwt.rs:Token.validate")[0], method);
    assert_eq!(
        named(&project, "Token#validate"),
        [
            method,
            "qualified web/token.ts:4 method Token.validate",
            "qualified crates/shop/src/auth/jwt.rs:2 field auth::jwt::Token::validate",
            "ignoring_case web/token.test.ts:1 function validate",
        ],
    );
    assert_eq!(
        named(&project, "store/User.Validate"),
        ["qualified store/user.go:5 method store.User.Validate"]
    );
}

#[test]
fn case_and_separators_are_forgiven() {
    let project = project();
    assert_eq!(
        named(&project, "validateToken"),
        [
            "exact web/token.ts:1 function validateToken",
            "ignoring_case crates/shop/src/auth/jwt.rs:9 function auth::jwt::validate_token",
        ]
    );
    assert_eq!(
        named(&project, "JWT::ValidateToken"),
        ["ignoring_case crates/shop/src/auth/jwt.rs:9 function auth::jwt::validate_token"]
    );
}

#[test]
fn an_undefined_name_finds_similar_names() {
    let project = project();
    let first = |name: &str| named(&project, name).into_iter().next();
    let token = "fuzzy crates/shop/src/auth/jwt.rs:9 function auth::jwt::validate_token";
    assert_eq!(first("valdate_token").as_deref(), Some(token), "a letter is missing");
    assert_eq!(first("validate_tok").as_deref(), Some(token), "only its beginning");
    assert_eq!(
        first("server_config").as_deref(),
        Some("fuzzy crates/shop/src/auth/jwt.rs:11 function auth::jwt::parse_server_config")
    );
    assert_eq!(
        first("Basket.parse_server_config").as_deref(),
        Some("fuzzy crates/shop/src/auth/jwt.rs:11 function auth::jwt::parse_server_config"),
        "the name in another place"
    );
    assert_eq!(
        first("web.Token.validat").as_deref(),
        Some("fuzzy web/token.ts:4 method Token.validate"),
        "what stands in front counts"
    );
    assert_eq!(first("nobody_at_all"), None);
    assert_eq!(first("idate"), None, "half a word is no word");
}

#[test]
fn filters_hold_for_what_is_found() {
    let project = project();
    let mut request = LocateRequest::new("validate");
    request.kinds = vec![SymbolKind::Field];
    assert_eq!(
        defined(&project, &request),
        ["exact crates/shop/src/auth/jwt.rs:2 field auth::jwt::Token::validate"]
    );
    request.kinds.clear();
    request.languages = vec!["go".into()];
    assert_eq!(
        defined(&project, &request),
        [
            "ignoring_case store/user.go:5 method store.User.Validate",
            "ignoring_case store/user_test.go:3 function store.Validate",
        ]
    );
    request.paths = vec!["*_test.go".into()];
    assert_eq!(
        defined(&project, &request),
        ["ignoring_case store/user_test.go:3 function store.Validate"]
    );
    request.languages = vec!["rust".into()];
    assert_eq!(defined(&project, &request), [""; 0]);
}

#[test]
fn a_limit_truncates_and_the_total_is_given() {
    let project = project();
    let answer = locate(&project, &LocateRequest { limit: 2, ..LocateRequest::new("validate") });
    assert_eq!((answer.definitions.len(), answer.total_definitions), (2, 10));
}

#[test]
fn a_definition_comes_with_what_is_needed_to_use_it() {
    let project = project();
    let one = locate(&project, &LocateRequest::new("Token.validate")).definitions.remove(0);
    assert_eq!(one.language, "rust");
    assert_eq!(one.parent.as_deref(), Some("Token"));
    assert_eq!(one.symbol.signature, "pub fn validate(&self) -> bool");
    assert_eq!(one.symbol.doc, "Checks it.");
    let go = locate(&project, &LocateRequest::new("User.Validate")).definitions.remove(0);
    assert_eq!((go.package.as_deref(), go.parent.as_deref()), (Some("store"), Some("User")));
}

#[test]
fn requests_out_of_bounds_are_refused() {
    let project = project();
    let refused = |request: LocateRequest| {
        let error = project.engine().locate(&request, &(), &Cancel::default()).unwrap_err();
        error.to_string()
    };
    assert_eq!(refused(LocateRequest::new(" ")), "name: is empty; give the name of a definition");
    assert_eq!(refused(LocateRequest::new("x".repeat(501))), "name: is longer than 500 characters");
    assert_eq!(
        refused(LocateRequest { limit: 0, ..LocateRequest::new("x") }),
        "limit: must be 1 to 1000"
    );
    let globs = LocateRequest { paths: vec!["[".into()], ..LocateRequest::new("x") };
    assert!(refused(globs).starts_with("paths: "));
}

#[test]
fn definitions_follow_the_tree() {
    let project = project();
    assert_eq!(named(&project, "validate_token").len(), 2);
    project.save("crates/shop/src/auth/jwt.rs", "\n\npub fn validate_token() {}\n");
    assert_eq!(
        named(&project, "validate_token")[0],
        "exact crates/shop/src/auth/jwt.rs:3 function auth::jwt::validate_token"
    );
    project.remove("crates/shop/src/auth/jwt.rs");
    assert_eq!(
        named(&project, "validate_token"),
        ["ignoring_case web/token.ts:1 function validateToken"]
    );
    // Without a look at the tree first, what is outdated is left out.
    project.save("web/token.ts", "\nexport function validateToken() {}\n");
    let request = LocateRequest::new("validate_token");
    let answer = project.engine().locate_indexed(&request).unwrap();
    assert!(answer.definitions.is_empty(), "{answer:?}");
}

#[test]
fn names_that_no_language_has_are_answered() {
    let project = project();
    for name in ["::", "<", "->", "a::", "😀", "a\0b", "()", &"a.".repeat(200)] {
        assert_eq!(named(&project, name), [""; 0], "{name:?}");
    }
    // What is no part of a name is ignored around one.
    assert!(named(&project, "\u{1}validate").len() > 1);
    assert_eq!(named(&project, "validate_token()"), named(&project, "validate_token"));
}

/// A type in several files is the part in the file of its name.
#[test]
fn of_partial_types_the_one_in_the_file_of_its_name_comes_first() {
    let part = |path: &str| format!("//- {path}\npublic static partial class Mapper {{ }}\n");
    let parts = ["src/Mapper.Async.cs", "src/Mapper.Types.cs", "src/Mapper.cs"].map(part);
    let project = Sandbox::new(&parts.concat());
    let answer = locate(&project, &LocateRequest::new("Mapper"));
    let paths: Vec<&str> = answer.definitions.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["src/Mapper.cs", "src/Mapper.Async.cs", "src/Mapper.Types.cs"]);
}
