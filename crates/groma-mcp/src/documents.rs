//! The documents of a notebook as Markdown: the project, its modules, its sessions. The Context Tool contract defines
//! them; the native surface offers them, too.

use crate::host::Project;
use crate::surface::{ProtocolError, RESOURCE_NOT_FOUND, RequestContext, ResourceEntry, Resources};
use groma_core::with_causes;
use groma_core::{Discovery, DiscoveryKind, SessionRecord, iso};
use groma_engine::notebook::{FileRole, ModuleView, Overview};
use groma_engine::{Cancel, EngineError};
use serde_json::json;
use std::fmt::Write;
use std::sync::Arc;
use std::time::SystemTime;

/// Maximum bytes of each document.
const OVERVIEW_BYTES: usize = 50 << 10;
const MODULE_BYTES: usize = 20 << 10;
const SESSION_BYTES: usize = 10 << 10;
const SESSIONS_BYTES: usize = 50 << 10;

/// Default and maximum of `limit` in the URI of recent sessions.
const SESSIONS: usize = 10;
const MAX_SESSIONS: usize = 100;

/// Discoveries of each kind in a document.
const SHOWN: usize = 50;

/// A parsed URI.
#[derive(Debug, PartialEq, Eq)]
enum Address {
    Overview,
    Module(String),
    CurrentSession,
    RecentSessions(usize),
}

/// The documents of the project a client works in.
pub struct Documents {
    /// The code of an error about a URI that names no document, if the contract has none of its own.
    not_found: Option<i32>,
}

impl Documents {
    /// With the codes of the Context Tool contract.
    pub const OF_CONTRACT: Self = Self { not_found: None };

    /// With the code of the protocol.
    pub const OF_PROTOCOL: Self = Self { not_found: Some(RESOURCE_NOT_FOUND) };
}

impl Resources for Documents {
    fn list(&self, context: &RequestContext<'_>) -> Result<Vec<ResourceEntry>, ProtocolError> {
        let overview = overview(&*open(context, "context://")?)
            .map_err(|error| failed("context://", &error))?;
        let fixed = [
            (
                "context://project/overview",
                "Project overview",
                "Languages, modules and what is known of the project",
            ),
            ("context://session/current", "Current session", "What this session asked and read"),
            (
                "context://sessions/recent",
                "Recent sessions",
                "What earlier sessions asked and read",
            ),
        ];
        let mut entries: Vec<ResourceEntry> =
            fixed.map(|(uri, name, what)| entry(uri, name, what)).into();
        entries.extend(overview.modules.iter().map(|(module, files)| {
            let what = format!("{files} files, and what is known of them");
            entry(
                &format!("context://module/{}", encoded(module)),
                &format!("Module {module}"),
                &what,
            )
        }));
        Ok(entries)
    }

    fn templates(&self) -> Vec<ResourceEntry> {
        vec![
            entry("context://module/{name}", "Module", "Files, rules and issues of one module"),
            entry(
                "context://sessions/recent{?limit}",
                "Recent sessions",
                "As many sessions as asked for",
            ),
        ]
    }

    fn read(&self, uri: &str, context: &RequestContext<'_>) -> Result<String, ProtocolError> {
        read(uri, context).map_err(|error| match (error.code, self.not_found) {
            (-32600 | -32602, Some(code)) => ProtocolError { code, ..error },
            _ => error,
        })
    }
}

fn read(uri: &str, context: &RequestContext<'_>) -> Result<String, ProtocolError> {
    let address = parse(uri)?;
    let project = open(context, uri)?;
    let internal = |error: EngineError| failed(uri, &error);
    let (text, most) = match address {
        Address::Overview => {
            (overview_text(&overview(&project).map_err(internal)?), OVERVIEW_BYTES)
        }
        Address::Module(name) => {
            let view = project.engine.module(&name, &(), &Cancel::default()).map_err(internal)?;
            let missing = || error(-32602, uri, &format!("Module '{name}' not found"));
            (module_text(&view.ok_or_else(missing)?), MODULE_BYTES)
        }
        Address::CurrentSession => {
            let session = context.session;
            let current = project.engine.notebook().current_session(&session.id, session.started);
            let current = current.map_err(EngineError::from);
            let none = || error(-32602, uri, "No active session");
            (session_text(&current.map_err(internal)?.ok_or_else(none)?), SESSION_BYTES)
        }
        Address::RecentSessions(limit) => {
            let sessions = project
                .engine
                .notebook()
                .sessions(limit)
                .map_err(EngineError::from)
                .map_err(internal)?;
            (sessions_text(&sessions), SESSIONS_BYTES)
        }
    };
    Ok(cut(text, most))
}

fn entry(uri: &str, name: &str, description: &str) -> ResourceEntry {
    ResourceEntry { uri: uri.into(), name: name.into(), description: description.into() }
}

fn open(context: &RequestContext<'_>, uri: &str) -> Result<Arc<Project>, ProtocolError> {
    let workspace = context.workspace.as_ref().map_err(|error| failed(uri, error))?;
    context.host.open(&workspace.root).map_err(|error| failed(uri, &error))
}

fn overview(project: &Project) -> Result<Overview, EngineError> {
    project.engine.overview(&(), &Cancel::default())
}

fn failed(uri: &str, cause: &dyn std::error::Error) -> ProtocolError {
    error(-32603, uri, &with_causes(cause))
}

fn error(code: i32, uri: &str, reason: &str) -> ProtocolError {
    ProtocolError::new(code, reason, Some(json!({ "resource": uri, "reason": reason })))
}

/// Parses a URI.
fn parse(uri: &str) -> Result<Address, ProtocolError> {
    let malformed = |reason: &str| error(-32600, uri, reason);
    let rest = uri.strip_prefix("context://").ok_or_else(|| malformed("Unsupported URI scheme"))?;
    let (path, query) =
        rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    match (path, query) {
        ("project/overview", None) => Ok(Address::Overview),
        ("session/current", None) => Ok(Address::CurrentSession),
        ("sessions/recent", None) => Ok(Address::RecentSessions(SESSIONS)),
        ("sessions/recent", Some(query)) => {
            let limit = query.strip_prefix("limit=").ok_or_else(|| malformed("Malformed URI"))?;
            let limit = limit.parse().ok().filter(|limit| (1..=MAX_SESSIONS).contains(limit));
            let reason = format!("limit must be 1 to {MAX_SESSIONS}");
            limit.map(Address::RecentSessions).ok_or_else(|| error(-32602, uri, &reason))
        }
        (path, None) => match path.strip_prefix("module/").map(decoded) {
            Some(Some(name)) if !name.is_empty() => Ok(Address::Module(name)),
            Some(_) => Err(malformed("Malformed URI")),
            None => Err(malformed("Unsupported resource")),
        },
        _ => Err(malformed("Malformed URI")),
    }
}

/// Percent-encodes a name.
fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// Decodes a percent-encoded name.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let hex = [rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).ok()?, 16).ok()?);
            }
            b'/' | b'#' => return None,
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn overview_text(overview: &Overview) -> String {
    let mut text = format!("# {}\n\n{} files\n", overview.name, overview.files);
    section(
        &mut text,
        "Languages",
        overview.languages.iter().map(|(name, files)| format!("{name}: {files} files")),
    );
    section(
        &mut text,
        "Modules",
        overview.modules.iter().map(|(name, files)| format!("{name}: {files} files")),
    );
    section(
        &mut text,
        "Read most",
        overview.read.iter().map(|(access, score)| {
            format!(
                "{}: {} times, last {}, score {score:.2}",
                access.path,
                access.count,
                iso(access.last)
            )
        }),
    );
    discoveries(&mut text, &overview.discoveries);
    text
}

fn module_text(view: &ModuleView) -> String {
    let mut text = format!("# Module {}\n\n{} files\n", view.name, view.files.len());
    for (title, role) in [("Entry files", FileRole::Entry), ("Config files", FileRole::Config)] {
        section(&mut text, title, view.files_of(role).map(ToString::to_string));
    }
    section(&mut text, "Depends on", view.imports.iter().cloned());
    discoveries(&mut text, &view.discoveries);
    section(&mut text, "Core files", view.files_of(FileRole::Core).map(ToString::to_string));
    section(&mut text, "Test files", view.files_of(FileRole::Test).map(ToString::to_string));
    text
}

fn discoveries(text: &mut String, all: &[Discovery]) {
    let kinds = [
        ("Patterns", DiscoveryKind::Pattern),
        ("Rules", DiscoveryKind::Rule),
        ("Decisions", DiscoveryKind::Decision),
        ("Issues", DiscoveryKind::Issue),
    ];
    for (title, kind) in kinds {
        let of_kind: Vec<&Discovery> = all.iter().filter(|one| one.kind == kind).collect();
        let more = of_kind.len().saturating_sub(SHOWN);
        let shown = of_kind.iter().take(SHOWN).map(|one| {
            match one.evidence.iter().find_map(|e| e.file().map(|_| e)) {
                Some(evidence) => format!("{} ({}:{})", one.content, evidence.place, evidence.line),
                None => one.content.clone(),
            }
        });
        let closing =
            (more > 0).then(|| format!("{more} more: a query of the notebook finds them"));
        section(text, title, shown.chain(closing));
    }
}

fn sessions_text(sessions: &[SessionRecord]) -> String {
    let mut text = "# Recent sessions\n".to_string();
    if sessions.is_empty() {
        text.push_str("\nNone yet.\n");
    }
    for session in sessions {
        text.push_str(&format!("\n#{}", session_text(session).replace("\n## ", "\n### ")));
    }
    text
}

fn session_text(session: &SessionRecord) -> String {
    let over = session.over(SystemTime::now());
    let mut text = format!("# Session {}\n\n", session.id);
    let _ = writeln!(text, "Status: {}", if over.is_some() { "completed" } else { "active" });
    let _ = writeln!(text, "Started: {}", iso(session.started));
    if let Some(over) = over {
        let _ = writeln!(text, "Ended: {}", iso(over));
    }
    let calls: Vec<String> =
        session.calls.iter().map(|(tool, count)| format!("{tool} {count}")).collect();
    if !calls.is_empty() {
        let _ = writeln!(text, "Tool calls: {}", calls.join(", "));
    }
    section(&mut text, "Topics", session.topics.iter().cloned());
    section(
        &mut text,
        "Files",
        session.files.iter().map(|(path, count)| format!("{path}: {count} times")),
    );
    text
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n## {title}\n");
    for line in lines {
        let _ = writeln!(text, "- {}", line.replace('\n', " "));
    }
}

/// Truncates a text to so many bytes, after a line.
fn cut(mut text: String, most: usize) -> String {
    const CLOSING: &str = "\n(cut: the rest is left out)\n";
    if text.len() <= most {
        return text;
    }
    let mut end = most - CLOSING.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(text[..end].rfind('\n').map_or(end, |line| line + 1));
    text + CLOSING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_parsed_or_rejected_with_a_reason() {
        assert_eq!(parse("context://project/overview"), Ok(Address::Overview));
        assert_eq!(parse("context://module/auth"), Ok(Address::Module("auth".into())));
        assert_eq!(parse("context://module/a%20b"), Ok(Address::Module("a b".into())));
        assert_eq!(parse("context://session/current"), Ok(Address::CurrentSession));
        assert_eq!(parse("context://sessions/recent"), Ok(Address::RecentSessions(10)));
        assert_eq!(parse("context://sessions/recent?limit=3"), Ok(Address::RecentSessions(3)));
        for (uri, code) in [
            ("file:///etc/passwd", -32600),
            ("context://nothing", -32600),
            ("context://module/", -32600),
            ("context://module/a/b", -32600),
            ("context://module/%zz", -32600),
            ("context://project/overview?x=1", -32600),
            ("context://sessions/recent?count=3", -32600),
            ("context://sessions/recent?limit=0", -32602),
            ("context://sessions/recent?limit=x", -32602),
        ] {
            let error = parse(uri).unwrap_err();
            assert_eq!(error.code, code, "{uri}");
            assert_eq!(error.data.unwrap()["resource"], uri);
        }
        assert_eq!(decoded(&encoded("größe & co")).as_deref(), Some("größe & co"));
    }

    #[test]
    fn long_documents_are_cut_after_a_line() {
        let text = cut("ä line of ten\n".repeat(100), 200);
        assert!(
            text.len() <= 200 && text.ends_with("ten\n\n(cut: the rest is left out)\n"),
            "{text}"
        );
        assert_eq!(cut("short\n".into(), 200), "short\n");
    }
}
