//! Recognises secrets in text, so that they are neither stored nor shown.
//!
//! One automaton looks for the keywords of all rules in one pass; the regular expression of a rule runs only where its
//! keyword stands, anchored there. So the cost of ordinary text is that of the one pass. Code that stores or shows text
//! uses one of two forms: [`redact`] for notes, commit messages and logs, [`mask`] for the text of a file, whose length
//! and lines must stay the same.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod entropy;
mod rules;
mod scan;
mod value;

pub use rules::{RULES, Rule};
pub use scan::{Secret, find};
pub use value::Context;

/// The replacement of a secret in [`redact`].
pub const PLACEHOLDER: &str = "[REDACTED]";

/// Maximum number of passes of [`redact`] after the first.
const MAX_PASSES: usize = 8;

/// The text with a placeholder for each secret, and for each token that looks random.
pub fn redact(text: &str) -> String {
    let mut redacted = redact_once(text);
    // With a placeholder beside it, what is left may be recognised as another secret.
    for _ in 0..MAX_PASSES {
        let again = redact_once(&redacted);
        if again == redacted {
            break;
        }
        redacted = again;
    }
    redacted
}

fn redact_once(text: &str) -> String {
    let mut secrets = find(text, Context::Text);
    secrets.extend(scan::random_tokens(text));
    let secrets = scan::without_overlaps(secrets);
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for secret in secrets {
        out.push_str(&text[end..secret.span.start]);
        out.push_str(PLACEHOLDER);
        end = secret.span.end;
    }
    out.push_str(&text[end..]);
    out
}

/// Overwrites each secret of a text, which keeps its length and its lines; returns how many there were.
///
/// A long secret becomes `[REDACTED****]`, which says in every answer that something is withheld, and where.
pub fn mask(text: &mut String, context: Context) -> usize {
    let secrets = find(text, context);
    if secrets.is_empty() {
        return 0;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    for secret in &secrets {
        overwrite(&mut bytes[secret.span.clone()]);
    }
    // Whole characters were overwritten with ASCII.
    *text = String::from_utf8(bytes).expect("spans begin and end at characters");
    secrets.len()
}

/// Overwrites a secret; line breaks stay.
fn overwrite(secret: &mut [u8]) {
    for line in secret.split_mut(|byte| matches!(byte, b'\n' | b'\r')) {
        line.fill(b'*');
        let head = &PLACEHOLDER.as_bytes()[..PLACEHOLDER.len() - 1];
        if line.len() >= PLACEHOLDER.len() {
            line[..head.len()].copy_from_slice(head);
            line[line.len() - 1] = b']';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted() {
        // Joined here, so that no scanner takes this file for a leak.
        let github = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let amazon = ["AKIA", "IOSFODNN7REALKEY"].concat();
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
    fn what_is_left_beside_a_secret_is_judged_again() {
        let value = "4".repeat(25);
        let text = format!("--Bearer 44444444password={value}ret");
        assert_eq!(redact(&text), "--Bearer [REDACTED][REDACTED]");
        assert_eq!(redact(&redact(&text)), redact(&text));
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

    /// Each of these once ended the process: a character of several bytes before a name and a colon.
    #[test]
    fn typographic_signs_are_text() {
        for text in [
            "Wir nehmen „Modus: strikt“ immer",
            "cost —x: 12ab",
            "«clé: valeur»",
            "“the store”: never",
            "✅: always",
            "（Size）: every",
            "Fixes “ErrorException: Undefined index",
        ] {
            assert_eq!(redact(text), text);
        }
        assert_eq!(redact("„password: hunter2!“"), "„password: [REDACTED]“");
    }

    #[test]
    fn a_mask_keeps_length_and_lines() {
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let text = format!("let größe = 1;\nlet t = \"{token}\";\nlet x = 2;\n");
        let mut masked = text.clone();
        assert_eq!(mask(&mut masked, Context::Code), 1);
        assert_eq!(masked.len(), text.len());
        assert_eq!(
            masked.lines().nth(1),
            Some(&*format!("let t = \"[REDACTED{}]\";", "*".repeat(30)))
        );
        assert_eq!(masked.lines().nth(2), Some("let x = 2;"));
        assert_eq!(mask(&mut "fn main() {}".to_string(), Context::Code), 0);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_redacted_and_masked(text in "(\\PC|\n|password[=:] ?|://|-----BEGIN |[\"'„“—]){0,80}") {
            let redacted = redact(&text);
            proptest::prop_assert_eq!(redact(&redacted), redacted);
            for context in [Context::Code, Context::Text] {
                let mut masked = text.clone();
                mask(&mut masked, context);
                proptest::prop_assert_eq!(masked.len(), text.len());
                proptest::prop_assert_eq!(masked.lines().count(), text.lines().count());
            }
        }
    }
}
