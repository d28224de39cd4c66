//! One line of a transcript of Claude Code or Codex.
//!
//! Claude Code writes `{type: "user" | "assistant", sessionId, cwd, timestamp, message: {role, content}}`, Codex
//! `{timestamp, type: "session_meta" | "response_item" | "event_msg" | ..., payload}`, and earlier without the
//! envelope. Other kinds of lines are ignored; they do not count as malformed.

use groma_core::from_iso;
use groma_engine::notebook::{Speaker, TranscriptBuilder};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The part of a message that is examined, in bytes.
const MAX_MESSAGE: usize = 256 << 10;

/// The number of elements that are removed from a message.
const MAX_ELEMENTS: usize = 1000;

/// What a transcript says about its session.
pub struct Setting {
    root: PathBuf,
    /// The name of the session.
    pub session: Option<String>,
    /// The folder it took place in.
    pub held_in: Option<PathBuf>,
}

impl Setting {
    /// An unknown session, ingested into the project at `root`.
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_path_buf(), session: None, held_in: None }
    }

    /// Whether the session took place in the project, as far as is known.
    pub fn is_here(&self) -> bool {
        let Some(held_in) = &self.held_in else { return true };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        real(held_in).starts_with(real(&self.root))
    }

    fn named(&mut self, name: Option<&str>, transcript: &mut TranscriptBuilder) {
        if let Some(name) = name.filter(|name| !name.is_empty() && self.session.is_none()) {
            transcript.set_session(name);
            self.session = Some(name.to_string());
        }
    }

    fn held_in(&mut self, folder: Option<&str>) {
        if self.held_in.is_none() {
            self.held_in = folder.filter(|folder| !folder.is_empty()).map(PathBuf::from);
        }
    }
}

/// Processes one line of a transcript.
pub fn read(
    line: &Map<String, Value>,
    number: u32,
    transcript: &mut TranscriptBuilder,
    setting: &mut Setting,
) {
    let said = text(line, "timestamp").and_then(from_iso);
    let Some(payload) = line.get("payload").and_then(Value::as_object) else {
        setting.named(text(line, "sessionId"), transcript);
        setting.held_in(text(line, "cwd"));
        return claude(line, number, said, transcript, &setting.root)
            .unwrap_or_else(|| codex_item(line, number, said, transcript, &setting.root));
    };
    match text(line, "type") {
        Some("session_meta") => {
            let meta = payload.get("meta").and_then(Value::as_object).unwrap_or(payload);
            setting.named(text(meta, "id"), transcript);
            setting.held_in(text(meta, "cwd"));
        }
        Some("turn_context") => setting.held_in(text(payload, "cwd")),
        Some("response_item") => codex_item(payload, number, said, transcript, &setting.root),
        Some("event_msg") => {
            let speaker = match text(payload, "type") {
                Some("user_message") => Speaker::Person,
                Some("agent_message") => Speaker::Assistant,
                _ => return,
            };
            say(speaker, text(payload, "message").unwrap_or_default(), number, said, transcript);
        }
        _ => {}
    }
}

/// A line of Claude Code; `None` if it is not one.
fn claude(
    line: &Map<String, Value>,
    number: u32,
    said: Option<SystemTime>,
    transcript: &mut TranscriptBuilder,
    root: &Path,
) -> Option<()> {
    let message = line.get("message")?.as_object()?;
    let is = |name: &str| line.get(name).and_then(Value::as_bool).unwrap_or(false);
    let speaker = match text(line, "type")? {
        // Prompts to sub-agents are written by the assistant.
        "user" if is("isSidechain") => Speaker::Assistant,
        "user" => Speaker::Person,
        "assistant" => Speaker::Assistant,
        _ => return Some(()),
    };
    if is("isMeta") || is("isCompactSummary") || is("isVisibleInTranscriptOnly") {
        return Some(());
    }
    content(message.get("content")?, speaker, number, said, transcript, root);
    Some(())
}

/// An item of Codex: a message, or a call.
fn codex_item(
    item: &Map<String, Value>,
    number: u32,
    said: Option<SystemTime>,
    transcript: &mut TranscriptBuilder,
    root: &Path,
) {
    match (text(item, "type"), text(item, "role")) {
        (Some("message"), Some(role)) => {
            let speaker = match role {
                "user" => Speaker::Person,
                "assistant" => Speaker::Assistant,
                _ => return,
            };
            let Some(parts) = item.get("content") else { return };
            content(parts, speaker, number, said, transcript, root);
        }
        (Some("function_call" | "custom_tool_call"), _) => {
            transcript.call(text(item, "name").unwrap_or("function"), None, root);
        }
        (Some("local_shell_call"), _) => transcript.call("shell", None, root),
        // What `codex exec --json` prints.
        (Some("item.completed"), _) => {
            let item = item.get("item").and_then(Value::as_object);
            let said_by = item.filter(|item| text(item, "type") == Some("agent_message"));
            if let Some(words) = said_by.and_then(|item| text(item, "text")) {
                say(Speaker::Assistant, words, number, said, transcript);
            }
        }
        _ => {}
    }
}

/// The content of a message: a text, or a list of texts and tool calls.
fn content(
    content: &Value,
    speaker: Speaker,
    number: u32,
    said: Option<SystemTime>,
    transcript: &mut TranscriptBuilder,
    root: &Path,
) {
    if let Some(words) = content.as_str() {
        return say(speaker, words, number, said, transcript);
    }
    for part in content.as_array().into_iter().flatten().filter_map(Value::as_object) {
        match text(part, "type") {
            Some("text" | "input_text" | "output_text") => {
                say(speaker, text(part, "text").unwrap_or_default(), number, said, transcript);
            }
            Some("tool_use") => {
                let input = part.get("input").and_then(Value::as_object);
                let file = input.and_then(|input| {
                    ["file_path", "notebook_path"].iter().find_map(|name| text(input, name))
                });
                transcript.call(text(part, "name").unwrap_or("tool"), file.map(Path::new), root);
            }
            _ => {}
        }
    }
}

fn say(
    speaker: Speaker,
    words: &str,
    number: u32,
    said: Option<SystemTime>,
    transcript: &mut TranscriptBuilder,
) {
    let words = spoken(&words[..words.floor_char_boundary(MAX_MESSAGE)]);
    if !words.trim().is_empty() {
        transcript.message(speaker, number, said, words.trim());
    }
}

/// The text without what programs insert: elements like `<system-reminder>`, and the content of instruction files.
fn spoken(words: &str) -> String {
    if words.trim_start().starts_with("# AGENTS.md instructions") {
        return String::new();
    }
    let mut out = String::new();
    let mut rest = words;
    let mut elements = 0;
    while let Some(start) = rest.find('<').filter(|_| elements < MAX_ELEMENTS) {
        let (before, tail) = rest.split_at(start);
        out.push_str(before);
        let name_end = tail[1..].find(|c: char| !(c.is_alphanumeric() || "-_".contains(c)));
        let name = name_end.map_or("", |end| &tail[1..=end]);
        // Inserted elements have names of two words, unlike HTML elements.
        let is_program = name.contains(['-', '_']) || name == "INSTRUCTIONS";
        elements += usize::from(is_program);
        let close = format!("</{name}>");
        match is_program.then(|| tail.find(&close)).flatten() {
            Some(end) => rest = &tail[end + close.len()..],
            None => {
                out.push('<');
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_elements_are_removed() {
        assert_eq!(
            spoken("<system-reminder>never tell</system-reminder>Use <b>tabs</b> for i<j>k"),
            "Use <b>tabs</b> for i<j>k"
        );
        assert_eq!(spoken("<environment_context>\n<cwd>/x</cwd>\n</environment_context>"), "");
        assert_eq!(
            spoken("<command-name>/clear</command-name> <unclosed-thing> x"),
            " <unclosed-thing> x"
        );
        assert_eq!(spoken("a < b and <"), "a < b and <");
        assert_eq!(spoken("# AGENTS.md instructions for x\nnever"), "");
    }
}
