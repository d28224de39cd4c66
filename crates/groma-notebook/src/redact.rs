//! Redacts secrets before a text is stored: keys of known services, values assigned to a name like `password`, and
//! strings of high entropy.

/// The replacement of a secret.
pub const PLACEHOLDER: &str = "[REDACTED]";

/// Prefixes of the keys of well-known services, and their minimum lengths.
const PREFIXES: &[(&str, usize)] = &[
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 35),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 30),
    ("glpat-", 20),
    ("hf_", 30),
    ("npm_", 30),
    ("pypi-", 30),
    ("sk-", 20),
    ("sk_live_", 20),
    ("sk_test_", 20),
    ("rk_live_", 20),
    ("pk_live_", 20),
    ("whsec_", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxa-", 20),
    ("xoxr-", 20),
    ("xoxs-", 20),
    ("xapp-", 20),
    ("SG.", 30),
    ("dop_v1_", 30),
    ("shpat_", 30),
    ("eyJ", 30),
];

/// Suffixes of names whose value is a secret.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "authorization",
    "credential",
    "credentials",
];

/// Minimum length of a high-entropy secret.
const MIN_RANDOM_LENGTH: usize = 20;

/// Minimum entropy of a random string in bits per byte, above that of words and identifiers.
const MIN_ENTROPY: f64 = 3.7;

/// The text without its secrets.
pub fn redact(text: &str) -> String {
    let text = without_private_keys(text);
    let text = without_passwords(&text);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_token_char) {
        let (before, tail) = rest.split_at(start);
        let end = tail.find(|c| !is_token_char(c)).unwrap_or(tail.len());
        let (token, after) = tail.split_at(end);
        out.push_str(before);
        let is_secret = is_secret(token, &out);
        out.push_str(if is_secret { PLACEHOLDER } else { token });
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_token_char(c: char) -> bool {
    c.is_alphanumeric() || "_-+/.$!#%^&*~".contains(c)
}

/// Whether a token is a secret, by itself or by the text before it.
fn is_secret(token: &str, before: &str) -> bool {
    let plain = token.trim_matches(|c: char| !c.is_alphanumeric());
    is_known_key(plain) || is_random(plain) || (token.len() >= 4 && is_assigned(token, before))
}

fn is_known_key(token: &str) -> bool {
    PREFIXES.iter().any(|(prefix, length)| {
        token.len() >= *length
            && token.strip_prefix(prefix).is_some_and(|rest| {
                rest.bytes().filter(u8::is_ascii_digit).count() >= 2
                    || rest.bytes().any(|byte| byte.is_ascii_uppercase())
            })
    })
}

/// Whether the text before ends in `password = ` or the like, or in `Bearer `.
fn is_assigned(token: &str, before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '`']);
    if before.ends_with("Bearer ") || before.ends_with("Basic ") {
        return looks_generated(token);
    }
    let trimmed = before.trim_end();
    let Some(name) = trimmed.strip_suffix([':', '=']) else { return false };
    let name = name.trim_end_matches([':', '=', ' ', '"', '\'']);
    let start = name.rfind(|c: char| !(c.is_alphanumeric() || "_-".contains(c)));
    let name = name[start.map_or(0, |at| at + 1)..].to_lowercase();
    SECRET_NAMES.iter().any(|secret| name.ends_with(secret)) && looks_generated(token)
}

/// Whether a value is neither a plain word nor an expression: it has digits or symbols.
fn looks_generated(value: &str) -> bool {
    let has = |test: fn(char) -> bool| value.chars().any(test);
    let is_path = value.contains('/') && !has(|c| c.is_ascii_digit());
    let is_call = value.contains('.') && !has(|c| c.is_ascii_digit());
    let inner_capital = value.chars().skip(1).any(char::is_uppercase);
    !is_path
        && !is_call
        && (has(|c| c.is_ascii_digit()) || has(|c| "+$!#%^&*~".contains(c)))
        && (inner_capital || has(char::is_lowercase) || value.len() >= 8)
}

/// Whether a token looks random: digits, frequent changes of character class, and high entropy.
fn is_random(token: &str) -> bool {
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
    digits >= 3 && changes * 4 >= bytes.len() && entropy(bytes) >= MIN_ENTROPY
}

/// Hashes and UUIDs are identifiers, not secrets.
fn is_hash(token: &str) -> bool {
    token.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Shannon entropy, in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f64;
    let bits = |count: &u32| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

/// Redacts PEM blocks of private keys, to the end of the text if they are truncated.
fn without_private_keys(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        let head = rest[start..].find("PRIVATE KEY").filter(|at| *at < 60);
        if head.is_none() {
            out.push_str(&rest[..start + 11]);
            rest = &rest[start + 11..];
            continue;
        }
        out.push_str(&rest[..start]);
        out.push_str(PLACEHOLDER);
        let tail = &rest[start..];
        rest = match tail.find("-----END ") {
            Some(end) => {
                let close = tail[end + 9..].find("-----").map_or(tail.len(), |at| end + 9 + at + 5);
                &tail[close..]
            }
            None => "",
        };
    }
    out.push_str(rest);
    out
}

/// Redacts the password in `scheme://user:password@host`.
fn without_passwords(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("://") {
        let (before, tail) = rest.split_at(start + 3);
        out.push_str(before);
        let end = tail.find(|c: char| c.is_whitespace() || "/\"'`<>".contains(c));
        let address = &tail[..end.unwrap_or(tail.len())];
        rest = tail;
        if let Some((login, host)) = address.rsplit_once('@')
            && let Some((user, password)) = login.split_once(':')
            && !password.is_empty()
        {
            out.push_str(&format!("{user}:{PLACEHOLDER}@{host}"));
            rest = &tail[address.len()..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted() {
        // Joined here, so that no scanner takes this file for a leak.
        let github = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let amazon = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let web =
            ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", "dozjgNryP4J3jVmNHl0w5N"].join(".");
        let cases = [
            (format!("we push with {github} now"), "we push with [REDACTED] now"),
            (format!("key is \"{amazon}\""), "key is \"[REDACTED]\""),
            (format!("Authorization: Bearer {web}"), "Authorization: Bearer [REDACTED]"),
            ("DB_PASSWORD=hunter2!".into(), "DB_PASSWORD=[REDACTED]"),
            ("api_key: \"a1b2c3d4\"".into(), "api_key: \"[REDACTED]\""),
            ("use postgres://app:s3cret@db/x".into(), "use postgres://app:[REDACTED]@db/x"),
            ("salt Xk9vQ2mZ7pL4tR8wN3bY6c is".into(), "salt [REDACTED] is"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter"
                    .into(),
                "[REDACTED]\nafter",
            ),
            ("-----BEGIN PRIVATE KEY-----\ncut off".into(), "[REDACTED]"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(&text), expected, "{text}");
        }
    }

    #[test]
    fn words_names_paths_and_hashes_stay() {
        for text in [
            "Use JWT tokens stored in httpOnly cookies for auth",
            "see src/server/auth/AuthService.ts and https://example.com/a:b",
            "fixed in 8f3c2b1a9d7e6f5c4b3a29181706f5e4d3c2b1a0 by getUserByIdAndRefreshToken2",
            "the token: must be rotated; password: never logged; secret = config.secret",
            "id 123e4567-e89b-12d3-a456-426614174000 and MAX_RETRIES_PER_CONNECTION_POOL",
            "-----BEGIN PUBLIC KEY-----",
            "größe: 12 µs, 3.7 GB/s and 2026-01-02T03:04:05Z",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
