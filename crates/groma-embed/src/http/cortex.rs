//! cortex-embed's `POST /embed`.

use groma_core::TextRole;
use serde_json::{Value, json};

/// The body of a request.
pub(super) fn body(role: TextRole, texts: &[String]) -> Value {
    let mode = if role == TextRole::Query { "query" } else { "passage" };
    json!({ "texts": texts, "mode": mode })
}

/// The vectors of a response, in the order of the texts.
pub(super) fn vectors(answer: &Value, count: usize) -> Result<Vec<&Value>, String> {
    let found = answer["embeddings"].as_array().ok_or("has no `embeddings`")?;
    if found.len() != count {
        return Err(format!("has {} vectors for {count} texts", found.len()));
    }
    Ok(found.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_responses_follow_the_contract() {
        let asked = body(TextRole::Passage, &["a".to_string()]);
        assert_eq!(asked, json!({ "texts": ["a"], "mode": "passage" }));
        assert_eq!(body(TextRole::Query, &[])["mode"], "query");
        let answer = json!({ "embeddings": [[1], [2]] });
        assert_eq!(vectors(&answer, 2).unwrap(), [&json!([1]), &json!([2])]);
        assert!(vectors(&answer, 3).is_err());
        assert!(vectors(&json!({ "vectors": [] }), 0).is_err());
    }
}
