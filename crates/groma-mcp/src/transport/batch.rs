//! Batches of revision 2025-03-26, the only one that has them.
//!
//! Over standard input and output a batch is answered as JSON-RPC 2.0 says, with one array that has the answer to each
//! of its requests; until all of them are there, they are kept here.

use super::message::{self, Read};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, JsonRpcMessage, RequestId};
use serde_json::Value;
use std::collections::HashSet;

/// The revision with batches.
pub const REVISION: &str = "2025-03-26";

/// Why an array is no batch.
pub fn refusal(messages: &[Value], revision: Option<&str>) -> Option<ErrorData> {
    let reason = if revision.is_some_and(|revision| revision != REVISION) {
        "batches are part of revision 2025-03-26 alone; send one message at a time"
    } else if messages.is_empty() {
        "a batch has at least one message"
    } else if messages.iter().any(|message| message["method"] == "initialize") {
        "`initialize` is not part of a batch"
    } else {
        return None;
    };
    Some(invalid(reason))
}

/// The error of an invalid request.
pub fn invalid(reason: &str) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_REQUEST, format!("Invalid Request: {reason}"), None)
}

/// A batch that was read.
#[derive(Default)]
pub struct Batch {
    /// Its valid messages, in their order.
    pub messages: Vec<ClientJsonRpcMessage>,
    /// Its requests that are not answered.
    waiting: HashSet<RequestId>,
    /// Answers, first those to invalid messages.
    answers: Vec<Value>,
}

impl Batch {
    /// Reads the messages of a batch.
    pub fn read(messages: &[Value]) -> Self {
        let mut batch = Self::default();
        for message in messages {
            match message::read(message.to_string().as_bytes()) {
                Read::Message(message) => {
                    if let JsonRpcMessage::Request(request) = &*message {
                        batch.waiting.insert(request.id.clone());
                    }
                    batch.messages.push(*message);
                }
                Read::Nothing => {}
                Read::Invalid(error, id) => {
                    batch.answers.push(message::error_response(&error, id, Some(REVISION)));
                }
            }
        }
        batch
    }

    /// How many requests it has.
    pub fn requests(&self) -> usize {
        self.waiting.len()
    }

    /// The answers, if nothing is missing and there are any.
    fn complete(&mut self) -> Option<Vec<Value>> {
        let answers = std::mem::take(&mut self.answers);
        if self.waiting.is_empty() && !answers.is_empty() {
            return Some(answers);
        }
        self.answers = answers;
        None
    }
}

/// What becomes of an answer.
#[derive(Debug, PartialEq)]
pub enum Answered {
    /// Its request was not in a batch.
    Alone,
    /// It waits for the other answers of its batch.
    Kept,
    /// It was the last one: all answers of the batch.
    Complete(Vec<Value>),
}

/// The batches that are not answered.
#[derive(Default)]
pub struct Batches(Vec<Batch>);

impl Batches {
    /// Keeps a batch until it is answered; returns the answers if it has nothing to wait for.
    pub fn open(&mut self, mut batch: Batch) -> Option<Vec<Value>> {
        let complete = batch.complete();
        if !batch.waiting.is_empty() {
            self.0.push(batch);
        }
        complete
    }

    /// Whether a request is part of a batch.
    pub fn contains(&self, id: &RequestId) -> bool {
        self.0.iter().any(|batch| batch.waiting.contains(id))
    }

    /// Takes the answer to a request; `None` if it is cancelled and has none.
    pub fn answer(&mut self, id: &RequestId, answer: Option<Value>) -> Answered {
        let Some(at) = self.0.iter().position(|batch| batch.waiting.contains(id)) else {
            return Answered::Alone;
        };
        let batch = &mut self.0[at];
        batch.waiting.remove(id);
        batch.answers.extend(answer);
        let complete = batch.complete();
        if batch.waiting.is_empty() {
            self.0.remove(at);
        }
        complete.map_or(Answered::Kept, Answered::Complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ping(id: i64) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
    }

    #[test]
    fn a_batch_is_answered_when_all_answers_are_there() {
        let mut batches = Batches::default();
        let batch = Batch::read(&[ping(1), ping(2), json!({ "jsonrpc": "2.0", "id": 3 })]);
        assert_eq!((batch.messages.len(), batch.requests()), (2, 2));
        assert_eq!(batches.open(batch), None);
        let [one, two, other] = [1, 2, 7].map(RequestId::Number);
        assert!(batches.contains(&one) && !batches.contains(&other));
        assert_eq!(batches.answer(&other, Some(json!({}))), Answered::Alone);
        assert_eq!(batches.answer(&two, Some(json!({ "id": 2 }))), Answered::Kept);
        // A cancelled request has no answer.
        let Answered::Complete(answers) = batches.answer(&one, None) else { panic!("complete") };
        assert_eq!((&answers[0]["error"]["code"], &answers[0]["id"]), (&json!(-32600), &json!(3)));
        assert_eq!(answers[1..], [json!({ "id": 2 })]);
        assert_eq!(batches.answer(&one, Some(json!({}))), Answered::Alone);
    }

    #[test]
    fn notifications_alone_are_not_answered() {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
        assert_eq!(Batches::default().open(Batch::read(&[note])), None);
        let errors = Batches::default().open(Batch::read(&[json!(5)])).unwrap();
        assert_eq!((errors.len(), &errors[0]["id"]), (1, &Value::Null));
    }
}
