//! Looks names up: in files, bindings, packages and modules, and members in their types.

use super::Linker;
use super::files::FileId;
use super::value::{Definition, Module, Value};
use groma_core::{Binding, FileFacts, StoreError, Symbol, SymbolKind, Visibility};
use groma_syntax::{SharedScope, find_language};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Linker<'_> {
    /// What a bare name means in a file.
    pub(super) fn name(&mut self, file: FileId, name: &Arc<str>) -> Result<Value, StoreError> {
        let key = (file, name.clone());
        if let Some(known) = self.names.get(&key) {
            return Ok(known.clone());
        }
        self.names.insert(key.clone(), Value::External);
        let found = self.find_name(file, name)?;
        self.names.insert(key, found.clone());
        Ok(found)
    }

    fn find_name(&mut self, file: FileId, name: &Arc<str>) -> Result<Value, StoreError> {
        let facts = self.files.facts(file)?;
        if let Some(symbol) = outermost(&facts, name) {
            return Ok(Value::Definition(Definition { file, symbol }));
        }
        if let Some(binding) = facts.links.bindings.iter().find(|one| one.name == *name) {
            return self.evaluate(file, binding.target);
        }
        if let Some(shared) = self.shared(file, name)? {
            return Ok(Value::Definition(shared));
        }
        for binding in facts.links.bindings.iter().filter(|one| one.is_wildcard()) {
            let module = self.evaluate(file, binding.target)?;
            let found = self.member(module, name)?;
            if found.is_found() {
                return Ok(found);
            }
        }
        Ok(Value::External)
    }

    /// A definition that the files of the same package share, or those of the whole program. What a file includes comes
    /// before the rest of the program, of which only what is linked across files counts.
    fn shared(&mut self, file: FileId, name: &Arc<str>) -> Result<Option<Definition>, StoreError> {
        let scope = self.files.language(file)?.shared_scope;
        if scope == SharedScope::File {
            return Ok(None);
        }
        let is_program = scope == SharedScope::Program;
        let included = if is_program { self.included(file)? } else { Arc::default() };
        let mut linked = None;
        for other in self.files.defining(name)?.iter().copied() {
            // The folder is known without reading the file.
            let far = scope == SharedScope::Folder
                && self.files.path(file).folder() != self.files.path(other).folder();
            if far || !self.files.share_names(file, other)? {
                continue;
            }
            let facts = self.files.facts(other)?;
            let Some(symbol) = outermost(&facts, name) else { continue };
            let found = Some(Definition { file: other, symbol });
            if !is_program || included.contains(&other) {
                return Ok(found);
            }
            let symbol = &facts.symbols[symbol as usize];
            // A macro is seen only where it is included.
            let is_macro = matches!(symbol.kind, SymbolKind::Macro | SymbolKind::Constant);
            if symbol.visibility == Visibility::Public && !is_macro {
                linked = linked.or(found);
            }
        }
        Ok(linked)
    }

    /// The files that a file includes, and those that they include.
    fn included(&mut self, file: FileId) -> Result<Arc<FxHashSet<FileId>>, StoreError> {
        if let Some(known) = self.included.get(&file) {
            return Ok(known.clone());
        }
        let mut found = FxHashSet::default();
        let mut open = vec![file];
        while let Some(one) = open.pop() {
            let facts = self.files.facts(one)?;
            for binding in facts.links.bindings.iter().filter(|one| one.is_wildcard()) {
                if let Value::Module(module) = self.evaluate(one, binding.target)? {
                    open.extend(module.files.iter().filter(|file| found.insert(**file)));
                }
            }
        }
        let found = Arc::new(found);
        self.included.insert(file, found.clone());
        Ok(found)
    }

    /// The struct, union or enum that an alias of the same name stands for: `typedef struct cart cart;`.
    pub(super) fn tagged(&mut self, alias: Definition) -> Result<Option<Definition>, StoreError> {
        let facts = self.files.facts(alias.file)?;
        let symbol = &facts.symbols[alias.symbol as usize];
        let is_alias = symbol.kind == SymbolKind::Type && symbol.parent.is_none();
        if !is_alias || self.files.language(alias.file)?.shared_scope != SharedScope::Program {
            return Ok(None);
        }
        let name: Arc<str> = symbol.name.as_str().into();
        for file in self.files.defining(&name)?.iter().copied() {
            let facts = self.files.facts(file)?;
            let is_tagged = |symbol: &Symbol| {
                *symbol.name == *name
                    && symbol.parent.is_none()
                    && symbol.kind.is_type()
                    && symbol.kind != SymbolKind::Type
            };
            if let Some(symbol) = facts.symbols.iter().position(is_tagged) {
                return Ok(Some(Definition { file, symbol: symbol as u32 }));
            }
        }
        Ok(None)
    }

    /// The module that a path means in a file.
    pub(super) fn module(&mut self, from: FileId, path: &Arc<str>) -> Result<Value, StoreError> {
        let files = self.module_files(from, path)?;
        Ok(Value::Module(Module { from, path: path.clone(), files }))
    }

    fn module_files(&mut self, from: FileId, path: &str) -> Result<Arc<[FileId]>, StoreError> {
        let language = self.files.language(from)?.name;
        let paths = self.imports.module(self.files.path(from), language, path);
        Ok(paths.iter().map(|path| self.files.id(path)).collect())
    }

    /// A member of a module: a definition of its files, an export of theirs, or a module inside of it.
    pub(super) fn module_member(
        &mut self,
        module: &Module,
        name: &Arc<str>,
    ) -> Result<Value, StoreError> {
        for file in self.files.defining(name)?.iter() {
            if module.files.contains(file) {
                let facts = self.files.facts(*file)?;
                if let Some(symbol) = outermost(&facts, name) {
                    return Ok(Value::Definition(Definition { file: *file, symbol }));
                }
            }
        }
        let exported = self.exported(module, name)?;
        if exported.is_found() {
            return Ok(exported);
        }
        let separator = self.files.language(module.from)?.separator();
        let path = if module.path.ends_with('.') && separator == "." {
            format!("{}{name}", module.path)
        } else {
            format!("{}{separator}{name}", module.path)
        };
        let files = self.module_files(module.from, &path)?;
        for file in files.iter().copied() {
            let facts = self.files.facts(file)?;
            if let Some(symbol) = outermost(&facts, name) {
                return Ok(Value::Definition(Definition { file, symbol }));
            }
        }
        if !files.is_empty() && *files != *module.files {
            return Ok(Value::Module(Module { from: module.from, path: path.into(), files }));
        }
        if let Some(found) = self.macro_below(module, name)? {
            return Ok(Value::Definition(found));
        }
        Ok(match exported {
            Value::Unknown => Value::Unknown,
            _ if module.files.is_empty() => Value::External,
            _ => Value::Missing,
        })
    }

    /// A macro defined in or below the folder of a module: macros belong to the whole of what defines them.
    fn macro_below(
        &mut self,
        module: &Module,
        name: &Arc<str>,
    ) -> Result<Option<Definition>, StoreError> {
        let is_macro = |symbol: &Symbol| symbol.kind == SymbolKind::Macro && *symbol.name == **name;
        for root in module.files.iter().copied() {
            let folder = self.files.path(root).folder().to_string();
            for file in self.files.defining(name)?.iter().copied() {
                let rest = self.files.path(file).as_str().strip_prefix(&folder);
                if !rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/')) {
                    continue;
                }
                let facts = self.files.facts(file)?;
                if let Some(symbol) = facts.symbols.iter().position(is_macro) {
                    return Ok(Some(Definition { file, symbol: symbol as u32 }));
                }
            }
        }
        Ok(None)
    }

    /// What the files of a module export under a name, besides their definitions.
    fn exported(&mut self, module: &Module, name: &Arc<str>) -> Result<Value, StoreError> {
        // Where files share names without imports, none re-exports what it imports.
        if self.files.language(module.from)?.shared_scope != SharedScope::File {
            return Ok(Value::Missing);
        }
        let mut found = Value::Missing;
        for file in module.files.iter().copied() {
            match self.exported_by(file, name)? {
                value if value.is_found() => return Ok(value),
                Value::Unknown => found = Value::Unknown,
                _ => {}
            }
        }
        Ok(found)
    }

    /// What one file exports under a name. Files that export all of each other are asked once.
    pub(super) fn exported_by(
        &mut self,
        file: FileId,
        name: &Arc<str>,
    ) -> Result<Value, StoreError> {
        let key = (file, name.clone());
        if let Some(known) = self.exports.get(&key) {
            return Ok(known.clone());
        }
        self.exports.insert(key.clone(), Value::Missing);
        let facts = self.files.facts(file)?;
        let fits = |one: &&Binding| one.exported && (one.name == *name || one.is_wildcard());
        let mut found = Value::Missing;
        for binding in facts.links.bindings.iter().filter(fits) {
            let value = self.evaluate(file, binding.target)?;
            let value = if binding.is_wildcard() { self.member(value, name)? } else { value };
            if value.is_found() {
                found = value;
                break;
            }
            if matches!(value, Value::Unknown) {
                found = Value::Unknown;
            }
        }
        self.exports.insert(key, found.clone());
        Ok(found)
    }

    /// A member that a definition itself has: a symbol inside of it, or a method whose receiver it is.
    pub(super) fn own_member(
        &mut self,
        of: Definition,
        name: &Arc<str>,
    ) -> Result<Option<Definition>, StoreError> {
        let facts = self.files.facts(of.file)?;
        // A constructor has the name of its type, and is never meant by it.
        let inside = |symbol: &Symbol| {
            symbol.parent == Some(of.symbol)
                && *symbol.name == **name
                && (symbol.kind != SymbolKind::Constructor
                    || symbol.name != facts.symbols[of.symbol as usize].name)
        };
        if let Some(symbol) = facts.symbols.iter().position(inside) {
            return Ok(Some(Definition { file: of.file, symbol: symbol as u32 }));
        }
        let owner = &facts.symbols[of.symbol as usize];
        if !owner.kind.is_type() {
            // What is assigned to a member of an object or function in its own file.
            let assigned = |symbol: &Symbol| {
                *symbol.name == **name && symbol.receiver.as_deref() == Some(&owner.name)
            };
            let found = owner.parent.is_none().then(|| facts.symbols.iter().position(assigned));
            let found = found.flatten().map(|symbol| symbol as u32);
            return Ok(found.map(|symbol| Definition { file: of.file, symbol }));
        }
        // Types of the same name may be in different modules of the file.
        let separator = self.files.language(of.file)?.separator();
        let qualified = format!("{}{separator}{name}", owner.qualified);
        if let Some(symbol) = facts.symbols.iter().position(|symbol| symbol.qualified == qualified)
        {
            return Ok(Some(Definition { file: of.file, symbol: symbol as u32 }));
        }
        let owner: Arc<str> = owner.name.as_str().into();
        let folder_only = self.files.language(of.file)?.shared_scope == SharedScope::Folder;
        for file in self.files.defining(name)?.iter().copied() {
            let far = self.files.path(of.file).folder() != self.files.path(file).folder();
            if folder_only && far {
                continue;
            }
            let facts = self.files.facts(file)?;
            let received = |symbol: &Symbol| {
                *symbol.name == **name && symbol.receiver.as_deref() == Some(&*owner)
            };
            let Some(symbol) = facts.symbols.iter().position(received) else { continue };
            let meant = self.name(file, &owner)?;
            if matches!(meant, Value::Definition(found) if found == of) {
                return Ok(Some(Definition { file, symbol: symbol as u32 }));
            }
        }
        Ok(None)
    }
}

/// The symbol of a file with this name that is in no other; one that is code or a type before one that is a module.
fn outermost(facts: &FileFacts, name: &str) -> Option<u32> {
    // Where names are linked across the program, only the fields of a type are inside of it.
    let is_flat = find_language(&facts.language)
        .is_some_and(|language| language.shared_scope == SharedScope::Program);
    let is_outermost = |symbol: &Symbol| {
        symbol.name == name
            && symbol.receiver.is_none()
            && symbol.kind != SymbolKind::Field
            && (symbol.parent.is_none() || is_flat)
    };
    let mut found = (0..).zip(&facts.symbols).filter(|(_, symbol)| is_outermost(symbol));
    let first = found.next()?;
    let best = if first.1.kind == SymbolKind::Module {
        found.find(|(_, symbol)| symbol.kind != SymbolKind::Module).unwrap_or(first)
    } else {
        first
    };
    Some(best.0)
}
