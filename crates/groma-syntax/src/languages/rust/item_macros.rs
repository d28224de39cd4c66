//! Items inside macro calls: `cfg_rt! { pub fn spawn() {} }`.
//!
//! To the grammar the body of a macro call is a heap of tokens. Where it has the shape of items, the call is cut short to
//! `cfg_rt!()` in place and the items remain beside it, so that they are parsed like any others and the macro still counts
//! as used. Nothing moves: every byte that goes is replaced by another.

use memchr::{memchr, memchr_iter};
use std::borrow::Cow;

/// How often a byte may be looked at, on average: nested calls read the innermost items once per level.
const MAX_PASSES: usize = 6;

/// Opens the macro calls whose bodies are items.
pub(super) fn open(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut opened: Option<Vec<u8>> = None;
    let mut budget = MAX_PASSES * bytes.len();
    for mark in memchr_iter(b'!', bytes) {
        let Some(brace) = body_of_call(bytes, mark) else { continue };
        let mut scanner = Scanner::new(bytes, brace, budget);
        let body = scanner.items();
        budget = budget.saturating_sub(scanner.at - brace);
        let Some(body) = body else { continue };
        let out = opened.get_or_insert_with(|| bytes.to_vec());
        close_call(out, mark, brace);
        out[body.end] = b' ';
        for at in body.references {
            out[at..at + 3].copy_from_slice(b"mut");
        }
    }
    // Only whole ASCII characters were replaced by others, so the text is still UTF-8.
    match opened.map(String::from_utf8) {
        Some(Ok(opened)) => Cow::Owned(opened),
        _ => Cow::Borrowed(text),
    }
}

/// The brace that opens the body of the call with this `!`, if the call is the first of its line.
fn body_of_call(bytes: &[u8], mark: usize) -> Option<usize> {
    let brace = mark + 1 + bytes[mark + 1..].iter().position(|byte| *byte != b' ')?;
    if bytes[brace] != b'{' {
        return None;
    }
    let is_path = |byte: &u8| is_word(*byte) || *byte == b':';
    let path = bytes[..mark].iter().rev().take_while(|byte| is_path(byte)).count();
    let before = bytes[..mark - path].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    let heads_line = before.is_none_or(|byte| *byte == b'\n');
    (path > 0 && heads_line).then_some(brace)
}

/// Makes `name! {` a call without arguments; if there is no room for one, the name goes too.
fn close_call(out: &mut [u8], mark: usize, brace: usize) {
    let roomy = brace > mark + 1 || out.get(brace + 1).is_some_and(u8::is_ascii_whitespace);
    if roomy {
        out[mark + 1..=brace].fill(b' ');
        out[mark + 1] = b'(';
        out[mark + 2] = b')';
        return;
    }
    let start = out[..mark].iter().rposition(|byte| byte.is_ascii_whitespace());
    out[start.map_or(0, |at| at + 1)..=brace].fill(b' ');
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A body that has the shape of items.
struct Body {
    /// Where its closing brace is.
    end: usize,
    /// Where the `ref` of each `static ref` is, which only macros know.
    references: Vec<usize>,
}

/// Reads tokens; every method returns `None` where the text has no such thing or the budget is used up.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Nothing is read from here on.
    limit: usize,
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8], at: usize, budget: usize) -> Self {
        Self { bytes, at, limit: bytes.len().min(at.saturating_add(budget)) }
    }

    /// The items between braces, at the opening one. Calls in braces count: they may hold items in turn.
    fn items(&mut self) -> Option<Body> {
        self.at += 1;
        let mut references = Vec::new();
        let mut any = false;
        loop {
            match self.peek()? {
                b'}' => break,
                b';' => self.at += 1,
                _ => any |= self.item(&mut references)?,
            }
        }
        any.then_some(Body { end: self.at, references })
    }

    /// One item with its attributes; `false` if it is a call that cannot hold items.
    fn item(&mut self, references: &mut Vec<usize>) -> Option<bool> {
        while self.peek()? == b'#' {
            self.at += 1;
            if self.peek()? == b'!' {
                self.at += 1;
            }
            self.group(b'[')?;
        }
        loop {
            match self.word()? {
                b"pub" => {
                    if self.peek()? == b'(' {
                        self.group(b'(')?;
                    }
                }
                b"unsafe" | b"async" | b"default" => {}
                b"extern" => match self.peek()? {
                    b'{' => return self.group(b'{').map(|()| true),
                    b'"' => self.skip_token()?,
                    _ => {}
                },
                b"crate" | b"use" => return self.skip_to_semicolon(),
                b"const" if self.next_is_function() => {}
                b"const" => return self.typed_name(),
                b"static" => {
                    let at = self.position()?;
                    if self.bytes[at..].starts_with(b"ref ") {
                        references.push(at);
                        self.at = at + 3;
                    } else if self.bytes[at..].starts_with(b"mut ") {
                        self.at = at + 3;
                    }
                    return self.typed_name();
                }
                b"fn" => return self.named(b"(<"),
                b"struct" | b"union" => return self.named(b"{(<;w"),
                b"enum" => return self.named(b"{<w"),
                b"trait" => return self.named(b"{<:w"),
                b"mod" => return self.named(b"{;"),
                b"type" => {
                    self.word()?;
                    return self.skip_to_semicolon();
                }
                b"impl" => return self.skip_to_end(),
                b"macro_rules" => {
                    self.expect(b'!')?;
                    self.word()?;
                    return self.any_group();
                }
                _ => return self.call(),
            }
        }
    }

    /// A name, one of the bytes that may follow it, and the rest of the item.
    fn named(&mut self, follows: &[u8]) -> Option<bool> {
        self.word()?;
        follows.contains(&self.peek()?).then_some(())?;
        self.skip_to_end()
    }

    /// `NAME: Type = value;`
    fn typed_name(&mut self) -> Option<bool> {
        self.word()?;
        self.expect(b':')?;
        self.skip_to_semicolon()
    }

    /// The call of another macro, after the first word of its path.
    fn call(&mut self) -> Option<bool> {
        while self.peek()? == b':' {
            self.at += 1;
            self.expect(b':')?;
            self.word()?;
        }
        self.expect(b'!')?;
        let braces = self.peek()? == b'{';
        self.any_group()?;
        Some(braces)
    }

    fn any_group(&mut self) -> Option<bool> {
        let open = self.peek()?;
        matches!(open, b'{' | b'(' | b'[').then_some(())?;
        self.group(open)?;
        Some(true)
    }

    /// Whether a qualifier of functions follows.
    fn next_is_function(&mut self) -> bool {
        let rest = self.position().map_or(&[][..], |at| &self.bytes[at..]);
        [&b"fn "[..], b"unsafe ", b"async ", b"extern "].iter().any(|word| rest.starts_with(word))
    }

    /// Up to the end of an item that ends with a semicolon or a body.
    fn skip_to_end(&mut self) -> Option<bool> {
        loop {
            match self.peek()? {
                b';' => {
                    self.at += 1;
                    return Some(true);
                }
                b'{' => return self.group(b'{').map(|()| true),
                b'}' | b')' | b']' => return None,
                _ => self.skip_token()?,
            }
        }
    }

    fn skip_to_semicolon(&mut self) -> Option<bool> {
        loop {
            match self.peek()? {
                b';' => {
                    self.at += 1;
                    return Some(true);
                }
                b'}' | b')' | b']' => return None,
                _ => self.skip_token()?,
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn word(&mut self) -> Option<&'a [u8]> {
        let start = self.position()?;
        let rest = &self.bytes[start..self.limit];
        let length = rest.iter().position(|byte| !is_word(*byte))?;
        self.at = start + length;
        (length > 0).then_some(&rest[..length])
    }

    /// From an opening bracket to behind its closing one.
    fn group(&mut self, open: u8) -> Option<()> {
        self.expect(open)?;
        let mut depth = 1;
        while depth > 0 {
            match self.peek()? {
                b'{' | b'(' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b')' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                _ => self.skip_leaf()?,
            }
        }
        Some(())
    }

    /// A bracketed group, or a token without brackets.
    fn skip_token(&mut self) -> Option<()> {
        match self.peek()? {
            open @ (b'{' | b'(' | b'[') => self.group(open),
            _ => self.skip_leaf(),
        }
    }

    /// A string, character, lifetime, word or other byte.
    fn skip_leaf(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'\'' => self.quote(),
            byte if is_word(byte) => self.word_or_raw_string(),
            _ => {
                self.at += 1;
                Some(())
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match *self.bytes[..self.limit].get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    /// A character or a lifetime.
    fn quote(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at + 1..self.limit];
        let length = match rest.first()? {
            b'\\' => 2 + memchr(b'\'', rest.get(2..)?)?,
            first => {
                let width = utf8_width(*first);
                if rest.get(width) == Some(&b'\'') { width } else { 0 }
            }
        };
        self.at += if length == 0 { 1 } else { length + 2 };
        Some(())
    }

    fn word_or_raw_string(&mut self) -> Option<()> {
        let word = self.word()?;
        if !matches!(word, b"r" | b"br" | b"cr") {
            return Some(());
        }
        let rest = &self.bytes[self.at..self.limit];
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        if rest.get(hashes) != Some(&b'"') {
            return Some(());
        }
        let mut end = vec![b'#'; hashes + 1];
        end[0] = b'"';
        self.at += hashes + 1;
        self.at += memchr::memmem::find(&self.bytes[self.at..self.limit], &end)? + end.len();
        Some(())
    }

    /// The next byte that is neither white space nor in a comment.
    fn peek(&mut self) -> Option<u8> {
        let at = self.position()?;
        self.at = at;
        Some(self.bytes[at])
    }

    fn position(&mut self) -> Option<usize> {
        loop {
            let rest = self.bytes.get(self.at..self.limit)?;
            let space = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
            self.at += space;
            let rest = &rest[space..];
            if rest.starts_with(b"//") {
                self.at += memchr(b'\n', rest)?;
            } else if rest.starts_with(b"/*") {
                self.at += block_comment(rest)?;
            } else {
                return Some(self.at);
            }
        }
    }
}

fn utf8_width(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// The length of a comment that may contain others.
fn block_comment(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    loop {
        match bytes.get(at..at + 2)? {
            b"/*" => {
                depth += 1;
                at += 2;
            }
            b"*/" => {
                depth -= 1;
                at += 2;
            }
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let opened = open(text);
        assert_eq!(opened, expected);
        assert_eq!(opened.len(), text.len());
    }

    #[test]
    fn calls_that_hold_items_are_opened_in_place() {
        check("cfg_rt! {\n    pub fn spawn() {}\n}\n", "cfg_rt!()\n    pub fn spawn() {}\n \n");
        check("a::b!{\n#[x]\nuse c;\n}", "a::b!()#[x]\nuse c;\n ");
        check("cfg!{fn f() {}}", "     fn f() {} ");
        check(
            "impl A {\n  cfg! { const B: C = {}; }\n}",
            "impl A {\n  cfg!() const B: C = {};  \n}",
        );
        check("lazy! {\n  static ref A: B = c();\n}", "lazy!()\n  static mut A: B = c();\n ");
    }

    #[test]
    fn nested_calls_are_opened_too() {
        check("a! {\n b! {\n  mod c;\n }\n}", "a!()\n b!()\n  mod c;\n  \n ");
    }

    #[test]
    fn brackets_in_strings_characters_and_comments_do_not_count() {
        let body = "fn f<'a>(x: &'a str) { g('}', '\\'', b'{', \"}\", r#\"\"}\"#, 'ä'); /* } /* */ */ } // }\n";
        check(&format!("a! {{\n{body}}}\n"), &format!("a!()\n{body} \n"));
    }

    #[test]
    fn other_bodies_stay_closed() {
        for text in [
            "select! {\n a = b => c,\n}",
            "flags! {\n struct A: u32 { const B = 1; }\n}",
            "let x = a! { fn f() {} };",
            "macro_rules! a {\n () => {};\n}",
            "a! {\n fn f() {",
            "a! {\n println!(\"\");\n}",
            "a! {}",
        ] {
            assert!(matches!(open(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn deep_nesting_ends_in_time() {
        let text = "a! {\n".repeat(100_000);
        open(&text);
        let text = format!("{}fn f() {{}}{}", "a! {\n".repeat(100_000), "}".repeat(100_000));
        open(&text);
    }
}
