//! Searches one file as ripgrep does.
//!
//! Most files are small: they are read in one go and searched where they lie, which spares ripgrep's way over a
//! rolling buffer. Whatever needs more than that (large, binary or UTF-16 files) takes that way, so that it is
//! judged as there.

use super::lines::{Found, Lines, Wanted};
use super::query::Query;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use groma_files::source::is_secret;
use groma_files::{FileTree, OpenFile};
use groma_files::{WalkOptions, WalkedFile};
use memchr::memchr;
use std::io::{self, ErrorKind, Read};

/// Files up to this size are read in one go.
const WHOLE: usize = 256 << 10;

/// Most memory for one line of a file that is read piece by piece.
const LONGEST_READ: usize = 32 << 20;

/// Searches one file after the other.
pub(super) struct FileSearcher<'a> {
    opener: Box<dyn OpenFile + 'a>,
    options: &'a WalkOptions,
    query: &'a Query<'a>,
    /// Tells lines with their numbers and context.
    telling: Searcher,
    /// Only counts.
    counting: Searcher,
    buffer: Box<[u8]>,
}

/// The beginning of a file.
struct Head {
    length: usize,
    is_whole: bool,
}

impl<'a> FileSearcher<'a> {
    pub fn new(tree: &'a dyn FileTree, options: &'a WalkOptions, query: &'a Query<'a>) -> Self {
        let request = query.request;
        let mut builder = SearcherBuilder::new();
        builder.heap_limit(Some(LONGEST_READ)).line_number(false);
        let counting = builder.build();
        let telling = builder
            .line_number(true)
            .before_context(request.before as usize)
            .after_context(request.after as usize)
            .build();
        let buffer = vec![0; WHOLE].into();
        Self { opener: tree.opener(), options, query, telling, counting, buffer }
    }

    /// What a file holds; and why, where it could not be read to its end.
    pub fn search(&mut self, file: &WalkedFile, wanted: Wanted) -> (Found, Option<io::Error>) {
        let mut lines = Lines::new(&self.query.matcher, &file.path, wanted);
        let outcome = self.feed(file, wanted, &mut lines);
        (lines.found(), outcome.err().filter(|error| !is_gone(error)))
    }

    fn feed(&mut self, file: &WalkedFile, wanted: Wanted, lines: &mut Lines<'_>) -> io::Result<()> {
        let Some(mut content) = self.opener.open(&file.path)? else { return Ok(()) };
        let head = read_head(&mut *content, &mut self.buffer, file.stamp.size)?;
        let bytes = &self.buffer[..head.length];
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if is_secret(&file.path, bytes, self.options)
            || !self.query.is_in_language(&file.path, text)
        {
            return Ok(());
        }
        let searcher = if wanted.matches > 0 { &mut self.telling } else { &mut self.counting };
        let is_plain = head.is_whole && !has_utf16_mark(bytes) && memchr(0, bytes).is_none();
        if is_plain {
            searcher.set_binary_detection(BinaryDetection::none());
            return searcher.search_slice(&self.query.matcher, text, lines);
        }
        searcher.set_binary_detection(BinaryDetection::quit(0));
        searcher.search_reader(&self.query.matcher, bytes.chain(content), lines)
    }
}

/// Fills the buffer as far as the file reaches. A read that brings less than there is room for is taken for the
/// last one only if the file then has the size it was listed with.
fn read_head(file: &mut dyn Read, buffer: &mut [u8], size: u64) -> io::Result<Head> {
    let mut length = 0;
    loop {
        let room = buffer.len() - length;
        if room == 0 {
            return Ok(Head { length, is_whole: false });
        }
        let read = match file.read(&mut buffer[length..]) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        length += read;
        if read == 0 || read < room && length as u64 == size {
            return Ok(Head { length, is_whole: true });
        }
    }
}

/// What has gone or become a folder since it was listed is no file of the tree any more.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory)
}

fn has_utf16_mark(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grep::request::GrepRequest;
    use groma_core::{FileStamp, RelPath};
    use groma_files::WorkingTree;
    use std::fs;
    use std::path::Path;

    /// What is found of a file that was listed with so many bytes.
    fn search(root: &Path, path: &str, size: u64) -> (usize, Option<ErrorKind>) {
        let (request, options) = (GrepRequest::new("lamp"), WalkOptions::default());
        let query = Query::new(&request).unwrap();
        let stamp = FileStamp { size, ..FileStamp::default() };
        let file = WalkedFile { path: RelPath::new(path).unwrap(), stamp };
        let wanted = Wanted { matches: 10, before: 0, after: 0 };
        let tree = WorkingTree::new(root);
        let (found, failure) = FileSearcher::new(&tree, &options, &query).search(&file, wanted);
        (found.matches.len(), failure.map(|error| error.kind()))
    }

    #[test]
    fn what_changed_since_it_was_listed_is_searched_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("grown.txt"), "lamp\nlamp\n").unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        assert_eq!(search(folder.path(), "grown.txt", 10), (2, None));
        assert_eq!(search(folder.path(), "grown.txt", 5), (2, None));
        assert_eq!(search(folder.path(), "grown.txt", 500), (2, None));
        assert_eq!(search(folder.path(), "gone.txt", 5), (0, None));
        assert_eq!(search(folder.path(), "folder", 5), (0, None));
        assert_eq!(search(folder.path(), "grown.txt/inside.txt", 5), (0, None));
    }

    #[cfg(unix)]
    #[test]
    fn what_became_a_link_is_not_followed() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("a.txt"), "lamp\n").unwrap();
        let link = |name: &str, to: &Path| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        };
        link("a.txt", &outside.path().join("a.txt"));
        link("folder", outside.path());
        assert_eq!(search(folder.path(), "a.txt", 5), (0, None));
        assert_eq!(search(folder.path(), "folder/a.txt", 5), (0, None));
    }
}
