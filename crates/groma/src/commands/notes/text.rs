//! The text form of a notebook, made to be read, committed and merged.
//!
//! Each discovery is a Markdown section: a heading with type and id, lines of `name: value`, an empty line, and the
//! content. Sections are ordered by date, so that additions of two people rarely conflict.

use groma_core::{Discovery, DiscoveryKind, Evidence, from_iso, iso_exact};
use std::time::SystemTime;

const TITLE: &str =
    "# Notebook\n\nRecorded discoveries of this project; `groma notes import` imports them.\n";

/// Formats discoveries.
pub fn write(discoveries: &[Discovery]) -> String {
    let mut sorted: Vec<&Discovery> = discoveries.iter().collect();
    sorted.sort_by(|a, b| (a.date, &a.id).cmp(&(b.date, &b.id)));
    let mut text = TITLE.to_string();
    for one in sorted {
        text.push_str(&format!("\n## {}: {}\n\n", one.kind, one.id));
        let mut field = |name: &str, value: &str| {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            text.push_str(&format!("{name}: {value}\n"));
        };
        field("date", &iso_exact(one.date));
        if let Some(module) = &one.module {
            field("module", module);
        }
        if let Some(session) = &one.session {
            field("session", session);
        }
        if one.confidence < 1.0 {
            field("confidence", &one.confidence.to_string());
        }
        for evidence in &one.evidence {
            field("from", &evidence.to_string());
        }
        if let Some(edited) = one.edited {
            field("edited", &iso_exact(edited));
        }
        if let Some(id) = &one.superseded {
            field("superseded-by", id);
        }
        text.push('\n');
        for line in one.content.lines() {
            // Escapes lines that look like a section boundary, and lines that look escaped.
            let escape = if is_boundary(line.trim_start_matches('\\')) { "\\" } else { "" };
            text.push_str(&format!("{escape}{line}\n"));
        }
    }
    text
}

/// Parses discoveries; the error names the line.
pub fn read(text: &str) -> Result<Vec<Discovery>, String> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((row, line)) = lines.next() {
        if is_conflict(line) {
            return Err(format!("line {}: unresolved merge conflict", row + 1));
        }
        let Some(heading) = line.strip_prefix("## ") else { continue };
        let mut body = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !is_boundary(line)) {
            body.push(line);
        }
        found
            .push(section(heading, &body).map_err(|reason| format!("line {}: {reason}", row + 1))?);
    }
    if found.is_empty() && !text.starts_with("# Notebook") {
        return Err(
            "there is no discovery in it; a discovery begins with a line like `## rule`".into()
        );
    }
    Ok(found)
}

/// Whether a line ends a section: a heading, the title of another file, or a conflict marker.
fn is_boundary(line: &str) -> bool {
    line.starts_with("## ") || line == "# Notebook" || is_conflict(line)
}

fn is_conflict(line: &str) -> bool {
    ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark))
}

fn section(heading: &str, body: &[&str]) -> Result<Discovery, String> {
    let (kind, id) = heading.split_once(':').unwrap_or((heading, ""));
    let kind: DiscoveryKind = kind.trim().parse()?;
    let start = body.iter().position(|line| !line.trim().is_empty()).unwrap_or(body.len());
    let body = &body[start..];
    let fields = body.iter().take_while(|line| field(line).is_some()).count();
    let content: Vec<&str> = body[fields..]
        .iter()
        .map(|line| {
            line.strip_prefix('\\')
                .filter(|rest| is_boundary(rest.trim_start_matches('\\')))
                .unwrap_or(line)
        })
        .collect();
    let content = content.join("\n").trim().to_string();
    if content.is_empty() {
        return Err("the discovery is empty".into());
    }
    let mut discovery = Discovery {
        id: match id.trim() {
            "" => Discovery::name(&[kind.as_str(), &content]),
            id => id.to_string(),
        },
        kind,
        content,
        module: None,
        session: None,
        date: SystemTime::now(),
        confidence: 1.0,
        evidence: Vec::new(),
        edited: None,
        superseded: None,
    };
    for (name, value) in body[..fields].iter().filter_map(|line| field(line)) {
        set(&mut discovery, name, value)?;
    }
    if discovery.evidence.is_empty() {
        discovery.evidence.push(Evidence::remembered());
    }
    Ok(discovery)
}

/// Name and value of a line like `module: auth`.
fn field(line: &str) -> Option<(&str, &str)> {
    const NAMES: [&str; 7] =
        ["date", "module", "session", "confidence", "from", "edited", "superseded-by"];
    let (name, value) = line.split_once(':')?;
    NAMES.contains(&name).then(|| (name, value.trim()))
}

fn set(discovery: &mut Discovery, name: &str, value: &str) -> Result<(), String> {
    match name {
        "date" => discovery.date = date(value)?,
        "edited" => discovery.edited = Some(date(value)?),
        "module" => discovery.module = given(value),
        "session" => discovery.session = given(value),
        "superseded-by" => discovery.superseded = given(value),
        "confidence" => {
            let number = value.parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
            discovery.confidence = number.ok_or_else(|| format!("`{value}` is not 0 to 1"))?;
        }
        _ => discovery.evidence.push(value.parse()?),
    }
    Ok(())
}

fn given(value: &str) -> Option<String> {
    Some(value.to_string()).filter(|value| !value.is_empty())
}

fn date(value: &str) -> Result<SystemTime, String> {
    from_iso(value)
        .ok_or_else(|| format!("`{value}` is not a date; write it as 2025-01-15T10:00:00Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    fn discovery(id: &str, content: &str) -> Discovery {
        Discovery {
            id: id.into(),
            kind: DiscoveryKind::Decision,
            content: content.into(),
            module: Some("auth".into()),
            session: None,
            date: UNIX_EPOCH + Duration::from_secs(1_736_935_200),
            confidence: 0.5,
            evidence: vec!["remembered".parse().unwrap(), "comment src/a b.ts:12".parse().unwrap()],
            edited: Some(UNIX_EPOCH + Duration::from_millis(1_736_935_200_125)),
            superseded: Some("discovery-c".into()),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let all = vec![
            discovery(
                "discovery-a",
                "Cookies, not storage.\n\ndate: of no meaning here\n## no heading",
            ),
            discovery("discovery-b", "\\## kept as it is\nmodule: neither\n# Notebook\n======= \\"),
        ];
        let text = write(&all);
        assert_eq!(read(&text), Ok(all), "{text}");
        assert_eq!(read(&write(&[])), Ok(vec![]));
    }

    #[test]
    fn a_section_by_hand_needs_a_type_and_words() {
        let read = |text: &str| super::read(text);
        let by_hand = read("## rule\nNever log a token.\n").unwrap();
        assert_eq!(
            (by_hand[0].kind, &*by_hand[0].content),
            (DiscoveryKind::Rule, "Never log a token.")
        );
        assert_eq!(by_hand[0].id, read("## rule\n\nNever log a token.").unwrap()[0].id);
        for (text, wrong) in [
            ("", "there is no discovery"),
            ("## rumour\nx", "line 1: `rumour` is none of"),
            ("\n## rule\n", "line 2: the discovery is empty"),
            ("## rule\ndate: soon\n\nx", "line 1: `soon` is not a date"),
            ("## rule\n\nx\n<<<<<<< ours\n", "line 4: unresolved merge conflict"),
            ("## rule\nconfidence: 2\n\nx", "line 1: `2` is not 0 to 1"),
        ] {
            assert!(read(text).unwrap_err().starts_with(wrong), "{text}: {:?}", read(text));
        }
    }
}
