//! Decides which references of a file mean the definitions that are asked for.

use super::import_scope::same_family;
use super::resolution::LocatedSymbol;
use crate::graph::{Definition, FileId, Linker, Value};
use crate::reader::Reader;
use groma_core::{Binding, Expression, FileFacts, Reference, RelPath, StoreError};
use groma_syntax::{SharedScope, find_language};
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
    names: Vec<String>,
    /// What is searched in texts to find files that use the names.
    searched: Vec<String>,
    wanted: Vec<Wanted>,
}

/// A definition that is asked for.
struct Wanted {
    definition: Definition,
    name: String,
    language: String,
    /// Whether a member of something unknown may mean it.
    is_member: bool,
    /// Whether nothing else in the project has its name, so that a member of that name means it.
    is_only: bool,
}

/// A matcher at one file.
pub(super) struct FileMatcher<'m, 'a> {
    matcher: &'m mut Matcher<'a>,
    facts: Arc<FileFacts>,
    file: FileId,
    linked: bool,
    /// Other names that the file gives to the definitions.
    aliases: Vec<Arc<str>>,
    /// The definitions whose language the file can use, with their index.
    related: Vec<(usize, Definition)>,
}

impl<'a> Matcher<'a> {
    pub fn new(
        reader: &'a Reader,
        names: &[String],
        definitions: &[LocatedSymbol],
    ) -> Result<Self, StoreError> {
        let mut linker = Linker::new(reader);
        let (mut names, mut searched) = (names.to_vec(), names.to_vec());
        let mut wanted = Vec::new();
        for (path, facts, index) in definitions {
            let file = linker.files.known(path, facts);
            let definition = Definition { file, symbol: *index };
            let symbol = &facts.symbols[*index as usize];
            let language = find_language(&facts.language);
            let scope = language.map(|language| language.shared_scope);
            let is_member = symbol.parent.is_some() || symbol.receiver.is_some();
            // A value of the language itself may have a member of that name.
            let is_usual = language.is_some_and(|language| language.is_member_name(&symbol.name));
            let is_only = linker.files.defining(&symbol.name.as_str().into())?.len() == 1
                && facts.symbols.iter().filter(|other| other.name == symbol.name).count() == 1;
            wanted.push(Wanted {
                definition,
                name: symbol.name.clone(),
                language: facts.language.clone(),
                // Where files share names, a module is always known; what is unknown is a value.
                is_member: is_member || scope == Some(SharedScope::File),
                is_only: is_only && is_member && !is_usual,
            });
            for binding in facts.links.bindings.iter().filter(|one| one.exported) {
                let other = !names.iter().any(|name| **name == *binding.name);
                if other && linker.means(file, binding, definition)? {
                    names.push(binding.name.to_string());
                    searched.push(importable_name(path).to_string());
                }
            }
        }
        searched.sort_unstable();
        searched.dedup();
        Ok(Self { linker, names, searched, wanted })
    }

    /// What a file contains that uses one of the definitions.
    pub fn searched(&self) -> &[String] {
        &self.searched
    }

    pub fn file(&mut self, path: &RelPath, facts: &Arc<FileFacts>) -> FileMatcher<'_, 'a> {
        let file = self.linker.files.known(path, facts);
        let linked =
            find_language(&facts.language).is_some_and(|language| language.links_references());
        let gives = |binding: &&Binding| {
            let target = &facts.links.expressions[binding.target as usize];
            let Expression::Member(_, member) = target else { return false };
            *member != binding.name && self.names.iter().any(|name| **name == **member)
        };
        let bindings = facts.links.bindings.iter();
        let aliases = bindings.filter(gives).map(|binding| binding.name.clone()).collect();
        let related = self
            .wanted
            .iter()
            .enumerate()
            .filter(|(_, one)| same_family(&one.language, &facts.language))
            .map(|(index, one)| (index, one.definition))
            .collect();
        FileMatcher { matcher: self, facts: facts.clone(), file, linked, aliases, related }
    }
}

impl FileMatcher<'_, '_> {
    /// Whether the references of the file have targets.
    pub fn is_linked(&self) -> bool {
        self.linked
    }

    /// Whether a reference of the file means one of the definitions.
    pub fn verdict(&mut self, reference: &Reference) -> Result<Verdict, StoreError> {
        let named = self.matcher.names.iter().any(|name| **name == *reference.name)
            || self.aliases.contains(&reference.name);
        if !named {
            return Ok(Verdict::Excluded);
        }
        let Some(target) = reference.target else { return Ok(self.by_name(reference)) };
        let Matcher { linker, wanted, .. } = &mut *self.matcher;
        match linker.evaluate(self.file, target)? {
            Value::Definition(found) => {
                let same = |(_, one): &&(usize, Definition)| linker.files.is_same(*one, found);
                let meant = self.related.iter().find(same);
                return Ok(meant.map_or(Verdict::Excluded, |(index, _)| Verdict::Certain(*index)));
            }
            // A name that the project does not define is asked for.
            _ if wanted.is_empty() => return Ok(Verdict::Certain(0)),
            Value::Unknown => {}
            _ => return Ok(Verdict::Excluded),
        }
        let language = &self.facts.language;
        let fits = |(_, one): &(usize, &Wanted)| {
            one.is_member && *one.name == *reference.name && same_family(&one.language, language)
        };
        let mut may_mean = wanted.iter().enumerate().filter(fits);
        Ok(match may_mean.next() {
            None => Verdict::Excluded,
            Some((index, only)) if only.is_only && may_mean.next().is_none() => {
                Verdict::Certain(index)
            }
            Some(_) => Verdict::Possible,
        })
    }

    /// A name without a target may mean any definition of its name, but not one that only linked languages can use.
    fn by_name(&self, reference: &Reference) -> Verdict {
        let links = |one: &Wanted| {
            find_language(&one.language).is_some_and(|language| language.links_references())
        };
        let foreign = !self.matcher.wanted.is_empty()
            && self.related.is_empty()
            && self.matcher.wanted.iter().all(links);
        let named = self.matcher.wanted.iter().position(|one| *one.name == *reference.name);
        if foreign { Verdict::Excluded } else { Verdict::Certain(named.unwrap_or(0)) }
    }
}

/// The part of a file's path that imports of it contain: its folder's name if its own means the folder.
fn importable_name(path: &RelPath) -> &str {
    let stem = path.stem();
    let stands_for_folder = matches!(stem, "index" | "__init__" | "mod" | "lib" | "main");
    let folder = path.folder().rsplit('/').next().filter(|folder| !folder.is_empty());
    if stands_for_folder { folder.unwrap_or(stem) } else { stem }
}
