//! `groma index --watch`: runs until it is interrupted.

use super::{IndexArgs, as_json, chunk_files};
use crate::chunks;
use crate::commands::Call;
use crate::failure::Exit;
use crate::numbers::{count, duration};
use crate::project::Project;
use crate::report::failure_of;
use anyhow::Result;
use groma_engine::{BackgroundEvent, Cancel, Engine, IndexReport};
use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;

/// Indexes changes as they happen, and reports each run.
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
    let report = |event: BackgroundEvent<'_>| {
        let call = &mut **call.borrow_mut();
        match event {
            BackgroundEvent::Waiting => {
                call.remark("another process watches this project; waiting for it to end");
            }
            BackgroundEvent::Watching => call.remark("watching; Ctrl-C stops"),
            BackgroundEvent::Unchanged => {}
            BackgroundEvent::Failed(error) => report_failure(call, &groma_core::with_causes(error)),
            BackgroundEvent::Indexed(run) => {
                // The output is closed: stop.
                if let Err(error) = report_run(args, call, project, engine, run) {
                    failed.replace(Some(error));
                    cancel.cancel();
                }
            }
        }
    };
    engine.index_continuously(&(), &report, cancel)?;
    failed.into_inner().map_or(Ok(Exit::Fine), Err)
}

fn report_failure(call: &Call, message: &str) {
    call.remark(&format!("note: {message}; trying again"));
}

fn report_run(
    args: &IndexArgs,
    call: &mut Call,
    project: &Project,
    engine: &Engine,
    report: &IndexReport,
) -> Result<()> {
    let written = args.chunks_dir.as_deref().map(|folder| chunks::write(engine, folder));
    let written = written.transpose().map_err(|error| failure_of(&error));
    if let Err(failure) = &written {
        report_failure(call, &failure.to_string());
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
