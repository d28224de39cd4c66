//! The compact form in which facts and postings are written.
//!
//! Hand-made: the rows are small, many and read one by one from mapped memory. Variable-length integers and
//! length-prefixed strings halve what a general serialiser writes, and a reader that checks every step makes
//! a damaged file an error instead of a panic.

use super::links_codec;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use groma_core::{
    Chunk, ChunkKind, FileFacts, Import, Lines, ParseHealth, ParseStatus, StoreError, Symbol,
    SymbolKind, SymbolOutline, Visibility,
};

/// Appends values to a buffer.
#[derive(Default)]
pub(crate) struct Encoder {
    pub bytes: Vec<u8>,
}

impl Encoder {
    pub fn number(&mut self, value: u64) {
        write_number(&mut self.bytes, value);
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn optional(&mut self, value: Option<u32>) {
        self.number(value.map_or(0, |value| u64::from(value) + 1));
    }

    pub fn optional_text(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        text.into_iter().for_each(|text| self.text(text));
    }

    pub fn list<'i, T>(&mut self, items: &'i [T], mut write: impl FnMut(&mut Self, &'i T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }
}

/// Seven bits a byte, the lowest first; the high bit says that more follow.
pub(crate) fn write_number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads values back, checking every step.
#[derive(Clone)]
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
}

pub(crate) fn damaged(what: &str) -> StoreError {
    StoreError::damaged(what)
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were read so far.
    pub fn read(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn raw_byte(&mut self) -> Result<u8, StoreError> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| damaged("a number is cut off"))?;
        self.at += 1;
        Ok(byte)
    }

    pub fn number(&mut self) -> Result<u64, StoreError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.raw_byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(damaged("a number is too long"))
    }

    pub fn small(&mut self) -> Result<u32, StoreError> {
        u32::try_from(self.number()?).map_err(|_| damaged("a number is too large"))
    }

    fn byte(&mut self) -> Result<u8, StoreError> {
        u8::try_from(self.number()?).map_err(|_| damaged("a number is too large"))
    }

    pub fn text(&mut self) -> Result<&'a str, StoreError> {
        let length = self.number()? as usize;
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| damaged("a text is cut off"))?;
        let text = std::str::from_utf8(&self.bytes[self.at..end])
            .map_err(|_| damaged("a text is not UTF-8"))?;
        self.at = end;
        Ok(text)
    }

    pub fn optional_text(&mut self) -> Result<Option<&'a str>, StoreError> {
        if self.number()? == 0 { Ok(None) } else { self.text().map(Some) }
    }

    pub fn string(&mut self) -> Result<String, StoreError> {
        Ok(self.text()?.to_string())
    }

    fn optional(&mut self) -> Result<Option<u32>, StoreError> {
        Ok(self.small()?.checked_sub(1))
    }

    pub fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let count = self.number()? as usize;
        // Every item takes a byte at least, so a damaged count cannot ask for more room than there is.
        if count > self.left() {
            return Err(damaged("a list is cut off"));
        }
        (0..count).map(|_| read(self)).collect()
    }

    pub fn code<T>(&mut self, from: impl Fn(u8) -> Option<T>) -> Result<T, StoreError> {
        from(self.byte()?).ok_or_else(|| damaged("an unknown code"))
    }
}

/// Largest facts that are read back; far more than the facts of the largest file that is indexed.
const LARGEST_FACTS: usize = 1 << 30;

/// How many times larger than its input deflate's output is at most.
const LARGEST_RATIO: usize = 1032;

/// How hard facts are compressed: one level more costs twice the time and gains a thirtieth.
const COMPRESSION: Compression = Compression::new(2);

/// Writes facts, compressed: they are half of an index otherwise, and their names repeat. Deflate makes them a quarter
/// smaller than LZ4 does; reading the strings out of them takes longer than inflating either.
pub(crate) fn encode_facts(facts: &FileFacts) -> Vec<u8> {
    deflate(&pack_facts(facts))
}

/// Writes facts in the compact form, uncompressed.
pub fn pack_facts(facts: &FileFacts) -> Vec<u8> {
    let mut out = Encoder::default();
    out.text(&facts.language);
    out.number(u64::from(facts.health.status.code()));
    out.text(&facts.health.message);
    out.number(u64::from(facts.line_count));
    out.optional_text(facts.package.as_deref());
    out.list(&facts.tags, |out, tag| out.text(tag));
    out.list(&facts.symbols, encode_symbol);
    links_codec::encode(&mut out, &facts.references, &facts.links, &facts.symbols);
    out.list(&facts.imports, |out, import| {
        out.text(&import.path);
        out.number(u64::from(import.line));
    });
    out.list(&facts.chunks, |out, chunk| {
        out.number(u64::from(chunk.kind.code()));
        encode_lines(out, chunk.lines);
        out.optional(chunk.symbol);
        out.text(&chunk.title);
    });
    out.bytes
}

/// The number of bytes, and the bytes compressed.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    write_number(&mut out, bytes.len() as u64);
    let mut compress = Compress::new(COMPRESSION, false);
    loop {
        let rest = &bytes[compress.total_in() as usize..];
        out.reserve(rest.len() / 2 + 64);
        match compress.compress_vec(rest, &mut out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => return out,
            Ok(Status::Ok | Status::BufError) => {}
            Err(error) => unreachable!("bytes in memory can be compressed: {error}"),
        }
    }
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let mut from = Decoder::new(bytes);
    let size = from.number()? as usize;
    // A damaged size must not ask for more room than the bytes can fill.
    if size > LARGEST_FACTS || size / LARGEST_RATIO > bytes.len() {
        return Err(damaged("facts are too large"));
    }
    let mut out = Vec::with_capacity(size);
    let status = Decompress::new(false).decompress_vec(
        &bytes[from.read()..],
        &mut out,
        FlushDecompress::Finish,
    );
    match status {
        Ok(Status::StreamEnd) if out.len() == size => Ok(out),
        _ => Err(damaged("facts are altered")),
    }
}

fn encode_lines(out: &mut Encoder, lines: Lines) {
    out.number(u64::from(lines.start));
    out.number(u64::from(lines.end.saturating_sub(lines.start)));
}

fn encode_symbol(out: &mut Encoder, symbol: &Symbol) {
    out.text(&symbol.name);
    out.number(u64::from(symbol.kind.code()));
    // A qualified name nearly always ends with the name.
    let prefix = symbol.qualified.strip_suffix(&symbol.name);
    out.text(prefix.unwrap_or(&symbol.qualified));
    out.number(u64::from(prefix.is_some()));
    out.text(&symbol.signature);
    out.text(&symbol.doc);
    out.number(u64::from(symbol.visibility.code()));
    out.optional(symbol.parent);
    out.optional_text(symbol.receiver.as_deref());
    encode_lines(out, symbol.lines);
    out.number(u64::from(symbol.name_line.wrapping_sub(symbol.lines.start)));
    out.number(u64::from(symbol.name_column));
}

/// Writes what filters test of a definition.
pub(crate) fn encode_outline(out: &mut Encoder, symbol: &SymbolOutline<'_>) {
    out.text(symbol.name);
    out.number(u64::from(symbol.kind.code()));
    out.text(symbol.container.unwrap_or_default());
}

/// Reads what filters test of a definition.
pub(crate) fn decode_outline<'a>(from: &mut Decoder<'a>) -> Result<SymbolOutline<'a>, StoreError> {
    let name = from.text()?;
    let kind = from.code(SymbolKind::from_code)?;
    let container = Some(from.text()?).filter(|name| !name.is_empty());
    Ok(SymbolOutline { name, kind, container })
}

/// Reads facts.
pub(crate) fn decode_facts(bytes: &[u8]) -> Result<FileFacts, StoreError> {
    unpack_facts(&inflate(bytes)?)
}

/// Reads what [`pack_facts`] wrote, whatever the bytes are.
pub fn unpack_facts(bytes: &[u8]) -> Result<FileFacts, StoreError> {
    let mut from = Decoder::new(bytes);
    let language = from.string()?;
    let status = from.code(ParseStatus::from_code)?;
    let health = ParseHealth::because(status, from.string()?);
    let line_count = from.small()?;
    let package = from.optional_text()?.map(str::to_string);
    let tags = from.list(|from| from.string())?;
    let symbols = from.list(decode_symbol)?;
    let (references, links) = links_codec::decode(&mut from, &symbols)?;
    let imports = from.list(|from| Ok(Import { path: from.string()?, line: from.small()? }))?;
    let chunks = from.list(|from| {
        let kind = from.code(ChunkKind::from_code)?;
        let lines = decode_lines(from)?;
        Ok(Chunk { kind, lines, symbol: from.optional()?, title: from.string()? })
    })?;
    let facts = FileFacts {
        language,
        health,
        line_count,
        package,
        symbols,
        references,
        links,
        imports,
        chunks,
        tags,
    };
    check_indexes(&facts)?;
    Ok(facts)
}

/// Checks that indexes into `symbols` are in bounds, so that no caller has to.
fn check_indexes(facts: &FileFacts) -> Result<(), StoreError> {
    let count = facts.symbols.len() as u32;
    let inside = |index: Option<u32>| index.is_none_or(|index| index < count);
    let sound = facts.symbols.iter().all(|symbol| inside(symbol.parent))
        && facts.references.iter().all(|reference| inside(reference.enclosing))
        && facts.chunks.iter().all(|chunk| inside(chunk.symbol));
    if sound { Ok(()) } else { Err(damaged("an index points outside of its file")) }
}

fn decode_lines(from: &mut Decoder<'_>) -> Result<Lines, StoreError> {
    let start = from.small()?.max(1);
    let end = start.saturating_add(from.small()?);
    Ok(Lines { start, end })
}

fn decode_symbol(from: &mut Decoder<'_>) -> Result<Symbol, StoreError> {
    let name = from.string()?;
    let kind = from.code(SymbolKind::from_code)?;
    let mut qualified = from.string()?;
    if from.number()? == 1 {
        qualified.push_str(&name);
    }
    let signature = from.string()?;
    let doc = from.string()?;
    let visibility = from.code(Visibility::from_code)?;
    let parent = from.optional()?;
    let receiver = from.optional_text()?.map(str::to_string);
    let lines = decode_lines(from)?;
    let name_line = lines.start.wrapping_add(from.small()?);
    let name_column = from.small()?;
    Ok(Symbol {
        name,
        kind,
        qualified,
        signature,
        doc,
        visibility,
        parent,
        receiver,
        lines,
        name_line,
        name_column,
    })
}
