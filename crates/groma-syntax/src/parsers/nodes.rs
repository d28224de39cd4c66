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

fn with_comments(list: &[Node], comments: &[Node]) -> Vec<Node> {
    let mut merged: Vec<Node> = Vec::with_capacity(list.len() + comments.len());
    // Nodes whose children are being listed: the place in `merged`, and where they end in `list`.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut comments = comments;
    let close = |merged: &mut Vec<Node>, at: usize| merged[at].size = (merged.len() - at) as u32;
    for (at, node) in list.iter().enumerate() {
        // What ends here is closed as late as its comments allow.
        loop {
            let ends = open.last().filter(|(_, end)| *end <= at).map(|(place, _)| *place);
            let first = comments.first().filter(|comment| comment.start < node.start);
            match (ends, first) {
                (Some(place), Some(comment)) if comment.end <= merged[place].end => {
                    comments = move_comment(&mut merged, comments);
                }
                (Some(place), _) => {
                    close(&mut merged, place);
                    open.pop();
                }
                (None, Some(_)) if !open.is_empty() => {
                    comments = move_comment(&mut merged, comments);
                }
                (None, _) => break,
            }
        }
        open.push((merged.len(), at + node.size as usize));
        merged.push(*node);
    }
    while let Some((place, _)) = open.pop() {
        while comments
            .first()
            .is_some_and(|comment| comment.end <= merged[place].end || open.is_empty())
        {
            comments = move_comment(&mut merged, comments);
        }
        close(&mut merged, place);
    }
    merged
}

/// Moves the first comment with its parts; the rest.
fn move_comment<'c>(merged: &mut Vec<Node>, comments: &'c [Node]) -> &'c [Node] {
    let (first, rest) = comments.split_at(comments[0].size as usize);
    merged.extend(first);
    rest
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
