//! Judges values: is what stands behind `password =` a secret, or a word, an expression or a placeholder?

use crate::entropy::entropy;
/// What a text is. Code assigns expressions and quotes its secrets; configuration and prose do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Source code: an unquoted value is an expression.
    Code,
    /// Configuration, documentation, messages.
    Text,
}

/// Minimum length of a value in code; shorter ones are words far more often than secrets.
const MIN_CODE_LENGTH: usize = 8;

/// Minimum length of a value elsewhere.
const MIN_TEXT_LENGTH: usize = 4;

/// Minimum entropy of a value in code, in bits per byte.
const MIN_CODE_ENTROPY: f64 = 2.8;

/// Minimum length of a token that is a secret by its randomness alone.
const MIN_RANDOM_LENGTH: usize = 20;

/// Minimum entropy of such a token, above that of words and identifiers.
const MIN_RANDOM_ENTROPY: f64 = 3.7;

/// Texts inside values that stand for a secret, in documentation and tests.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "sample",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "your",
    "dummy",
    "fake",
    "redacted",
    "xxxx",
    "****",
    "....",
    "1234567",
    "abcdef",
    "test",
    "${",
    "$(",
    "{{",
    "#{",
    "%(",
    "%s",
    "<",
    "process.env",
    "os.environ",
    "getenv",
];

/// Passwords that documentation puts into addresses.
const EXAMPLE_PASSWORDS: &[&str] =
    &["password", "passwd", "pass", "pwd", "secret", "token", "root", "admin", "user", "guest"];

/// Whether a value assigned to the name of a secret is one.
pub(crate) fn is_assigned_secret(value: &str, context: Context) -> bool {
    !is_placeholder(value)
        && match context {
            Context::Text => value.len() >= MIN_TEXT_LENGTH && looks_generated(value),
            Context::Code => {
                value.len() >= MIN_CODE_LENGTH
                    && looks_generated(value)
                    && !is_identifier(value)
                    && entropy(value.as_bytes()) >= MIN_CODE_ENTROPY
            }
        }
}

/// Whether the password in an address is one.
pub(crate) fn is_password(value: &str, context: Context) -> bool {
    let plain = value.to_ascii_lowercase();
    !is_placeholder(value)
        && !EXAMPLE_PASSWORDS.contains(&&*plain)
        // An address in code is built from parts more often than written out.
        && (context == Context::Text || value.len() >= 5)
        && !value.starts_with(['$', '{', '%', ':', '+'])
}

/// Whether a value stands for a secret.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let plain = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|text| plain.contains(text))
        || value.chars().all(|c| value.starts_with(c))
}

/// Whether a value is neither a plain word nor an expression: it has digits or symbols.
fn looks_generated(value: &str) -> bool {
    let has = |test: fn(char) -> bool| value.chars().any(test);
    let is_path = value.contains('/') && !has(|c| c.is_ascii_digit());
    let is_call = (value.contains('.') || value.contains('(') || value.contains("->"))
        && !has(|c| c.is_ascii_digit());
    let inner_capital = value.chars().skip(1).any(char::is_uppercase);
    !is_path
        && !is_call
        && !value.contains(['(', '[', '{'])
        && !is_uuid(value)
        && (has(|c| c.is_ascii_digit()) || has(|c| "+$!#%^&*~@?".contains(c)))
        && has(char::is_alphabetic)
        && (inner_capital || has(char::is_lowercase) || value.len() >= 8)
}

/// Names with few digits, as `access_token_2`, `x-api-key-v1`, `oauth2.token`: words that a separator or a capital
/// begins.
fn is_identifier(value: &str) -> bool {
    let is_part = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        part.len() - letters.len() <= 2
            && letters.chars().all(|c| c.is_ascii_alphabetic())
            && changes_of_case(letters) * 5 <= letters.len()
    };
    value.split(['_', '-', '.', '/', ':']).all(is_part)
}

fn changes_of_case(letters: &str) -> usize {
    let upper: Vec<bool> = letters.chars().map(|c| c.is_ascii_uppercase()).collect();
    upper.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a token of prose looks random: digits, frequent changes of character class, and high entropy.
pub(crate) fn is_random(token: &str) -> bool {
    // Only the longest component of a path or a dotted name counts.
    let token = token.split(['/', '.']).max_by_key(|part| part.len()).unwrap_or_default();
    if token.len() < MIN_RANDOM_LENGTH || !token.is_ascii() || is_hash(token) {
        return false;
    }
    let bytes = token.as_bytes();
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    digits >= 3 && changes * 4 >= bytes.len() && entropy(bytes) >= MIN_RANDOM_ENTROPY
}

/// Hashes and UUIDs are identifiers, not secrets, also after what they identify: `session-2f7c…`.
fn is_hash(token: &str) -> bool {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    let hash =
        token.split_once('-').filter(|(word, _)| is_word(word)).map_or(token, |(_, rest)| rest);
    hash.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}
