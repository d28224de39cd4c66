//! What is shown of the ranked members, and how much of each.

use super::member::{Member, members};
use super::window::Piece;
use super::{FileSnippets, Place, Snippet, excerpt, short_name};
use crate::query::evidence::Evidence;
use crate::query::request::Hit;
use crate::text::Text;
use groma_core::{FileFacts, RelPath};
use std::sync::Arc;

/// Maximum number of members with code.
const MAX_SNIPPETS: usize = 8;

/// Maximum number of members that are named beside the snippets of a file.
const MAX_MEMBERS: usize = 4;

/// Characters of the headings of a snippet.
const HEADING: usize = 90;

/// Share of the room for code that the best member may take.
const FIRST_SHARE: f32 = 0.5;

/// Least number of characters worth showing of a member.
const MIN_ALLOTMENT: usize = 240;

/// Members below this share of the best one's score are named instead of shown.
const MIN_SHARE: f32 = 0.2;

/// Exponent of a member's score relative to the best of its file. `cargo xtask eval --sight` on eleven repositories, lines in
/// sight of 330: 122 with 2, 135 with 1, 145 with 0.5, 149 with 0.25.
const MEMBER_DECAY: f32 = 0.3;

/// A file with its ranked members.
pub(super) struct RankedFile<'a> {
    path: &'a RelPath,
    facts: Arc<FileFacts>,
    text: Text,
    members: Vec<Member>,
}

impl<'a> RankedFile<'a> {
    /// Ranks the members of a file in which hits are; `None` if there are none.
    pub fn new(path: &'a RelPath, text: Text, hits: &[&Hit], evidence: &Evidence) -> Option<Self> {
        let best_hit = hits.first()?;
        let facts = best_hit.facts.clone();
        let mut members = members(&facts, &text, hits, evidence);
        let best = members.first()?.score.max(f32::MIN_POSITIVE);
        // The retrievers decide between files, the evidence between the members of a file. A file's other members are
        // often the answer, so they are not far behind its best one.
        for member in &mut members {
            member.score = best_hit.score * (member.score / best).powf(MEMBER_DECAY);
        }
        Some(Self { path, facts, text, members })
    }

    /// The share of the query that its best member covers.
    pub fn coverage(&self) -> f32 {
        self.members.first().map_or(0.0, |member| member.coverage)
    }

    fn place(&self, member: &Member) -> Place {
        let symbol = member.symbol.map(|index| &self.facts.symbols[index]);
        Place {
            lines: member.lines,
            kind: symbol.map(|symbol| symbol.kind),
            name: symbol.map_or_else(String::new, short_name),
            signature: symbol.map_or_else(String::new, |symbol| symbol.signature.clone()),
        }
    }

    fn snippet(&self, member: &Member, allotment: usize) -> (Snippet, usize) {
        let name_line =
            member.symbol.map_or(member.lines.start, |index| self.facts.symbols[index].name_line);
        let piece = Piece {
            text: &self.text,
            lines: member.lines,
            name_line: name_line.clamp(member.lines.start, member.lines.end),
            doc: member.symbol.map_or("", |index| &self.facts.symbols[index].doc),
            evidence: &member.evidence,
        };
        let (ranges, cost) = piece.choose(allotment);
        let excerpts = ranges.into_iter().map(|lines| excerpt(&self.text, lines)).collect();
        (Snippet { place: self.place(member), excerpts }, cost)
    }
}

/// Shows the best members of all files, each in proportion to its score, while there is room.
pub(super) fn show(files: &[RankedFile<'_>], room: usize) -> Vec<FileSnippets> {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (file, ranked) in files.iter().enumerate() {
        order.extend((0..ranked.members.len()).map(|member| (file, member)));
    }
    let score = |(file, member): (usize, usize)| files[file].members[member].score;
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
    let best = order.first().map_or(0.0, |first| score(*first));
    order.truncate(MAX_SNIPPETS);
    order.retain(|one| score(*one) >= MIN_SHARE * best);
    let total: f32 = order.iter().map(|one| score(*one).powi(2)).sum();
    let mut left = room;
    let mut chosen: Vec<(usize, usize, Snippet)> = Vec::new();
    for (rank, (file, member)) in order.into_iter().enumerate() {
        let share = if rank == 0 {
            FIRST_SHARE
        } else {
            score((file, member)).powi(2) / total.max(f32::MIN_POSITIVE)
        };
        let allotment =
            ((room as f32 * share) as usize).max(MIN_ALLOTMENT).min(left.saturating_sub(HEADING));
        if allotment < MIN_ALLOTMENT {
            break;
        }
        let (snippet, cost) = files[file].snippet(&files[file].members[member], allotment);
        left = left.saturating_sub(cost + HEADING);
        chosen.push((file, member, snippet));
    }
    collect(files, chosen)
}

/// Groups the snippets by file, in the order of the best, and names the other members of these files.
fn collect(files: &[RankedFile<'_>], chosen: Vec<(usize, usize, Snippet)>) -> Vec<FileSnippets> {
    let mut shown: Vec<(usize, FileSnippets)> = Vec::new();
    let is_shown =
        |file: usize, member: usize| chosen.iter().any(|(f, m, _)| (*f, *m) == (file, member));
    for (file, _, snippet) in &chosen {
        match shown.iter_mut().find(|(known, _)| known == file) {
            Some((_, file)) => file.snippets.push(snippet.clone()),
            None => {
                let ranked = &files[*file];
                let others = (0..ranked.members.len()).filter(|member| !is_shown(*file, *member));
                let mut members: Vec<Place> = others
                    .map(|member| ranked.place(&ranked.members[member]))
                    .filter(|place| {
                        place.kind.is_some_and(|kind| kind.is_callable() || kind.is_type())
                    })
                    .take(MAX_MEMBERS)
                    .collect();
                members.sort_by_key(|place| place.lines);
                let path = ranked.path.clone();
                shown
                    .push((*file, FileSnippets { path, snippets: vec![snippet.clone()], members }));
            }
        }
    }
    let mut files: Vec<FileSnippets> = shown.into_iter().map(|(_, file)| file).collect();
    for file in &mut files {
        file.snippets.sort_by_key(|snippet| snippet.place.lines);
    }
    files
}
