//! The reader: parses query files into patterns.

use super::{Branch, ERROR, Kind, Kinds, Pattern, Predicate, Query, Step, Test};
use regex::bytes::Regex;
use rustc_hash::FxHashMap;
use tree_sitter::Language as Grammar;

/// The maximum nesting of steps: the matcher recurses over them.
const MAX_DEPTH: usize = 64;

impl Query {
    /// Compiles a query file. An error names the line.
    pub fn new(grammar: &Grammar, text: &str) -> Result<Self, String> {
        let mut reader =
            Reader { text, at: 0, grammar, ids: FxHashMap::default(), capture_names: Vec::new() };
        let mut patterns = Vec::new();
        reader.skip_trivia();
        while reader.at < text.len() {
            let start = reader.at;
            let pattern = reader.pattern().map_err(|message| {
                let line = line_at(text, reader.at);
                let from = line_at(text, start);
                format!("line {line}, in the pattern that starts at line {from}: {message}")
            })?;
            patterns.push(pattern);
            reader.skip_trivia();
        }
        let kinds = Kinds::new(grammar, &patterns, &reader.capture_names);
        Ok(Self { capture_names: reader.capture_names, patterns, kinds })
    }
}

fn line_at(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at.min(text.len())]).count() + 1
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    grammar: &'a Grammar,
    /// Ids of kinds (`true`) and fields looked up before: the grammar searches all its names each time.
    ids: FxHashMap<(&'a str, bool), u16>,
    capture_names: Vec<String>,
}

impl<'a> Reader<'a> {
    fn pattern(&mut self) -> Result<Pattern, String> {
        let mut predicates = Vec::new();
        let steps = if self.opens_group() {
            self.at += 1;
            self.steps(b')', &mut predicates, 1)?.0
        } else {
            vec![self.step(&mut predicates, 1)?]
        };
        // A suffix of a group would have no node to apply to.
        self.skip_trivia();
        if steps.len() > 1 && matches!(self.peek(), Some(b'@' | b'?' | b'*' | b'+')) {
            return Err("a group can be neither captured nor quantified".into());
        }
        let root = steps.first().ok_or("a pattern needs a node")?;
        if steps.iter().any(|step| step.optional || step.last) || root.anchored {
            return Err("the root of a pattern can be neither optional nor anchored".into());
        }
        if root.branches.iter().any(|branch| branch.field != 0) {
            return Err("the root of a pattern cannot be a field".into());
        }
        if !root.branches.iter().all(|branch| matches!(branch.kind, Kind::Is(_))) {
            return Err("the root of a pattern must be of a kind, not `_`".into());
        }
        let optional = steps.iter().any(has_optional);
        Ok(Pattern { steps, predicates, optional })
    }

    /// Whether a group like `((a) . (b))` begins here, not a node.
    fn opens_group(&self) -> bool {
        let rest = &self.text[self.at..];
        rest.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(['(', '[', '"']))
    }

    /// Steps up to the closing bracket, and the fields that must be absent.
    fn steps(
        &mut self,
        close: u8,
        predicates: &mut Vec<Predicate>,
        depth: usize,
    ) -> Result<(Vec<Step>, Vec<u16>), String> {
        let mut steps: Vec<Step> = Vec::new();
        let mut absent_fields = Vec::new();
        let mut anchored = false;
        loop {
            self.skip_trivia();
            match self.peek() {
                None => return Err(format!("`{}` is missing", char::from(close))),
                Some(byte) if byte == close => {
                    self.at += 1;
                    break;
                }
                Some(b'!') => {
                    self.at += 1;
                    let name = self.word()?;
                    absent_fields.push(self.field(name)?);
                }
                Some(b'.') => {
                    self.at += 1;
                    anchored = true;
                }
                Some(b'(') if self.opens_predicate() => predicates.push(self.predicate()?),
                Some(_) => {
                    let mut step = self.step(predicates, depth + 1)?;
                    step.anchored = std::mem::take(&mut anchored);
                    steps.push(step);
                }
            }
        }
        if anchored {
            steps.last_mut().ok_or("`.` needs a node beside it")?.last = true;
        }
        check_anchors(&mut steps)?;
        Ok((steps, absent_fields))
    }

    /// A node, an alternation or a field, with its quantifier and captures.
    fn step(&mut self, predicates: &mut Vec<Predicate>, depth: usize) -> Result<Step, String> {
        if depth > MAX_DEPTH {
            return Err("nodes are nested too deeply".into());
        }
        self.skip_trivia();
        if self.opens_group() {
            return Err("a group inside of a pattern is not supported".into());
        }
        let mut branches = match self.peek() {
            Some(b'[') => self.alternation(predicates, depth)?,
            Some(b'(') => vec![self.node(predicates, depth)?],
            Some(b'"') => {
                let text = self.string()?;
                let id = self.grammar.id_for_node_kind(&text, false);
                vec![Branch::of(known(id, || format!("no token \"{text}\""))?)]
            }
            Some(b'_') if !self.rest_is_word() => {
                self.at += 1;
                vec![Branch::of(Kind::Any)]
            }
            _ => {
                let name = self.word()?;
                self.skip_trivia();
                if self.peek() != Some(b':') {
                    return Err(format!("`{name}` is neither a node in brackets nor a field"));
                }
                self.at += 1;
                let field = self.field(name)?;
                let mut step = self.step(predicates, depth)?;
                for branch in &mut step.branches {
                    branch.field = field;
                }
                return Ok(step);
            }
        };
        let optional = self.suffixes(&mut branches)?;
        Ok(Step { branches, anchored: false, last: false, optional, first_match_only: false })
    }

    /// The alternatives between brackets; nested ones are flattened.
    fn alternation(
        &mut self,
        predicates: &mut Vec<Predicate>,
        depth: usize,
    ) -> Result<Vec<Branch>, String> {
        self.at += 1;
        let mut branches = Vec::new();
        loop {
            self.skip_trivia();
            match self.peek() {
                None => return Err("`]` is missing".into()),
                Some(b']') => break,
                Some(_) => {
                    let step = self.step(predicates, depth + 1)?;
                    if step.optional {
                        return Err("`?` inside of an alternation is not supported".into());
                    }
                    branches.extend(step.branches);
                }
            }
        }
        self.at += 1;
        if branches.is_empty() { Err("an alternation needs a node".into()) } else { Ok(branches) }
    }

    fn node(&mut self, predicates: &mut Vec<Predicate>, depth: usize) -> Result<Branch, String> {
        self.at += 1;
        self.skip_trivia();
        let name = self.word()?;
        if self.peek() == Some(b'/') {
            return Err("supertypes are not supported".into());
        }
        let kind = if name == "_" { Kind::Named } else { self.kind(name)? };
        let (children, absent_fields) = self.steps(b')', predicates, depth)?;
        Ok(Branch { absent_fields, children, ..Branch::of(kind) })
    }

    /// Captures and `?`; whether there was a `?`.
    fn suffixes(&mut self, branches: &mut [Branch]) -> Result<bool, String> {
        let mut optional = false;
        loop {
            self.skip_trivia();
            match self.peek() {
                Some(b'?') => {
                    self.at += 1;
                    optional = true;
                }
                Some(b'@') => {
                    let capture = self.capture()?;
                    for branch in branches.iter_mut() {
                        branch.captures.push(capture);
                    }
                }
                Some(byte @ (b'*' | b'+')) => {
                    return Err(format!("`{}` is not supported", char::from(byte)));
                }
                _ => return Ok(optional),
            }
        }
    }

    fn capture(&mut self) -> Result<u16, String> {
        self.at += 1;
        let name = self.word()?;
        let known = self.capture_names.iter().position(|one| one == name);
        let index = known.unwrap_or_else(|| {
            self.capture_names.push(name.to_string());
            self.capture_names.len() - 1
        });
        Ok(index as u16)
    }

    fn opens_predicate(&self) -> bool {
        self.text[self.at + 1..].trim_start().starts_with('#')
    }

    /// `(#eq? @name "text")`
    fn predicate(&mut self) -> Result<Predicate, String> {
        self.at += 1;
        self.skip_trivia();
        self.at += 1;
        let name = self.word()?;
        if self.peek() != Some(b'?') {
            return Err(format!("`#{name}` is not supported"));
        }
        self.at += 1;
        let (holds, test) = match name.strip_prefix("not-") {
            Some(test) => (false, test),
            None => (true, name),
        };
        self.skip_trivia();
        if self.peek() != Some(b'@') {
            return Err(format!("`#{name}?` needs a capture"));
        }
        let capture = self.capture()?;
        let test = self.test(name, test)?;
        self.skip_trivia();
        if self.peek() != Some(b')') {
            return Err(format!("`)` is missing after `#{name}?`"));
        }
        self.at += 1;
        Ok(Predicate { capture, test, holds })
    }

    fn test(&mut self, name: &str, test: &str) -> Result<Test, String> {
        let mut strings = Vec::new();
        loop {
            self.skip_trivia();
            match self.peek() {
                Some(b'"') => strings.push(self.string()?),
                Some(b'@') if test == "eq" && strings.is_empty() => {
                    return Ok(Test::Same(self.capture()?));
                }
                _ => break,
            }
        }
        match (test, strings.as_slice()) {
            ("eq", [_]) | ("any-of", [_, ..]) => Ok(Test::OneOf(strings)),
            ("match", [pattern]) => {
                Regex::new(pattern).map(Test::Match).map_err(|error| format!("`#{name}?`: {error}"))
            }
            ("eq" | "any-of" | "match", _) => Err(format!("`#{name}?` lacks its text")),
            _ => Err(format!("`#{name}?` is not supported")),
        }
    }

    fn kind(&mut self, name: &'a str) -> Result<Kind, String> {
        if name == "ERROR" {
            return Ok(Kind::Is(ERROR));
        }
        let id = *self
            .ids
            .entry((name, true))
            .or_insert_with(|| self.grammar.id_for_node_kind(name, true));
        if name == "MISSING" || self.grammar.node_kind_is_supertype(id) {
            return Err(format!("`{name}`: missing nodes and supertypes are not supported"));
        }
        known(id, || format!("no node kind `{name}`"))
    }

    fn field(&mut self, name: &'a str) -> Result<u16, String> {
        let id = *self.ids.entry((name, false)).or_insert_with(|| {
            self.grammar.field_id_for_name(name).map_or(0, std::num::NonZeroU16::get)
        });
        if id == 0 { Err(format!("no field `{name}`")) } else { Ok(id) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and comments.
    fn skip_trivia(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b';' => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if end == 0 {
            let found = rest.chars().next().map_or("the end".into(), |c| format!("`{c}`"));
            return Err(format!("a name was expected, not {found}"));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// Whether the current name has more than one character.
    fn rest_is_word(&self) -> bool {
        self.text[self.at + 1..].starts_with(is_word)
    }

    /// A quoted string.
    fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 2;
                    return Ok(text);
                }
                '\n' => break,
                '\\' => text.push(match chars.next().map_or('\\', |(_, c)| c) {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    other => other,
                }),
                other => text.push(other),
            }
        }
        Err("a text is not closed".into())
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The kind with an id of the grammar, which gives 0 for an unknown name.
fn known(id: u16, message: impl FnOnce() -> String) -> Result<Kind, String> {
    if id == 0 { Err(message()) } else { Ok(Kind::Is(id)) }
}

impl Branch {
    fn of(kind: Kind) -> Self {
        Self {
            kind,
            field: 0,
            absent_fields: Vec::new(),
            captures: Vec::new(),
            children: Vec::new(),
        }
    }

    fn captures_anything(&self) -> bool {
        !self.captures.is_empty()
            || self.children.iter().flat_map(|step| &step.branches).any(Self::captures_anything)
    }
}

fn has_optional(step: &Step) -> bool {
    step.optional || step.branches.iter().flat_map(|branch| &branch.children).any(has_optional)
}

/// Rejects anchors next to optional steps, and marks the steps of which one match is enough.
fn check_anchors(steps: &mut [Step]) -> Result<(), String> {
    for index in 0..steps.len() {
        let next_anchored = steps.get(index + 1).is_some_and(|next| next.anchored);
        let is_final = index + 1 == steps.len();
        let step = &steps[index];
        if step.optional && (next_anchored || step.last || step.anchored && !is_final) {
            return Err("`.` beside `?` is only supported before the last node".into());
        }
        if next_anchored && step.branches.iter().any(|branch| branch.kind == Kind::Any) {
            return Err("`.` after `_` is not supported".into());
        }
        let uncaptured = !step.branches.iter().any(Branch::captures_anything);
        steps[index].first_match_only = uncaptured && !next_anchored && !step.optional;
    }
    Ok(())
}
