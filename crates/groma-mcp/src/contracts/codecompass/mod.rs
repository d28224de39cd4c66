//! The CodeCompass contract: one workspace, indexed by jobs in the background, every answer with its metadata.
//!
//! A call first finds its `site` (project, ref, how the index stands), then `queries` or `indexing` answer it. Whatever
//! goes wrong is an answer too (`failure`), with a code of the registry (`errors`). Where the server is started with
//! `--verbose`, `search_code` adds `debug`.

mod answers;
pub mod errors;
mod failure;
mod indexing;
mod metadata;
mod next;
mod queries;
mod site;
mod tools;

use crate::surface::{Answer, Call, Fault, Identity, Surface};
use crate::tool::ToolSpec;
use errors::Code;
use failure::Failure;
use groma_engine::core::JobTask;
use metadata::Metadata;
use serde_json::Value;
use site::Site;

/// The CodeCompass contract.
pub struct CodeCompass;

impl Surface for CodeCompass {
    fn name(&self) -> &'static str {
        "codecompass"
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "codecompass",
            title: "CodeCompass",
            version: "1.0.0",
            instructions: tools::INSTRUCTIONS,
            tools_may_change: false,
        }
    }

    fn tools(&self) -> &'static [ToolSpec] {
        tools::ALL
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        let value = answer(call);
        Ok(Answer { structured: Some(value.clone()), ..Answer::json(&value) })
    }
}

/// The answer to a call, whatever it is.
fn answer(call: &Call<'_>) -> Value {
    let checked = call.arguments.check().map_err(Failure::from);
    let mut site = match Site::find(call) {
        Ok(site) => site,
        Err(failure) => return checked.err().unwrap_or(failure).answer(&Metadata::nowhere()),
    };
    let answered = checked.and_then(|()| dispatch(call, &mut site));
    answered.unwrap_or_else(|failure| failure.answer(&site.metadata()))
}

fn dispatch(call: &Call<'_>, site: &mut Site) -> Result<Value, Failure> {
    match call.tool.name {
        "index_repo" => indexing::start(call, site, JobTask::Index),
        "sync_repo" => indexing::start(call, site, JobTask::Sync),
        "index_status" => indexing::index_status(site),
        "locate_symbol" => queries::locate_symbol(call, site),
        "search_code" => queries::search_code(call, site),
        other => Err(Failure::new(Code::InternalError, format!("{other} has no handler"))),
    }
}
