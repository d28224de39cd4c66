//! GoContext: `--version`, and anything else serves.

use super::Translation;
use crate::environment::Environment;
use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::path::Path;

/// Go codebases over MCP on standard input and output, served by Groma
#[derive(Debug, Parser)]
#[command(name = "gocontext-mcp", version)]
struct GoContext {}

pub fn translate(line: &[OsString], _: &Environment) -> Result<Translation, clap::Error> {
    match GoContext::try_parse_from(line) {
        Err(error)
            if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) =>
        {
            Err(error)
        }
        _ => Ok(Translation::new(&["serve-mcp", "--contract", "gocontext"])),
    }
}

/// `GOCONTEXT_DB_PATH` is the program's database; the index is kept beside it.
pub fn prepare(environment: &mut Environment) {
    if let Some(database) = environment.variables.text("GOCONTEXT_DB_PATH") {
        environment.set_data(Path::new(&database).with_extension("groma"));
    }
}
