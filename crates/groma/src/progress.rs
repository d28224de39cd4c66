//! Progress of an index run on standard error: a bar on a terminal, occasional lines in a log.

use crate::numbers::{count, rate};
use crate::print;
use groma_core::Locked;
use groma_engine::{Cancel, Observer, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A shorter run shows no bar.
const BAR_AFTER: Duration = Duration::from_millis(250);

/// A shorter run logs no line.
const LINE_AFTER: Duration = Duration::from_secs(1);

/// The interval between two log lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Reports the progress of an index run.
pub struct ProgressReporter {
    quiet: bool,
    terminal: bool,
    started: Instant,
    state: Locked<State>,
}

#[derive(Default)]
struct State {
    bar: Option<ProgressBar>,
    last_line: Option<(Instant, &'static str)>,
    /// When the first file was done: the rate is over the indexing alone.
    indexing: Option<Instant>,
}

impl ProgressReporter {
    /// A reporter; a quiet one prints nothing.
    pub fn new(quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal();
        Self { quiet, terminal, started: Instant::now(), state: Locked::default() }
    }

    fn draw(&self, state: &mut State, progress: Progress) {
        let bar = state.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        bar.set_message(message(progress, state.indexing));
        if let Progress::Indexing { done, total } = progress {
            bar.set_style(style("{spinner} {msg}  {wide_bar} {human_pos}/{human_len} files"));
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        } else {
            bar.set_style(style("{spinner} {msg}"));
        }
    }

    /// Logs a line if the phase changed, and every few seconds.
    fn log(&self, state: &mut State, progress: Progress) {
        let due = state
            .last_line
            .is_none_or(|(at, doing)| at.elapsed() >= LINE_EVERY || doing != phase(progress));
        if !due {
            return;
        }
        state.last_line = Some((Instant::now(), phase(progress)));
        let counts = match progress {
            Progress::Indexing { done, total } => {
                format!(": {} of {} files", count(done), count(total))
            }
            _ => String::new(),
        };
        print::message(&format!("{}{counts}", message(progress, state.indexing)));
    }
}

impl Observer for ProgressReporter {
    fn progress(&self, progress: Progress) {
        let mut state = self.state.lock();
        if matches!(progress, Progress::Indexing { .. }) {
            state.indexing.get_or_insert_with(Instant::now);
        }
        let elapsed = self.started.elapsed();
        match self.terminal {
            _ if self.quiet => {}
            true if elapsed >= BAR_AFTER => self.draw(&mut state, progress),
            false if elapsed >= LINE_AFTER => self.log(&mut state, progress),
            _ => {}
        }
    }
}

impl Drop for ProgressReporter {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the template is a constant")
        .progress_chars("━╸ ")
}

fn phase(progress: Progress) -> &'static str {
    match progress {
        Progress::Walking => "looking for changed files",
        Progress::Indexing { .. } => "reading, parsing and embedding",
        Progress::Committing => "writing the index",
        Progress::Waiting => "waiting for another process that is indexing this project",
    }
}

fn message(progress: Progress, since: Option<Instant>) -> String {
    let doing = phase(progress);
    match (progress, since) {
        (Progress::Indexing { done, .. }, Some(since)) if since.elapsed().as_millis() > 100 => {
            format!("{doing}, {} files/s", count(rate(done, since.elapsed())))
        }
        _ => doing.to_string(),
    }
}

/// A flag that Ctrl-C and other termination signals set. A second signal ends the process at once.
#[expect(clippy::exit, reason = "the second signal ends the process at once; a commit is atomic")]
pub fn cancel_on_interrupt() -> Arc<Cancel> {
    let cancel = Arc::new(Cancel::default());
    let is_interrupted = AtomicBool::new(false);
    let flag = cancel.clone();
    // Without a handler Ctrl-C ends the process; the index stays at its last commit.
    let _ = ctrlc::set_handler(move || {
        if is_interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        flag.cancel();
    });
    cancel
}
