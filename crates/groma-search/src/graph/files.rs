//! The files that an evaluation has touched, and where names are defined.

use super::value::Definition;
use groma_core::{
    ChunkFilter, FileFacts, RelPath, Snapshot, StoreError, Symbol, SymbolKind, Visibility,
};
use groma_syntax::{Language, SharedScope, find_language};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A file in [`Files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FileId(u32);

/// A file with its facts, read at first use.
struct File {
    path: RelPath,
    facts: Option<Arc<FileFacts>>,
    language: Option<&'static Language>,
}

/// Reads facts once for each file, and definitions once for each name.
pub(crate) struct Files<'a> {
    snapshot: &'a dyn Snapshot,
    files: Vec<File>,
    by_path: FxHashMap<RelPath, FileId>,
    /// The files that define each name, exactly as written.
    defining: FxHashMap<Arc<str>, Arc<[FileId]>>,
    /// What a file without facts is taken for.
    empty: Arc<FileFacts>,
}

impl<'a> Files<'a> {
    pub fn new(snapshot: &'a dyn Snapshot) -> Self {
        Self {
            snapshot,
            files: Vec::new(),
            by_path: FxHashMap::default(),
            defining: FxHashMap::default(),
            empty: Arc::new(FileFacts::empty()),
        }
    }

    pub fn id(&mut self, path: &RelPath) -> FileId {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(File { path: path.clone(), facts: None, language: None });
        self.by_path.insert(path.clone(), id);
        id
    }

    /// The id of a file whose facts were read already.
    pub fn known(&mut self, path: &RelPath, facts: &Arc<FileFacts>) -> FileId {
        let id = self.id(path);
        self.files[id.0 as usize].facts.get_or_insert_with(|| facts.clone());
        id
    }

    pub fn path(&self, file: FileId) -> &RelPath {
        &self.files[file.0 as usize].path
    }

    /// The facts of a file; those of an empty one if the index does not have it.
    pub fn facts(&mut self, file: FileId) -> Result<Arc<FileFacts>, StoreError> {
        let one = &mut self.files[file.0 as usize];
        if let Some(facts) = &one.facts {
            return Ok(facts.clone());
        }
        let facts = self.snapshot.file_facts(&one.path)?.unwrap_or_else(|| self.empty.clone());
        one.facts = Some(facts.clone());
        Ok(facts)
    }

    /// The files that define a name.
    pub fn defining(&mut self, name: &Arc<str>) -> Result<Arc<[FileId]>, StoreError> {
        if let Some(known) = self.defining.get(name) {
            return Ok(known.clone());
        }
        let ids = self.snapshot.definitions(&[name.to_string()], &ChunkFilter::default())?;
        let mut found = Vec::new();
        for outline in self.snapshot.outlines(&ids)? {
            if outline.names.iter().any(|one| **one == **name) {
                found.push(self.id(&outline.path));
            }
        }
        found.dedup();
        let found: Arc<[FileId]> = found.into();
        self.defining.insert(name.clone(), found.clone());
        Ok(found)
    }

    /// The language of a file.
    pub fn language(&mut self, file: FileId) -> Result<&'static Language, StoreError> {
        if let Some(known) = self.files[file.0 as usize].language {
            return Ok(known);
        }
        let facts = self.facts(file)?;
        // Facts are only ever written under the name of a row.
        let language = find_language(&facts.language).unwrap_or(&groma_syntax::LANGUAGES[0]);
        self.files[file.0 as usize].language = Some(language);
        Ok(language)
    }

    /// Whether two files see each other's names without an import.
    pub fn share_names(&mut self, one: FileId, other: FileId) -> Result<bool, StoreError> {
        if one == other {
            return Ok(true);
        }
        let scope = self.language(one)?.shared_scope;
        if scope == SharedScope::File
            || scope == SharedScope::Folder && self.path(one).folder() != self.path(other).folder()
            || self.language(one)?.family != self.language(other)?.family
        {
            return Ok(false);
        }
        Ok(scope == SharedScope::Program || self.facts(one)?.package == self.facts(other)?.package)
    }

    /// Whether two definitions are the same thing: declared twice in a file under one name (overloads, branches of a
    /// condition), or a declaration and its definition where names are linked across the program.
    pub fn is_same(&self, one: Definition, other: Definition) -> bool {
        if one == other {
            return true;
        }
        let (Some(first), Some(second)) = (self.symbol(one), self.symbol(other)) else {
            return false;
        };
        if first.name != second.name {
            return false;
        }
        if one.file == other.file {
            let callable = |kind: SymbolKind| kind.is_callable() || kind.is_value();
            // Fields of types without a name belong to the definition around them, and are not one.
            let kind_of = |index: u32| {
                self.symbol(Definition { file: one.file, symbol: index }).map(|outer| outer.kind)
            };
            let outer = first.parent.and_then(kind_of);
            let in_nameless = first.kind == SymbolKind::Field
                && outer.is_none_or(|kind| kind.is_callable() || kind.is_value());
            return first.parent == second.parent
                && first.receiver == second.receiver
                && !in_nameless
                && (first.kind == second.kind || callable(first.kind) && callable(second.kind));
        }
        self.is_linked(one) && self.is_linked(other)
    }

    /// Whether a definition is the same thing as others of its name in other files: names are linked across the program.
    pub fn is_linked(&self, one: Definition) -> bool {
        self.symbol(one).is_some_and(|symbol| {
            symbol.parent.is_none()
                && symbol.visibility == Visibility::Public
                && self.scope(one.file) == Some(SharedScope::Program)
        })
    }

    /// The symbol of a definition whose file was read.
    pub fn symbol(&self, definition: Definition) -> Option<&Symbol> {
        let facts = self.files[definition.file.0 as usize].facts.as_ref()?;
        facts.symbols.get(definition.symbol as usize)
    }

    fn scope(&self, file: FileId) -> Option<SharedScope> {
        let facts = self.files[file.0 as usize].facts.as_ref()?;
        find_language(&facts.language).map(|language| language.shared_scope)
    }
}
