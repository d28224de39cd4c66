//! Trigram postings: which file versions hold a sequence of three bytes.
//!
//! Trigrams come in groups. A group starts with its first trigram in full; each entry is the distance to the
//! previous trigram, the number of bytes of its list, and the list itself as distances. An index of the groups'
//! first trigrams and offsets is binary-searched; a group is scanned.

use super::codec::{Decoder, write_number};
use super::sections::u32_at;

/// How many trigrams a group holds.
const GROUP: usize = 64;

/// Writes sorted trigrams; gives the groups' index and the groups.
pub(crate) fn encode<'a>(lists: impl Iterator<Item = (u32, &'a [u32])>) -> (Vec<u8>, Vec<u8>) {
    let (mut index, mut groups) = (Vec::new(), Vec::new());
    let mut last = 0;
    let mut list = Vec::new();
    for (number, (trigram, files)) in lists.enumerate() {
        if number.is_multiple_of(GROUP) {
            index.extend(trigram.to_le_bytes());
            index.extend((groups.len() as u32).to_le_bytes());
            last = 0;
        }
        write_number(&mut groups, u64::from(trigram - last));
        last = trigram;
        list.clear();
        let mut before = 0;
        for file in files {
            write_number(&mut list, u64::from(file - before));
            before = *file;
        }
        write_number(&mut groups, list.len() as u64);
        groups.extend_from_slice(&list);
    }
    (index, groups)
}

/// A list; it ends where it names a file that the segment does not have.
fn read_list(bytes: &[u8], file_count: u32) -> Vec<u32> {
    let mut from = Decoder::new(bytes);
    let mut file = 0u32;
    std::iter::from_fn(|| {
        file = file.saturating_add(from.small().ok()?);
        (file < file_count).then_some(file)
    })
    .collect()
}

/// Reads entries until `visit` has seen enough or the bytes end.
fn entries(mut bytes: &[u8], mut visit: impl FnMut(u32, &[u8]) -> bool) {
    let mut number = 0usize;
    let mut trigram = 0u32;
    while let Some((distance, rest)) = take_number(bytes) {
        trigram =
            if number.is_multiple_of(GROUP) { distance } else { trigram.wrapping_add(distance) };
        let Some((length, rest)) = take_number(rest) else { return };
        let Some((list, rest)) = rest.split_at_checked(length as usize) else { return };
        if !visit(trigram, list) {
            return;
        }
        bytes = rest;
        number += 1;
    }
}

fn take_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0u32;
    for (at, byte) in bytes.iter().copied().enumerate().take(5) {
        value |= u32::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

/// Where a group is; the last ends with its section.
pub(crate) struct Group {
    pub start: usize,
    pub end: Option<usize>,
}

/// The group that holds a trigram, if any does.
pub(crate) fn group(index: &[u8], trigram: u32) -> Option<Group> {
    let (rows, _) = index.as_chunks::<8>();
    let after = rows.partition_point(|row| u32_at(row, 0) <= trigram);
    let offset = |row: &[u8; 8]| u32_at(row, 4) as usize;
    let start = offset(rows.get(after.checked_sub(1)?)?);
    Some(Group { start, end: rows.get(after).map(offset) })
}

/// The list of one trigram of a group.
pub(crate) fn find(bytes: &[u8], wanted: u32, file_count: u32) -> Vec<u32> {
    let mut found = Vec::new();
    entries(bytes, |trigram, list| {
        if trigram == wanted {
            found = read_list(list, file_count);
        }
        trigram < wanted
    });
    found
}

/// Every trigram with its list.
pub(crate) fn all(bytes: &[u8], file_count: u32) -> Vec<(u32, Vec<u32>)> {
    let mut lists = Vec::new();
    entries(bytes, |trigram, list| {
        lists.push((trigram, read_list(list, file_count)));
        true
    });
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_over_several_groups() {
        let lists: Vec<(u32, Vec<u32>)> =
            (0..200u32).map(|n| (n * 977, (0..n % 5).map(|f| f * 300 + n).collect())).collect();
        let (index, groups) = encode(lists.iter().map(|(t, files)| (*t, files.as_slice())));
        assert_eq!(index.len() / 8, 200usize.div_ceil(GROUP));
        assert_eq!(all(&groups, u32::MAX), lists);
        for (trigram, files) in &lists {
            let Group { start, end } = group(&index, *trigram).unwrap();
            let group = &groups[start..end.unwrap_or(groups.len())];
            assert_eq!(&find(group, *trigram, u32::MAX), files);
        }
        assert!(find(&groups, 5, u32::MAX).is_empty());
        assert_eq!(find(&groups, 4 * 977, 605), [4, 304, 604]);
        assert_eq!(find(&groups, 4 * 977, 604), [4, 304], "no file is outside of its segment");
        assert!(group(&[], 5).is_none());
    }
}
