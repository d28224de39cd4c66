//! The code graph: which definition a reference means.
//!
//! A parse leaves an expression for each reference (see [`groma_core::Links`]). Here expressions are evaluated against the
//! definitions of the whole project: names by the scope rules of their language, modules by the import map, members by
//! the types of what they are members of. Nothing is linked before it is asked for, so an index run stays as it is and a
//! change of one file changes the meaning of others at once.

mod evaluate;
mod files;
mod lookup;
mod value;

pub(crate) use files::{FileId, Files};
pub(crate) use value::{Definition, Value};

use crate::reader::Reader;
use groma_core::{Binding, ExpressionId, StoreError};
use groma_syntax::ImportMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Evaluates expressions of one generation. Made for one request.
pub(crate) struct Linker<'a> {
    pub files: Files<'a>,
    imports: Arc<ImportMap>,
    /// What was evaluated; an expression that is being evaluated is unknown, which ends cycles.
    known: FxHashMap<(FileId, ExpressionId), Value>,
    /// What each file includes, where names are linked across the program.
    included: FxHashMap<FileId, Arc<FxHashSet<FileId>>>,
    /// What each file exports under a name.
    exports: FxHashMap<(FileId, Arc<str>), Value>,
    /// What each bare name means in a file; nothing of the project while it is being looked up.
    names: FxHashMap<(FileId, Arc<str>), Value>,
    /// The members of each definition; missing while they are being looked up.
    members: FxHashMap<(Definition, Arc<str>), Value>,
    depth: u32,
    /// How many expressions and members were looked up.
    steps: u32,
}

impl<'a> Linker<'a> {
    pub fn new(reader: &'a Reader) -> Self {
        Self {
            files: Files::new(&*reader.snapshot),
            imports: reader.import_map(),
            known: FxHashMap::default(),
            included: FxHashMap::default(),
            exports: FxHashMap::default(),
            names: FxHashMap::default(),
            members: FxHashMap::default(),
            depth: 0,
            steps: 0,
        }
    }

    /// Whether a binding of a file means a definition.
    pub fn means(
        &mut self,
        file: FileId,
        binding: &Binding,
        definition: Definition,
    ) -> Result<bool, StoreError> {
        let value = self.evaluate(file, binding.target)?;
        Ok(matches!(value, Value::Definition(found) if self.files.is_same(found, definition)))
    }
}
