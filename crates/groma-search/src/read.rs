//! Reads one file of the project, and the files it imports.
//!
//! Works without an index. Access is checked by path, link target, ignore rules and content; the file is not opened
//! before the path is admitted.

use crate::error::{ReadRefusal, SearchError};
use crate::imports::ImportCache;
use crate::query::present::slice;
use crate::suggest::similar_paths;
use groma_core::{FileFacts, Import, Lines, RelPath, SkippedFile, Snapshot};
use groma_files::source::{self, Source};
use groma_files::{
    FileFilter, FileTree, SkipReason, SourceTree, UnresolvedPath, WalkOptions, is_sensitive,
};
use groma_syntax::{detect, line_starts};
use std::sync::Arc;
use std::time::SystemTime;

/// Maximum size of a file, in bytes.
const MAX_FILE_SIZE: u64 = 1 << 20;

/// Maximum number of imported files in an answer.
const MAX_DEPENDENCIES: usize = 100;

/// Imported files are added until they exceed this number of bytes.
const MAX_DEPENDENCY_BYTES: usize = 2 << 20;

/// A request to read a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// The path as the caller wrote it, relative to the project.
    pub path: String,
    /// Only these lines, `u32::MAX` for the last one; clamped to the end of the file.
    pub lines: Option<Lines>,
    /// Whether to include the files of the project that it imports.
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
    /// The line of the first import that resolves to it.
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
    /// Modification time.
    pub modified: SystemTime,
    /// The files of the project it imports, in the order of its imports.
    pub dependencies: Vec<Dependency>,
    /// A syntax error among the imports, because of which some may be missing. Set only if dependencies are requested.
    pub import_error: Option<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// The file tree to read from, and what the index knows about it.
#[derive(Clone, Copy)]
pub struct ReadFrom<'a> {
    /// The files.
    pub source: &'a SourceTree,
    /// The newest generation, if one can be read.
    pub newest: Option<&'a Arc<dyn Snapshot>>,
    /// Cached import maps.
    pub imports: &'a ImportCache,
}

/// Reads the current version of a file.
pub fn read(from: ReadFrom<'_>, request: &ReadRequest) -> Result<FileView, SearchError> {
    from.read(request)
}

impl ReadFrom<'_> {
    fn read(&self, request: &ReadRequest) -> Result<FileView, SearchError> {
        let mut reader = FileReader::new(self.source)?;
        let refused = |refusal| SearchError::Refused { path: request.path.clone(), refusal };
        let path = parse_path(&request.path)?.map_err(refused)?;
        let (target, source) = match reader.read(&path) {
            Ok(read) => read,
            Err(ReadError::Refused(refusal)) => return Err(refused(refusal)),
            Err(ReadError::Missing) => return Err(self.file_not_found(&request.path)),
        };
        let modified = self.source.tree().modified(&source.stamp);
        let mut view = view(path, &source, request.lines, modified);
        if target != view.path {
            view.notes.push(format!("{} is a symbolic link to {target}", view.path));
        }
        if request.dependencies {
            self.add_dependencies(&mut view, &target, &source.text, &mut reader)?;
        }
        Ok(view)
    }

    fn file_not_found(&self, path: &str) -> SearchError {
        // Suggestions are optional: a failed walk must not hide the error.
        let suggestions = similar_paths(self.source, path, 3).unwrap_or_default();
        SearchError::FileNotFound { path: path.to_string(), suggestions }
    }

    /// Reads the files that a file imports.
    fn add_dependencies(
        &self,
        view: &mut FileView,
        path: &RelPath,
        text: &str,
        reader: &mut FileReader<'_>,
    ) -> Result<(), SearchError> {
        let facts = groma_syntax::parse(path, text).facts;
        view.import_error = import_error(&facts);
        let imported = self.imported(path, &facts)?;
        let (mut bytes, mut refused) = (0, 0);
        for (at, (path, line)) in imported.iter().enumerate() {
            if at >= MAX_DEPENDENCIES || bytes > MAX_DEPENDENCY_BYTES {
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

    /// The files that a file imports, each once, with the line of the import.
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

/// A syntax error up to the last import, or before the first definition.
fn import_error(facts: &FileFacts) -> Option<String> {
    let health = &facts.health;
    if !health.status.is_failure() {
        return None;
    }
    let last_import = facts.imports.iter().map(|import| import.line).max().unwrap_or(0);
    let first_symbol = facts.symbols.first().map_or(u32::MAX, |symbol| symbol.lines.start);
    let line = health.message.rsplit(' ').next().and_then(|line| line.parse::<u32>().ok());
    let is_among_imports = line.is_none_or(|line| line <= last_import || line < first_symbol);
    is_among_imports.then(|| health.message.clone())
}

/// Validates a path by its text alone.
fn parse_path(text: &str) -> Result<Result<RelPath, ReadRefusal>, SearchError> {
    if text.trim().is_empty() || text.contains('\0') {
        return Err(SearchError::invalid(
            "path",
            "is empty or not a path; give the path of a file",
        ));
    }
    let bytes = text.as_bytes();
    let drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    if text.starts_with(['/', '\\', '~']) || drive {
        return Ok(Err(ReadRefusal::Absolute));
    }
    if text.contains('\\') || text.split('/').any(|part| part == "..") {
        return Ok(Err(ReadRefusal::Traversal));
    }
    // The only remaining case is the project folder itself.
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

/// Reads files for one request, subject to the access rules.
struct FileReader<'e> {
    tree: &'e dyn FileTree,
    options: WalkOptions,
    filter: FileFilter,
}

impl<'e> FileReader<'e> {
    fn new(source: &'e SourceTree) -> Result<Self, SearchError> {
        // Files that are merely not indexed may be read, unless they are secret or ignored.
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

    /// The text of a file, and its path with symbolic links resolved.
    fn read(&mut self, path: &RelPath) -> Result<(RelPath, Source), ReadError> {
        if is_sensitive(path) {
            return Err(ReadRefusal::Sensitive.into());
        }
        let target = self.resolve(path)?;
        if is_sensitive(&target) {
            return Err(ReadRefusal::Sensitive.into());
        }
        self.filter.check(&target).map_err(|skipped| self.error(&target, skipped))?;
        let source = source::read(self.tree, &target, &self.options);
        let source = source.map_err(|skipped| self.error(&target, skipped))?;
        Ok((target, source))
    }

    /// Resolves symbolic links without opening the file.
    fn resolve(&self, path: &RelPath) -> Result<RelPath, ReadError> {
        self.tree.resolve(path).map_err(|error| match error {
            UnresolvedPath::Missing => ReadError::Missing,
            UnresolvedPath::Outside => ReadRefusal::Traversal.into(),
            UnresolvedPath::Root => ReadRefusal::NotAFile.into(),
            UnresolvedPath::Unreadable(reason) => ReadRefusal::Unreadable { reason }.into(),
        })
    }

    /// Maps the reason why a file is not indexed to the reason why it is not read.
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

/// Builds the answer for a file.
fn view(path: RelPath, source: &Source, lines: Option<Lines>, modified: SystemTime) -> FileView {
    let text = &source.text;
    let starts = line_starts(text);
    let last = starts.len() as u32;
    let all = Lines::new(1, last);
    let mut notes = Vec::new();
    // `u32::MAX` means the end of the file.
    if lines.is_some_and(|lines| lines.end > last && lines.end != u32::MAX) {
        notes.push(format!("the file ends at line {last}"));
    }
    if std::str::from_utf8(&source.bytes).is_err() && text.contains(char::REPLACEMENT_CHARACTER) {
        notes.push("invalid UTF-8 was replaced".to_string());
    }
    if source.withheld > 0 {
        let (noun, verb) = if source.withheld == 1 { ("secret", "is") } else { ("secrets", "are") };
        notes.push(format!(
            "{} {noun} of this file {verb} withheld: [REDACTED***]",
            source.withheld
        ));
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
        import_error: None,
        notes,
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_validated_by_their_text() {
        let validated = |path: &str| parse_path(path).unwrap();
        for path in ["/etc/passwd", "~/x", "~", "C:\\x", "c:/x", "\\\\host\\x", "//host/x"] {
            assert_eq!(validated(path), Err(ReadRefusal::Absolute), "{path}");
        }
        for path in ["../x", "a/../b", "a/..", "..", "a\\b", "a\\..\\b", "./../x"] {
            assert_eq!(validated(path), Err(ReadRefusal::Traversal), "{path}");
        }
        for path in [".", "./", "././."] {
            assert_eq!(validated(path), Err(ReadRefusal::NotAFile), "{path}");
        }
        for (path, plain) in [("a/b.rs", "a/b.rs"), ("./a//b", "a/b"), ("..a/b..", "..a/b..")] {
            assert_eq!(validated(path).unwrap().as_str(), plain);
        }
        assert!(parse_path("").is_err() && parse_path(" ").is_err() && parse_path("a\0b").is_err());
    }
}
