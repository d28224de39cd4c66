//! Reading one file of the project, and the files it imports.
//!
//! The index is not asked, so a file can be read before it was ever indexed. What may be read is decided by its
//! path, by where that leads, by the ignore files and by its content, and no byte is read before that.

use crate::error::{ReadRefusal, SearchError};
use crate::imports::ImportCache;
use crate::query::present::slice;
use crate::suggest::similar_paths;
use groma_core::{FileFacts, Import, Lines, ParseStatus, RelPath, SkippedFile, Snapshot};
use groma_files::source::{self, Source};
use groma_files::{
    FileFilter, FileTree, SkipReason, SourceTree, UnresolvedPath, WalkOptions, is_sensitive,
};
use groma_syntax::{detect, line_starts};
use std::sync::Arc;
use std::time::SystemTime;

/// Largest file that is read, in bytes.
const MAX_FILE_SIZE: u64 = 1 << 20;

/// Most imported files that are shown...
const MAX_DEPENDENCIES: usize = 100;

/// ...and most bytes of them.
const MAX_BYTES: usize = 2 << 20;

/// A file to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// The path as the caller wrote it, relative to the project.
    pub path: String,
    /// Only these lines, `u32::MAX` for the last; what lies beyond the end is left out.
    pub lines: Option<Lines>,
    /// Whether to read the files of the project that it imports, too.
    pub dependencies: bool,
}

impl ReadRequest {
    /// A whole file, by itself.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), lines: None, dependencies: false }
    }
}

/// A file of the project that another imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The file.
    pub path: RelPath,
    /// The line of the first import that means it.
    pub line: u32,
    /// Its text.
    pub content: String,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// The file.
    pub path: RelPath,
    /// The text of its lines.
    pub content: String,
    /// The size of the whole file.
    pub bytes: u64,
    /// The number of lines of the whole file.
    pub line_count: u32,
    /// The lines that `content` shows.
    pub lines: Lines,
    /// The language's canonical name.
    pub language: String,
    /// When it was changed last.
    pub modified: SystemTime,
    /// The files of the project it imports, in the order of its imports.
    pub dependencies: Vec<Dependency>,
    /// Why not all of its imports may be known: its syntax is broken among them. Only looked for with dependencies.
    pub import_trouble: Option<String>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// The files that reading is about, and what the index knows of them.
#[derive(Clone, Copy)]
pub struct ReadFrom<'a> {
    /// The files.
    pub source: &'a SourceTree,
    /// The newest generation, where there is one that can be read.
    pub newest: Option<&'a Arc<dyn Snapshot>>,
    /// Import maps made before.
    pub imports: &'a ImportCache,
}

/// Reads a file of the project as it is now.
pub fn read(from: ReadFrom<'_>, request: &ReadRequest) -> Result<FileView, SearchError> {
    from.read(request)
}

impl ReadFrom<'_> {
    fn read(&self, request: &ReadRequest) -> Result<FileView, SearchError> {
        let mut reader = FileReader::new(self.source)?;
        let refused = |refusal| SearchError::Refused { path: request.path.clone(), refusal };
        let path = wanted(&request.path)?.map_err(refused)?;
        let (place, source) = match reader.read(&path) {
            Ok(read) => read,
            Err(ReadError::Refused(refusal)) => return Err(refused(refusal)),
            Err(ReadError::Missing) => return Err(self.file_not_found(&request.path)),
        };
        let modified = self.source.tree().modified(&source.stamp);
        let mut view = view(path, &source, request.lines, modified);
        if place != view.path {
            view.notes.push(format!("{} is a link to {place}", view.path));
        }
        if request.dependencies {
            self.add_dependencies(&mut view, &place, &source.text, &mut reader)?;
        }
        Ok(view)
    }

    fn file_not_found(&self, path: &str) -> SearchError {
        // A guess that cannot be made is no reason to say less of what is wrong.
        let suggestions = similar_paths(self.source, path, 3).unwrap_or_default();
        SearchError::FileNotFound { path: path.to_string(), suggestions }
    }

    /// Reads the files that a file imports.
    fn add_dependencies(
        &self,
        view: &mut FileView,
        place: &RelPath,
        text: &str,
        reader: &mut FileReader<'_>,
    ) -> Result<(), SearchError> {
        let facts = groma_syntax::parse(place, text).facts;
        view.import_trouble = import_trouble(&facts);
        let imported = self.imported(place, &facts)?;
        let (mut bytes, mut refused) = (0, 0);
        for (at, (path, line)) in imported.iter().enumerate() {
            if at >= MAX_DEPENDENCIES || bytes > MAX_BYTES {
                let more = imported.len() - at;
                view.notes.push(format!("{more} more imported files are not shown"));
                break;
            }
            match reader.read(path) {
                Ok((_, source)) => {
                    bytes += source.text.len();
                    let content = source.text;
                    view.dependencies.push(Dependency { path: path.clone(), line: *line, content });
                }
                Err(_) => refused += 1,
            }
        }
        if refused > 0 {
            view.notes.push(format!("{refused} imported files cannot be shown"));
        }
        Ok(())
    }

    /// The files that a file imports and the lines of the imports, each file once.
    fn imported(
        &self,
        path: &RelPath,
        facts: &FileFacts,
    ) -> Result<Vec<(RelPath, u32)>, SearchError> {
        if facts.imports.is_empty() {
            return Ok(Vec::new());
        }
        let map = self.imports.of_tree(self.source, self.newest)?;
        let mut imports: Vec<&Import> = facts.imports.iter().collect();
        imports.sort_by_key(|import| import.line);
        let mut found: Vec<(RelPath, u32)> = Vec::new();
        for import in imports {
            for file in map.resolve(path, &facts.language, import) {
                if found.iter().all(|(known, _)| *known != file) {
                    found.push((file, import.line));
                }
            }
        }
        Ok(found)
    }
}

/// What is wrong among the imports: an error on the way to the last of them, or before anything is defined.
fn import_trouble(facts: &FileFacts) -> Option<String> {
    let health = &facts.health;
    if !matches!(health.status, ParseStatus::Partial | ParseStatus::Error) {
        return None;
    }
    let last_import = facts.imports.iter().map(|import| import.line).max().unwrap_or(0);
    let first_symbol = facts.symbols.first().map_or(u32::MAX, |symbol| symbol.lines.start);
    let line = health.message.rsplit(' ').next().and_then(|line| line.parse::<u32>().ok());
    let among = line.is_none_or(|line| line <= last_import || line < first_symbol);
    among.then(|| health.message.clone())
}

/// The path, checked by its text alone.
fn wanted(text: &str) -> Result<Result<RelPath, ReadRefusal>, SearchError> {
    if text.trim().is_empty() || text.contains('\0') {
        return Err(SearchError::invalid("path", "is empty or no path; give the path of a file"));
    }
    let bytes = text.as_bytes();
    let drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    if text.starts_with(['/', '\\', '~']) || drive {
        return Ok(Err(ReadRefusal::Absolute));
    }
    if text.contains('\\') || text.split('/').any(|part| part == "..") {
        return Ok(Err(ReadRefusal::Traversal));
    }
    // What is left is the folder itself.
    Ok(RelPath::new(text).map_err(|_| ReadRefusal::NotAFile))
}

/// Why a file was not read.
enum ReadError {
    Missing,
    Refused(ReadRefusal),
}

impl From<ReadRefusal> for ReadError {
    fn from(refusal: ReadRefusal) -> Self {
        ReadError::Refused(refusal)
    }
}

/// Reads files under the rules for one request.
struct FileReader<'e> {
    tree: &'e dyn FileTree,
    options: WalkOptions,
    filter: FileFilter,
}

impl<'e> FileReader<'e> {
    fn new(source: &'e SourceTree) -> Result<Self, SearchError> {
        // Whatever is not wanted in an index may be read all the same, if it is no secret and not ignored.
        let options = WalkOptions {
            hidden: true,
            vendored: true,
            generated: true,
            lock_files: true,
            minified: true,
            tests: true,
            max_file_size: MAX_FILE_SIZE,
            ..source.options().clone()
        };
        let tree = source.tree();
        let filter = tree.filter(&options)?;
        Ok(Self { tree, options, filter })
    }

    /// The text of a file, and where links lead that stand for it.
    fn read(&mut self, path: &RelPath) -> Result<(RelPath, Source), ReadError> {
        if is_sensitive(path) {
            return Err(ReadRefusal::Sensitive.into());
        }
        let place = self.resolve(path)?;
        if is_sensitive(&place) {
            return Err(ReadRefusal::Sensitive.into());
        }
        self.filter.check(&place).map_err(|skipped| self.error(&place, skipped))?;
        let source = source::read(self.tree, &place, &self.options);
        Ok((place.clone(), source.map_err(|skipped| self.error(&place, skipped))?))
    }

    /// Where a path leads, links followed. No file is opened for that.
    fn resolve(&self, path: &RelPath) -> Result<RelPath, ReadError> {
        self.tree.resolve(path).map_err(|astray| match astray {
            UnresolvedPath::Missing => ReadError::Missing,
            UnresolvedPath::Outside => ReadRefusal::Traversal.into(),
            UnresolvedPath::Root => ReadRefusal::NotAFile.into(),
            UnresolvedPath::Unreadable(reason) => ReadRefusal::Unreadable { reason }.into(),
        })
    }

    /// What a reason not to index a file means for reading it.
    fn error(&self, path: &RelPath, skipped: SkippedFile) -> ReadError {
        use SkipReason::*;
        let refusal = match SkipReason::named(&skipped.reason) {
            Some(Vanished) => return ReadError::Missing,
            Some(VersionControl | Secret) => ReadRefusal::Sensitive,
            Some(Excluded) => ReadRefusal::Ignored { rule: "`exclude` of .groma.toml".into() },
            Some(Ignored) => ReadRefusal::Ignored { rule: self.filter.rule(path) },
            Some(Binary) => ReadRefusal::Binary,
            Some(TooLarge) => {
                ReadRefusal::TooLarge { bytes: self.size(path), limit: MAX_FILE_SIZE }
            }
            Some(NotAFile | Symlink) => ReadRefusal::NotAFile,
            _ => ReadRefusal::Unreadable { reason: skipped.detail },
        };
        ReadError::Refused(refusal)
    }

    fn size(&self, path: &RelPath) -> u64 {
        self.tree.stamp(path).map_or(MAX_FILE_SIZE + 1, |stamp| stamp.size)
    }
}

/// A file as it is shown.
fn view(path: RelPath, source: &Source, lines: Option<Lines>, modified: SystemTime) -> FileView {
    let text = &source.text;
    let starts = line_starts(text);
    let last = starts.len() as u32;
    let all = Lines::new(1, last);
    let mut notes = Vec::new();
    // To the end of the file, wherever that is, is as asked.
    if lines.is_some_and(|lines| lines.end > last && lines.end != u32::MAX) {
        notes.push(format!("the file ends with line {last}"));
    }
    if std::str::from_utf8(&source.bytes).is_err() && text.contains(char::REPLACEMENT_CHARACTER) {
        notes.push("bytes that are not UTF-8 were replaced".to_string());
    }
    let shown = lines.map_or(all, |lines| {
        let start = lines.start.clamp(1, last);
        Lines::new(start, lines.end.clamp(start, last))
    });
    FileView {
        content: if lines.is_none() { text.clone() } else { slice(text, &starts, shown).into() },
        bytes: source.bytes.len() as u64,
        line_count: if text.is_empty() { 0 } else { last },
        lines: shown,
        language: detect(&path, text.as_bytes()).name.to_string(),
        modified,
        dependencies: Vec::new(),
        import_trouble: None,
        notes,
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_judged_by_their_text() {
        let judged = |path: &str| wanted(path).unwrap();
        for path in ["/etc/passwd", "~/x", "~", "C:\\x", "c:/x", "\\\\host\\x", "//host/x"] {
            assert_eq!(judged(path), Err(ReadRefusal::Absolute), "{path}");
        }
        for path in ["../x", "a/../b", "a/..", "..", "a\\b", "a\\..\\b", "./../x"] {
            assert_eq!(judged(path), Err(ReadRefusal::Traversal), "{path}");
        }
        for path in [".", "./", "././."] {
            assert_eq!(judged(path), Err(ReadRefusal::NotAFile), "{path}");
        }
        for (path, plain) in [("a/b.rs", "a/b.rs"), ("./a//b", "a/b"), ("..a/b..", "..a/b..")] {
            assert_eq!(judged(path).unwrap().as_str(), plain);
        }
        assert!(wanted("").is_err() && wanted(" ").is_err() && wanted("a\0b").is_err());
    }
}
