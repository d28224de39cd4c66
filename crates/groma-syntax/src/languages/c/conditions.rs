//! Conditional compilation that splits a declaration or an expression.
//!
//! The grammars know `#if` around whole declarations, statements and members, with all of its branches. Where a branch is
//! less than that, such as half of a head or a further argument, they lose what is around it. There the directives are
//! replaced by spaces, and of branches that exclude one another the first remains.

use std::borrow::Cow;
use std::ops::Range;

/// A group from `#if` to `#endif` that is being read.
struct Group {
    /// The last byte of code before it; 0 if there is none.
    before: u8,
    /// The byte ranges of its directives.
    directives: Vec<Range<usize>>,
    branches: Vec<Branch>,
    is_cplusplus: bool,
}

/// The code between two directives of a group.
struct Branch {
    bytes: Range<usize>,
    /// Opened brackets less closed ones.
    net: i32,
    /// The lowest that `net` was.
    lowest: i32,
    /// Its last byte of code; 0 if there is none.
    last: u8,
    /// Whether its condition is `0`.
    hidden: bool,
}

impl Branch {
    fn new(start: usize, hidden: bool) -> Self {
        Self { bytes: start..start, net: 0, lowest: 0, last: 0, hidden }
    }

    fn is_balanced(&self) -> bool {
        self.net == 0 && self.lowest == 0
    }

    fn is_whole(&self) -> bool {
        self.is_balanced() && matches!(self.last, 0 | b';' | b'}')
    }

    /// Whether it is some elements of a list.
    fn is_list(&self) -> bool {
        self.is_balanced() && matches!(self.last, 0 | b',')
    }
}

impl Group {
    /// The byte ranges to hide.
    fn hidden(&self) -> Vec<Range<usize>> {
        let splits = b"(=&|+-*/<>?!,".contains(&self.before);
        if !splits && self.branches.iter().all(Branch::is_whole) {
            return Vec::new();
        }
        let mut hidden = self.directives.clone();
        if self.branches.iter().all(Branch::is_list) {
            return hidden;
        }
        let foreign = self.is_cplusplus && !self.branches.iter().all(Branch::is_balanced);
        let fits = |branch: &Branch| !branch.hidden && branch.last != 0;
        let kept = self.branches.iter().position(fits).filter(|_| !foreign);
        let others = self.branches.iter().enumerate().filter(|(at, _)| Some(*at) != kept);
        hidden.extend(others.map(|(_, branch)| branch.bytes.clone()));
        hidden
    }
}

/// Hides the directives that split code, so that all byte offsets stay valid.
pub(in super::super) fn join(text: &str) -> Cow<'_, str> {
    if !text.contains("#if") && !text.contains("# if") {
        return Cow::Borrowed(text);
    }
    let mut reader = Reader::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        reader.line(line, at);
        at += line.len();
    }
    if reader.hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in reader.hidden {
        for byte in bytes[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
    }
    // Whole lines became spaces, so the text is still UTF-8.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Reads a text line by line.
#[derive(Default)]
struct Reader {
    open: Vec<Group>,
    hidden: Vec<Range<usize>>,
    /// The last byte of code so far.
    last: u8,
    in_comment: bool,
    /// Whether the line before, a directive, continues in this one; and whether it belongs to a group.
    continued: Option<bool>,
}

impl Reader {
    fn line(&mut self, line: &str, at: usize) {
        let end = at + line.len();
        let continues = line.trim_end().ends_with('\\');
        if let Some(grouped) = self.continued {
            self.continued = continues.then_some(grouped);
            if let Some(group) = self.open.last_mut().filter(|_| grouped) {
                group.directives.push(at..end);
                if let Some(branch) = group.branches.last_mut() {
                    branch.bytes = end..end;
                }
            }
            return;
        }
        let directive = line.trim_start().strip_prefix('#').filter(|_| !self.in_comment);
        match directive {
            Some(directive) => {
                let grouped = self.directive(directive.trim(), at..end);
                self.continued = continues.then_some(grouped);
            }
            None => self.code(line.as_bytes()),
        }
        if let Some(branch) = self.open.last_mut().and_then(|group| group.branches.last_mut()) {
            branch.bytes.end = end;
        }
    }

    /// Reads a directive; whether it belongs to a group that is still open.
    fn directive(&mut self, directive: &str, bytes: Range<usize>) -> bool {
        let word = directive.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        let condition = directive[word.len()..].trim();
        let end = bytes.end;
        match word {
            "if" | "ifdef" | "ifndef" => self.open.push(Group {
                before: self.last,
                directives: vec![bytes],
                branches: vec![Branch::new(end, condition == "0")],
                is_cplusplus: condition.contains("__cplusplus"),
            }),
            "elif" | "else" | "elifdef" | "elifndef" => {
                let Some(group) = self.open.last_mut() else { return false };
                // Every branch follows what is before the group.
                self.last = group.before;
                group.directives.push(bytes);
                group.branches.push(Branch::new(end, condition == "0"));
            }
            "endif" => self.close(bytes),
            _ => return false,
        }
        word != "endif"
    }

    fn close(&mut self, bytes: Range<usize>) {
        let Some(mut group) = self.open.pop() else { return };
        group.directives.push(bytes);
        self.hidden.extend(group.hidden());
        // Outside, a group counts as its first branch.
        let first = group.branches.iter().find(|branch| !branch.hidden && branch.last != 0);
        let Some(first) = first else { return };
        self.last = first.last;
        let outer = self.open.last_mut().and_then(|group| group.branches.last_mut());
        if let Some(outer) = outer {
            outer.lowest = outer.lowest.min(outer.net + first.lowest);
            outer.net += first.net;
            outer.last = first.last;
        }
    }

    /// Reads a line of code: its brackets and its last byte, without comments and strings.
    fn code(&mut self, line: &[u8]) {
        let mut branch = self.open.last_mut().and_then(|group| group.branches.last_mut());
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            if self.in_comment {
                self.in_comment = !rest.starts_with(b"*/");
                at += if self.in_comment { 1 } else { 2 };
                continue;
            }
            if rest.starts_with(b"//") {
                break;
            }
            if rest.starts_with(b"/*") {
                self.in_comment = true;
                at += 2;
                continue;
            }
            let byte = rest[0];
            at += if matches!(byte, b'"' | b'\'') { quoted(rest) } else { 1 };
            if byte.is_ascii_whitespace() {
                continue;
            }
            self.last = byte;
            if let Some(branch) = &mut branch {
                branch.last = byte;
                match byte {
                    b'{' | b'(' | b'[' => branch.net += 1,
                    b'}' | b')' | b']' => branch.net -= 1,
                    _ => {}
                }
                branch.lowest = branch.lowest.min(branch.net);
            }
        }
    }
}

/// The length of a string or character, which ends with its line at the latest.
fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != rest[0] {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that remain.
    fn joined(text: &str) -> Vec<String> {
        let joined = join(text);
        assert_eq!(joined.len(), text.len());
        joined.lines().map(|line| line.trim_end().to_string()).collect()
    }

    #[test]
    fn directives_that_split_code_are_hidden() {
        let argument = "int f(int a\n#ifdef B\n, int b\n#endif\n) {}\n";
        assert_eq!(joined(argument), ["int f(int a", "", ", int b", "", ") {}"]);
        let head = "#if A\nint f(int a) {\n#else\nint f(int b) {\n#endif\n}\n";
        assert_eq!(joined(head), ["", "int f(int a) {", "", "", "", "}"]);
        let never = "x = a\n#if 0\n+ b\n#else\n+ c\n#endif\n;\n";
        assert_eq!(joined(never), ["x = a", "", "", "", "+ c", "", ";"]);
        let attribute = "int a;\n#if B\n[Old]\n#endif\nint c()\n#if B\n  => 1\n#endif\n;\n";
        assert_eq!(
            joined(attribute),
            ["int a;", "", "[Old]", "", "int c()", "", "  => 1", "", ";"]
        );
    }

    #[test]
    fn all_elements_of_a_list_remain() {
        let list = "int a[] = {\n#if A\n1, /* ; */\n#else\n2,\n#endif\n3};\n";
        assert_eq!(joined(list), ["int a[] = {", "", "1, /* ; */", "", "2,", "", "3};"]);
    }

    #[test]
    fn the_brace_of_another_language_is_hidden() {
        let text =
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif\n";
        assert_eq!(joined(text), ["", "", "", "int a;", "", "", ""]);
    }

    #[test]
    fn whole_declarations_are_left_alone() {
        for text in [
            "#ifndef A\n#define A\nint a;\n#if B \\\n  || C\nint b() { return '{'; }\n#else\nint c;\n#endif\n#endif\n",
            "#if A\n",
            "#endif\n",
            "/*\n#if A\n*/ int a\n",
        ] {
            assert!(matches!(join(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
