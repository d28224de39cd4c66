//! `grep_codebase`.

use super::error::Error;
use super::tools::GrepCodebase;
use super::{ContextCall, Reply};
use crate::host::Project;
use crate::surface::Call;
use groma_core::with_causes;
use groma_engine::{Case, EngineError, GrepAnswer, GrepMatch, GrepRequest};
use serde_json::{Value, json};

/// Folders the contract never searches, whatever the ignore files say.
const EXCLUDED: &[&str] = &[
    "!**/node_modules/**",
    "!**/.git/**",
    "!**/dist/**",
    "!**/build/**",
    "!**/.next/**",
    "!**/.context/**",
];

/// Context lines before and after a match.
const CONTEXT: u32 = 2;

impl ContextCall for GrepCodebase {
    fn answer(self, call: &Call<'_>, project: &Project) -> Result<Reply, Error> {
        let request = self.request();
        let answer = project
            .engine
            .grep(&request, call.observer, call.cancel)
            .map_err(|error| failed(&error, &request.pattern))?;
        let result = if answer.matches.is_empty() {
            json!({
                "matches": [],
                "totalMatches": 0,
                "message": format!("No matches found for pattern '{}'", request.pattern),
            })
        } else {
            shown(&answer, &request.pattern)
        };
        let found = Some(answer.total);
        Ok(Reply { result, found, topic: Some(request.pattern), files: Vec::new() })
    }
}

impl GrepCodebase {
    fn request(self) -> GrepRequest {
        let mut request = GrepRequest::new(self.pattern);
        request.case = if self.case_sensitive { Case::Sensitive } else { Case::Insensitive };
        request.paths = EXCLUDED.iter().map(|glob| glob.to_string()).collect();
        request.paths.extend(self.file_pattern.filter(|glob| !glob.is_empty()));
        (request.before, request.after) = (CONTEXT, CONTEXT);
        request.limit = self.limit;
        request
    }
}

fn failed(error: &EngineError, pattern: &str) -> Error {
    match error {
        EngineError::Invalid { parameter: "pattern", .. } => {
            Error::of(json!({ "error": "Invalid regex pattern", "pattern": pattern }))
        }
        EngineError::Invalid { parameter: "paths", reason } => {
            Error::argument("filePattern", reason)
        }
        other => Error::message(with_causes(other), "grep_codebase"),
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
