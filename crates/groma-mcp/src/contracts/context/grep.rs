//! `grep_codebase`.

use super::Done;
use super::trouble::Trouble;
use crate::arguments::Arguments;
use crate::host::Project;
use crate::surface::Call;
use groma_engine::core::with_causes;
use groma_engine::{Case, EngineError, GrepAnswer, GrepMatch, GrepRequest};
use serde_json::{Value, json};

/// What the contract never searches, whatever the ignore files say.
const EXCLUDED: &[&str] = &[
    "!**/node_modules/**",
    "!**/.git/**",
    "!**/dist/**",
    "!**/build/**",
    "!**/.next/**",
    "!**/.context/**",
];

/// Lines shown before and after a match.
const CONTEXT: u32 = 2;

/// Finds lines by a pattern.
pub fn grep_codebase(call: &Call<'_>, project: &Project) -> Result<Done, Trouble> {
    let request = request(&call.arguments);
    let answer = project
        .engine
        .grep(&request, call.observer, call.cancel)
        .map_err(|error| trouble(&error, &request.pattern))?;
    let shown = match answer.matches.is_empty() {
        true => json!({
            "matches": [],
            "totalMatches": 0,
            "message": format!("No matches found for pattern '{}'", request.pattern),
        }),
        false => shown(&answer, &request.pattern),
    };
    Ok(Done { shown, topic: Some(request.pattern), files: Vec::new() })
}

/// The engine's request; the arguments were checked before.
fn request(arguments: &Arguments) -> GrepRequest {
    let mut request = GrepRequest::new(arguments.required_text("pattern").unwrap_or_default());
    let exact = arguments.is_set("caseSensitive").unwrap_or(false);
    request.case = if exact { Case::Sensitive } else { Case::Insensitive };
    request.paths = EXCLUDED.iter().map(|glob| glob.to_string()).collect();
    let wanted = arguments.text("filePattern").ok().flatten().filter(|glob| !glob.is_empty());
    request.paths.extend(wanted.map(str::to_string));
    (request.before, request.after) = (CONTEXT, CONTEXT);
    request.limit = arguments.count("limit").ok().flatten().unwrap_or(50);
    request
}

fn trouble(error: &EngineError, pattern: &str) -> Trouble {
    match error {
        EngineError::Invalid { parameter: "pattern", .. } => {
            Trouble::of(json!({ "error": "Invalid regex pattern", "pattern": pattern }))
        }
        EngineError::Invalid { parameter: "paths", reason } => {
            Trouble::argument("filePattern", reason)
        }
        other => Trouble::told(with_causes(other), "grep_codebase"),
    }
}

fn shown(answer: &GrepAnswer, pattern: &str) -> Value {
    json!({
        "matches": answer.matches.iter().map(one).collect::<Vec<_>>(),
        "pattern": pattern,
        "totalMatches": answer.total,
        "filesSearched": answer.files_searched,
        "searchTime": answer.duration.as_millis() as u64,
    })
}

fn one(found: &GrepMatch) -> Value {
    json!({
        "file": found.path.as_str(),
        "line": found.line,
        "column": found.column,
        "text": found.text,
        "context": { "before": found.before, "after": found.after },
    })
}
