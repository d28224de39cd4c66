//! Comments and attributes, and which of them belong to a definition.

use crate::comment;
use crate::tree::Node;
use std::ops::Range;

/// A comment or doc string.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub bytes: Range<usize>,
    /// First and last row, from 0.
    pub rows: (u32, u32),
}

/// An attribute, decorator or annotation.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    bytes: Range<usize>,
    rows: (u32, u32),
}

impl Comment {
    pub(super) fn new(node: Node<'_>) -> Self {
        Self { bytes: node.byte_range(), rows: super::rows(node) }
    }
}

impl Attribute {
    pub fn new(node: Node<'_>) -> Self {
        Self { bytes: node.byte_range(), rows: super::rows(node) }
    }
}

/// The comments and attributes of a file, in source order.
pub(super) struct Trivia<'a> {
    text: &'a str,
    pub comments: Vec<Comment>,
    attributes: Vec<Attribute>,
}

impl<'a> Trivia<'a> {
    pub fn new(text: &'a str, mut comments: Vec<Comment>, mut attributes: Vec<Attribute>) -> Self {
        comments.sort_by_key(|comment| comment.bytes.start);
        comments.dedup_by_key(|comment| comment.bytes.start);
        attributes.sort_by_key(|attribute| attribute.bytes.start);
        Self { text, comments, attributes }
    }

    /// The comment that starts in a row.
    pub fn comment_at(&self, row: u32) -> Option<&Comment> {
        let index = self.comments.binary_search_by_key(&row, |comment| comment.rows.0).ok()?;
        Some(&self.comments[index])
    }

    /// The first row of the comments and attributes directly above `row`.
    pub fn first_row(&self, row: u32) -> u32 {
        let mut top = row;
        loop {
            let comment = self.comment_ending_above(top).map(|comment| comment.rows.0);
            let attribute = self.attribute_ending_above(top).map(|attribute| attribute.rows.0);
            match comment.or(attribute) {
                Some(above) if above < top => top = above,
                _ => return top,
            }
        }
    }

    /// The comment whose last row is just above `row` and which is alone on its first row.
    fn comment_ending_above(&self, row: u32) -> Option<&Comment> {
        let index = self.comments.partition_point(|comment| comment.rows.0 < row);
        let comment = &self.comments[index.checked_sub(1)?];
        // Line comments of some grammars include their line end.
        let ends = comment.rows.1;
        let alone = self.text[..comment.bytes.start]
            .bytes()
            .rev()
            .take_while(|byte| *byte != b'\n')
            .all(|byte| byte.is_ascii_whitespace());
        (alone && (ends + 1 == row || ends == row && comment.rows.0 < row)).then_some(comment)
    }

    /// The attribute whose last row is just above `row` and which ends its line: otherwise it belongs to the code
    /// behind it.
    fn attribute_ending_above(&self, row: u32) -> Option<&Attribute> {
        let index = self.attributes.partition_point(|attribute| attribute.rows.0 < row);
        let attribute = &self.attributes[index.checked_sub(1)?];
        (attribute.rows.1 + 1 == row && self.ends_line(attribute.bytes.end)).then_some(attribute)
    }

    /// Whether nothing but a comment follows on the line.
    fn ends_line(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        let rest = rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())].trim();
        rest.is_empty() || rest.starts_with("//") || rest.starts_with("# ")
    }

    /// Where a definition that starts at `start` continues after its attributes.
    pub fn after_attributes(&self, mut start: usize) -> usize {
        let from = self.attributes.partition_point(|attribute| attribute.bytes.start < start);
        for attribute in &self.attributes[from..] {
            let between = self.text.get(start..attribute.bytes.start);
            if !between.is_some_and(|text| text.trim().is_empty()) {
                break;
            }
            start = attribute.bytes.end;
        }
        start
    }

    /// Moves the end of the text from `start` to `end` before the comments directly above `end`.
    pub fn before_comments(&self, start: usize, mut end: usize) -> usize {
        let before = self.comments.partition_point(|comment| comment.bytes.start < end);
        for comment in self.comments[..before].iter().rev() {
            let between = self.text.get(comment.bytes.end..end);
            if comment.bytes.start <= start || !between.is_some_and(|text| text.trim().is_empty()) {
                break;
            }
            end = comment.bytes.start;
        }
        end
    }

    /// The text of the comments that start in rows `start..end`.
    pub fn doc(&self, start: u32, end: u32) -> String {
        let from = self.comments.partition_point(|comment| comment.rows.0 < start);
        let to = self.comments.partition_point(|comment| comment.rows.0 < end);
        let parts: Vec<_> = self.comments[from..to.max(from)]
            .iter()
            .map(|comment| comment::strip_marks(&self.text[comment.bytes.clone()]))
            .collect();
        parts.join("\n").trim().to_string()
    }
}
