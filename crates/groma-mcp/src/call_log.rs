//! What is logged and counted of a call: its name, arguments and session when it begins; how it ended, how long it took
//! and the size of the answer when it ends.

use crate::metrics::{Metrics, Outcome, RATE_LIMITED};
use crate::surface::{Answer, ProtocolError, Surface};
use rmcp::model::CallToolRequestParams;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Characters shown of an argument, unless everything is logged (level `trace`).
const MAX_ARGUMENT: usize = 40;

/// A call that has begun.
pub(crate) struct CallLog {
    surface: &'static str,
    /// The name in the surface's table: a name that a client made up is not counted by itself.
    tool: &'static str,
    max_time: Duration,
    started: Instant,
}

impl CallLog {
    /// Logs that a call has begun.
    pub fn begin(surface: &dyn Surface, session: &str, request: &CallToolRequestParams) -> Self {
        let known = surface.tools().into_iter().find(|tool| tool.name == request.name);
        let tool = known.map_or("unknown", |tool| tool.name);
        let max_time = surface.max_time(tool, request.arguments.as_ref());
        let surface = surface.name();
        let is_whole = tracing::enabled!(tracing::Level::TRACE);
        tracing::info!(
            surface,
            tool,
            session,
            arguments = %shown(request.arguments.as_ref(), is_whole),
            "tool called"
        );
        Self { surface, tool, max_time, started: Instant::now() }
    }

    /// Logs and counts how it ended.
    pub fn end(self, outcome: &Result<Answer, ProtocolError>, metrics: &Metrics) {
        let Self { surface, tool, max_time, started } = self;
        let duration = started.elapsed();
        let ended = ended(outcome);
        metrics.count((surface, tool), ended, duration);
        let success = ended == Outcome::Success;
        let size: usize =
            outcome.as_ref().map_or(0, |answer| answer.blocks.iter().map(String::len).sum());
        let milliseconds = duration.as_millis() as u64;
        tracing::info!(surface, tool, success, milliseconds, size, "tool completed");
        if duration > max_time {
            let limit = max_time.as_millis() as u64;
            tracing::warn!(
                surface,
                tool,
                milliseconds,
                limit,
                "tool was slower than its maximum time"
            );
        }
        if let Outcome::Failure(error) = ended {
            tracing::warn!(surface, tool, error, "tool failed");
        }
    }
}

/// How a call ended, by the type of its error.
fn ended(outcome: &Result<Answer, ProtocolError>) -> Outcome {
    match outcome {
        Ok(answer) if !answer.is_error => Outcome::Success,
        Ok(answer) => {
            let is_limited = answer.blocks.iter().any(|text| text.contains("Rate limit exceeded"));
            Outcome::Failure(if is_limited { RATE_LIMITED } else { "tool" })
        }
        Err(error) => Outcome::Failure(match error.code {
            -32602 => "invalid_params",
            -32601 => "method_not_found",
            -32603 => "internal",
            _ => "contract",
        }),
    }
}

/// The arguments without secrets, each cut unless all of it is wanted.
fn shown(arguments: Option<&serde_json::Map<String, Value>>, is_whole: bool) -> String {
    let arguments = arguments.into_iter().flatten();
    let shown: Vec<String> = arguments
        .map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            let text = groma_secrets::redact(&text);
            match text.char_indices().nth(MAX_ARGUMENT).filter(|_| !is_whole) {
                Some((end, _)) => format!("{name}={:?}…", &text[..end]),
                None => format!("{name}={text:?}"),
            }
        })
        .collect();
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_cut_and_have_no_secrets() {
        let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let long = "where is the session cookie signed and who verifies it";
        let arguments = json!({ "query": long, "limit": 5, "token": secret });
        let arguments = arguments.as_object();
        let text = shown(arguments, false);
        assert_eq!(
            text,
            "query=\"where is the session cookie signed and w\"… limit=\"5\" token=\"[REDACTED]\""
        );
        assert!(shown(arguments, true).contains(long));
        assert!(!shown(arguments, true).contains(&secret));
    }

    #[test]
    fn failures_have_a_type() {
        let failed = |text: &str| Ok(Answer::text(text).failed());
        assert_eq!(ended(&Ok(Answer::text("x"))), Outcome::Success);
        assert_eq!(ended(&failed("no such file")), Outcome::Failure("tool"));
        assert_eq!(ended(&failed("Rate limit exceeded for x")), Outcome::Failure(RATE_LIMITED));
        let wrong = ProtocolError::invalid_params("x", None);
        assert_eq!(ended(&Err(wrong)), Outcome::Failure("invalid_params"));
    }
}
