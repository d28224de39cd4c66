//! Comments and doc comments.

use super::Parser;
use super::kinds::{Field, Kind};

impl Parser<'_> {
    /// Records the comment at an offset; its end, or `None` if it is not closed.
    pub fn comment(&mut self, at: usize) -> Option<usize> {
        if self.at(at + 1) == b'*' {
            return self.block_comment(at);
        }
        let line = memchr::memchr(b'\n', &self.text[at..]).map(|length| at + length);
        let end = line.unwrap_or(self.text.len());
        let (marker, field) = match (self.at(at + 2), self.at(at + 3)) {
            (b'/', third) if third != b'/' => (Kind::OuterDocCommentMarker, Field::Outer),
            (b'!', _) => (Kind::InnerDocCommentMarker, Field::Inner),
            _ => {
                let text = &self.text[at..end];
                // The grammar parses six slashes as a comment of four with a comment of two as its child.
                let inner = [(Kind::LineComment as u16, 0, at + 4, end)];
                let parts = if text == b"//////" { &inner[..] } else { &[] };
                self.nodes.comment(Kind::LineComment as u16, at, end, parts);
                return (text != b"/////*").then_some(end);
            }
        };
        // A doc comment includes the line feed.
        let end = line.map_or(end, |line| line + 1);
        let parts = [
            (marker as u16, field as u16, at + 2, at + 3),
            (Kind::DocComment as u16, Field::Doc as u16, at + 3, end),
        ];
        self.nodes.comment(Kind::LineComment as u16, at, end, &parts);
        Some(end)
    }

    fn block_comment(&mut self, at: usize) -> Option<usize> {
        let (marker, field) = match (self.at(at + 2), self.at(at + 3)) {
            (b'!', _) => (Kind::InnerDocCommentMarker, Field::Inner),
            (b'*', third) if third != b'*' && third != b'/' => {
                (Kind::OuterDocCommentMarker, Field::Outer)
            }
            _ => {
                let end = self.block_content_end(at + 2)? + 2;
                self.nodes.comment(Kind::BlockComment as u16, at, end, &[]);
                return Some(end);
            }
        };
        let end = self.block_content_end(at + 3)?;
        let parts = [
            (marker as u16, field as u16, at + 2, at + 3),
            (Kind::DocComment as u16, Field::Doc as u16, at + 3, end),
        ];
        let parts = if end == at + 3 { &parts[..1] } else { &parts };
        self.nodes.comment(Kind::BlockComment as u16, at, end + 2, parts);
        Some(end + 2)
    }

    /// The offset of the closing `*/`. As in the grammar's scanner, the byte after a `/` is skipped, so that `//*` opens no
    /// nested comment.
    fn block_content_end(&self, from: usize) -> Option<usize> {
        let mut depth = 1;
        let mut at = from;
        loop {
            at += memchr::memchr2(b'*', b'/', self.text.get(at..)?)?;
            match (self.text[at], self.at(at + 1)) {
                (b'*', b'/') => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                    at += 2;
                }
                (b'*', _) => at += 1,
                (_, b'*') => {
                    depth += 1;
                    at += 2;
                }
                _ => at += 2,
            }
        }
    }
}
