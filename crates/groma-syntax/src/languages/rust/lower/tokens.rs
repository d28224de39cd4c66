//! Token trees: the arguments and bodies of macros, which the grammar does not parse.
//!
//! Names are listed, punctuation is the text between them; that tells paths, members and calls.

use super::{Kind, Rust, method_result};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Rust<'t> {
    /// The names in the arguments of a macro.
    pub(super) fn tokens(&mut self, lower: &mut Lowerer<'t>, tree: Node<'t>) {
        lower.open();
        lower.nested(tree, |lower, tree| self.tokens_in(lower, tree, None, false));
        lower.close();
    }

    /// The names in the rules of a macro. Most are made of its parameters or are local to it, so only paths, calls
    /// and other macros count.
    pub(super) fn macro_definition(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for rule in node.named_children() {
            for tree in rule.named_children() {
                if Kind::of(lower, tree) == Kind::TokenTree {
                    lower.open();
                    lower.nested(tree, |lower, tree| self.tokens_in(lower, tree, None, true));
                    lower.close();
                }
            }
        }
    }

    /// `of` is the struct whose literal the braces are.
    fn tokens_in(
        &mut self,
        lower: &mut Lowerer<'t>,
        tree: Node<'t>,
        of: Option<ExpressionId>,
        only_paths: bool,
    ) {
        let text = lower.text;
        let mut current: Option<ExpressionId> = None;
        let mut end = tree.start_byte() + 1;
        let mut in_parameters = false;
        for node in tree.named_children() {
            let before = text.get(end..node.start_byte()).unwrap_or("").trim();
            let after = text.get(node.end_byte()..tree.end_byte()).unwrap_or("");
            if before.starts_with('?')
                && let Some(value) = current
            {
                current = Some(lower.element(value));
            }
            let opens = before.ends_with('|') && !in_parameters;
            in_parameters = match before.matches('|').count() {
                0 => in_parameters,
                _ if opens => starts_closure(before, end == tree.start_byte() + 1),
                _ => false,
            };
            let word = Word { node, before, after, in_parameters, only_paths };
            current = match Kind::of(lower, node) {
                Kind::TokenTree => self.group(lower, node, before, current, only_paths),
                Kind::Identifier => self.word(lower, &word, current, of),
                Kind::Crate => Some(lower.module("crate")),
                Kind::Super => Some(self.above_tokens(lower)),
                Kind::SelfWord => lower.local("self"),
                Kind::Metavariable if lower.text_of(node) == "$crate" => {
                    Some(lower.module("crate"))
                }
                Kind::MutableSpecifier => current,
                Kind::Other => {
                    self.repetition(lower, node, only_paths);
                    None
                }
                _ => None,
            };
            end = node.end_byte();
        }
    }

    fn above_tokens(&mut self, lower: &mut Lowerer<'t>) -> ExpressionId {
        match self.modules.len() {
            0 => lower.module("super"),
            1 => lower.module("self"),
            depth => self.modules[depth - 2],
        }
    }

    /// `$( … )*` in the body of a macro.
    fn repetition(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, only_paths: bool) {
        if only_paths && node.named_children().next().is_some() {
            lower.nested(node, |lower, node| self.tokens_in(lower, node, None, only_paths));
        }
    }

    /// Brackets: arguments, an index, or the fields of a struct.
    fn group(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        before: &str,
        current: Option<ExpressionId>,
        only_paths: bool,
    ) -> Option<ExpressionId> {
        let opens = lower.text_of(node).as_bytes().first().copied();
        let of = current.filter(|_| opens == Some(b'{') && before.is_empty());
        lower.open();
        lower.nested(node, |lower, node| self.tokens_in(lower, node, of, only_paths));
        lower.close();
        if !before.is_empty() {
            return None;
        }
        match opens? {
            b'(' => current.map(|current| {
                let called = lower.call(current);
                method_result(lower, current, called)
            }),
            b'[' => current.map(|current| lower.element(current)),
            _ => current.map(|current| lower.instance(current)),
        }
    }

    fn word(
        &mut self,
        lower: &mut Lowerer<'t>,
        word: &Word<'t, '_>,
        current: Option<ExpressionId>,
        of: Option<ExpressionId>,
    ) -> Option<ExpressionId> {
        let name = lower.text_of(word.node);
        let next = word.after.trim_start();
        let is_macro = next.starts_with('!') && !next.starts_with("!=");
        let kind = match next.as_bytes().first() {
            Some(b'(') => ReferenceKind::Call,
            _ if is_macro => ReferenceKind::Call,
            _ if next.starts_with("::<") => ReferenceKind::Call,
            _ => ReferenceKind::Value,
        };
        let is_member = word.before.ends_with('.') && !word.before.ends_with("..");
        if is_member || word.before.ends_with("::") {
            if name == "await" {
                return current;
            }
            let of = match current {
                Some(current) => current,
                None => lower.unknown(),
            };
            let member = lower.member(of, name);
            lower.refer(word.node, kind, member);
            return Some(member);
        }
        if word.declares() {
            let unknown = lower.unknown();
            lower.declare(name, unknown);
            return None;
        }
        if is_label(word.before, next) {
            if let Some(of) = of {
                let member = lower.member(of, name);
                lower.refer(word.node, ReferenceKind::Value, member);
            }
            return None;
        }
        let is_path = next.starts_with("::");
        if word.only_paths && !is_path && kind != ReferenceKind::Call {
            return None;
        }
        Some(self.head(lower, word.node, kind, is_path))
    }
}

/// A name with the text around it.
struct Word<'t, 'a> {
    node: Node<'t>,
    before: &'a str,
    after: &'a str,
    /// Between the bars of a closure.
    in_parameters: bool,
    only_paths: bool,
}

impl Word<'_, '_> {
    /// Whether a new local is declared here.
    fn declares(&self) -> bool {
        let last = self.before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let is_type = self.before.ends_with(':');
        self.in_parameters && !is_type
            || matches!(
                last,
                "let" | "for" | "fn" | "struct" | "enum" | "type" | "const" | "static" | "mod"
            )
    }
}

/// Whether bars begin a closure rather than join two values.
fn starts_closure(before: &str, is_first: bool) -> bool {
    let rest = before.trim_end_matches('|').trim_end();
    before.ends_with('|')
        && !before.ends_with("||")
        && (rest.is_empty() && is_first
            || rest.ends_with([',', '=', '(', '{', ';'])
            || rest.ends_with("move"))
}

/// Whether a name is that of an argument or a field: `name: value`, `name = value`.
fn is_label(before: &str, next: &str) -> bool {
    let starts = before.is_empty() || before.ends_with(',');
    let colon = next.starts_with(':') && !next.starts_with("::");
    let equals = next.starts_with('=') && !next.starts_with("==") && !next.starts_with("=>");
    starts && (colon || equals)
}
