//! Metrics of a server, in Prometheus' text format.
//!
//! Calls are counted and timed as they happen; what a project can tell by itself (index runs, the age of its
//! generation, cache hits) is asked for when the metrics are read.

use crate::host::Host;
use groma_core::Locked;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// How many of the last durations of a tool the quantiles are computed from.
const WINDOW: usize = 1024;

/// The quantiles that are reported.
const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];

/// A tool of a surface.
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord, EncodeLabelSet)]
struct ToolLabels {
    surface: &'static str,
    tool: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OutcomeLabels {
    surface: &'static str,
    tool: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ErrorLabels {
    surface: &'static str,
    tool: &'static str,
    error: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct SurfaceLabels {
    surface: &'static str,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With an answer.
    Success,
    /// With an error of this type.
    Failure(&'static str),
}

/// Types of errors.
pub(crate) const RATE_LIMITED: &str = "rate_limit";
pub(crate) const INVALID_PARAMS: &str = "invalid_params";
pub(crate) const NOT_FOUND: &str = "not_found";
pub(crate) const UNKNOWN_TOOL: &str = "unknown_tool";
pub(crate) const INTERNAL: &str = "internal";
/// Any other.
pub(crate) const FAILED: &str = "tool";

/// The metrics of one process.
pub struct Metrics {
    registry: Registry,
    calls: Family<OutcomeLabels, Counter>,
    errors: Family<ErrorLabels, Counter>,
    rate_limited: Family<ToolLabels, Counter>,
    durations: Family<ToolLabels, Histogram>,
    sessions: Family<SurfaceLabels, Gauge>,
    recent: Locked<BTreeMap<ToolLabels, Recent>>,
}

/// What the quantiles and the summary of a tool are computed from.
#[derive(Default)]
struct Recent {
    calls: u64,
    errors: BTreeMap<&'static str, u64>,
    /// The last durations, in seconds.
    durations: VecDeque<f64>,
}

impl Recent {
    fn add(&mut self, seconds: f64, error: Option<&'static str>) {
        self.calls += 1;
        if let Some(error) = error {
            *self.errors.entry(error).or_default() += 1;
        }
        self.durations.push_back(seconds);
        if self.durations.len() > WINDOW {
            self.durations.pop_front();
        }
    }

    /// The durations below which these shares of the calls are.
    fn quantiles(&self) -> [f64; 3] {
        let mut sorted: Vec<f64> = self.durations.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        QUANTILES.map(|share| {
            let at = ((sorted.len() as f64 * share).ceil() as usize).max(1) - 1;
            sorted.get(at).copied().unwrap_or_default()
        })
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let durations =
            Family::<ToolLabels, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        let mut metrics = Self {
            registry: Registry::with_prefix("groma"),
            calls: Family::default(),
            errors: Family::default(),
            rate_limited: Family::default(),
            durations,
            sessions: Family::default(),
            recent: Locked::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("tool_calls", "Calls of tools", metrics.calls.clone());
        registry.register("tool_errors", "Failed calls by type of error", metrics.errors.clone());
        registry.register("rate_limit_hits", "Calls over a limit", metrics.rate_limited.clone());
        let help = "How long calls took";
        registry.register("tool_duration_seconds", help, metrics.durations.clone());
        registry.register("open_sessions", "Open connections", metrics.sessions.clone());
        metrics
    }
}

impl Metrics {
    /// Counts a call. The names come from tables, never from a client, so that their number is bounded.
    pub(crate) fn count(
        &self,
        (surface, tool): (&'static str, &'static str),
        outcome: Outcome,
        duration: Duration,
    ) {
        let seconds = duration.as_secs_f64();
        let labels = ToolLabels { surface, tool };
        let (outcome, error) = match outcome {
            Outcome::Success => ("success", None),
            Outcome::Failure(error) => ("failure", Some(error)),
        };
        self.calls.get_or_create(&OutcomeLabels { surface, tool, outcome }).inc();
        if let Some(error) = error {
            self.errors.get_or_create(&ErrorLabels { surface, tool, error }).inc();
        }
        if error == Some(RATE_LIMITED) {
            self.rate_limited.get_or_create(&labels).inc();
        }
        self.durations.get_or_create(&labels).observe(seconds);
        self.recent.lock().entry(labels).or_default().add(seconds, error);
    }

    /// Logs what was counted of each tool: on stdio, which has no metrics endpoint, a session ends with them.
    pub fn log_summary(&self) {
        for (ToolLabels { surface, tool }, recent) in self.recent.lock().iter() {
            let [p50, p95, p99] = recent.quantiles().map(|seconds| (seconds * 1000.0).round());
            let failed: u64 = recent.errors.values().sum();
            let rate_limited = recent.errors.get(RATE_LIMITED).copied().unwrap_or_default();
            let errors = recent.errors.iter().map(|(error, count)| format!("{error}={count}"));
            tracing::info!(
                surface,
                tool,
                calls = recent.calls,
                failed,
                rate_limited,
                errors = errors.collect::<Vec<_>>().join(" "),
                p50,
                p95,
                p99,
                "calls of the session (durations in milliseconds)"
            );
        }
    }

    /// Counts a connection until the guard is dropped.
    pub(crate) fn open_session(&self, surface: &'static str) -> SessionGuard {
        let gauge = self.sessions.get_or_create(&SurfaceLabels { surface }).clone();
        gauge.inc();
        SessionGuard(gauge)
    }

    /// Everything in Prometheus' text format.
    pub fn text(&self, host: &dyn Host) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        let text = text.trim_end_matches("# EOF\n").to_string();
        text + &self.quantiles() + &process(host) + "# EOF\n"
    }

    fn quantiles(&self) -> String {
        let name = "groma_tool_duration_quantile_seconds";
        let mut text =
            format!("# HELP {name} Quantiles of the last {WINDOW} calls.\n# TYPE {name} gauge\n");
        for (ToolLabels { surface, tool }, recent) in self.recent.lock().iter() {
            for (quantile, seconds) in QUANTILES.iter().zip(recent.quantiles()) {
                let _ = writeln!(
                    text,
                    "{name}{{surface=\"{surface}\",tool=\"{tool}\",quantile=\"{quantile}\"}} {seconds}"
                );
            }
        }
        text
    }
}

/// An open connection.
pub(crate) struct SessionGuard(Gauge<i64, std::sync::atomic::AtomicI64>);

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// What the open projects and the process tell.
fn process(host: &dyn Host) -> String {
    let mut registry = Registry::with_prefix("groma");
    let runs = Family::<ProjectLabels, Counter>::default();
    let hits = Family::<ProjectLabels, Counter>::default();
    let misses = Family::<ProjectLabels, Counter>::default();
    let age = Family::<ProjectLabels, Gauge<f64, AtomicU64>>::default();
    let memory = Gauge::<i64>::default();
    registry.register("index_runs", "Index runs of this process", runs.clone());
    registry.register("answer_cache_hits", "Answers from the cache", hits.clone());
    registry.register("answer_cache_misses", "Answers that were computed", misses.clone());
    let help = "Time since the newest generation was committed";
    registry.register("generation_age_seconds", help, age.clone());
    registry.register("resident_memory_bytes", "Memory in use", memory.clone());
    for project in host.open_projects() {
        let labels = ProjectLabels { project: project.id.clone() };
        let counts = project.engine.counts();
        runs.get_or_create(&labels).inc_by(counts.index_runs);
        hits.get_or_create(&labels).inc_by(counts.cache_hits);
        misses.get_or_create(&labels).inc_by(counts.cache_misses);
        if let Ok(Some(info)) = project.engine.generation() {
            let since = SystemTime::now().duration_since(info.committed).unwrap_or_default();
            age.get_or_create(&labels).set(since.as_secs_f64());
        }
    }
    memory.set(resident_memory());
    let mut text = String::new();
    let _ = encode(&mut text, &registry);
    text.trim_end_matches("# EOF\n").to_string()
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ProjectLabels {
    project: String,
}

/// The resident memory of this process, in bytes; 0 where the system does not tell.
fn resident_memory() -> i64 {
    const PAGE: i64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<i64>().ok());
    pages.unwrap_or(0) * PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_tool_and_outcome() {
        let metrics = Metrics::default();
        let tool = ("context", "read_file");
        for milliseconds in 1..=100 {
            metrics.count(tool, Outcome::Success, Duration::from_millis(milliseconds));
        }
        metrics.count(tool, Outcome::Failure(RATE_LIMITED), Duration::ZERO);
        let guard = metrics.open_session("context");
        let mut text = String::new();
        encode(&mut text, &metrics.registry).unwrap();
        let labels = "surface=\"context\",tool=\"read_file\"";
        for line in [
            format!("groma_tool_calls_total{{{labels},outcome=\"success\"}} 100"),
            format!("groma_tool_calls_total{{{labels},outcome=\"failure\"}} 1"),
            format!("groma_tool_errors_total{{{labels},error=\"rate_limit\"}} 1"),
            format!("groma_rate_limit_hits_total{{{labels}}} 1"),
            format!("groma_tool_duration_seconds_count{{{labels}}} 101"),
            "groma_open_sessions{surface=\"context\"} 1".to_string(),
        ] {
            assert!(text.contains(&line), "{line}\n{text}");
        }
        let quantiles = metrics.quantiles();
        for (quantile, value) in [("0.5", "0.05"), ("0.95", "0.095"), ("0.99", "0.099")] {
            let line = format!("{{{labels},quantile=\"{quantile}\"}} {value}");
            assert!(quantiles.contains(&line), "{line}\n{quantiles}");
        }
        drop(guard);
        let mut text = String::new();
        encode(&mut text, &metrics.registry).unwrap();
        assert!(text.contains("groma_open_sessions{surface=\"context\"} 0"));
    }
}
