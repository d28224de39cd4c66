//! Reads several places of a project in one request: files, lines, members by name.

use crate::error::SearchError;
use crate::read::FileView;
use crate::snippet::{Excerpt, Place, excerpt, short_name};
use crate::text::Text;
use groma_core::{FileFacts, Lines, RelPath, Symbol, is_identifier_byte};

/// A place as a client writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceSpec {
    /// `src/main.rs`, or a name that is not a file.
    File(String),
    /// `src/main.rs:20-80`, `src/main.rs:20`, `src/main.rs:20-80,120-140`.
    Lines {
        /// The file.
        path: String,
        /// The ranges; `u32::MAX` for the end of the file.
        ranges: Vec<Lines>,
    },
    /// `src/main.rs#Class.method`.
    Member {
        /// The file.
        path: String,
        /// The name, with as many of its parents as needed.
        name: String,
    },
}

impl PlaceSpec {
    /// Parses a place. Never fails: whatever is not a range or a member is the path of a file or a name.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some((path, name)) = text.split_once('#')
            && !path.is_empty()
            && !name.is_empty()
            && !name.contains('/')
        {
            return Self::Member { path: path.to_string(), name: name.to_string() };
        }
        match text.rsplit_once(':') {
            Some((path, ranges)) if !path.is_empty() => match parse_ranges(ranges) {
                Some(ranges) => Self::Lines { path: path.to_string(), ranges },
                None => Self::File(text.to_string()),
            },
            _ => Self::File(text.to_string()),
        }
    }

    /// The name of a definition, if this can be one: no range, no member, no folder.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::File(name) if !name.contains(['/', '\\']) => Some(name),
            _ => None,
        }
    }

    /// The path, or the name of a definition.
    pub fn path(&self) -> &str {
        match self {
            Self::File(path) | Self::Lines { path, .. } | Self::Member { path, .. } => path,
        }
    }
}

/// `20`, `20-80`, `20-` or several of them with commas between.
fn parse_ranges(text: &str) -> Option<Vec<Lines>> {
    let range = |text: &str| {
        let text = text.trim().trim_start_matches('L');
        let (start, end) = match text.split_once('-') {
            Some((start, "")) => (start.parse().ok()?, u32::MAX),
            Some((start, end)) => (start.parse().ok()?, end.trim_start_matches('L').parse().ok()?),
            None => {
                let line = text.parse().ok()?;
                (line, line)
            }
        };
        (start >= 1 && start <= end).then(|| Lines::new(start, end))
    };
    text.split(',').map(range).collect()
}

/// A place that was read.
#[derive(Clone, Debug)]
pub struct PlaceView {
    /// The file.
    pub path: RelPath,
    /// The number of lines of the file.
    pub line_count: u32,
    /// The definition, if one was named.
    pub place: Option<Place>,
    /// The lines that are shown.
    pub excerpts: Vec<Excerpt>,
    /// Requested lines that are not shown for lack of room.
    pub omitted: Vec<Lines>,
    /// The members of the file, if it is shown as an outline because it is larger than the room.
    pub members: Vec<Place>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl PlaceView {
    /// About how many characters it takes.
    pub fn chars(&self) -> usize {
        let lines = self.excerpts.iter().flat_map(|excerpt| &excerpt.text);
        let members = self.members.iter().map(|place| place.signature.len() + 12);
        lines.map(|line| line.len() + 6).chain(members).sum()
    }
}

/// Shows a place of a file that was read whole, in at most `chars` characters.
pub fn view_place(
    spec: &PlaceSpec,
    view: &FileView,
    chars: usize,
) -> Result<Vec<PlaceView>, SearchError> {
    let text = Text::new(view.content.clone());
    let last = view.line_count.max(1);
    let base = PlaceView {
        path: view.path.clone(),
        line_count: view.line_count,
        place: None,
        excerpts: Vec::new(),
        omitted: Vec::new(),
        members: Vec::new(),
        notes: view.notes.clone(),
    };
    match spec {
        PlaceSpec::File(_) => {
            let all = Lines::new(1, last);
            if cost(&text, all) <= chars || view.line_count == 0 {
                return Ok(vec![fill(base, &text, &[all], chars)]);
            }
            let members = outline_places(&groma_syntax::parse(&view.path, &view.content).facts);
            if members.is_empty() {
                return Ok(vec![fill(base, &text, &[all], chars)]);
            }
            Ok(vec![PlaceView { members, ..base }])
        }
        PlaceSpec::Lines { ranges, .. } => {
            let mut base = base;
            let ranges: Vec<Lines> =
                ranges.iter().filter_map(|range| clamp(*range, last)).collect();
            if ranges.is_empty() {
                base.notes.push(format!("the file has {last} lines"));
            }
            Ok(vec![fill(base, &text, &ranges, chars)])
        }
        PlaceSpec::Member { name, .. } => {
            let facts = groma_syntax::parse(&view.path, &view.content).facts;
            let found = find_members(&facts, name);
            if found.is_empty() {
                return Err(no_member(view, &facts, name));
            }
            let share = chars / found.len();
            let views = found.into_iter().map(|symbol| {
                let lines = Lines::new(symbol.lines.start.min(last), symbol.lines.end.min(last));
                let place = Some(place_of(symbol));
                fill(PlaceView { place, ..base.clone() }, &text, &[lines], share)
            });
            Ok(views.collect())
        }
    }
}

fn clamp(range: Lines, last: u32) -> Option<Lines> {
    (range.start <= last).then(|| Lines::new(range.start, range.end.min(last)))
}

fn cost(text: &Text, lines: Lines) -> usize {
    text.start(lines.end.saturating_add(1)) - text.start(lines.start) + 5 * lines.count() as usize
}

/// Adds the lines while there is room; the first line is always shown.
fn fill(mut view: PlaceView, text: &Text, ranges: &[Lines], chars: usize) -> PlaceView {
    let mut room = chars;
    for range in ranges.iter().filter(|_| view.line_count > 0) {
        let mut end = range.start.saturating_sub(1);
        while end < range.end {
            let price = cost(text, Lines::new(end + 1, end + 1)).min(crate::snippet::MAX_LINE + 8);
            if price > room && (end >= range.start || !view.excerpts.is_empty()) {
                break;
            }
            room = room.saturating_sub(price);
            end += 1;
        }
        if end >= range.start {
            view.excerpts.push(excerpt(text, Lines::new(range.start, end)));
        }
        if end < range.end {
            view.omitted.push(Lines::new(end + 1, range.end));
        }
    }
    view
}

/// The definitions of a file that a name means: its last part is theirs, the others are parents.
fn find_members<'f>(facts: &'f FileFacts, name: &str) -> Vec<&'f Symbol> {
    let wanted = parts(name);
    let matches = |symbol: &&Symbol, same: fn(&str, &str) -> bool| {
        let own = parts(&symbol.qualified);
        wanted.len() <= own.len()
            && wanted.iter().rev().zip(own.iter().rev()).all(|(a, b)| same(a, b))
    };
    let exact = |a: &str, b: &str| a == b;
    let ignoring_case = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let mut found: Vec<&Symbol> = facts.symbols.iter().filter(|one| matches(one, exact)).collect();
    if found.is_empty() {
        found = facts.symbols.iter().filter(|one| matches(one, ignoring_case)).collect();
    }
    // A definition with several declarations is not shown more often than a reader can use.
    found.truncate(MAX_SAME_NAME);
    found
}

/// Definitions of one name that are shown.
const MAX_SAME_NAME: usize = 4;

fn parts(name: &str) -> Vec<&str> {
    let is_separator = |c: char| !(c as u32 >= 0x80 || is_identifier_byte(c as u8) || c == '$');
    name.split(is_separator).filter(|part| !part.is_empty()).collect()
}

fn no_member(view: &FileView, facts: &FileFacts, name: &str) -> SearchError {
    let names: Vec<&str> =
        facts.symbols.iter().take(30).map(|symbol| symbol.name.as_str()).collect();
    let reason = match &*names {
        [] => format!("{} defines nothing; read it by lines", view.path),
        names => format!("{} has no member {name}; it has {}", view.path, names.join(", ")),
    };
    SearchError::invalid("places", reason)
}

/// The members of a file: definitions, without the variables inside functions.
pub fn outline_places(facts: &FileFacts) -> Vec<Place> {
    let mut covered = 0;
    let mut places = Vec::new();
    for symbol in &facts.symbols {
        if symbol.lines.end <= covered {
            continue;
        }
        if !symbol.kind.is_container() {
            covered = symbol.lines.end;
        }
        places.push(place_of(symbol));
    }
    places
}

/// The innermost definition that runs at a line, or else the innermost one around it.
pub fn enclosing_place(facts: &FileFacts, line: u32) -> Option<Place> {
    let around = facts.symbols.iter().filter(|symbol| symbol.lines.contains(line));
    let innermost = around.min_by_key(|symbol| {
        (!symbol.kind.is_callable(), symbol.lines.count(), symbol.kind.is_value())
    });
    innermost.map(place_of)
}

/// A definition by name.
pub fn place_of(symbol: &Symbol) -> Place {
    Place {
        lines: symbol.lines,
        kind: Some(symbol.kind),
        name: short_name(symbol),
        signature: symbol.signature.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PlaceSpec as P;

    #[test]
    fn places_are_files_ranges_or_members() {
        let lines = |path: &str, ranges: &[(u32, u32)]| P::Lines {
            path: path.into(),
            ranges: ranges.iter().map(|(start, end)| Lines::new(*start, *end)).collect(),
        };
        let member = |path: &str, name: &str| P::Member { path: path.into(), name: name.into() };
        let cases = [
            ("src/a.rs", P::File("src/a.rs".into())),
            ("src/a.rs:20", lines("src/a.rs", &[(20, 20)])),
            ("src/a.rs:20-80", lines("src/a.rs", &[(20, 80)])),
            ("src/a.rs:L20-L80", lines("src/a.rs", &[(20, 80)])),
            ("src/a.rs:20-", lines("src/a.rs", &[(20, u32::MAX)])),
            ("src/a.rs:1-3,9", lines("src/a.rs", &[(1, 3), (9, 9)])),
            ("src/a.rs#Class.method", member("src/a.rs", "Class.method")),
            ("C#/main.cs", P::File("C#/main.cs".into())),
            ("C#/main.cs:3", lines("C#/main.cs", &[(3, 3)])),
            ("auth::verify", P::File("auth::verify".into())),
            ("src/a.rs:80-20", P::File("src/a.rs:80-20".into())),
            ("src/a.rs:0", P::File("src/a.rs:0".into())),
        ];
        for (text, spec) in cases {
            assert_eq!(P::parse(text), spec, "{text}");
        }
    }

    #[test]
    fn names_have_no_folder() {
        assert_eq!(P::parse("auth::verify").name(), Some("auth::verify"));
        for other in ["src/a.rs", "a.rs:3", "a.rs#run", "src\\a.rs"] {
            assert_eq!(P::parse(other).name(), None, "{other}");
        }
    }

    #[test]
    fn members_are_found_by_the_end_of_their_name() {
        let text = "class A:\n    def run(self):\n        pass\n\nclass B:\n    def run(self):\n        pass\n";
        let facts = groma_syntax::parse(&RelPath::new("a.py").unwrap(), text).facts;
        let lines = |name: &str| -> Vec<u32> {
            find_members(&facts, name).iter().map(|symbol| symbol.lines.start).collect()
        };
        assert_eq!(lines("run"), [2, 6]);
        assert_eq!(lines("B.run"), [6]);
        assert_eq!(lines("b::RUN"), [6], "case matters only if it can");
        assert!(lines("C.run").is_empty());
    }
}
