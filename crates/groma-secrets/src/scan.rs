//! Runs the rules over a text.

use crate::entropy::entropy;
use crate::rules::{Check, RULES, Rule};
use crate::value::{Context, is_assigned_secret, is_password, is_placeholder, is_random};
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the rule that found it.
    pub rule: &'static str,
    /// Where it is, in bytes, from one character boundary to another.
    pub span: Range<usize>,
}

/// How far from its keyword a secret may reach, in bytes; that of a private key may be longer.
const MAX_REACH: usize = 700;

/// The minimum length of a token that is known by what is in the middle of it.
const MIN_INFIX_LENGTH: usize = 34;

/// The maximum length of a private key in its armour.
const MAX_PRIVATE_KEY: usize = 16 << 10;

/// The minimum number of characters in the armour of a key in code, where the header alone is a string constant.
const MIN_KEY_BODY: usize = 40;

/// The secrets of a text, in order, without overlaps.
pub fn find(text: &str, context: Context) -> Vec<Secret> {
    let scanner = &*SCANNER;
    let mut found: Vec<Secret> = Vec::new();
    for hit in scanner.keywords.find_overlapping_iter(text) {
        let rule = scanner.rules[hit.pattern().as_usize()];
        // Inside of a secret that was found there is nothing more to find.
        if found.last().is_some_and(|last| hit.start() < last.span.end) {
            continue;
        }
        found.extend(scanner.check(rule, text, hit.start(), context));
    }
    without_overlaps(found)
}

/// Tokens that are secrets by their randomness alone.
pub(crate) fn random_tokens(text: &str) -> Vec<Secret> {
    let is_token_char = |c: char| c.is_alphanumeric() || "_-+/.$!#%^&*~".contains(c);
    let mut found = Vec::new();
    let mut end = 0;
    while let Some(start) = text[end..].find(is_token_char).map(|at| end + at) {
        end = text[start..].find(|c| !is_token_char(c)).map_or(text.len(), |at| start + at);
        let token = text[start..end].trim_matches(|c: char| !c.is_alphanumeric());
        if is_random(token) {
            let start = start + text[start..end].find(token).unwrap_or(0);
            found.push(Secret { rule: "random-token", span: start..start + token.len() });
        }
    }
    found
}

/// The secrets in order; of two that overlap, the one that begins first, or else the longer one.
pub(crate) fn without_overlaps(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|one| (one.span.start, usize::MAX - one.span.end));
    let mut end = 0;
    found.retain(|one| {
        let is_first = one.span.start >= end && !one.span.is_empty();
        end = if is_first { one.span.end } else { end };
        is_first
    });
    found
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

/// The automaton of all keywords, and the expressions of the rules, compiled when first needed.
struct Scanner {
    keywords: AhoCorasick,
    /// The rule of each keyword, by its position in [`RULES`].
    rules: Vec<usize>,
    patterns: Vec<OnceLock<Regex>>,
}

impl Scanner {
    fn new() -> Self {
        let pairs = || {
            let rules = RULES.iter().enumerate();
            rules.flat_map(|(at, rule)| rule.keywords.iter().map(move |keyword| (at, *keyword)))
        };
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(pairs().map(|(_, keyword)| keyword))
            .expect("a few hundred short keywords");
        let patterns = RULES.iter().map(|_| OnceLock::new()).collect();
        Self { keywords, rules: pairs().map(|(at, _)| at).collect(), patterns }
    }

    fn pattern(&self, rule: usize) -> &Regex {
        self.patterns[rule].get_or_init(|| {
            let anchored = format!("^(?:{})", RULES[rule].pattern);
            Regex::new(&anchored).expect("the tests compile every pattern")
        })
    }

    /// The secret of a rule whose keyword begins at `start`.
    fn check(&self, at: usize, text: &str, start: usize, context: Context) -> Option<Secret> {
        let rule = &RULES[at];
        let reach = text.floor_char_boundary((start + MAX_REACH).min(text.len()));
        let captures = self.pattern(at).captures(&text[start..reach])?;
        let group = captures.iter().skip(1).flatten().last().or_else(|| captures.get(0))?;
        let mut span = start + group.start()..start + group.end();
        if rule.check == Check::Infix {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_~.-".contains(c);
            span.start = text[..start].trim_end_matches(is_part).len();
        }
        let secret = &text[span.clone()];
        let is_secret = match rule.check {
            Check::Token => stands_alone(text, start, &span) && !is_example(secret),
            Check::Infix => secret.len() >= MIN_INFIX_LENGTH && !is_example(secret),
            Check::Assigned => {
                let is_quoted = captures.get(1).is_some();
                (is_quoted || context == Context::Text) && is_assigned_secret(secret, context)
            }
            Check::Header => {
                let has_digit = secret.bytes().any(|byte| byte.is_ascii_digit());
                has_digit && !is_placeholder(secret)
            }
            Check::Password => is_password(secret, context),
            Check::PrivateKey => {
                let end = private_key(text, span.end, context)?;
                return Some(Secret { rule: rule.name, span: span.start..end });
            }
        };
        let is_random = rule.entropy == 0.0 || entropy(secret.as_bytes()) >= rule.entropy;
        (is_secret && is_random).then_some(Secret { rule: rule.name, span })
    }
}

/// Whether a token is not part of a longer word.
fn stands_alone(text: &str, start: usize, span: &Range<usize>) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[span.end..].chars().next();
    let is_joined = |c: char| c.is_alphanumeric() || c == '_';
    // A keyword that begins with a sign follows the number or name that it belongs to.
    let begins_with_sign = text[start..].starts_with(|c: char| !c.is_alphanumeric());
    (begins_with_sign || !before.is_some_and(is_joined) || is_escape(text, start))
        && !after.is_some_and(is_joined)
}

/// Whether the letter before a token belongs to an escape: `\nghp_...`.
fn is_escape(text: &str, start: usize) -> bool {
    text.as_bytes()[..start].ends_with(b"\\n") || text.as_bytes()[..start].ends_with(b"\\t")
}

/// Keys that documentation shows.
fn is_example(secret: &str) -> bool {
    let plain = secret.to_ascii_lowercase();
    ["xxxx", "****", "your", "placeholder"].iter().any(|word| plain.contains(word))
}

/// The end of a private key whose header ends at `start`: that of its footer, or of what looks like its body.
fn private_key(text: &str, start: usize, context: Context) -> Option<usize> {
    let reach = text.floor_char_boundary((start + MAX_PRIVATE_KEY).min(text.len()));
    let rest = &text[start..reach];
    let footer = rest.find("-----END ");
    let body = &rest[..footer.unwrap_or(rest.len())];
    // In code the armour may be a literal, or several that are joined.
    let is_armour = |c: char| {
        c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "+/=\\\"'`,.:;-#*|>()".contains(c)
    };
    let end = match context {
        Context::Text => body.len(),
        Context::Code => body.find(|c| !is_armour(c)).unwrap_or(body.len()),
    };
    let letters = body[..end].bytes().filter(u8::is_ascii_alphanumeric).count();
    if context == Context::Code && letters < MIN_KEY_BODY {
        return None;
    }
    let close = footer.filter(|at| *at == end).map(|at| {
        let tail = &rest[at + 9..];
        tail.find("-----").map_or(rest.len(), |more| at + 9 + more + 5)
    });
    Some(start + close.unwrap_or(end))
}

/// A rule by its name, for tests and reports.
impl Rule {
    /// The rule of a secret.
    pub fn of(secret: &Secret) -> Option<&'static Rule> {
        RULES.iter().find(|rule| rule.name == secret.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_begins_with_its_keyword() {
        for (at, rule) in RULES.iter().enumerate() {
            SCANNER.pattern(at);
            assert!(!rule.keywords.is_empty() && !rule.matches.is_empty(), "{}", rule.name);
        }
    }

    #[test]
    fn code_assigns_expressions() {
        let secrets = |text| find(text, Context::Code).len();
        for text in [
            "let token = parse_token(input);",
            "password = os.environ[\"DB_PASSWORD\"]",
            "const PASSWORD_FIELD: &str = \"user_password\";",
            "token: \"access_token_2\"",
            "if token == \"identifier\" {",
            "key = \"c3ViamVjdA\"",
            "self.token = Token::new(3)",
            "const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";",
            "url = f\"postgres://{user}:{password}@{host}/db\"",
        ] {
            assert_eq!(secrets(text), 0, "{text}");
        }
        for text in [
            "const API_KEY: &str = \"9fK2mQ7xLp3Rt8Wz\";",
            "define('DB_PASSWORD', 'n0t-so-Secret!9');",
            "config['token'] = \"a8f5f167f44f4964e6c998dee827110c\"",
            "password := \"Tr0ub4dor&3x\"",
            "\"auth\": \"dXNlcjpwYXNzMTIzNDU2\"",
            "conn = \"Server=db;User Id=sa;Password=Str0ngPw;\"",
        ] {
            assert_eq!(secrets(text), 1, "{text}");
        }
    }
}
