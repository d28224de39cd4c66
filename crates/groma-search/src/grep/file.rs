//! Searches one file with ripgrep's searcher.
//!
//! Most files are small: they are read with one call and searched as a slice, which avoids ripgrep's rolling buffer.
//! Large, binary and UTF-16 files go through that buffer, so that they are treated as ripgrep treats them.

use super::query::Query;
use super::sink::{FileMatches, LineSink, SinkOptions};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use groma_core::RelPath;
use groma_files::source::{is_secret, mask_secrets};
use groma_files::{FileTree, OpenFile};
use groma_files::{WalkOptions, WalkedFile};
use memchr::memchr;
use std::io::{self, ErrorKind, Read};

/// Files up to this size are searched as a slice.
const BUFFER_SIZE: usize = 256 << 10;

/// Maximum memory for one line of a file that is read through the rolling buffer.
const MAX_HEAP: usize = 32 << 20;

/// Searches one file after the other.
pub(super) struct FileSearcher<'a> {
    opener: Box<dyn OpenFile + 'a>,
    options: &'a WalkOptions,
    query: &'a Query<'a>,
    /// Reports lines with their numbers and context.
    reporting: Searcher,
    /// Only counts matching lines.
    counting: Searcher,
    buffer: Box<[u8]>,
}

/// What the first reads of a file returned.
struct Head {
    length: usize,
    /// Whether the file ends here.
    is_complete: bool,
}

impl<'a> FileSearcher<'a> {
    pub fn new(tree: &'a dyn FileTree, options: &'a WalkOptions, query: &'a Query<'a>) -> Self {
        let request = query.request;
        let mut builder = SearcherBuilder::new();
        builder.heap_limit(Some(MAX_HEAP)).line_number(false);
        let counting = builder.build();
        let reporting = builder
            .line_number(true)
            .before_context(request.before as usize)
            .after_context(request.after as usize)
            .build();
        let buffer = vec![0; BUFFER_SIZE].into();
        Self { opener: tree.opener(), options, query, reporting, counting, buffer }
    }

    /// The matches of a file, and the error if it could not be read to its end.
    pub fn search(
        &mut self,
        file: &WalkedFile,
        options: SinkOptions,
    ) -> (FileMatches, Option<io::Error>) {
        let mut sink = LineSink::new(&self.query.matcher, &file.path, options);
        let outcome = self.feed(file, options, &mut sink);
        (sink.into_matches(), outcome.err().filter(|error| !is_gone(error)))
    }

    fn feed(
        &mut self,
        file: &WalkedFile,
        options: SinkOptions,
        sink: &mut LineSink<'_>,
    ) -> io::Result<()> {
        let Some(mut content) = self.opener.open(&file.path)? else { return Ok(()) };
        let head = read_head(&mut *content, &mut self.buffer, file.stamp.size)?;
        let bytes = &self.buffer[..head.length];
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if is_secret(&file.path, bytes, self.options)
            || !self.query.is_in_language(&file.path, text)
        {
            return Ok(());
        }
        let searcher =
            if options.max_matches > 0 { &mut self.reporting } else { &mut self.counting };
        let is_plain = head.is_complete && !has_utf16_bom(bytes) && memchr(0, bytes).is_none();
        if is_plain {
            searcher.set_binary_detection(BinaryDetection::none());
            searcher.search_slice(&self.query.matcher, text, &mut *sink)?;
            // Few files match, so only these are looked through for secrets, and searched again without them: not even
            // that a pattern matches inside a secret may be told.
            if sink.has_matches()
                && let Some(masked) = masked(&file.path, text)
            {
                sink.reset();
                searcher.search_slice(&self.query.matcher, masked.as_bytes(), sink)?;
            }
            return Ok(());
        }
        searcher.set_binary_detection(BinaryDetection::quit(0));
        searcher.search_reader(&self.query.matcher, bytes.chain(content), &mut *sink)?;
        sink.mask_lines();
        Ok(())
    }
}

/// The text without its secrets; `None` if it has none.
fn masked(path: &RelPath, text: &[u8]) -> Option<String> {
    let mut text = String::from_utf8_lossy(text).into_owned();
    (mask_secrets(path, &mut text) > 0).then_some(text)
}

/// Fills the buffer from the file. A short read counts as the last one only if the file then has the size it was listed
/// with.
fn read_head(file: &mut dyn Read, buffer: &mut [u8], size: u64) -> io::Result<Head> {
    let mut length = 0;
    loop {
        let room = buffer.len() - length;
        if room == 0 {
            return Ok(Head { length, is_complete: false });
        }
        let read = match file.read(&mut buffer[length..]) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        length += read;
        if read == 0 || read < room && length as u64 == size {
            return Ok(Head { length, is_complete: true });
        }
    }
}

/// Whether a file was deleted, or replaced by a folder, since it was listed.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory)
}

fn has_utf16_bom(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grep::request::GrepRequest;
    use groma_core::FileStamp;
    use groma_files::WorkingTree;
    use std::fs;
    use std::path::Path;

    /// Searches a file that was listed with `size` bytes.
    fn search(root: &Path, path: &str, size: u64) -> (usize, Option<ErrorKind>) {
        let (request, options) = (GrepRequest::new("lamp"), WalkOptions::default());
        let query = Query::new(&request).unwrap();
        let stamp = FileStamp { size, ..FileStamp::default() };
        let file = WalkedFile { path: RelPath::new(path).unwrap(), stamp };
        let sink = SinkOptions { max_matches: 10, before: 0, after: 0 };
        let tree = WorkingTree::new(root);
        let (found, failure) = FileSearcher::new(&tree, &options, &query).search(&file, sink);
        (found.matches.len(), failure.map(|error| error.kind()))
    }

    #[test]
    fn a_file_that_changed_since_it_was_listed_is_searched_as_it_is_now() {
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
    fn a_file_replaced_by_a_symlink_is_not_followed() {
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
