//! What is shown of the ranked members, and how much of each.

use super::member::{Member, members};
use super::window::Piece;
use super::{Confidence, FileSnippets, Place, Snippet, excerpt, short_name};
use crate::query::evidence::Evidence;
use crate::query::request::Hit;
use crate::text::Text;
use groma_core::{FileFacts, RelPath};
use std::sync::Arc;

/// Maximum number of members that are named beside the snippets of a file.
const MAX_MEMBERS: usize = 4;

/// Characters of the headings of a snippet.
const HEADING: usize = 90;

/// Least number of characters worth showing of a member.
const MIN_ALLOTMENT: usize = 240;

/// Members below this share of the best one's score are named instead of shown.
const MIN_SHARE: f32 = 0.3;

/// Exponent of a member's score relative to the best of its file. `cargo xtask eval --sight` on eleven repositories, lines in
/// sight of 330: 122 with 2, 135 with 1, 145 with 0.5, 149 with 0.25.
const MEMBER_DECAY: f32 = 0.3;

/// Lines up to which a member is left out if another one with the same lines is shown: delegations, mostly.
const MAX_REPEATED: u32 = 4;

/// How much code is shown. A definition that is shown whole needs no second call, so the best one is, unless it is long
/// or the answer is unsure; the others are a few lines each. `cargo xtask eval --sight` on four repositories, lines in
/// sight of 60: 25 in 2,469 characters if the best one is shown whole up to .6, .45 and .3 of the room, and 26 in 2,710
/// as it is here. Reading the rest of it cost an assistant more than that.
struct Extent {
    /// Maximum number of members.
    members: usize,
    /// Share of the room up to which the best member is shown whole.
    whole: f32,
}

impl Extent {
    /// Share of the room for the best member if it is not shown whole.
    const FIRST: f32 = 0.5;

    /// Share of the room for each of the other members.
    const OTHER: f32 = 0.105;

    /// The surer an answer is, the less is shown beside the best member, and the more of that.
    fn of(confidence: Confidence) -> Self {
        match confidence {
            Confidence::Strong => Self { members: 3, whole: 0.95 },
            Confidence::Likely => Self { members: 4, whole: 0.75 },
            Confidence::Weak | Confidence::None => Self { members: 4, whole: 0.4 },
        }
    }
}

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

    /// What a member costs if it is shown whole.
    fn cost(&self, member: &Member) -> usize {
        self.piece(member).choose(usize::MAX).1
    }

    /// The lines of a short member, without indentation.
    fn short_text(&self, member: &Member) -> Option<Vec<String>> {
        let lines = member.lines;
        (lines.count() <= MAX_REPEATED).then(|| {
            (lines.start..=lines.end).map(|line| self.text.line(line).trim().to_string()).collect()
        })
    }

    fn snippet(&self, member: &Member, allotment: usize) -> (Snippet, usize) {
        let (ranges, cost) = self.piece(member).choose(allotment);
        let excerpts = ranges.into_iter().map(|lines| excerpt(&self.text, lines)).collect();
        (Snippet { place: self.place(member), excerpts }, cost)
    }

    fn piece<'p>(&'p self, member: &'p Member) -> Piece<'p> {
        let name_line =
            member.symbol.map_or(member.lines.start, |index| self.facts.symbols[index].name_line);
        Piece {
            text: &self.text,
            lines: member.lines,
            name_line: name_line.clamp(member.lines.start, member.lines.end),
            doc: member.symbol.map_or("", |index| &self.facts.symbols[index].doc),
            evidence: &member.evidence,
        }
    }
}

/// Shows the best members of all files while there is room.
pub(super) fn show(
    files: &[RankedFile<'_>],
    room: usize,
    confidence: Confidence,
) -> Vec<FileSnippets> {
    let extent = Extent::of(confidence);
    let share = |share: f32| (room as f32 * share) as usize;
    let mut left = room;
    let mut chosen: Vec<(usize, usize, Snippet)> = Vec::new();
    for (file, member) in best_members(files, extent.members) {
        let ranked = &files[file];
        let shown = &ranked.members[member];
        let allotment = if !chosen.is_empty() {
            share(Extent::OTHER)
        } else if ranked.cost(shown) <= share(extent.whole) {
            share(extent.whole)
        } else {
            share(Extent::FIRST)
        };
        let allotment = allotment.max(MIN_ALLOTMENT).min(left.saturating_sub(HEADING));
        if allotment < MIN_ALLOTMENT {
            break;
        }
        let (snippet, cost) = ranked.snippet(shown, allotment);
        left = left.saturating_sub(cost + HEADING);
        chosen.push((file, member, snippet));
    }
    collect(files, chosen)
}

/// The best members of all files, as indices of file and member, without short ones that repeat another.
fn best_members(files: &[RankedFile<'_>], limit: usize) -> Vec<(usize, usize)> {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (file, ranked) in files.iter().enumerate() {
        order.extend((0..ranked.members.len()).map(|member| (file, member)));
    }
    let score = |(file, member): (usize, usize)| files[file].members[member].score;
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
    let best = order.first().map_or(0.0, |first| score(*first));
    // What the query names is the answer; the others are named.
    let is_focused = |(file, member): (usize, usize)| files[file].members[member].is_focused;
    if order.iter().any(|one| is_focused(*one)) {
        order.retain(|one| is_focused(*one));
    }
    let mut repeated: Vec<Vec<String>> = Vec::new();
    order.retain(|(file, member)| {
        let Some(lines) = files[*file].short_text(&files[*file].members[*member]) else {
            return true;
        };
        let is_new = !repeated.contains(&lines);
        repeated.push(lines);
        is_new
    });
    order.retain(|one| score(*one) >= MIN_SHARE * best);
    order.truncate(limit);
    order
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
