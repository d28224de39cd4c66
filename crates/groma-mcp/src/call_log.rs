//! What is logged and counted of a call: its name, arguments and session when it begins; how it ended, how long it took
//! and the size of the answer when it ends.

use crate::metrics::{FAILED, INTERNAL, INVALID_PARAMS, Metrics, Outcome};
use crate::surface::{Answer, ProtocolError, Surface};
use rmcp::model::CallToolRequestParams;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Characters shown of an argument, unless everything is logged (level `trace`).
const MAX_ARGUMENT: usize = 40;

/// Names of arguments that are what a user asks or records, on any surface.
const QUESTIONS: &[&str] = &["query", "pattern", "name", "names", "remember"];

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
        let results = outcome.as_ref().ok().and_then(|answer| answer.gist.results);
        tracing::info!(surface, tool, success, milliseconds, size, results, "tool completed");
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
        Ok(answer) => match answer.gist.error {
            Some(error) => Outcome::Failure(error),
            None if answer.is_error => Outcome::Failure(FAILED),
            None => Outcome::Success,
        },
        Err(error) => Outcome::Failure(match error.code {
            -32602 => INVALID_PARAMS,
            -32603 => INTERNAL,
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
            match text.char_indices().nth(shown_of(name, &text)).filter(|_| !is_whole) {
                Some((end, _)) => format!("{name}={:?}…", &text[..end]),
                None => format!("{name}={text:?}"),
            }
        })
        .collect();
    shown.join(" ")
}

/// How many characters are shown of an argument: of what was asked, half of it at most.
fn shown_of(name: &str, text: &str) -> usize {
    let half = text.chars().count() / 2;
    if QUESTIONS.contains(&name) { half.min(MAX_ARGUMENT) } else { MAX_ARGUMENT }
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
        assert_eq!(text, "query=\"where is the session cookie\"… limit=\"5\" token=\"[REDACTED]\"");
        for query in ["refund", "x", "ünï", &long.repeat(9)] {
            let text = shown(json!({ "pattern": query }).as_object(), false);
            assert!(!text.contains(&format!("{query:?}")) && text.ends_with('…'), "{text}");
            assert!(text.chars().count() <= MAX_ARGUMENT + "pattern=\"\"…".chars().count());
        }
        assert!(shown(arguments, true).contains(long));
        assert!(!shown(arguments, true).contains(&secret));
    }

    #[test]
    fn failures_have_a_type() {
        assert_eq!(ended(&Ok(Answer::text("x"))), Outcome::Success);
        assert_eq!(ended(&Ok(Answer::text("x").failed())), Outcome::Failure(FAILED));
        // An error in an ordinary answer, as some contracts have them.
        let in_band = Answer::text("{\"success\": false}").with_error("not_found");
        assert_eq!(ended(&Ok(in_band)), Outcome::Failure("not_found"));
        let wrong = ProtocolError::invalid_params("x", None);
        assert_eq!(ended(&Err(wrong)), Outcome::Failure("invalid_params"));
    }

    /// What is logged of a call that began so long ago.
    fn logged(max_time: Duration, ago: Duration) -> String {
        let written = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let copy = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || Copy(copy.clone()))
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let started = Instant::now().checked_sub(ago).unwrap();
            let log = CallLog { surface: "context", tool: "read_file", max_time, started };
            log.end(&Ok(Answer::text("four").with_results(2)), &Metrics::default());
        });
        let written = written.lock().unwrap().clone();
        String::from_utf8(written).unwrap()
    }

    struct Copy(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl std::io::Write for Copy {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// "Log execution time for all tool calls", "Alert if > max time", "Logs search query and results count"
    #[test]
    fn a_call_above_its_maximum_time_is_a_warning() {
        let slow = logged(Duration::from_millis(500), Duration::from_millis(700));
        assert!(slow.contains("success=true") && slow.contains("size=4"), "{slow}");
        assert!(slow.contains("results=2"), "{slow}");
        let warning = slow.lines().find(|line| line.contains("WARN")).unwrap();
        assert!(warning.contains("tool was slower") && warning.contains("limit=500"), "{warning}");
        let quick = logged(Duration::from_millis(500), Duration::ZERO);
        assert!(!quick.contains("WARN"), "{quick}");
    }
}
