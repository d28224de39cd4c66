//! Collects what a lowering finds: scopes, expressions, occurrences, bindings and types.

use super::Codes;
use crate::tree::Node;
use groma_core::{Binding, Expression, ExpressionId, Links, ReferenceKind, Symbol};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Deepest nesting of nodes that is walked with their meaning; names further below are references to anything.
const MAX_NESTING: u32 = 200;

/// Deepest expression; what is made of a deeper one is unknown.
const MAX_EXPRESSION_DEPTH: u8 = 40;

/// Longest name that is kept, in bytes.
const MAX_NAME: usize = 120;

/// Most values in a tuple.
const MAX_TUPLE: usize = 16;

/// An occurrence of a name.
pub(crate) struct Occurrence {
    pub start: u32,
    pub name: Arc<str>,
    pub kind: ReferenceKind,
    pub target: ExpressionId,
    pub implementor: Option<String>,
}

/// Where symbols are in the text.
pub(crate) struct Place<'t> {
    /// The symbols of the file.
    pub symbols: &'t [Symbol],
    /// The bytes of each symbol.
    pub spans: &'t [Range<usize>],
    /// The first bytes of the names of definitions, with the symbol.
    pub names: FxHashMap<usize, u32>,
}

/// Keeps the scopes of a walk and collects what it finds.
pub(crate) struct Lowerer<'t> {
    pub text: &'t str,
    place: Place<'t>,
    codes: &'t Codes,
    links: Links,
    depths: Vec<u8>,
    interned: FxHashMap<Expression, ExpressionId>,
    names: FxHashMap<&'t str, Arc<str>>,
    occurrences: Vec<Occurrence>,
    types: FxHashMap<u32, ExpressionId>,
    /// What each local name means, innermost declaration last.
    locals: FxHashMap<&'t str, Vec<ExpressionId>>,
    /// The names of the open scopes, in order of declaration.
    declared: Vec<&'t str>,
    /// Where in `declared` each open scope begins.
    scopes: Vec<usize>,
    nesting: u32,
}

impl<'t> Lowerer<'t> {
    pub fn new(text: &'t str, place: Place<'t>, codes: &'t Codes) -> Self {
        Self {
            text,
            place,
            codes,
            links: Links::default(),
            depths: Vec::new(),
            interned: FxHashMap::default(),
            names: FxHashMap::default(),
            occurrences: Vec::new(),
            types: FxHashMap::default(),
            locals: FxHashMap::default(),
            declared: Vec::new(),
            scopes: Vec::new(),
            nesting: 0,
        }
    }

    /// The occurrences in order of position, one for each, and what they mean.
    pub fn finish(mut self) -> (Vec<Occurrence>, Links) {
        self.occurrences.sort_by_key(|one| one.start);
        self.occurrences.dedup_by_key(|one| one.start);
        self.links.bindings.sort_by_key(|one| one.line);
        self.links.types = self.types.into_iter().collect();
        self.links.types.sort_unstable();
        (self.occurrences, self.links)
    }

    // The tree.

    pub fn kind_code(&self, node: Node<'_>) -> u8 {
        self.codes.kind(node.kind_id())
    }

    pub fn field_id(&self, code: u8) -> u16 {
        self.codes.field(code)
    }

    pub fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// Enters a node, one level deeper; [`leave`](Self::leave) it afterwards. `false` if the nesting is too deep for
    /// that: all names below the node have become references that may mean anything, and it is not to be left.
    pub fn enter(&mut self, node: Node<'t>) -> bool {
        let fits = self.nesting < MAX_NESTING;
        if fits {
            self.nesting += 1;
        } else {
            self.refer_below(node);
        }
        fits
    }

    pub fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Runs `walk` inside of a node, if it can be entered.
    pub fn nested<R: Default>(
        &mut self,
        node: Node<'t>,
        walk: impl FnOnce(&mut Self, Node<'t>) -> R,
    ) -> R {
        if !self.enter(node) {
            return R::default();
        }
        let result = walk(self, node);
        self.leave();
        result
    }

    fn refer_below(&mut self, node: Node<'t>) {
        let unknown = self.unknown();
        for leaf in node.named_leaves() {
            let text = self.text_of(leaf);
            let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
            if starts && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
                self.refer(leaf, ReferenceKind::Value, unknown);
            }
        }
    }

    // The symbols of the file.

    pub fn symbols(&self) -> &'t [Symbol] {
        self.place.symbols
    }

    /// The symbol whose definition has its name at this node.
    pub fn symbol_named_at(&self, node: Node<'_>) -> Option<u32> {
        self.place.names.get(&node.start_byte()).copied()
    }

    /// The innermost symbol around a node that fits. Takes time in the depth of symbols, not in their number.
    pub fn symbol_around(&self, node: Node<'_>, fits: impl Fn(&Symbol) -> bool) -> Option<u32> {
        let at = node.start_byte();
        let before = self.place.spans.partition_point(|span| span.start <= at);
        let mut index = before.checked_sub(1)?;
        // A symbol that starts before and ends before has parents that may reach further; one without gives up.
        for _ in 0..self.place.spans.len() {
            let symbol = &self.place.symbols[index];
            if self.place.spans[index].end > at && fits(symbol) {
                return Some(index as u32);
            }
            match symbol.parent.map(|parent| parent as usize) {
                Some(parent) if parent < index => index = parent,
                _ => return None,
            }
        }
        None
    }

    // Scopes.

    /// Opens a scope; [`close`](Self::close) forgets what is declared until then.
    pub fn open(&mut self) {
        self.scopes.push(self.declared.len());
    }

    pub fn close(&mut self) {
        let from = self.scopes.pop().unwrap_or(0);
        for name in self.declared.drain(from..) {
            if let Some(known) = self.locals.get_mut(name) {
                known.pop();
            }
        }
    }

    /// Whether no scope is open, so that names belong to the file.
    pub fn is_outside(&self) -> bool {
        self.scopes.is_empty()
    }

    /// Declares a local name in the innermost scope, with what it means.
    pub fn declare(&mut self, name: &'t str, meaning: ExpressionId) {
        self.declared.push(name);
        self.locals.entry(name).or_default().push(meaning);
    }

    /// Gives a local name another meaning from here on: it was assigned to. Without such a local nothing happens.
    pub fn assign(&mut self, name: &str, meaning: ExpressionId) {
        if let Some(known) = self.locals.get_mut(name).and_then(|known| known.last_mut()) {
            *known = meaning;
        }
    }

    /// What a local name means here.
    pub fn local(&self, name: &str) -> Option<ExpressionId> {
        self.locals.get(name)?.last().copied()
    }

    // Expressions.

    pub fn intern(&mut self, name: &'t str) -> Arc<str> {
        self.names.entry(name).or_insert_with(|| Arc::from(name)).clone()
    }

    /// The index of an expression, which is added if it is new.
    pub fn expression(&mut self, expression: Expression) -> ExpressionId {
        if let Some(known) = self.interned.get(&expression) {
            return *known;
        }
        let below = expression.operands().map(|operand| self.depths[operand as usize]).max();
        let depth = below.map_or(0, |depth| depth + 1);
        if depth > MAX_EXPRESSION_DEPTH {
            return self.unknown();
        }
        let index = self.links.expressions.len() as ExpressionId;
        self.links.expressions.push(expression.clone());
        self.depths.push(depth);
        self.interned.insert(expression, index);
        index
    }

    /// The expression with this index.
    pub fn get(&self, index: ExpressionId) -> &Expression {
        &self.links.expressions[index as usize]
    }

    pub fn is_unknown(&self, index: ExpressionId) -> bool {
        *self.get(index) == Expression::Unknown
    }

    pub fn unknown(&mut self) -> ExpressionId {
        self.expression(Expression::Unknown)
    }

    pub fn external(&mut self) -> ExpressionId {
        self.expression(Expression::External)
    }

    pub fn name(&mut self, name: &'t str) -> ExpressionId {
        if name.len() > MAX_NAME {
            return self.unknown();
        }
        let name = self.intern(name);
        self.expression(Expression::Name(name))
    }

    pub fn symbol(&mut self, index: u32) -> ExpressionId {
        self.expression(Expression::Symbol(index))
    }

    pub fn module(&mut self, path: &str) -> ExpressionId {
        self.expression(Expression::Module(Arc::from(path)))
    }

    pub fn member(&mut self, of: ExpressionId, name: &'t str) -> ExpressionId {
        if name.len() > MAX_NAME {
            return self.unknown();
        }
        let name = self.intern(name);
        self.expression(Expression::Member(of, name))
    }

    pub fn call(&mut self, of: ExpressionId) -> ExpressionId {
        match *self.get(of) {
            Expression::Function(result) => result,
            Expression::Unknown | Expression::External => of,
            _ => self.expression(Expression::Call(of)),
        }
    }

    pub fn instance(&mut self, of: ExpressionId) -> ExpressionId {
        match *self.get(of) {
            Expression::Unknown | Expression::External => of,
            _ => self.expression(Expression::Instance(of)),
        }
    }

    pub fn element(&mut self, of: ExpressionId) -> ExpressionId {
        match *self.get(of) {
            Expression::Container(element) => element,
            Expression::Unknown | Expression::External => of,
            _ => self.expression(Expression::Element(of)),
        }
    }

    pub fn container(&mut self, of: ExpressionId) -> ExpressionId {
        self.expression(Expression::Container(of))
    }

    pub fn function(&mut self, result: ExpressionId) -> ExpressionId {
        self.expression(Expression::Function(result))
    }

    pub fn tuple(&mut self, mut items: Vec<ExpressionId>) -> ExpressionId {
        items.truncate(MAX_TUPLE);
        self.expression(Expression::Tuple(items))
    }

    /// A value with these symbols as members; unknown without any.
    pub fn record(&mut self, members: Vec<u32>) -> ExpressionId {
        if members.is_empty() {
            return self.unknown();
        }
        self.expression(Expression::Record(members))
    }

    pub fn item(&mut self, of: ExpressionId, at: usize) -> ExpressionId {
        match self.get(of) {
            Expression::Tuple(items) => match items.get(at) {
                Some(item) => *item,
                None => self.unknown(),
            },
            Expression::Unknown | Expression::External => of,
            _ => self.expression(Expression::Item(of, at.min(MAX_TUPLE) as u32)),
        }
    }

    pub fn either(&mut self, first: ExpressionId, second: ExpressionId) -> ExpressionId {
        if first == second || self.is_unknown(second) {
            return first;
        }
        if self.is_unknown(first) {
            return second;
        }
        self.expression(Expression::Either(first, second))
    }

    // What is found.

    /// Records an occurrence of the name at `node`, unless it is that of a definition.
    pub fn refer(&mut self, node: Node<'t>, kind: ReferenceKind, target: ExpressionId) {
        self.refer_as(node, self.text_of(node), kind, target);
    }

    /// The same for a name that is not all of the node's text.
    pub fn refer_as(
        &mut self,
        node: Node<'t>,
        name: &'t str,
        kind: ReferenceKind,
        target: ExpressionId,
    ) {
        self.refer_at(node.start_byte(), name, kind, target);
    }

    /// The same for a name that is no node, as in an annotation in quotes.
    pub fn refer_at(
        &mut self,
        start: usize,
        name: &'t str,
        kind: ReferenceKind,
        target: ExpressionId,
    ) {
        let is_definition = self.place.names.contains_key(&start);
        if name.is_empty() || name.len() > MAX_NAME || is_definition {
            return;
        }
        let (start, name) = (start as u32, self.intern(name));
        self.occurrences.push(Occurrence { start, name, kind, target, implementor: None });
    }

    /// The number of occurrences so far.
    pub fn occurrence_count(&self) -> usize {
        self.occurrences.len()
    }

    /// Records that `implementor`, which is not the definition around it, extends or implements what was referred to
    /// as a base since there were `from` occurrences.
    pub fn set_implementor(&mut self, from: usize, implementor: &str) {
        for one in self.occurrences[from..].iter_mut() {
            if one.kind == ReferenceKind::Base {
                one.implementor = Some(implementor.to_string());
            }
        }
    }

    /// Binds a name of the file, as an import does; `*` binds everything that a module offers.
    pub fn bind(&mut self, name: &'t str, target: ExpressionId, at: Node<'_>, exported: bool) {
        let (name, line) = (self.intern(name), at.row() + 1);
        self.links.bindings.push(Binding { name, target, line, exported });
    }

    /// The type of a symbol, as set so far.
    pub fn type_of(&self, symbol: u32) -> Option<ExpressionId> {
        self.types.get(&symbol).copied()
    }

    /// Sets the type of a symbol: what a call of it gives, its value, or what it stands for. The first known one stays.
    pub fn set_type(&mut self, symbol: u32, meaning: ExpressionId) {
        if !self.is_unknown(meaning) {
            self.types.entry(symbol).or_insert(meaning);
        }
    }
}
