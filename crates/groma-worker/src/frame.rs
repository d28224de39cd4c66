//! The protocol between a pool and its workers: frames over pipes.
//!
//! A request is a path and a text; a response is [`Response`]. Lengths are four bytes, little-endian. What a worker
//! sends is not trusted: every length and index is checked.

use groma_core::RelPath;
use groma_store::{pack_facts, unpack_facts};
use groma_syntax::{Parsed, find_language};
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;

/// Maximum length of a field. Facts are smaller than this for every file that is indexed.
const MAX_FIELD: u32 = 1 << 29;

/// What a worker sends for a request.
pub(crate) enum Response {
    /// The file was parsed.
    Parsed(Box<Parsed>),
    /// The parser panicked and the worker lives on.
    Panicked,
}

const PARSED: u8 = 0;
const PANICKED: u8 = 1;

/// Writes the request to parse a file.
pub(crate) fn write_request(to: &mut impl Write, path: &RelPath, text: &str) -> io::Result<()> {
    write_field(to, path.as_str().as_bytes())?;
    write_field(to, text.as_bytes())?;
    to.flush()
}

/// Reads a request; `None` at the end of input.
pub(crate) fn read_request(from: &mut impl Read) -> io::Result<Option<(RelPath, String)>> {
    let path = match read_field(from) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        path => string(path?)?,
    };
    let path = RelPath::new(&path).map_err(|_| invalid("a path"))?;
    Ok(Some((path, string(read_field(from)?)?)))
}

/// Writes a response.
pub(crate) fn write_response(to: &mut impl Write, response: &Response) -> io::Result<()> {
    match response {
        Response::Parsed(parsed) => {
            to.write_all(&[PARSED])?;
            write_field(to, &pack_facts(&parsed.facts))?;
            let bounds = parsed.comments.iter().flat_map(|bytes| [bytes.start, bytes.end]);
            let comments: Vec<u8> = bounds.flat_map(|at| (at as u32).to_le_bytes()).collect();
            write_field(to, &comments)?;
        }
        Response::Panicked => to.write_all(&[PANICKED])?,
    }
    to.flush()
}

/// Reads the response to a request for `text`.
pub(crate) fn read_response(from: &mut impl Read, text: &str) -> io::Result<Response> {
    let mut tag = [0];
    from.read_exact(&mut tag)?;
    match tag[0] {
        PANICKED => return Ok(Response::Panicked),
        PARSED => {}
        _ => return Err(invalid("a tag")),
    }
    let facts = unpack_facts(&read_field(from)?).map_err(|_| invalid("facts"))?;
    let comments = comments(&read_field(from)?, text)?;
    let language = find_language(&facts.language).ok_or_else(|| invalid("a language"))?;
    // Callers cut the text at these lines.
    let lines = groma_syntax::line_starts(text).len() as u32;
    let in_text =
        facts.line_count == lines && facts.chunks.iter().all(|one| one.lines.end <= lines);
    if !in_text {
        return Err(invalid("lines"));
    }
    Ok(Response::Parsed(Box::new(Parsed { language, facts, comments })))
}

/// Ranges of bytes, ascending and within the text.
fn comments(bytes: &[u8], text: &str) -> io::Result<Vec<Range<usize>>> {
    let (numbers, []) = bytes.as_chunks::<4>() else { return Err(invalid("comments")) };
    let bounds: Vec<usize> =
        numbers.iter().map(|number| u32::from_le_bytes(*number) as usize).collect();
    let (pairs, []) = bounds.as_chunks::<2>() else { return Err(invalid("comments")) };
    let is_bound = |at: &usize| text.is_char_boundary(*at);
    if !pairs.iter().all(|[start, end]| start <= end) || !bounds.iter().all(is_bound) {
        return Err(invalid("comments"));
    }
    Ok(pairs.iter().map(|[start, end]| *start..*end).collect())
}

fn write_field(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= MAX_FIELD);
    to.write_all(&length.ok_or_else(|| invalid("a length"))?.to_le_bytes())?;
    to.write_all(bytes)
}

fn read_field(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_FIELD {
        return Err(invalid("a length"));
    }
    // Grows with what arrives, not with what is announced.
    let mut bytes = Vec::with_capacity((length as usize).min(1 << 20));
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

fn string(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| invalid("a text"))
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{what} of a worker is not valid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(path: &str, text: &str) -> Vec<u8> {
        let parsed = groma_syntax::parse(&RelPath::new(path).unwrap(), text);
        let mut bytes = Vec::new();
        write_response(&mut bytes, &Response::Parsed(Box::new(parsed))).unwrap();
        bytes
    }

    const TEXT: &str = "# note\ndef total(cart):\n    return sum(cart)\n";

    #[test]
    fn a_response_is_read_as_it_was_written() {
        let parsed = groma_syntax::parse(&RelPath::new("a.py").unwrap(), TEXT);
        let Response::Parsed(read) = read_response(&mut &response("a.py", TEXT)[..], TEXT).unwrap()
        else {
            panic!("parsed")
        };
        assert_eq!((read.facts, read.comments), (parsed.facts, parsed.comments));
        assert_eq!(read.language, parsed.language);
    }

    #[test]
    fn altered_responses_are_errors_or_within_the_text() {
        let bytes = response("a.py", TEXT);
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut altered = bytes.clone();
                altered[at] ^= flip;
                let Ok(Response::Parsed(parsed)) = read_response(&mut &altered[..], TEXT) else {
                    continue;
                };
                assert!(parsed.comments.iter().all(|bytes| TEXT.get(bytes.clone()).is_some()));
                assert!(parsed.facts.chunks.iter().all(|chunk| chunk.lines.end <= 4));
            }
            assert!(read_response(&mut &bytes[..at], TEXT).is_err(), "cut off at {at}");
        }
    }
}
