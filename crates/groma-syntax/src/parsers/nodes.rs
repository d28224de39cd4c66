//! The nodes that a parser of ours finds, and the list that becomes of them.

/// A node in the list: before its children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    /// Its bytes.
    pub start: u32,
    pub end: u32,
    /// How many nodes it is with those inside of it.
    pub size: u32,
    /// What it is, and which field of its parent: places in the parser's lists of names, 0 for no field.
    pub kind: u16,
    pub field: u16,
}

/// What was found so far, children before their parent, so that what turns out to be part of something greater
/// stays where it is.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    done: Vec<Node>,
    /// Comments, which may stand anywhere, a comment before its parts.
    comments: Vec<Node>,
}

impl Nodes {
    pub fn for_text(text: &str) -> Self {
        Self { done: Vec::with_capacity(text.len() / 6), comments: Vec::new() }
    }

    /// The place from which on a node's children are counted, see [`Nodes::close`].
    pub fn mark(&self) -> usize {
        self.done.len()
    }

    /// A node without named nodes inside.
    pub fn leaf(&mut self, kind: u16, start: usize, end: usize) {
        self.close(kind, self.done.len(), start, end);
    }

    /// A node whose children are what was found since the mark.
    pub fn close(&mut self, kind: u16, mark: usize, start: usize, end: usize) {
        let size = (self.done.len() - mark + 1) as u32;
        self.done.push(Node { start: start as u32, end: end as u32, size, kind, field: 0 });
    }

    /// The node found last is this field of its parent.
    pub fn field(&mut self, field: u16) {
        if let Some(last) = self.done.last_mut() {
            last.field = field;
        }
    }

    /// The node found last.
    pub fn last(&mut self) -> Option<&mut Node> {
        self.done.last_mut()
    }

    /// Forgets what was found since the mark.
    pub fn forget(&mut self, mark: usize) {
        self.done.truncate(mark);
    }

    /// The node that was found as the one of this number.
    pub fn node(&mut self, number: usize) -> &mut Node {
        &mut self.done[number]
    }

    /// A comment, with the kinds, fields and bytes of its parts, if it has any. One that was met before is the same.
    pub fn comment(
        &mut self,
        kind: u16,
        start: usize,
        end: usize,
        parts: &[(u16, u16, usize, usize)],
    ) {
        if self.comments.last().is_some_and(|last| last.end > start as u32) {
            return;
        }
        let node = |kind, field, start: usize, end: usize, size| Node {
            start: start as u32,
            end: end as u32,
            size,
            kind,
            field,
        };
        self.comments.push(node(kind, 0, start, end, parts.len() as u32 + 1));
        let part = |&(kind, field, start, end): &(u16, u16, usize, usize)| {
            node(kind, field, start, end, 1)
        };
        self.comments.extend(parts.iter().map(part));
    }

    /// All nodes, parents first. A comment is in the innermost node that goes on after it.
    pub fn into_list(self) -> Vec<Node> {
        let mut list = parents_first(&self.done);
        if !self.comments.is_empty() {
            list = with_comments(&list, &self.comments);
        }
        list
    }
}

fn parents_first(done: &[Node]) -> Vec<Node> {
    let free = Node { start: 0, end: 0, size: 0, kind: 0, field: 0 };
    let mut list = vec![free; done.len()];
    // Backwards a parent comes before its children, the last of them first. `end` is where the next node's end is.
    let mut end = done.len();
    for node in done.iter().rev() {
        let start = end - node.size as usize;
        list[start] = *node;
        if node.size == 1 {
            end = start;
            while end > 0 && list[end - 1].size > 0 {
                end -= 1;
            }
        }
    }
    list
}

/// The list with the comments in it. There are few of them beside the nodes, so what is between is passed over by
/// its size and copied at once.
fn with_comments(list: &[Node], comments: &[Node]) -> Vec<Node> {
    let mut merged: Vec<Node> = Vec::with_capacity(list.len() + comments.len());
    // Nodes that the last comment is in: the place in `merged`, and where they end in `list`.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut copied, mut at) = (0, 0);
    let mut comments = comments;
    while let Some(comment) = comments.first() {
        loop {
            let Some(&(place, end)) = open.last() else {
                merged.push(list[0]);
                open.push((0, list.len()));
                (copied, at) = (1, 1);
                continue;
            };
            if at == end {
                if open.len() == 1 || comment.end <= merged[place].end {
                    break;
                }
                open.pop();
            } else if comment.start < list[at].start {
                break;
            } else if comment.end <= list[at].end {
                merged.extend_from_slice(&list[copied..=at]);
                open.push((merged.len() - 1, at + list[at].size as usize));
                at += 1;
                copied = at;
            } else {
                at += list[at].size as usize;
            }
        }
        merged.extend_from_slice(&list[copied..at]);
        copied = at;
        let (parts, rest) = comments.split_at(comment.size as usize);
        merged.extend_from_slice(parts);
        for (place, _) in &open {
            merged[*place].size += comment.size;
        }
        comments = rest;
    }
    merged.extend_from_slice(&list[copied..]);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each node as `kind start-end`, indented.
    fn drawn(nodes: Nodes) -> Vec<String> {
        let list = nodes.into_list();
        let mut open: Vec<usize> = Vec::new();
        let line = |(at, node): (usize, &Node)| {
            while open.last().is_some_and(|end| *end <= at) {
                open.pop();
            }
            let text =
                format!("{}{} {}-{}", " ".repeat(open.len()), node.kind, node.start, node.end);
            open.push(at + node.size as usize);
            text
        };
        list.iter().enumerate().map(line).collect()
    }

    #[test]
    fn what_is_found_last_comes_first_if_it_is_around_the_rest() {
        let mut nodes = Nodes::default();
        nodes.leaf(1, 0, 2);
        nodes.leaf(2, 3, 4);
        nodes.close(3, 0, 0, 4);
        let mark = nodes.mark();
        nodes.leaf(4, 5, 6);
        nodes.close(5, mark, 5, 7);
        nodes.close(6, 0, 0, 8);
        let expected = ["6 0-8", " 3 0-4", "  1 0-2", "  2 3-4", " 5 5-7", "  4 5-6"];
        assert_eq!(drawn(nodes), expected);
    }

    #[test]
    fn a_comment_is_in_the_innermost_node_that_goes_on_after_it() {
        let mut nodes = Nodes::default();
        nodes.leaf(1, 10, 12);
        nodes.leaf(2, 20, 22);
        nodes.close(3, 0, 10, 30);
        nodes.leaf(4, 40, 42);
        nodes.close(5, 0, 0, 50);
        for start in [2, 14, 24, 32, 44] {
            nodes.comment(9, start, start + 1, &[]);
        }
        nodes.comment(9, 46, 48, &[(8, 0, 46, 47)]);
        // Met again by a parser that went back.
        nodes.comment(9, 44, 45, &[]);
        let expected = [
            "5 0-50",
            " 9 2-3",
            " 3 10-30",
            "  1 10-12",
            "  9 14-15",
            "  2 20-22",
            "  9 24-25",
            " 9 32-33",
            " 4 40-42",
            " 9 44-45",
            " 9 46-48",
            "  8 46-47",
        ];
        assert_eq!(drawn(nodes), expected);
    }
}
