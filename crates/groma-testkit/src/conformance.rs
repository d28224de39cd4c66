//! What every store must guarantee, one function for each guarantee.
//!
//! [`store_conformance!`](crate::store_conformance) makes a test of each of them for one store.

use crate::answers::{answers, describe_chunk, filters, query};
use crate::{Tree, embed, failure, indexed, trigrams};
use groma_core::{
    ChunkFilter, ChunkId, ChunkKind, FieldWeights, IndexedRef, KeywordQuery, Manifest, NameLike,
    RefName, RelPath, Snapshot, Store, StoreErrorKind, SymbolKind, Vector, VersionKey,
};
use std::sync::Arc;

pub use crate::fixture::Make;
pub use crate::jobs::{
    an_own_index_is_not_outdated, jobs_are_remembered, jobs_outlive_the_index,
    one_job_holds_its_lease,
};

/// Makes one test of each guarantee; the expression creates an empty store.
#[macro_export]
macro_rules! store_conformance {
    ($make:expr) => {
        $crate::store_conformance! { $make;
            an_empty_store_has_nothing
            what_is_committed_is_read_back
            facts_round_trip
            refs_share_versions_and_change_apart
            refs_are_listed_with_their_commits
            a_ref_is_forgotten_alone
            versions_are_referenced_under_the_options_of_their_manifest
            vanished_files_leave_nothing_behind
            a_dropped_writer_leaves_everything_as_it_was
            a_second_writer_is_busy
            a_replacing_writer_replaces_everything
            versions_are_known_once_added
            a_version_is_stored_once
            a_version_never_stored_is_refused
            vectors_that_do_not_fit_are_refused
            chunks_without_vectors_are_found_by_keyword_only
            vectors_come_back_as_they_were_stored
            filters_narrow_and_never_starve
            equal_scores_are_in_order_of_path_and_line
            keyword_scores_are_explained
            given_chunks_are_scored_as_in_the_lists
            few_wanted_are_the_best_of_all
            many_terms_count_separately
            definitions_are_found_by_any_name
            similar_names_are_the_nearest_first
            chunks_of_a_file_come_in_its_order
            candidates_hold_the_trigrams
            chunks_come_in_the_order_asked
            chunks_of_other_snapshots_are_refused
            history_does_not_matter
            many_small_commits_equal_one
            clear_forgets_and_numbers_go_on
            snapshots_outlive_what_comes_after
            snapshots_are_read_by_many_at_once
            jobs_are_remembered
            jobs_outlive_the_index
            one_job_holds_its_lease
            an_own_index_is_not_outdated
        }
    };
    ($make:expr; $($case:ident)+) => {
        $(#[test]
        fn $case() {
            $crate::conformance::$case(&|| $make);
        })+
    };
}

const SMALL: &str = r#"
//- src/pool.rs
/// A pool of connections.
pub struct Pool { size: usize }

impl Pool {
    /// Gets a user by its id.
    pub fn get_user(&self, id: u32) -> User { connect(id) }
}

pub const RETRY: u32 = 3;
//- src/store/parse.go
package store

// UserService keeps users.
type UserService struct{ name string }

// Parse reads the config.
func (s *UserService) Parse(config string) error { return nil }

func x() {}
//- docs/guide.md
# Pool guide

How to connect to the pool.

## Config

The config of a user.
//- config.yaml
pool:
  size: 3
  retry: true
"#;

fn small() -> Tree {
    Tree::parse(SMALL)
}

fn live(store: &dyn Store) -> Arc<dyn Snapshot> {
    store.snapshot(&RefName::live()).unwrap().expect("the working tree is indexed")
}

fn commit(store: &dyn Store, tree: &Tree) {
    tree.commit(store, &RefName::live()).unwrap();
}

fn committed(make: Make<'_>, tree: &Tree) -> Box<dyn Store> {
    let store = make();
    commit(&*store, tree);
    store
}

fn live_answers(store: &dyn Store) -> String {
    answers(&*live(store)).unwrap()
}

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn descriptions(snapshot: &dyn Snapshot, chunks: impl IntoIterator<Item = ChunkId>) -> Vec<String> {
    chunks.into_iter().map(|chunk| describe_chunk(snapshot, chunk).unwrap()).collect()
}

/// Before the first commit there is nothing to be read, and asking is no error.
pub fn an_empty_store_has_nothing(make: Make<'_>) {
    let store = make();
    assert!(store.snapshot(&RefName::live()).unwrap().is_none());
    assert_eq!(store.generation(&RefName::live()).unwrap(), None);
    assert_eq!(store.size().unwrap().segments, 0);
    assert!(store.writer().unwrap().known(&[]).unwrap().is_empty());
    commit(&*store, &Tree::default());
    let snapshot = live(&*store);
    assert_eq!(snapshot.chunk_count(), 0);
    assert!(snapshot.keyword(&query(&["pool"], 5), &ChunkFilter::default()).unwrap().is_empty());
    assert!(snapshot.candidates(&[]).unwrap().is_empty());
    assert!(snapshot.symbol_counts().unwrap().is_empty());
}

/// The manifest comes back as it was given, and every retriever finds what was stored.
pub fn what_is_committed_is_read_back(make: Make<'_>) {
    let store = make();
    let mut writer = store.writer().unwrap();
    writer.add(small().indexed()).unwrap();
    let report = writer.commit(&RefName::live(), &small().manifest()).unwrap();
    assert_eq!(report.versions, 4);
    assert_eq!(store.generation(&RefName::live()).unwrap(), Some(report.generation));
    let snapshot = live(&*store);
    assert_eq!(snapshot.info().generation, report.generation);
    assert_eq!(snapshot.manifest(), &small().manifest());
    let chunks: usize = small().indexed().iter().map(|file| file.facts.chunks.len()).sum();
    assert_eq!(snapshot.chunk_count(), chunks);
    let all = ChunkFilter::default();
    let hits = snapshot.keyword(&query(&["getuser"], 1), &all).unwrap();
    assert!(describe_chunk(&*snapshot, hits[0].chunk).unwrap().starts_with("src/pool.rs:"));
    assert_eq!(snapshot.nearest(&embed("pool"), &all, 1000).unwrap().len(), chunks);
    assert!(snapshot.frequency("pool").unwrap() > 2);
    assert_eq!(snapshot.symbol_counts().unwrap()[&SymbolKind::Struct], 2);
}

/// Facts are returned exactly as the parser produced them.
pub fn facts_round_trip(make: Make<'_>) {
    let mut files = small().indexed();
    // Values that no parse gives, and that a compact form could lose.
    let odd = &mut files[0].facts;
    odd.package = Some(String::new());
    odd.line_count = u32::MAX;
    if let Some(symbol) = odd.symbols.first_mut() {
        symbol.receiver = Some(String::new());
        symbol.name = "two\nlines".into();
        symbol.name_line = 0;
    }
    let store = make();
    let mut writer = store.writer().unwrap();
    writer.add(files.clone()).unwrap();
    writer.commit(&RefName::live(), &small().manifest()).unwrap();
    let snapshot = live(&*store);
    for file in files {
        assert_eq!(*snapshot.file_facts(&file.path).unwrap().unwrap(), file.facts);
    }
    assert!(snapshot.file_facts(&path("src/none.rs")).unwrap().is_none());
}

/// Two refs reference the same versions; changing one leaves the other.
pub fn refs_share_versions_and_change_apart(make: Make<'_>) {
    let store = committed(make, &small());
    let branch = RefName::new("main");
    assert!(store.snapshot(&branch).unwrap().is_none());
    let writer = store.writer().unwrap();
    let report = writer.commit(&branch, &small().manifest()).unwrap();
    assert_eq!(report.versions, 0, "everything was stored already");
    let before = live_answers(&*store);
    let other = Tree::parse("//- src/other.rs\nfn other_pool() {}\n");
    other.commit(&*store, &branch).unwrap();
    assert_eq!(live_answers(&*store), before);
    let snapshot = store.snapshot(&branch).unwrap().unwrap();
    let alone = committed(make, &other);
    assert_eq!(answers(&*snapshot).unwrap(), live_answers(&*alone));
    commit(&*store, &Tree::default());
    assert_eq!(
        answers(&*store.snapshot(&branch).unwrap().unwrap()).unwrap(),
        live_answers(&*alone)
    );
}

/// A ref is listed with its commit and the generation that indexed it; each has a generation of its own.
pub fn refs_are_listed_with_their_commits(make: Make<'_>) {
    let store = make();
    assert_eq!(store.refs().unwrap(), []);
    commit(&*store, &small());
    let first = store.generation(&RefName::live()).unwrap();
    let tag = RefName::new("refs/tags/größe");
    assert_eq!(store.generation(&tag).unwrap(), None);
    let manifest = Manifest { commit: Some("c0ffee".into()), ..small().manifest() };
    store.writer().unwrap().commit(&tag, &manifest).unwrap();
    assert_eq!(*store.snapshot(&tag).unwrap().unwrap().manifest(), manifest);
    assert_eq!(store.generation(&RefName::live()).unwrap(), first, "another ref's is its own");
    assert!(store.generation(&tag).unwrap() > first);
    let listed: Vec<_> = store.refs().unwrap();
    let row = |one: &IndexedRef| (one.name.clone(), one.commit.clone(), one.files);
    let files = manifest.files.len();
    let expected =
        [(RefName::live(), None, files), (tag.clone(), Some("c0ffee".to_string()), files)];
    assert_eq!(listed.iter().map(row).collect::<Vec<_>>(), expected);
    for one in listed {
        assert_eq!(one.info, store.snapshot(&one.name).unwrap().unwrap().info());
    }
    store.writer().unwrap().commit(&tag, &small().manifest()).unwrap();
    assert_eq!(store.snapshot(&tag).unwrap().unwrap().manifest().commit, None);
}

/// A ref that is forgotten leaves the others as they were.
pub fn a_ref_is_forgotten_alone(make: Make<'_>) {
    let store = committed(make, &small());
    let branch = RefName::new("main");
    assert!(!store.forget(&branch).unwrap(), "there is no such ref");
    let other = Tree::parse("//- src/other.rs\nfn other_pool() {}\n");
    other.commit(&*store, &branch).unwrap();
    let before = live_answers(&*store);
    let writer = store.writer().unwrap();
    assert!(failure(&store.forget(&branch)) == Some(StoreErrorKind::Busy));
    drop(writer);
    assert!(store.forget(&branch).unwrap());
    assert!(store.snapshot(&branch).unwrap().is_none());
    assert_eq!(store.refs().unwrap().len(), 1);
    assert_eq!(live_answers(&*store), before);
    other.commit(&*store, &branch).unwrap();
    let snapshot = store.snapshot(&branch).unwrap().unwrap();
    assert_eq!(answers(&*snapshot).unwrap(), live_answers(&*committed(make, &other)));
}

/// Whether a version counts as referenced depends on the options that selected its files.
pub fn versions_are_referenced_under_the_options_of_their_manifest(make: Make<'_>) {
    let store = committed(make, &small());
    let manifest = small().manifest();
    let keys: Vec<_> = manifest.files.values().map(|entry| entry.key).collect();
    let mut asked = keys.clone();
    asked.insert(0, indexed("src/new.rs", "fn new() {}").key);
    let mut expected = vec![true; asked.len()];
    expected[0] = false;
    assert_eq!(store.referenced_versions(manifest.options_hash, &asked).unwrap(), expected);
    assert_eq!(store.referenced_versions(7, &asked).unwrap(), vec![false; asked.len()]);
    let other = RefName::new("main");
    let manifest = Manifest { options_hash: 7, ..manifest };
    store.writer().unwrap().commit(&other, &manifest).unwrap();
    assert_eq!(store.referenced_versions(7, &asked).unwrap(), expected);
    store.forget(&other).unwrap();
    assert_eq!(store.referenced_versions(7, &keys).unwrap(), vec![false; keys.len()]);
}

/// A file that is gone is found by nothing, and does not count.
pub fn vanished_files_leave_nothing_behind(make: Make<'_>) {
    let store = committed(make, &small());
    let mut fewer = small();
    fewer.remove("src/pool.rs").remove("config.yaml");
    commit(&*store, &fewer);
    assert_eq!(live_answers(&*store), live_answers(&*committed(make, &fewer)));
    let snapshot = live(&*store);
    assert!(snapshot.file_facts(&path("src/pool.rs")).unwrap().is_none());
    assert_eq!(snapshot.frequency("getuser").unwrap(), 0);
    assert!(
        snapshot.definitions(&["get_user".into()], &ChunkFilter::default()).unwrap().is_empty()
    );
    assert!(snapshot.candidates(&[trigrams("connections")]).unwrap().is_empty());
    commit(&*store, &Tree::default());
    assert_eq!(live(&*store).chunk_count(), 0);
}

/// Dropping a writer without a commit changes nothing.
pub fn a_dropped_writer_leaves_everything_as_it_was(make: Make<'_>) {
    let store = committed(make, &small());
    let (before, generation) = (live_answers(&*store), store.generation(&RefName::live()).unwrap());
    let size = store.size().unwrap();
    let file = indexed("src/new.rs", "fn new_pool() {}");
    let key = file.key;
    let mut writer = store.writer().unwrap();
    writer.add(vec![file]).unwrap();
    drop(writer);
    assert_eq!(live_answers(&*store), before);
    assert_eq!(store.generation(&RefName::live()).unwrap(), generation);
    assert_eq!(store.size().unwrap().segments, size.segments);
    assert_eq!(store.writer().unwrap().known(&[key]).unwrap(), [false]);
}

/// One writer at a time; the next may start when it is gone.
pub fn a_second_writer_is_busy(make: Make<'_>) {
    let store = make();
    let writer = store.writer().unwrap();
    assert!(failure(&store.writer()) == Some(StoreErrorKind::Busy));
    assert!(failure(&store.clear()) == Some(StoreErrorKind::Busy));
    assert!(store.snapshot(&RefName::live()).unwrap().is_none(), "reading goes on");
    drop(writer);
    store.writer().unwrap().commit(&RefName::live(), &Manifest::default()).unwrap();
    drop(store.writer().unwrap());
}

/// A replacing writer keeps nothing of the previous index, which answers until the commit.
pub fn a_replacing_writer_replaces_everything(make: Make<'_>) {
    let store = committed(make, &small());
    small().commit(&*store, &RefName::new("main")).unwrap();
    let (before, generation) = (live_answers(&*store), store.generation(&RefName::live()).unwrap());
    let mut fewer = small();
    fewer.remove("src/pool.rs");
    let keys: Vec<VersionKey> = small().indexed().iter().map(|file| file.key).collect();
    let mut writer = store.replacing_writer().unwrap();
    assert!(failure(&store.replacing_writer()) == Some(StoreErrorKind::Busy));
    assert_eq!(writer.known(&keys).unwrap(), [false; 4]);
    writer.add(fewer.indexed()).unwrap();
    assert_eq!(live_answers(&*store), before);
    drop(writer);
    assert_eq!(
        (live_answers(&*store), store.generation(&RefName::live()).unwrap()),
        (before, generation)
    );
    let refused = store.replacing_writer().unwrap().commit(&RefName::live(), &small().manifest());
    assert!(failure(&refused) == Some(StoreErrorKind::Refused), "{refused:?}");
    let mut writer = store.replacing_writer().unwrap();
    writer.add(fewer.indexed()).unwrap();
    let report = writer.commit(&RefName::live(), &fewer.manifest()).unwrap();
    assert_eq!(report.versions, 3);
    assert!(
        Some(report.generation) > generation
            && store.generation(&RefName::live()).unwrap() > generation
    );
    assert!(store.snapshot(&RefName::new("main")).unwrap().is_none());
    assert_eq!(live_answers(&*store), live_answers(&*committed(make, &fewer)));
}

/// `known` includes stored versions and those being added, in the order of the keys.
pub fn versions_are_known_once_added(make: Make<'_>) {
    let store = committed(make, &small());
    let stored: Vec<VersionKey> = small().indexed().iter().map(|file| file.key).collect();
    let new = indexed("src/new.rs", "fn new() {}");
    let none = VersionKey::from_bytes([9; 16]);
    let mut writer = store.writer().unwrap();
    let asked = [none, stored[2], new.key, stored[0]];
    assert_eq!(writer.known(&asked).unwrap(), [false, true, false, true]);
    writer.add(vec![new]).unwrap();
    assert_eq!(writer.known(&asked).unwrap(), [false, true, true, true]);
}

/// Adding a version again changes nothing, and is not counted.
pub fn a_version_is_stored_once(make: Make<'_>) {
    let store = committed(make, &small());
    let before = live_answers(&*store);
    let mut writer = store.writer().unwrap();
    writer.add(small().indexed()).unwrap();
    let report = writer.commit(&RefName::live(), &small().manifest()).unwrap();
    assert_eq!(report.versions, 0);
    assert_eq!(live_answers(&*store), before);
    let twice = make();
    let mut writer = twice.writer().unwrap();
    writer.add([small().indexed(), small().indexed()].concat()).unwrap();
    assert_eq!(writer.commit(&RefName::live(), &small().manifest()).unwrap().versions, 4);
    assert_eq!(live_answers(&*twice), before);
}

/// A manifest with a version that is not stored is refused, which changes nothing.
pub fn a_version_never_stored_is_refused(make: Make<'_>) {
    let store = committed(make, &small());
    let before = live_answers(&*store);
    let mut more = small();
    more.write("src/new.rs", "fn new() {}");
    let refused = store.writer().unwrap().commit(&RefName::live(), &more.manifest());
    assert!(failure(&refused) == Some(StoreErrorKind::Refused), "{refused:?}");
    assert_eq!(live_answers(&*store), before);
    commit(&*store, &more);
    assert_eq!(live(&*store).manifest(), &more.manifest());
}

/// One vector a chunk, of the embedder's size, or none.
pub fn vectors_that_do_not_fit_are_refused(make: Make<'_>) {
    let file = indexed("src/new.rs", "fn new() {}");
    let mut fewer = file.clone();
    fewer.vectors.pop();
    let mut shorter = file;
    shorter.vectors[0] = Vector::quantise(&[1.0, 2.0]);
    for wrong in [fewer, shorter] {
        let refused = make().writer().unwrap().add(vec![wrong]);
        assert!(failure(&refused) == Some(StoreErrorKind::Refused), "{refused:?}");
    }
}

/// While the embedder is unavailable, files are stored without vectors, beside others that have them.
pub fn chunks_without_vectors_are_found_by_keyword_only(make: Make<'_>) {
    let mut files = small().indexed();
    files.iter_mut().step_by(2).for_each(|file| file.vectors.clear());
    let with: usize = files.iter().map(|file| file.vectors.len()).sum();
    let store = make();
    let mut writer = store.writer().unwrap();
    writer.add(files).unwrap();
    writer.commit(&RefName::live(), &small().manifest()).unwrap();
    let (snapshot, all) = (live(&*store), ChunkFilter::default());
    assert_eq!(snapshot.nearest(&embed("pool"), &all, 1000).unwrap().len(), with);
    let whole = committed(make, &small());
    let hits = |snapshot: &dyn Snapshot| {
        let hits = snapshot.keyword(&query(&["pool"], 1000), &all).unwrap();
        descriptions(snapshot, hits.iter().map(|hit| hit.chunk))
    };
    assert_eq!(hits(&*snapshot), hits(&*live(&*whole)));
    assert!(snapshot.nearest(&Vector::quantise(&[1.0]), &all, 9).unwrap().is_empty());
}

/// Vectors are those of the files' chunks, whatever was stored beside them.
pub fn vectors_come_back_as_they_were_stored(make: Make<'_>) {
    let mut files = small().indexed();
    files[1].vectors.clear();
    files[2].vectors[0] = Vector::quantise(&[0.0; 16]);
    let store = make();
    let mut writer = store.writer().unwrap();
    writer.add(files.clone()).unwrap();
    writer.commit(&RefName::live(), &small().manifest()).unwrap();
    let snapshot = live(&*store);
    let stored = |number: usize| {
        let file = &files[number];
        let vector = |chunk: usize| file.vectors.get(chunk).filter(|one| one.scale != 0.0).cloned();
        (0..file.facts.chunks.len()).map(vector).collect::<Vec<_>>()
    };
    let asked = [files[2].path.clone(), path("src/none.rs"), files[1].path.clone()];
    assert_eq!(snapshot.vectors(&asked).unwrap(), [stored(2), Vec::new(), stored(1)]);
    assert_eq!(snapshot.vectors(&[files[0].path.clone()]).unwrap(), [stored(0)]);
    let with = (0..files.len()).flat_map(stored).flatten().count();
    assert_eq!(snapshot.vector_count().unwrap(), with);
    assert_eq!(live(&*committed(make, &Tree::default())).vector_count().unwrap(), 0);
}

/// A filter is applied before the limit: what it admits comes in the same order and with the same scores.
pub fn filters_narrow_and_never_starve(make: Make<'_>) {
    let mut tree = small();
    for number in 0..30 {
        tree.write(&format!("lib/pool{number}.py"), "def pool():\n    pool(pool, pool)\n");
    }
    let store = committed(make, &tree);
    let (snapshot, all) = (live(&*store), ChunkFilter::default());
    let of_all = snapshot.keyword(&query(&["pool", "user"], 1000), &all).unwrap();
    let near_all = snapshot.nearest(&embed("pool"), &all, 1000).unwrap();
    for (name, filter) in filters() {
        let hits = snapshot.keyword(&query(&["pool", "user"], 1000), &filter).unwrap();
        let kept: Vec<_> = of_all.iter().filter(|hit| hits.contains(hit)).copied().collect();
        assert_eq!(hits, kept, "{name}");
        let first = snapshot.keyword(&query(&["pool", "user"], 1), &filter).unwrap();
        assert_eq!(first.first(), hits.first(), "{name}");
        let near = snapshot.nearest(&embed("pool"), &filter, 1000).unwrap();
        let kept: Vec<_> = near_all.iter().filter(|hit| near.contains(hit)).copied().collect();
        assert_eq!(near, kept, "{name}");
        assert_eq!(snapshot.nearest(&embed("pool"), &filter, 1).unwrap().first(), near.first());
        let fits = |chunk| admits(&*snapshot, &filter, chunk);
        assert_eq!(hits.len(), of_all.iter().filter(|hit| fits(hit.chunk)).count(), "{name}");
        assert_eq!(near.len(), near_all.iter().filter(|hit| fits(hit.chunk)).count(), "{name}");
        assert_eq!(hits.is_empty(), name == "by nothing there", "{name} is worth a test");
    }
    assert!(snapshot.keyword(&query(&["pool"], 0), &all).unwrap().is_empty());
    assert!(snapshot.nearest(&embed("pool"), &all, 0).unwrap().is_empty());
}

/// Whether a filter admits a chunk, asked of the chunk's own facts.
fn admits(snapshot: &dyn Snapshot, filter: &ChunkFilter, chunk: ChunkId) -> bool {
    let stored = snapshot.chunks(&[chunk]).unwrap().remove(0);
    let subject = groma_core::FilterSubject {
        path: stored.path.as_str(),
        language: &stored.file.language,
        package: stored.file.package.as_deref(),
        tags: &stored.file.tags,
    };
    let kind = stored.chunk().kind;
    let overview = kind == groma_core::ChunkKind::Overview;
    let symbols: Vec<_> = stored.symbols().filter(|_| !overview).collect();
    let kinds = symbols.iter().fold(0, |bits, symbol| bits | 1 << symbol.kind.code());
    let outlines = symbols.iter().map(|symbol| stored.file.outline(symbol));
    filter.admits_file(&subject) && filter.admits_chunk(kind, kinds, outlines)
}

/// Files of the same text have the same scores and come in order of path, chunks in order of line.
pub fn equal_scores_are_in_order_of_path_and_line(make: Make<'_>) {
    let text = "fn pool() {\n    one()\n}\n".to_string()
        + &"\n".repeat(50)
        + "fn pool() {\n    one()\n}\n";
    let store = make();
    // Stored in another order than that of their paths, in several commits.
    let mut tree = Tree::default();
    for name in ["m/b", "z", "a", "m/a", "m-a", "B"] {
        tree.write(&format!("{name}.rs"), &text);
        commit(&*store, &tree);
    }
    let (snapshot, all) = (live(&*store), ChunkFilter::default());
    // Without the contribution of path and length all scores of a kind are equal.
    let mut asked = query(&["one"], 1000);
    asked.chunk_fields =
        FieldWeights { weights: [1.0, 0.0, 1.0, 1.0], length: [0.0; 4], saturation: 1.0 };
    asked.file_share = 0.0;
    let hits = snapshot.keyword(&asked, &all).unwrap();
    assert!(hits.len() >= 6 && hits.windows(2).all(|pair| pair[0].score == pair[1].score));
    let ordered = |chunks: Vec<ChunkId>| {
        let stored = snapshot.chunks(&chunks).unwrap();
        let at: Vec<_> = stored.iter().map(|c| (c.path.clone(), c.chunk().lines.start)).collect();
        assert!(at.is_sorted(), "{at:?}");
    };
    ordered(hits.iter().map(|hit| hit.chunk).collect());
    asked.limit = 3;
    assert_eq!(snapshot.keyword(&asked, &all).unwrap(), hits[..3]);
    let near = snapshot.nearest(&embed("one pool"), &all, 1000).unwrap();
    for group in near.chunk_by(|a, b| a.score == b.score) {
        ordered(group.iter().map(|hit| hit.chunk).collect());
    }
    assert_eq!(snapshot.nearest(&embed("one pool"), &all, 4).unwrap(), near[..4]);
    ordered(snapshot.definitions(&["pool".into()], &all).unwrap());
    assert!(snapshot.candidates(&[]).unwrap().is_sorted());
}

/// A hit's score is its own and its file's share; coverage is a share of the query's weight.
pub fn keyword_scores_are_explained(make: Make<'_>) {
    let store = committed(make, &small());
    let asked = query(&["pool", "getuser", "nowhere"], 1000);
    let hits = live(&*store).keyword(&asked, &ChunkFilter::default()).unwrap();
    assert!(!hits.is_empty());
    for hit in &hits {
        assert_eq!(hit.score, hit.own + asked.file_share * hit.file);
        assert!(hit.own > 0.0 && hit.file >= 0.0 && hit.coverage > 0.0 && hit.coverage < 1.0);
    }
    // `nowhere`, a third of the first term's weight, occurs nowhere.
    let best = hits.iter().map(|hit| hit.coverage).fold(0.0, f32::max);
    assert!((best - 1.5 / (1.0 + 0.5 + 1.0 / 3.0)).abs() < 1e-6, "{best}");
}

/// The scores of given chunks are those of the lists to the bit, however short the lists are.
pub fn given_chunks_are_scored_as_in_the_lists(make: Make<'_>) {
    let store = committed(make, &small());
    let (snapshot, all) = (live(&*store), ChunkFilter::default());
    let asked = query(&["pool", "getuser", "nowhere"], 1000);
    let hits = snapshot.keyword(&asked, &all).unwrap();
    let near = snapshot.nearest(&embed("one pool"), &all, 1000).unwrap();
    let mut ids: Vec<ChunkId> = near.iter().map(|hit| hit.chunk).collect();
    ids.extend(hits.iter().map(|hit| hit.chunk).filter(|id| !near.iter().any(|n| n.chunk == *id)));
    assert!(!hits.is_empty() && hits.len() < ids.len(), "{} of {}", hits.len(), ids.len());
    let of = |id: &ChunkId| hits.iter().find(|hit| hit.chunk == *id).copied();
    let expected: Vec<_> = ids.iter().map(of).collect();
    let short = KeywordQuery { limit: 1, ..asked };
    assert_eq!(snapshot.keyword_scores(&short, &ids).unwrap(), expected);
    let of = |id: &ChunkId| near.iter().find(|hit| hit.chunk == *id).map(|hit| hit.score);
    let expected: Vec<_> = ids.iter().map(of).collect();
    assert_eq!(snapshot.similarities(&embed("one pool"), &ids).unwrap(), expected);
    assert_eq!(snapshot.similarities(&Vector::quantise(&[1.0; 3]), &ids).unwrap()[0], None);
    let unknown = [ChunkId(u64::MAX)];
    assert!(snapshot.keyword_scores(&short, &unknown).is_err());
    assert!(snapshot.similarities(&embed("one pool"), &unknown).is_err());
}

/// A small limit returns a prefix of the full result, to the bit.
pub fn few_wanted_are_the_best_of_all(make: Make<'_>) {
    let mut tree = Tree::default();
    for file in 0..150u32 {
        let function = |n: u32| {
            // One word is everywhere, one in every third function, one in every fourteenth, two are rare.
            let rare = ["beta", "gamma", "delta", "omega"].into_iter().zip([3, 14, 97, 211]);
            let rare: String = rare
                .filter(|(_, every)| (n * 7 + n / 3).is_multiple_of(*every))
                .map(|(word, every)| {
                    format!(" {word}({}).{word}", "x + ".repeat((n % every % 5) as usize))
                })
                .collect();
            format!("fn call_{n}() {{\n    alpha(\n{rare}\n    );\n    alpha({n})\n}}\n\n")
        };
        let text: String = (0..1 + file % 9).map(|n| function(file * 9 + n)).collect();
        tree.write(&format!("src/f{}/part{file}.rs", file % 7), &text);
    }
    let store = committed(make, &tree);
    let snapshot = live(&*store);
    let ask = |terms: &[&str], limit| {
        snapshot.keyword(&query(terms, limit), &ChunkFilter::default()).unwrap()
    };
    for terms in [
        &["alpha", "beta", "gamma", "delta", "omega"][..],
        &["omega", "alpha"],
        &["gamma", "beta", "alpha", "call"],
        &["beta", "alpha"],
    ] {
        let all = ask(terms, 100_000);
        assert!(all.len() > 300, "{}", all.len());
        for limit in [1, 3, 10, 40, 200] {
            assert_eq!(ask(terms, limit), all[..limit], "{terms:?}");
        }
    }
}

/// Coverage stays exact however many terms there are.
pub fn many_terms_count_separately(make: Make<'_>) {
    let store = committed(make, &small());
    let mut terms = vec!["getuser"];
    terms.extend(std::iter::repeat_n("nowhere", 200));
    let hits = live(&*store).keyword(&query(&terms, 10), &ChunkFilter::default()).unwrap();
    let total: f32 = (0..201).map(|index| 1.0 / (1.0 + index as f32)).sum();
    assert!((hits[0].coverage - 1.0 / total).abs() < 1e-6, "{}", hits[0].coverage);
}

/// Names are compared without case and separators, and even a name without a word in it is found.
pub fn definitions_are_found_by_any_name(make: Make<'_>) {
    let mut tree = small();
    let long = "very_".repeat(30) + "long";
    tree.write("src/odd.rs", &format!("fn {long}() {{}}\n\nfn größe() {{}}\n"));
    let store = committed(make, &tree);
    let (snapshot, all) = (live(&*store), ChunkFilter::default());
    let found = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let found = snapshot.definitions(&names, &all).unwrap();
        let stored = snapshot.chunks(&found).unwrap();
        stored.iter().map(|chunk| chunk.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["GetUser"]), ["src/pool.rs"]);
    assert_eq!(found(&["get-user", "get_user"]), ["src/pool.rs"], "a chunk is given once");
    assert_eq!(found(&["x"]), ["src/store/parse.go"]);
    assert_eq!(found(&["GRÖSSE", "GRÖßE"]), ["src/odd.rs"]);
    assert_eq!(found(&[&long]), ["src/odd.rs"]);
    assert_eq!(found(&["getuse", "", "+", "userservice.parse"]), [""; 0]);
    assert_eq!(found(&["Parse", "get_user"]), ["src/pool.rs", "src/store/parse.go"]);
}

/// Names like the one asked for come nearest first; those of versions that are gone do not count.
pub fn similar_names_are_the_nearest_first(make: Make<'_>) {
    let store = committed(make, &small());
    let similar = |name: &str, limit| live(&*store).similar(&NameLike::new(name), limit).unwrap();
    assert_eq!(similar("getUsr", 9), ["getuser"]);
    assert_eq!(similar("user", 9), ["userservice", "getuser"], "beginnings first");
    assert_eq!(similar("user", 1), ["userservice"]);
    assert_eq!(similar("user", 0), [""; 0]);
    assert_eq!(similar("nobody_here", 9), [""; 0]);
    let mut fewer = small();
    fewer.write("src/store/parse.go", "package store\n\nfunc x() {}\n");
    commit(&*store, &fewer);
    let similar = |name: &str| live(&*store).similar(&NameLike::new(name), 9).unwrap();
    assert_eq!(similar("user"), ["getuser"]);
    assert_eq!(similar("userservice"), [""; 0]);
}

/// The chunks of a file come in the order of their lines, the overview first; a filter applies.
pub fn chunks_of_a_file_come_in_its_order(make: Make<'_>) {
    let store = committed(make, &small());
    let snapshot = live(&*store);
    let path = |path: &str| RelPath::new(path).unwrap();
    let paths = [path("src/store/parse.go"), path("no/such.go"), path("src/pool.rs")];
    let files = snapshot.chunks_of(&paths, &ChunkFilter::default()).unwrap();
    assert_eq!(files[1], []);
    for (ids, path) in [(&files[0], &paths[0]), (&files[2], &paths[2])] {
        let outlines = snapshot.outlines(ids).unwrap();
        assert!(outlines.iter().all(|one| one.path == *path));
        let ordinals: Vec<u32> = outlines.iter().map(|one| one.ordinal).collect();
        let facts = snapshot.file_facts(path).unwrap().unwrap();
        assert_eq!(ordinals, (0..facts.chunks.len() as u32).collect::<Vec<_>>());
    }
    let mut go = ChunkFilter::default();
    go.languages = vec!["go".into()];
    let filtered = snapshot.chunks_of(&paths, &go).unwrap();
    assert_eq!((&filtered[0], &filtered[2]), (&files[0], &Vec::new()));
}

/// No file that may hold the text is left out, and the trigrams narrow the rest.
pub fn candidates_hold_the_trigrams(make: Make<'_>) {
    let store = committed(make, &small());
    let snapshot = live(&*store);
    let found = |alternatives: &[Vec<u32>]| {
        let found = snapshot.candidates(alternatives).unwrap();
        found.iter().map(|path| path.to_string()).collect::<Vec<_>>()
    };
    let everything = ["config.yaml", "docs/guide.md", "src/pool.rs", "src/store/parse.go"];
    assert_eq!(found(&[]), everything);
    assert_eq!(found(&[trigrams("retry"), Vec::new()]), everything);
    assert_eq!(found(&[trigrams("retry")]), ["config.yaml", "src/pool.rs"]);
    assert_eq!(
        found(&[trigrams("userservice"), trigrams("retry: true")]),
        [everything[0], everything[3]]
    );
    assert_eq!(found(&[trigrams("qqq")]), [""; 0]);
    assert_eq!(found(&[vec![u32::MAX]]), [""; 0]);
}

/// `chunks` gives what was asked, twice where it was asked twice.
pub fn chunks_come_in_the_order_asked(make: Make<'_>) {
    let store = committed(make, &small());
    let snapshot = live(&*store);
    let hits = snapshot.keyword(&query(&["pool"], 100), &ChunkFilter::default()).unwrap();
    let mut ids: Vec<_> = hits.iter().rev().map(|hit| hit.chunk).collect();
    ids.push(ids[0]);
    let stored = snapshot.chunks(&ids).unwrap();
    assert_eq!(stored.iter().map(|chunk| chunk.id).collect::<Vec<_>>(), ids);
    for chunk in &stored {
        assert_eq!(chunk.key, snapshot.manifest().files[&chunk.path].key);
        assert_eq!(chunk.file, snapshot.file_facts(&chunk.path).unwrap().unwrap());
    }
    assert!(snapshot.chunks(&[]).unwrap().is_empty());
    let outlines = snapshot.outlines(&ids).unwrap();
    for (outline, stored) in outlines.iter().zip(&stored) {
        let chunk = stored.chunk();
        assert_eq!(
            (outline.id, &outline.path, outline.ordinal),
            (stored.id, &stored.path, stored.ordinal)
        );
        assert_eq!((outline.lines, outline.kind), (chunk.lines, chunk.kind));
        let defined: Vec<_> = match chunk.kind {
            ChunkKind::Overview => Vec::new(),
            _ => stored.symbols().map(|symbol| symbol.name.clone()).collect(),
        };
        assert_eq!(outline.names, defined);
        assert_eq!(outline.symbol_kinds == 0, defined.is_empty());
    }
}

/// An id that is not of this snapshot is an error, not a panic.
pub fn chunks_of_other_snapshots_are_refused(make: Make<'_>) {
    let store = committed(make, &small());
    let snapshot = live(&*store);
    for id in [u64::MAX, 1 << 40, u64::from(u32::MAX), 1 << 20] {
        let refused = snapshot.chunks(&[ChunkId(id)]);
        assert!(failure(&refused) == Some(StoreErrorKind::Refused), "{id}");
    }
}

/// Whatever was committed before, the same tree gives the same answers: scores have no memory.
pub fn history_does_not_matter(make: Make<'_>) {
    let store = make();
    let mut tree = Tree::default();
    for round in 0..4 {
        tree.write("src/old.rs", &format!("fn pool_{round}() {{ user(pool, config) }}\n"));
        tree.write("src/pool.rs", &format!("struct Round{round};\nfn connect_user() {{}}\n"));
        commit(&*store, &tree);
    }
    tree.write("src/store/parse.go", "package store\nfunc Pool() {}\n");
    commit(&*store, &tree);
    commit(&*store, &small());
    assert_eq!(live_answers(&*store), live_answers(&*committed(make, &small())));
}

/// A file at a time or all at once.
pub fn many_small_commits_equal_one(make: Make<'_>) {
    let store = make();
    let mut tree = Tree::default();
    for number in 0..40 {
        let text = format!("fn user_{number}() {{ pool({number}) }}\n\nstruct Config{number};\n");
        tree.write(&format!("src/file{}.rs", number * 7 % 40), &text);
        commit(&*store, &tree);
    }
    assert_eq!(live_answers(&*store), live_answers(&*committed(make, &tree)));
    let newest = store.generation(&RefName::live()).unwrap();
    assert_eq!(newest.map(|generation| generation.number), Some(40));
}

/// After `clear` the store is empty and usable; generation numbers are never reused.
pub fn clear_forgets_and_numbers_go_on(make: Make<'_>) {
    let store = committed(make, &small());
    let before = store.generation(&RefName::live()).unwrap();
    store.clear().unwrap();
    an_empty(&*store);
    store.clear().unwrap();
    commit(&*store, &small());
    assert!(store.generation(&RefName::live()).unwrap() > before);
    assert_eq!(live_answers(&*store), live_answers(&*committed(make, &small())));
}

fn an_empty(store: &dyn Store) {
    assert!(store.snapshot(&RefName::live()).unwrap().is_none());
    assert_eq!(store.generation(&RefName::live()).unwrap(), None);
    assert_eq!(store.size().unwrap().segments, 0);
    let keys: Vec<_> = small().indexed().iter().map(|file| file.key).collect();
    assert_eq!(store.writer().unwrap().known(&keys).unwrap(), [false; 4]);
}

/// A snapshot answers the same after commits, merges and `clear`.
pub fn snapshots_outlive_what_comes_after(make: Make<'_>) {
    let store = committed(make, &small());
    let snapshot = live(&*store);
    let before = answers(&*snapshot).unwrap();
    let mut tree = small();
    for number in 0..12 {
        tree.write("src/pool.rs", &format!("fn pool_{number}() {{}}\n"));
        commit(&*store, &tree);
    }
    let later = live(&*store);
    let between = answers(&*later).unwrap();
    assert_ne!(before, between);
    store.clear().unwrap();
    commit(&*store, &Tree::default());
    assert_eq!(answers(&*snapshot).unwrap(), before);
    assert_eq!(answers(&*later).unwrap(), between);
}

/// Readers do not wait for each other, nor for a writer, and see one generation each.
pub fn snapshots_are_read_by_many_at_once(make: Make<'_>) {
    let store = committed(make, &small());
    let trees: Vec<Tree> = (0..6)
        .map(|number| {
            let mut tree = small();
            tree.write("src/pool.rs", &format!("fn pool() {{ round({number}) }}\n"));
            tree
        })
        .collect();
    // Stat data is not part of a generation.
    let mut allowed = vec![small().manifest().without_stats()];
    allowed.extend(trees.iter().map(|tree| tree.manifest().without_stats()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let snapshot = live(&*store);
                    assert!(allowed.contains(&snapshot.manifest().without_stats()));
                    answers(&*snapshot).unwrap();
                }
            });
        }
        trees.iter().for_each(|tree| commit(&*store, tree));
    });
}
