//! `groma index --watch`: goes on until it is told to stop.

use super::{IndexArgs, as_json, chunk_files};
use crate::chunks;
use crate::commands::Call;
use crate::failure::{Exit, Failure};
use crate::numbers::{count, duration};
use crate::project::Project;
use anyhow::Result;
use groma_engine::{Cancel, Engine, IndexReport, Kept};
use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;

/// Indexes changes as they happen, and tells of each run.
pub fn watch(
    args: &IndexArgs,
    call: &mut Call,
    project: &Project,
    engine: &Arc<Engine>,
    cancel: &Cancel,
) -> Result<Exit> {
    call.printer.flush()?;
    let call = RefCell::new(call);
    let failed = RefCell::new(None);
    let tell = |kept: Kept<'_>| {
        let call = &mut **call.borrow_mut();
        match kept {
            Kept::Waiting => {
                call.remark("another process watches this project; waiting for it to end");
            }
            Kept::Watching => call.remark("watching; Ctrl-C stops"),
            Kept::Unchanged => {}
            Kept::Failed(error) => tell_failure(call, &groma_core::with_causes(error)),
            Kept::Indexed(report) => {
                // Who cannot be told any more does not want more.
                if let Err(error) = tell_run(args, call, project, engine, report) {
                    failed.replace(Some(error));
                    cancel.cancel();
                }
            }
        }
    };
    engine.keep(&(), &tell, cancel)?;
    failed.into_inner().map_or(Ok(Exit::Fine), Err)
}

fn tell_failure(call: &Call, message: &str) {
    call.remark(&format!("note: {message}; trying again"));
}

fn tell_run(
    args: &IndexArgs,
    call: &mut Call,
    project: &Project,
    engine: &Engine,
    report: &IndexReport,
) -> Result<()> {
    let written = args.chunks_dir.as_deref().map(|folder| chunks::write(engine, folder));
    let written = written.transpose().map_err(|error| Failure::of(&error));
    if let Err(failure) = &written {
        tell_failure(call, &failure.to_string());
    }
    if call.global.json {
        let mut json = as_json(project, report);
        if let Ok(Some(written)) = &written {
            json["chunk_files"] = chunk_files(written);
        }
        return call.printer.json_line(&json);
    }
    report.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    writeln!(
        call.printer,
        "{} added, {} updated, {} removed in {}",
        count(report.added),
        count(report.updated),
        count(report.removed),
        duration(report.duration)
    )?;
    Ok(call.printer.flush()?)
}
