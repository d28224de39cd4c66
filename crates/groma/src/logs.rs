//! Logs: to standard error, and to a rotating file if one is set. Never to standard output, which is the protocol.
//!
//! The level is `warn` unless it is set, and only this program's own events are logged. Every line is redacted before
//! it is written, whatever made it.

use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// How many days of log files are kept.
const MAX_FILES: usize = 7;

/// Options of commands that log.
#[derive(Clone, Debug, Default, Args)]
pub struct LogArgs {
    /// What to log: error, warn, info (each call) or trace (whole queries, too) [default: warn]
    #[arg(long, value_name = "LEVEL", env = "GROMA_LOG", hide_env_values = true)]
    pub log: Option<LevelFilter>,
    /// Log JSON, one object on each line
    #[arg(long, env = "GROMA_LOG_JSON", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub log_json: bool,
    /// Log to this file, too; a new one each day, the last seven are kept
    #[arg(long, value_name = "FILE", env = "GROMA_LOG_FILE", hide_env_values = true)]
    pub log_file: Option<PathBuf>,
}

/// Starts logging. A file that cannot be created is returned as a note: a server must not fail for that.
pub fn start(args: &LogArgs) -> Option<String> {
    let level = args.log.unwrap_or(LevelFilter::WARN);
    // Libraries log what clients send.
    let own = || Targets::new().with_target("groma", level);
    let (file, note) = match args.log_file.as_deref().map(rotating) {
        None => (None, None),
        Some(Ok(file)) => (Some(file), None),
        Some(Err(reason)) => (None, Some(reason)),
    };
    let to_terminal = args
        .log_json
        .then(|| fmt::layer().json().with_writer(Redacting(io::stderr)).with_filter(own()));
    let plain = (!args.log_json).then(|| {
        fmt::layer().with_ansi(false).with_writer(Redacting(io::stderr)).with_filter(own())
    });
    let file = file.map(|file| std::sync::Mutex::new(RedactingWriter(file)));
    let to_file = file.map(|file| {
        let layer = fmt::layer().with_ansi(false).with_writer(file);
        if args.log_json { layer.json().boxed() } else { layer.boxed() }.with_filter(own())
    });
    // Only a second start in one process fails, and the first one goes on.
    let _ = tracing_subscriber::registry().with(to_terminal).with(plain).with(to_file).try_init();
    note
}

/// A file that is continued in another one each day.
fn rotating(path: &Path) -> Result<RollingFileAppender, String> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .max_log_files(MAX_FILES)
        .filename_prefix(name.unwrap_or_else(|| "groma.log".into()))
        .build(folder.unwrap_or(Path::new(".")))
        .map_err(|error| format!("the log file cannot be created: {error}"))
}

/// Makes writers that redact what they write.
struct Redacting<M>(M);

impl<'w, W: Write, M: Fn() -> W + 'w> MakeWriter<'w> for Redacting<M> {
    type Writer = RedactingWriter<W>;

    fn make_writer(&'w self) -> Self::Writer {
        RedactingWriter((self.0)())
    }
}

/// Redacts each event before it is written. An event is written with one call.
struct RedactingWriter<W: Write>(W);

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(groma_secrets::redact(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_logged_has_no_secrets() {
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let mut written = Vec::new();
        let line = format!("INFO groma: asked for {token}\n");
        RedactingWriter(&mut written).write_all(line.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "INFO groma: asked for [REDACTED]\n");
    }

    #[test]
    fn a_log_file_is_made_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/groma.log");
        let mut file = rotating(&path).unwrap();
        file.write_all(b"x\n").unwrap();
        let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().flatten().collect();
        assert!(names[0].file_name().to_string_lossy().starts_with("groma.log."));
        assert!(rotating(Path::new("/dev/null/x/groma.log")).is_err());
    }
}
