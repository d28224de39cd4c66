//! What the contract reads off the text of a query.

use groma_core::parts;

/// Whether a word of the query is spelled as in code: camelCase, PascalCase, snake_case or an acronym.
pub fn has_identifier(query: &str) -> bool {
    identifiers(query).any(is_code_name)
}

/// The runs of letters, digits and underscores in a query.
fn identifiers(query: &str) -> impl Iterator<Item = &str> {
    query.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a word is spelled as in code. Short words with inner capitals (`GitHub`, `macOS`) are names of products more
/// often; the lengths are the contract's, which counts acronyms (`JWT`) as well.
fn is_code_name(word: &str) -> bool {
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let is_acronym = capitals >= 2 && word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
    let is_snake = word.trim_matches('_').contains('_');
    let is_capital = word.starts_with(|c: char| c.is_uppercase());
    let has_humps = capitals > usize::from(is_capital) && parts(word).len() > 1;
    let is_camel = has_humps && word.chars().count() >= if is_capital { 8 } else { 6 };
    is_acronym || is_snake || is_camel
}

/// The words of a query; a compound name is followed by its parts.
pub fn keywords(query: &str) -> String {
    let mut words = Vec::new();
    for word in identifiers(query) {
        words.push(word);
        words.extend(Some(parts(word)).filter(|parts| parts.len() > 1).into_iter().flatten());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_distinguished_from_prose() {
        for query in [
            "getUserById",
            "find UserRepository",
            "a_b",
            "JWT token",
            "use SHA256",
            "MAX_RETRIES",
            "ÄnderUngen",
        ] {
            assert!(has_identifier(query), "{query}");
        }
        for query in [
            "user",
            "How do I use GitHub on macOS?",
            "I am a test",
            "FastAPI",
            "Änderung",
            "sha256sum",
        ] {
            assert!(!has_identifier(query), "{query}");
        }
    }

    #[test]
    fn keywords_include_the_parts_of_names() {
        assert_eq!(keywords("getUserById"), "getUserById get User By Id");
        assert_eq!(keywords("who calls get_user, JWT?"), "who calls get_user get user JWT");
    }
}
