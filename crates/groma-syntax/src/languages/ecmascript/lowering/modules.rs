//! Imports and exports of both module systems.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};

/// What a module gives if it is imported as a whole.
const DEFAULT: &str = "default";

impl<'t> Script<'t> {
    /// Reads the imports and the export clauses of a module first: they hold wherever they are.
    pub(super) fn read_exports(&mut self, lower: &mut Lowerer<'t>, root: Node<'t>) {
        for statement in root.named_children() {
            match Kind::of(lower, statement) {
                Kind::Export if Field::Source.of(lower, statement).is_none() => {
                    for specifier in specifiers(lower, statement, Kind::ExportClause) {
                        let name = Field::Name.of(lower, specifier);
                        let is_plain = Field::Alias.of(lower, specifier).is_none();
                        self.exported
                            .extend(name.filter(|_| is_plain).map(|name| lower.text_of(name)));
                    }
                }
                _ => {}
            }
        }
        for statement in root.named_children() {
            if Kind::of(lower, statement) == Kind::ImportStatement {
                self.import(lower, statement);
            }
        }
    }

    fn import(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let source = Field::Source.of(lower, node);
        for clause in node.named_children() {
            match Kind::of(lower, clause) {
                Kind::ImportClause => {
                    let Some(source) = source else { continue };
                    let module = lower.module(self.name_of(lower, source));
                    self.import_clause(lower, clause, module);
                }
                Kind::ImportRequire => {
                    let (name, path) =
                        (clause.named_children().next(), Field::Source.of(lower, clause));
                    let Some((name, path)) = name.zip(path) else { continue };
                    let module = lower.module(self.name_of(lower, path));
                    let whole = self.whole(lower, module);
                    self.bind_import(lower, name, whole);
                }
                _ => {}
            }
        }
    }

    fn import_clause(&mut self, lower: &mut Lowerer<'t>, clause: Node<'t>, module: ExpressionId) {
        for part in clause.named_children() {
            match Kind::of(lower, part) {
                Kind::Identifier => {
                    let target = lower.member(module, DEFAULT);
                    lower.refer(part, ReferenceKind::Import, target);
                    self.bind_import(lower, part, target);
                }
                Kind::NamespaceImport => {
                    if let Some(name) = part.named_children().next() {
                        self.bind_import(lower, name, module);
                    }
                }
                Kind::NamedImports => {
                    for specifier in part.named_children() {
                        let name = Field::Name.of(lower, specifier);
                        let alias = Field::Alias.of(lower, specifier);
                        let text = name.map_or(DEFAULT, |name| self.name_of(lower, name));
                        let target = lower.member(module, text);
                        if let Some(name) = name {
                            lower.refer_as(name, text, ReferenceKind::Import, target);
                        }
                        if let Some(bound) = alias.or(name) {
                            self.bind_import(lower, bound, target);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn bind_import(&mut self, lower: &mut Lowerer<'t>, name: Node<'t>, target: ExpressionId) {
        let text = lower.text_of(name);
        self.imports.insert(text, target);
        self.own.insert(text);
        lower.bind(text, target, name, self.exported.contains(text));
    }

    /// `import A = B.C`
    pub(super) fn import_alias(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let mut parts = node.named_children();
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { return };
        let target = self.walk(lower, value);
        self.bind_import(lower, name, target);
    }

    pub(super) fn export(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        if let Some(source) = Field::Source.of(lower, node) {
            let module = lower.module(self.name_of(lower, source));
            return self.re_export(lower, node, module);
        }
        for specifier in specifiers(lower, node, Kind::ExportClause) {
            self.export_specifier(lower, specifier);
        }
        let head = lower.text_of(node).trim_start_matches("export").trim_start();
        let is_default = head.starts_with(DEFAULT) || head.starts_with('=');
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::ExportClause => {}
                _ if is_default => self.export_default(lower, node, child),
                _ => {
                    self.walk(lower, child);
                }
            }
        }
    }

    fn export_default(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: Node<'t>) {
        let meaning = self.walk(lower, value);
        let name = Field::Name.of(lower, value).and_then(|name| lower.symbol_named_at(name));
        let meaning = match name {
            Some(symbol) => lower.symbol(symbol),
            None => meaning,
        };
        lower.bind(DEFAULT, meaning, node, true);
    }

    /// `export { a, b as c }`: an import that is listed under its own name is exported by its binding.
    fn export_specifier(&mut self, lower: &mut Lowerer<'t>, specifier: Node<'t>) {
        let Some(name) = Field::Name.of(lower, specifier) else { return };
        let text = lower.text_of(name);
        let target = self.resolved(lower, text);
        lower.refer(name, ReferenceKind::Import, target);
        if let Some(alias) = Field::Alias.of(lower, specifier) {
            let target = self.imports.get(text).copied().unwrap_or(target);
            lower.bind(self.name_of(lower, alias), target, alias, true);
        } else if lower.text_of(specifier).trim_end().ends_with("default") {
            lower.bind(DEFAULT, target, specifier, true);
        }
    }

    fn re_export(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, module: ExpressionId) {
        let mut is_all = true;
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::ExportClause => is_all = false,
                Kind::NamespaceExport => {
                    is_all = false;
                    if let Some(name) = child.named_children().next() {
                        lower.bind(self.name_of(lower, name), module, name, true);
                    }
                }
                _ => {}
            }
        }
        for specifier in specifiers(lower, node, Kind::ExportClause) {
            let name = Field::Name.of(lower, specifier);
            let text = name.map_or(DEFAULT, |name| self.name_of(lower, name));
            let target = lower.member(module, text);
            if let Some(name) = name {
                lower.refer_as(name, text, ReferenceKind::Import, target);
            }
            let alias = Field::Alias.of(lower, specifier);
            let bound = alias.map_or(text, |alias| self.name_of(lower, alias));
            lower.bind(bound, target, specifier, true);
        }
        if is_all {
            lower.bind("*", module, node, true);
        }
    }

    /// The module that `require("...")` or `import("...")` names.
    pub(super) fn required(
        &mut self,
        lower: &mut Lowerer<'t>,
        call: Node<'t>,
    ) -> Option<ExpressionId> {
        let function = Field::FunctionOf.of(lower, call)?;
        let is_import = Kind::of(lower, function) == Kind::ImportKeyword;
        let is_require = lower.text_of(function) == "require" && lower.local("require").is_none();
        if !is_import && !is_require {
            return None;
        }
        let path = Field::ArgumentsOf.of(lower, call)?.named_children().next()?;
        if Kind::of(lower, path) != Kind::String {
            return None;
        }
        let module = lower.module(self.name_of(lower, path));
        Some(if is_import { module } else { self.whole(lower, module) })
    }

    /// What a module gives as a whole: what it assigns to `module.exports`, or else itself.
    fn whole(&mut self, lower: &mut Lowerer<'t>, module: ExpressionId) -> ExpressionId {
        let default = lower.member(module, DEFAULT);
        lower.either(default, module)
    }

    /// A member of a value. A module is asked before what it gives as a whole.
    pub(super) fn member_of(
        &mut self,
        lower: &mut Lowerer<'t>,
        of: ExpressionId,
        name: &'t str,
    ) -> ExpressionId {
        if let Expression::Either(whole, module) = *lower.get(of)
            && matches!(lower.get(module), Expression::Module(_))
        {
            let (exported, other) = (lower.member(module, name), lower.member(whole, name));
            return lower.either(exported, other);
        }
        lower.member(of, name)
    }

    /// `exports.name = ...`: the definition at this name is one of the module.
    pub(super) fn export_member(
        &mut self,
        lower: &mut Lowerer<'t>,
        left: Node<'t>,
        property: Node<'t>,
    ) {
        let object = Field::ObjectOf.of(lower, left).map(|object| lower.text_of(object));
        let is_export = matches!(object, Some("exports" | "module.exports"));
        if let Some(symbol) = lower.symbol_named_at(property).filter(|_| is_export) {
            let target = lower.symbol(symbol);
            lower.bind(lower.text_of(property), target, property, true);
        }
    }

    /// `module.exports = ...`, also by way of `exports = module.exports = ...`.
    pub(super) fn module_exports(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        right: Node<'t>,
        value: ExpressionId,
    ) {
        if Kind::of(lower, right) != Kind::Object {
            return lower.bind(DEFAULT, value, node, true);
        }
        for member in right.named_children() {
            let (name, target) = match Kind::of(lower, member) {
                Kind::Shorthand => (member, self.resolved(lower, lower.text_of(member))),
                Kind::Pair => {
                    let (key, value) =
                        (Field::Key.of(lower, member), Field::Value.of(lower, member));
                    let Some((key, value)) = key.zip(value) else { continue };
                    if Kind::of(lower, value) != Kind::Identifier {
                        continue;
                    }
                    (key, self.resolved(lower, lower.text_of(value)))
                }
                _ => continue,
            };
            // A name that means itself needs no binding; an import does.
            let text = self.name_of(lower, name);
            let target = self.imports.get(text).copied().unwrap_or(target);
            if target != lower.name(text) {
                lower.bind(text, target, name, true);
            }
        }
    }
}

/// The specifiers of a clause.
fn specifiers<'t>(lower: &Lowerer<'t>, node: Node<'t>, clause: Kind) -> Vec<Node<'t>> {
    let clauses = node.named_children().filter(|child| Kind::of(lower, *child) == clause);
    clauses
        .flat_map(Node::named_children)
        .filter(|one| Kind::of(lower, *one) == Kind::ExportSpecifier)
        .collect()
}
