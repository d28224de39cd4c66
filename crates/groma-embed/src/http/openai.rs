//! OpenAI's `POST /v1/embeddings`, and the variants of Jina and Voyage, whose fields for the role of a text and the dimensions
//! have other names.

use super::endpoint::Endpoint;
use super::provider::Provider;
use groma_core::TextRole;
use serde_json::{Map, Value, json};

/// The body of a request.
pub(super) fn body(endpoint: &Endpoint, role: TextRole, texts: &[String]) -> Value {
    let mut body = Map::new();
    body.insert("input".into(), json!(texts));
    if !endpoint.model.is_empty() {
        body.insert("model".into(), json!(endpoint.model));
    }
    let is_query = role == TextRole::Query;
    match endpoint.provider {
        Provider::Jina if !endpoint.model.contains("-v2-") => {
            let task = if is_query { "retrieval.query" } else { "retrieval.passage" };
            body.insert("task".into(), json!(task));
        }
        Provider::Jina => {}
        Provider::Voyage => {
            let kind = if is_query { "query" } else { "document" };
            body.insert("input_type".into(), json!(kind));
            // A silently truncated text would look as if all of it had been embedded.
            body.insert("truncation".into(), json!(false));
        }
        _ => {
            body.insert("encoding_format".into(), json!("float"));
        }
    }
    let field = match endpoint.provider {
        Provider::OpenAi | Provider::Jina => "dimensions",
        Provider::Voyage => "output_dimension",
        _ => return Value::Object(body),
    };
    if let Some(dimensions) = endpoint.dimensions {
        body.insert(field.into(), json!(dimensions));
    }
    Value::Object(body)
}

/// The vectors of a response, in the order of the texts; the response may have another, given by `index`.
pub(super) fn vectors(answer: &Value, count: usize) -> Result<Vec<&Value>, String> {
    let data = answer["data"].as_array().ok_or("has no `data`")?;
    let mut vectors = vec![&Value::Null; count];
    for (at, item) in data.iter().enumerate() {
        let index = match &item["index"] {
            Value::Null => at,
            index => index.as_u64().ok_or("has an `index` that is not a number")? as usize,
        };
        let vector = vectors.get_mut(index).ok_or_else(|| wrong_count(data.len(), count))?;
        if !vector.is_null() {
            return Err(format!("has two vectors with the index {index}"));
        }
        *vector = &item["embedding"];
    }
    if data.len() == count { Ok(vectors) } else { Err(wrong_count(data.len(), count)) }
}

fn wrong_count(found: usize, wanted: usize) -> String {
    format!("has {found} vectors for {wanted} texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(provider: Provider, change: impl Fn(&mut Endpoint)) -> Value {
        let mut endpoint = Endpoint::of(provider);
        change(&mut endpoint);
        body(&endpoint, TextRole::Query, &["a".to_string()])
    }

    #[test]
    fn each_provider_has_its_own_fields() {
        let small = "text-embedding-3-small";
        assert_eq!(
            sent(Provider::OpenAi, |_| ()),
            json!({"input": ["a"], "model": small, "encoding_format": "float"})
        );
        assert_eq!(
            sent(Provider::OpenAi, |endpoint| endpoint.dimensions = Some(256)),
            json!({"input": ["a"], "model": small, "encoding_format": "float", "dimensions": 256})
        );
        assert_eq!(
            sent(Provider::Jina, |_| ()),
            json!({"input": ["a"], "model": "jina-embeddings-v3", "task": "retrieval.query"})
        );
        assert_eq!(
            sent(Provider::Voyage, |endpoint| endpoint.dimensions = Some(512)),
            json!({"input": ["a"], "model": "voyage-code-3", "input_type": "query",
                "output_dimension": 512, "truncation": false})
        );
        assert_eq!(
            sent(Provider::Tei, |endpoint| endpoint.dimensions = Some(512)),
            json!({"input": ["a"], "encoding_format": "float"})
        );
        let passage = body(&Endpoint::of(Provider::Voyage), TextRole::Passage, &[]);
        assert_eq!(passage["input_type"], "document");
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let answer =
            json!({"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]});
        assert_eq!(vectors(&answer, 2).unwrap(), [&json!([1]), &json!([2])]);
        let unnumbered = json!({"data": [{"embedding": [1]}, {"embedding": [2]}]});
        assert_eq!(vectors(&unnumbered, 2).unwrap(), [&json!([1]), &json!([2])]);
    }

    #[test]
    fn a_response_that_does_not_fit_is_rejected() {
        let twice =
            json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]});
        assert!(vectors(&twice, 2).unwrap_err().contains("two vectors"));
        assert!(vectors(&twice, 3).is_err());
        for (answer, count) in [
            (json!({"data": [{"index": 5, "embedding": [1]}]}), 1),
            (json!({"data": [{"index": -1, "embedding": [1]}]}), 1),
            (json!({"data": []}), 1),
            (json!({"error": "no"}), 1),
            (json!([]), 1),
            (json!({"data": [{"embedding": [1]}, {"embedding": [1]}]}), 1),
        ] {
            assert!(vectors(&answer, count).is_err(), "{answer}");
        }
    }
}
