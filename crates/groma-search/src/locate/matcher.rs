//! Decides which references of a file mean the definitions that are asked for.

use super::resolution::LocatedSymbol;
use crate::graph::{Definition, FileId, Linker, Value};
use crate::reader::Reader;
use groma_core::{Binding, Expression, FileFacts, Reference, RelPath, StoreError};
use groma_syntax::SharedScope;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a reference is to the definitions that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It means one of them, by its index; if they are matched by name, the first.
    Certain(usize),
    /// It may mean one of them: nothing is known about what it is a member of.
    Possible,
    /// It means something else.
    Excluded,
}

/// The definitions that are asked for, and a linker.
pub(super) struct Matcher<'a> {
    linker: Linker<'a>,
    /// The names as asked for, and those under which files export the definitions.
    names: FxHashSet<String>,
    /// What is searched in texts to find files that use the names.
    searched: Vec<String>,
    wanted: Vec<Wanted>,
    by_file: FxHashMap<FileId, Vec<usize>>,
    by_name: FxHashMap<String, Vec<usize>>,
}

/// A definition that is asked for.
struct Wanted {
    definition: Definition,
    /// The languages that can use it.
    family: &'static str,
    /// Whether references of its language have targets.
    links: bool,
    /// Whether a member of something unknown may mean it.
    is_member: bool,
    /// Whether nothing else in the project has its name, so that a member of that name means it.
    is_only: bool,
}

/// A matcher at one file.
pub(super) struct FileMatcher<'m, 'a> {
    matcher: &'m mut Matcher<'a>,
    file: FileId,
    family: &'static str,
    links: bool,
    /// Other names that the file gives to the definitions.
    aliases: Vec<Arc<str>>,
}

impl<'a> Matcher<'a> {
    pub fn new(
        reader: &'a Reader,
        names: &[String],
        definitions: &[LocatedSymbol],
    ) -> Result<Self, StoreError> {
        let mut matcher = Self {
            linker: Linker::new(reader),
            names: names.iter().cloned().collect(),
            searched: names.to_vec(),
            wanted: Vec::new(),
            by_file: FxHashMap::default(),
            by_name: FxHashMap::default(),
        };
        definitions.iter().try_for_each(|one| matcher.add(one))?;
        matcher.searched.sort_unstable();
        matcher.searched.dedup();
        Ok(matcher)
    }

    fn add(&mut self, (path, facts, index): &LocatedSymbol) -> Result<(), StoreError> {
        let file = self.linker.files.known(path, facts);
        let definition = Definition { file, symbol: *index };
        let symbol = &facts.symbols[*index as usize];
        let language = self.linker.files.language(file)?;
        let is_member = symbol.parent.is_some() || symbol.receiver.is_some();
        let is_only = self.linker.files.defining(&symbol.name.as_str().into())?.len() == 1
            && facts.symbols.iter().filter(|other| other.name == symbol.name).count() == 1;
        let at = self.wanted.len();
        self.wanted.push(Wanted {
            definition,
            family: language.family,
            links: language.links_references(),
            // Where files share names, a module is always known; what is unknown is a value.
            is_member: is_member || language.shared_scope == SharedScope::File,
            // A value of the language itself may have a member of that name.
            is_only: is_only && is_member && !language.is_member_name(&symbol.name),
        });
        self.by_file.entry(file).or_default().push(at);
        self.by_name.entry(symbol.name.clone()).or_default().push(at);
        for binding in facts.links.bindings.iter().filter(|one| one.exported) {
            let other = !self.names.contains(&*binding.name);
            if other && self.linker.means(file, binding, definition)? {
                self.names.insert(binding.name.to_string());
                self.searched.push(importable_name(path).to_string());
            }
        }
        Ok(())
    }

    /// What a file contains that uses one of the definitions.
    pub fn searched(&self) -> &[String] {
        &self.searched
    }

    pub fn file(
        &mut self,
        path: &RelPath,
        facts: &Arc<FileFacts>,
    ) -> Result<FileMatcher<'_, 'a>, StoreError> {
        let file = self.linker.files.known(path, facts);
        let language = self.linker.files.language(file)?;
        let gives = |binding: &&Binding| {
            let target = &facts.links.expressions[binding.target as usize];
            let Expression::Member(_, member) = target else { return false };
            *member != binding.name && self.names.contains(&**member)
        };
        let bindings = facts.links.bindings.iter();
        let aliases = bindings.filter(gives).map(|binding| binding.name.clone()).collect();
        let (family, links) = (language.family, language.links_references());
        Ok(FileMatcher { matcher: self, file, family, links, aliases })
    }

    /// Which of the definitions is the same thing as `found`.
    fn position(&self, found: Definition) -> Option<usize> {
        let files = &self.linker.files;
        let is_same = |at: &&usize| files.is_same(self.wanted[**at].definition, found);
        let in_file = self.by_file.get(&found.file).into_iter().flatten().find(is_same);
        let elsewhere = || {
            let name = &files.symbol(found).filter(|_| files.is_linked(found))?.name;
            self.by_name.get(name)?.iter().find(is_same)
        };
        in_file.or_else(elsewhere).copied()
    }
}

impl FileMatcher<'_, '_> {
    /// Whether the references of the file have targets.
    pub fn is_linked(&self) -> bool {
        self.links
    }

    /// Whether a reference of the file means one of the definitions.
    pub fn verdict(&mut self, reference: &Reference) -> Result<Verdict, StoreError> {
        if !self.matcher.names.contains(&*reference.name) && !self.aliases.contains(&reference.name)
        {
            return Ok(Verdict::Excluded);
        }
        let Some(target) = reference.target else { return Ok(self.by_name(reference)) };
        Ok(match self.matcher.linker.evaluate(self.file, target)? {
            Value::Definition(found) => {
                self.matcher.position(found).map_or(Verdict::Excluded, Verdict::Certain)
            }
            // A name that the project does not define is asked for.
            _ if self.matcher.wanted.is_empty() => Verdict::Certain(0),
            Value::Unknown => self.of_unknown(reference),
            _ => Verdict::Excluded,
        })
    }

    /// A member of something that nothing is known about.
    fn of_unknown(&self, reference: &Reference) -> Verdict {
        let wanted = &self.matcher.wanted;
        let fits = |at: &&usize| wanted[**at].is_member && wanted[**at].family == self.family;
        let named = self.matcher.by_name.get(&*reference.name).into_iter().flatten();
        let mut may_mean = named.filter(fits);
        match may_mean.next() {
            None => Verdict::Excluded,
            Some(only) if wanted[*only].is_only && may_mean.next().is_none() => {
                Verdict::Certain(*only)
            }
            Some(_) => Verdict::Possible,
        }
    }

    /// A name without a target may mean any definition of its name, but not one that only linked languages can use.
    fn by_name(&self, reference: &Reference) -> Verdict {
        let wanted = &self.matcher.wanted;
        let named = self.matcher.by_name.get(&*reference.name).map_or(&[][..], Vec::as_slice);
        let foreign = |at: &usize| wanted[*at].links && wanted[*at].family != self.family;
        if !named.is_empty() && named.iter().all(foreign) {
            return Verdict::Excluded;
        }
        Verdict::Certain(named.first().copied().unwrap_or(0))
    }
}

/// The part of a file's path that imports of it contain: its folder's name if its own means the folder.
fn importable_name(path: &RelPath) -> &str {
    let stem = path.stem();
    let stands_for_folder = matches!(stem, "index" | "__init__" | "mod" | "lib" | "main");
    let folder = path.folder().rsplit('/').next().filter(|folder| !folder.is_empty());
    if stands_for_folder { folder.unwrap_or(stem) } else { stem }
}
