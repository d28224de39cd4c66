//! The flat tree under construction: nodes are recorded in post-order and listed in pre-order.

/// A named node of a syntax tree in pre-order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
    /// The number of nodes in its subtree, itself included.
    pub size: u32,
    /// Its kind: the parser's own number while parsing, the grammar's id in the result.
    pub kind: u16,
    /// Its field in the parent, likewise; 0 if it has none.
    pub field: u16,
}

/// The nodes parsed so far, in post-order: a node that becomes a child of a later one need not move.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    done: Vec<Node>,
    /// Comments, which are allowed anywhere; in pre-order.
    comments: Vec<Node>,
}

impl Nodes {
    pub fn for_text(text: &str) -> Self {
        Self { done: Vec::with_capacity(text.len() / 6), comments: Vec::new() }
    }

    /// The position at which the children of a node begin, for [`Nodes::close`].
    pub fn mark(&self) -> usize {
        self.done.len()
    }

    /// Adds a node without named children.
    pub fn leaf(&mut self, kind: u16, start: usize, end: usize) {
        self.close(kind, self.done.len(), start, end);
    }

    /// Adds a node whose descendants are all nodes added since the mark.
    pub fn close(&mut self, kind: u16, mark: usize, start: usize, end: usize) {
        let size = (self.done.len() - mark + 1) as u32;
        self.done.push(Node { start: start as u32, end: end as u32, size, kind, field: 0 });
    }

    /// Sets the field of the last node.
    pub fn field(&mut self, field: u16) {
        if let Some(last) = self.done.last_mut() {
            last.field = field;
        }
    }

    /// The node added last.
    pub fn last(&mut self) -> Option<&mut Node> {
        self.done.last_mut()
    }

    /// Removes the nodes added since the mark.
    pub fn truncate(&mut self, mark: usize) {
        self.done.truncate(mark);
    }

    /// The node at a position, as [`Nodes::mark`] counts them.
    pub fn node(&mut self, position: usize) -> &mut Node {
        &mut self.done[position]
    }

    /// Adds a comment with its children (kind, field, start, end). A parser that backtracked meets comments again; those
    /// are ignored.
    pub fn comment(
        &mut self,
        kind: u16,
        start: usize,
        end: usize,
        children: &[(u16, u16, usize, usize)],
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
        self.comments.push(node(kind, 0, start, end, children.len() as u32 + 1));
        let child = |&(kind, field, start, end): &(u16, u16, usize, usize)| {
            node(kind, field, start, end, 1)
        };
        self.comments.extend(children.iter().map(child));
    }

    /// All nodes in pre-order. A comment is a child of the innermost node that extends beyond it.
    pub fn into_list(self) -> Vec<Node> {
        let mut list = pre_order(&self.done);
        if !self.comments.is_empty() {
            list = with_comments(&list, &self.comments);
        }
        list
    }
}

fn pre_order(done: &[Node]) -> Vec<Node> {
    let unset = Node { start: 0, end: 0, size: 0, kind: 0, field: 0 };
    let mut list = vec![unset; done.len()];
    // Reversed post-order visits a parent before its children, the last child first. `end` is the end of the free slots
    // that the next node's subtree fills.
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

/// Merges the comments into the list. They are few, so whole subtrees between them are skipped and copied in one go.
fn with_comments(list: &[Node], comments: &[Node]) -> Vec<Node> {
    let mut merged: Vec<Node> = Vec::with_capacity(list.len() + comments.len());
    // The ancestors of the last comment: index in `merged`, and end of the subtree in `list`.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut copied, mut at) = (0, 0);
    let mut comments = comments;
    while let Some(comment) = comments.first() {
        loop {
            let Some(&(ancestor, end)) = open.last() else {
                merged.push(list[0]);
                open.push((0, list.len()));
                (copied, at) = (1, 1);
                continue;
            };
            if at == end {
                if open.len() == 1 || comment.end <= merged[ancestor].end {
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
        let (subtree, rest) = comments.split_at(comment.size as usize);
        merged.extend_from_slice(subtree);
        for (ancestor, _) in &open {
            merged[*ancestor].size += comment.size;
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
    fn rendered(nodes: Nodes) -> Vec<String> {
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
    fn post_order_becomes_pre_order() {
        let mut nodes = Nodes::default();
        nodes.leaf(1, 0, 2);
        nodes.leaf(2, 3, 4);
        nodes.close(3, 0, 0, 4);
        let mark = nodes.mark();
        nodes.leaf(4, 5, 6);
        nodes.close(5, mark, 5, 7);
        nodes.close(6, 0, 0, 8);
        let expected = ["6 0-8", " 3 0-4", "  1 0-2", "  2 3-4", " 5 5-7", "  4 5-6"];
        assert_eq!(rendered(nodes), expected);
    }

    #[test]
    fn a_comment_is_in_the_innermost_node_that_extends_beyond_it() {
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
        // Met again after backtracking.
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
        assert_eq!(rendered(nodes), expected);
    }
}
