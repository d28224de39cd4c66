//! The bytes under a segment: some numbers, and sections of bytes with their checksums.
//!
//! ```text
//! magic, numbers of files, chunks, dimensions and blocks
//! one row a section: where it starts, its length, its first block
//! one checksum a block
//! the checksum of everything above
//! the sections
//! ```
//!
//! A segment can be large and a query reads little of it, so a block is compared with its checksum when it is
//! first read: an altered byte becomes an error and never an answer, and a cold query does not pay for what
//! it does not touch.

use super::codec::damaged;
use super::io_error;
use bytes::Bytes;
use groma_core::{Blob, StoreError};
use memmap2::Mmap;
use std::fmt;
use std::fs::{File, Metadata};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

const MAGIC: &[u8; 8] = b"GROMAPT1";
const NUMBERS: usize = 24;
const SECTION_ROW: usize = 24;
/// Where the checksums of the blocks begin.
const SUMS: usize = NUMBERS + SECTIONS * SECTION_ROW;
/// Bytes in a block. Blocks do not span sections; the last of a section is shorter.
const BLOCK: usize = 16 << 10;

/// What a segment is made of, in the order it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Section {
    /// One row a file version: key, first chunk, number of chunks, offsets of its head and facts.
    Files,
    /// What filters test (path, language, package, tags), and how many symbols of each kind there are.
    Heads,
    /// One row a chunk: file, lines, kind, symbol kinds, offset of its symbols, field lengths.
    Docs,
    /// What filters test of the symbols that each chunk defines: name, kind, container.
    Symbols,
    /// Term to offset in `Postings`, as a finite state transducer. The names that chunks define are terms too:
    /// see [`name_term`](super::postings::name_term).
    Terms,
    Postings,
    /// One vector a chunk, and its scale: zero for a chunk without a vector.
    Vectors,
    Scales,
    /// The signs of each vector, one bit a component: what the first pass of a vector search reads.
    Signs,
    /// Some trigrams and their offsets in `Trigrams`: see [`trigrams`](super::trigrams).
    TrigramIndex,
    Trigrams,
    Facts,
}

impl Section {
    const ALL: [Section; SECTIONS] = {
        use Section::*;
        [
            Files,
            Heads,
            Docs,
            Symbols,
            Terms,
            Postings,
            Vectors,
            Scales,
            Signs,
            TrigramIndex,
            Trigrams,
            Facts,
        ]
    };
}

pub(super) const SECTIONS: usize = Section::Facts as usize + 1;

/// How many there are of what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub files: u32,
    pub docs: u32,
    pub dimensions: u32,
}

/// The checksum of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(blake3::hash(bytes).as_bytes()[..8].try_into().expect("eight bytes"))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The header of a segment that consists of these sections.
pub(super) fn header(numbers: Numbers, sections: &[Vec<u8>; SECTIONS]) -> Vec<u8> {
    let blocks: usize = sections.iter().map(|section| section.len().div_ceil(BLOCK)).sum();
    let length = SUMS + blocks * 4 + 8;
    let mut header = Vec::with_capacity(length);
    header.extend_from_slice(MAGIC);
    for number in [numbers.files, numbers.docs, numbers.dimensions, blocks as u32] {
        header.extend(number.to_le_bytes());
    }
    let (mut start, mut first_block) = (length, 0);
    for section in sections {
        for number in [start, section.len(), first_block] {
            header.extend((number as u64).to_le_bytes());
        }
        start += section.len();
        first_block += section.len().div_ceil(BLOCK);
    }
    for block in sections.iter().flat_map(|section| section.chunks(BLOCK)) {
        header.extend((checksum(block) as u32).to_le_bytes());
    }
    header.extend(checksum(&header).to_le_bytes());
    header
}

/// Where a section is.
#[derive(Clone, Copy, Default)]
struct Extent {
    start: usize,
    length: usize,
    first_block: usize,
}

/// Where the bytes of a segment come from.
enum Origin {
    File(PathBuf, File),
    Memory,
}

/// For messages.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, _) => write!(f, "{}", path.display()),
            Self::Memory => f.write_str("a segment in memory"),
        }
    }
}

/// The sections of a segment, mapped or in memory.
pub(super) struct Sections {
    origin: Origin,
    bytes: Bytes,
    extents: [Extent; SECTIONS],
    pub numbers: Numbers,
    /// The blocks that were found sound already, as bits.
    sound: Box<[AtomicU64]>,
    /// The mtime of the file when its bytes were compared.
    modified: AtomicU64,
}

impl Sections {
    /// Maps a segment and checks its header.
    pub fn open(blob: &Blob) -> Result<Self, StoreError> {
        let (origin, bytes) = match blob {
            Blob::File(path) => {
                let (file, map) = map(path).map_err(|source| io_error(path, source))?;
                (Origin::File(path.clone(), file), Bytes::from_owner(map))
            }
            Blob::Memory(bytes) => (Origin::Memory, Bytes::from_owner(bytes.clone())),
        };
        let modified = match &origin {
            Origin::File(path, file) => {
                modified(&file.metadata().map_err(|source| io_error(path, source))?)
            }
            Origin::Memory => 0,
        };
        let wrong = |what| damaged(&format!("{origin}: {what}"));
        let (extents, blocks) = read_header(&bytes).map_err(wrong)?;
        let numbers = Numbers {
            files: u32_at(&bytes, 8),
            docs: u32_at(&bytes, 12),
            dimensions: u32_at(&bytes, 16),
        };
        let sound = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let modified = AtomicU64::new(modified);
        Ok(Self { origin, bytes, extents, numbers, sound, modified })
    }

    /// The path of the file; `None` for bytes in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path, _) => Some(path),
            Origin::Memory => None,
        }
    }

    /// Makes sure that the file is what it was when it was mapped: reading beyond the end of one that was cut off would
    /// raise SIGBUS, and bytes that were overwritten in place after they were compared would be believed. One that was
    /// only touched has the hash that it is named by.
    pub fn check_unaltered(&self, hash: &[u8; 32]) -> Result<(), StoreError> {
        let Origin::File(path, file) = &self.origin else { return Ok(()) };
        let found = file.metadata().map_err(|source| io_error(path, source))?;
        if found.len() < self.bytes.len() as u64 {
            return Err(damaged(&format!("{}: it is cut off", self.origin)));
        }
        let modified = modified(&found);
        if modified == self.modified.load(Ordering::Relaxed) {
            return Ok(());
        }
        if blake3::hash(&self.bytes).as_bytes() != hash {
            return Err(damaged(&format!("{}: it was overwritten", self.origin)));
        }
        self.modified.store(modified, Ordering::Relaxed);
        Ok(())
    }

    /// Compares every byte with its checksum.
    pub fn verify(&self) -> Result<(), StoreError> {
        Section::ALL.into_iter().try_for_each(|section| self.check(section))
    }

    /// Has every block compared with its checksum again at its next use.
    pub fn forget_checks(&self) {
        self.sound.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Makes sure that a whole section is sound.
    pub fn check(&self, section: Section) -> Result<(), StoreError> {
        self.read(section, 0..self.length(section)).map(drop)
    }

    pub fn length(&self, section: Section) -> usize {
        self.extents[section as usize].length
    }

    /// Some bytes of a section, compared with their checksums at first use.
    pub fn read(&self, section: Section, range: Range<usize>) -> Result<&[u8], StoreError> {
        let bytes = self.all(section);
        let wanted = bytes.get(range.clone()).ok_or_else(|| self.altered(section))?;
        for block in range.start / BLOCK..range.end.div_ceil(BLOCK) {
            let number = self.extents[section as usize].first_block + block;
            let (word, bit) = (&self.sound[number / 64], 1u64 << (number % 64));
            if word.load(Ordering::Relaxed) & bit != 0 {
                continue;
            }
            let end = ((block + 1) * BLOCK).min(bytes.len());
            if checksum(&bytes[block * BLOCK..end]) as u32 != u32_at(&self.bytes, SUMS + number * 4)
            {
                return Err(self.altered(section));
            }
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(wanted)
    }

    /// A section as it is. Only for those that were checked.
    pub fn all(&self, section: Section) -> &[u8] {
        let Extent { start, length, .. } = self.extents[section as usize];
        &self.bytes[start..start + length]
    }

    /// A section in a form that can be owned.
    pub fn owned(&self, section: Section) -> Bytes {
        let Extent { start, length, .. } = self.extents[section as usize];
        self.bytes.slice(start..start + length)
    }

    pub fn altered(&self, section: Section) -> StoreError {
        damaged(&format!("{}: {section:?} altered", self.origin))
    }
}

/// The mtime of a file, in nanoseconds.
fn modified(metadata: &Metadata) -> u64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos() as u64)
}

fn map(path: &Path) -> std::io::Result<(File, Mmap)> {
    let file = File::open(path)?;
    // SAFETY: segments are never altered: a file is written under a temporary name and renamed when it is complete.
    let map = unsafe { Mmap::map(&file) }?;
    Ok((file, map))
}

/// Reads the header: where the sections are, and how many blocks they have. `Err` says what is wrong with it.
fn read_header(map: &[u8]) -> Result<([Extent; SECTIONS], usize), &'static str> {
    if map.len() < SUMS + 8 || &map[..8] != MAGIC {
        return Err("not a segment");
    }
    let blocks = u32_at(map, 20) as usize;
    let end = SUMS + blocks * 4;
    if map.len() < end + 8 {
        return Err("it is cut off");
    }
    if checksum(&map[..end]) != u64_at(map, end) {
        return Err("the header is altered");
    }
    let mut extents = [Extent::default(); SECTIONS];
    for (index, extent) in extents.iter_mut().enumerate() {
        let row = NUMBERS + index * SECTION_ROW;
        let [start, length, first_block] =
            [row, row + 8, row + 16].map(|at| u64_at(map, at) as usize);
        let fits = |start: usize, length, end| {
            start.checked_add(length).is_some_and(|needed| needed <= end)
        };
        if !fits(start, length, map.len()) || !fits(first_block, length.div_ceil(BLOCK), blocks) {
            return Err("it is cut off");
        }
        *extent = Extent { start, length, first_block };
    }
    Ok((extents, blocks))
}
