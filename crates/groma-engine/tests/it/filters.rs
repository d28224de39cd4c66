//! Every filter narrows the search and never starves it: what fits is found behind any number of better-ranked
//! chunks that do not.

use crate::show::{assert_true, exact, paths};
use groma_core::{ChunkFilter, ChunkKind, NameGlob, SymbolKind, SymbolOutline, SymbolPredicate};
use groma_engine::{EngineError, ErrorKind, Hit, SearchMode, SearchRequest};
use groma_testkit::Sandbox;
use std::sync::LazyLock;

/// More than the candidates requested of any retriever.
const DECOYS: usize = 230;

const QUERY: &str = "retry the upload";

/// Files that mention the upload once, among much else.
const TARGETS: &str = "\
//- tools/send.py
def send(parcel, courier, street, house, floor, door):
    weigh(parcel); stamp(parcel); label(parcel, street, house)
    return carry(parcel, courier, floor, door, after='upload')
//- src/parcel.rs
/// What is carried from door to door, weighed, stamped and labelled.
pub struct ParcelCourier { street: String, house: u32, floor: u32, after_upload: bool }
//- lib/deep/inside/carry.rs
pub fn carry(parcel: Parcel, street: &str, house: u32) -> Door { walk(street, house); knock(after_upload(parcel)) }
//- internal/freight/rail.go
package freight

// Rail carries parcels by train from one station to another, after the upload of their papers.
func Rail(station string, train int, papers []string) error { return board(station, train, papers) }
//- internal/depot/depot.go
package depot

// ParcelRepository keeps parcels on shelves until their papers are in the upload.
type ParcelRepository struct{ shelf, row, box int }
//- guide.md
---
tags: [ops, night]
---
# Deliveries

Parcels go from door to door, whatever the weather. Papers follow by upload, stamps by mail.
//- plan.md
---
tags: [ops]
---
# Plans

Parcels will go by boat one day. Papers follow by upload, stamps by mail.
//- limits.yaml
parcel:
  weight: 20
  upload: papers
";

static PROJECT: LazyLock<Sandbox> = LazyLock::new(|| {
    let sandbox = Sandbox::new(TARGETS);
    for number in 0..DECOYS {
        let text = format!(
            "/// Retry the upload, then retry.\npub fn retry_upload_{number}() {{ retry(upload()) }}\n"
        );
        sandbox.write(&format!("src/retry/upload{number}.rs"), text);
    }
    sandbox.index();
    sandbox
});

fn ask(mode: SearchMode, limit: usize, filter: ChunkFilter) -> groma_engine::SearchAnswer {
    let request = SearchRequest { mode, limit, filter, ..SearchRequest::new(QUERY) };
    PROJECT.engine().search_indexed(&request).unwrap()
}

/// In every mode the filter admits exactly `expected`, and each hit `fits`.
fn check(set: impl Fn(&mut ChunkFilter), expected: &[&str], fits: impl Fn(&Hit) -> bool) {
    let mut filter = ChunkFilter::default();
    set(&mut filter);
    for mode in SearchMode::ALL {
        let answer = ask(mode, 10, filter.clone());
        assert_eq!(paths(&answer), expected, "{mode:?}");
        assert!(answer.hits.iter().all(&fits), "{mode:?}: {:?}", answer.hits);
    }
}

#[test]
fn without_a_filter_the_decoys_win() {
    for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
        let answer = ask(mode, 100, ChunkFilter::default());
        assert_eq!(answer.hits.len(), 100);
        assert!(answer.hits.iter().all(|hit| hit.path.as_str().starts_with("src/retry/")));
    }
}

#[test]
fn languages() {
    check(
        |filter| filter.languages = vec!["python".into()],
        &["tools/send.py"],
        |hit| hit.language == "python",
    );
    let any = ["guide.md", "plan.md", "tools/send.py"];
    check(|filter| filter.languages = vec!["python".into(), "markdown".into()], &any, |_| true);
}

#[test]
fn symbol_kinds() {
    let of = |hit: &Hit, kind| hit.symbol.as_ref().is_some_and(|symbol| symbol.kind == kind);
    check(
        |filter| filter.symbol_kinds = vec![SymbolKind::Struct],
        &["internal/depot/depot.go", "src/parcel.rs"],
        |hit| of(hit, SymbolKind::Struct),
    );
}

#[test]
fn symbol_names() {
    check(
        |filter| filter.symbol_name = NameGlob::new("*courier").ok(),
        &["src/parcel.rs"],
        |hit| hit.symbol.as_ref().is_some_and(|symbol| symbol.name == "ParcelCourier"),
    );
}

#[test]
fn path_globs() {
    check(
        |filter| filter.set_paths(&["lib/deep/**"]).unwrap(),
        &["lib/deep/inside/carry.rs"],
        |_| true,
    );
    let any = ["lib/deep/inside/carry.rs", "tools/send.py"];
    check(|filter| filter.set_paths(&["lib", "*.py"]).unwrap(), &any, |_| true);
}

#[test]
fn packages() {
    let rail = ["internal/freight/rail.go"];
    check(
        |filter| filter.packages = vec!["freight".into()],
        &rail,
        |hit| hit.package.as_deref() == Some("freight"),
    );
    check(|filter| filter.packages = vec!["internal/freight".into()], &rail, |_| true);
}

#[test]
fn chunk_kinds() {
    check(
        |filter| filter.chunk_kinds = vec![ChunkKind::Prose],
        &["guide.md", "plan.md"],
        |hit| hit.kind == ChunkKind::Prose,
    );
    check(
        |filter| filter.chunk_kinds = vec![ChunkKind::Data],
        &["limits.yaml"],
        |hit| hit.kind == ChunkKind::Data,
    );
}

#[test]
fn overviews_are_returned_only_on_request() {
    let mut filter = ChunkFilter::default();
    filter.chunk_kinds = vec![ChunkKind::Overview];
    filter.set_paths(&["internal"]).unwrap();
    let answer = ask(SearchMode::Hybrid, 10, filter);
    assert_eq!(paths(&answer), ["internal/depot/depot.go", "internal/freight/rail.go"]);
    assert!(answer.hits.iter().all(|hit| hit.kind == ChunkKind::Overview));
}

#[test]
fn tags_must_all_match() {
    let tagged = |tags: &'static [&str]| {
        move |filter: &mut ChunkFilter| {
            filter.tags = tags.iter().map(|tag| tag.to_string()).collect()
        }
    };
    check(tagged(&["ops"]), &["guide.md", "plan.md"], |_| true);
    check(tagged(&["ops", "night"]), &["guide.md"], |hit| {
        hit.tags.iter().any(|tag| tag == "night")
    });
    check(tagged(&["ops", "python"]), &[], |_| true);
}

#[test]
fn predicates() {
    let ends_in = |suffix: &'static str| {
        move |filter: &mut ChunkFilter| {
            let fits = move |symbol: &SymbolOutline<'_>| symbol.name.ends_with(suffix);
            filter.symbol = Some(SymbolPredicate::new(suffix, fits));
        }
    };
    check(ends_in("Repository"), &["internal/depot/depot.go"], |hit| {
        hit.symbol.as_ref().is_some_and(|symbol| symbol.name == "ParcelRepository")
    });
    check(ends_in("Handler"), &[], |_| true);
}

#[test]
fn filters_are_joined_by_and() {
    check(
        |filter| {
            filter.languages = vec!["rust".into()];
            filter.symbol_kinds = vec![SymbolKind::Function];
            filter.set_paths(&["lib"]).unwrap();
        },
        &["lib/deep/inside/carry.rs"],
        |_| true,
    );
}

#[test]
fn minimum_scores_cut_the_end_off() {
    for mode in SearchMode::ALL {
        let all = ask(mode, 100, ChunkFilter::default());
        let middle = all.hits[40].score;
        let request =
            SearchRequest { mode, limit: 100, min_score: middle, ..SearchRequest::new(QUERY) };
        let some = PROJECT.engine().search_indexed(&request).unwrap();
        let expected: Vec<&Hit> = all.hits.iter().filter(|hit| hit.score >= middle).collect();
        assert_eq!(some.hits.iter().collect::<Vec<_>>(), expected, "{mode:?}");
        assert!(some.matching >= some.hits.len() && some.matching < all.matching, "{mode:?}");
        assert!(all.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{mode:?}");
    }
}

#[test]
fn a_lower_limit_gives_the_beginning_of_the_same_list() {
    let twenty = exact(&ask(SearchMode::Hybrid, 20, ChunkFilter::default()));
    for limit in [1, 7, 19] {
        let fewer = exact(&ask(SearchMode::Hybrid, limit, ChunkFilter::default()));
        assert_eq!(fewer.lines().count(), limit + 1);
        assert!(twenty.starts_with(&fewer), "{limit}");
    }
}

#[test]
fn a_high_limit_is_reached() {
    for mode in SearchMode::ALL {
        let answer = ask(mode, 1000, ChunkFilter::default());
        assert!(answer.hits.len() >= DECOYS, "{mode:?}: {}", answer.hits.len());
    }
}

/// The parameter at fault, and how it comes to be so.
type Case = (&'static str, fn(&mut SearchRequest));

#[test]
fn what_cannot_be_asked_is_refused_by_name() {
    let cases: &[Case] = &[
        ("query", |request| request.query = " \t\n".into()),
        ("query", |request| request.query = "x".repeat(10_001)),
        ("limit", |request| request.limit = 0),
        ("limit", |request| request.limit = 1001),
        ("min_score", |request| request.min_score = -0.1),
        ("min_score", |request| request.min_score = 1.1),
        ("min_score", |request| request.min_score = f32::NAN),
    ];
    for (expected, change) in cases {
        let mut request = SearchRequest::new("pool");
        change(&mut request);
        // Refused before anything is looked at: there is no such project.
        let sandbox = Sandbox::in_memory("");
        std::fs::remove_dir_all(sandbox.root()).unwrap();
        let error = sandbox.try_ask(&request).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(
            matches!(error, EngineError::Invalid { parameter, .. } if parameter == *expected),
            "{error}"
        );
    }
}

#[test]
fn the_longest_query_and_unusual_ones_are_answered() {
    let ask = |mode: SearchMode, query: &str| {
        let request = SearchRequest { mode, ..SearchRequest::new(query) };
        let answer = PROJECT.engine().search_indexed(&request).unwrap();
        assert!(answer.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{answer:?}");
        assert_true(&PROJECT, &answer);
        answer.hits.into_iter().map(|hit| hit.path.to_string()).collect::<Vec<_>>()
    };
    // A word repeated up to the longest query still finds what it finds by itself.
    let once = ask(SearchMode::Hybrid, "retry");
    assert_eq!(ask(SearchMode::Hybrid, &"retry ".repeat(1600)), once);
    assert_eq!(once.len(), 10);
    // Without a word of the project there is nothing to match, whatever vectors make of it.
    for query in ["\0", "((([[[", "🦀", &"é".repeat(10_000)] {
        assert_eq!(ask(SearchMode::Keyword, query), [""; 0], "{query:?}");
        ask(SearchMode::Hybrid, query);
    }
}
