//! Tags of a file: its role, language and folders, and those that its author wrote.

use crate::language::{Language, LanguageKind};
use groma_core::RelPath;

/// Most tags that are read from the text of one document, for each way to write them.
const MAX_WRITTEN: usize = 50;

/// The tags of a file without duplicates, derived ones first.
pub(crate) fn tags(path: &RelPath, language: &Language, text: &str) -> Vec<String> {
    let role = match language.kind {
        LanguageKind::Code | LanguageKind::Data => "code",
        LanguageKind::Prose => "documentation",
    };
    let mut tags = vec![role.to_string(), language.name.to_string()];
    let mut add = |tag: &str| {
        let tag = tag.to_lowercase();
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    };
    path.folders().for_each(&mut add);
    if language.kind == LanguageKind::Prose {
        let (front, body) = split_front_matter(text);
        front_matter_tags(front).take(MAX_WRITTEN).for_each(&mut add);
        hashtags(body).take(MAX_WRITTEN).for_each(&mut add);
    }
    tags
}

/// A document's YAML front matter, and the rest.
fn split_front_matter(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return ("", text);
    };
    match rest.find("\n---") {
        Some(end) => (&rest[..end], &rest[end + 4..]),
        None => ("", text),
    }
}

/// The `tags:` of front matter, as an inline or a block list.
fn front_matter_tags(front: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    front.lines().flat_map(move |line| {
        let value = if let Some(value) = line.strip_prefix("tags:") {
            inside = true;
            value
        } else if inside && line.trim_start().starts_with("- ") {
            line.trim_start().trim_start_matches("- ")
        } else {
            inside = false;
            ""
        };
        value
            .trim()
            .trim_matches(['[', ']'])
            .split(',')
            .map(|tag| tag.trim().trim_matches(['"', '\'']))
            .filter(|tag| !tag.is_empty())
            .collect::<Vec<_>>()
    })
}

/// Inline `#hashtags` outside of code fences. The `#` of a heading is followed by a space, so it is none.
fn hashtags(body: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    body.lines().flat_map(move |line| {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        }
        let line = if fenced { "" } else { line };
        line.split_whitespace()
            .filter_map(|word| word.strip_prefix('#'))
            .map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()))
            .filter(|tag| {
                tag.starts_with(|c: char| c.is_alphabetic())
                    && tag.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))
            })
            .collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_from_path_front_matter_and_text() {
        let text = "---\ntitle: x\ntags: [Architecture, design]\n---\n# Head\n\nAbout #auth, #users.\n\n```\n#no\n```\n";
        let path = RelPath::new("docs/adr/001.md").unwrap();
        let tags = tags(&path, crate::find_language("markdown").unwrap(), text);
        assert_eq!(
            tags,
            ["documentation", "markdown", "docs", "adr", "architecture", "design", "auth", "users"]
        );
    }
}
