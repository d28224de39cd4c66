//! A remote embedder: slow or unavailable, but never blocking an answer.

use crate::show::everything;
use groma_core::{
    EmbedError, Embedder, EmbedderIdentity, Pipeline, Remote, Store, TextRole, Vector,
};
use groma_engine::notebook::{RecallAnswer, RecallRequest, Seek};
use groma_engine::{
    Cancel, Engine, IndexReport, LocateRequest, PIPELINE_VERSION, Parts, Ranking, SearchAnswer,
    SearchMode, SearchRequest, WalkOptions,
};
use groma_store::{EmbeddedStore, MemoryStore};
use groma_testkit::{Sandbox, Setup, WordEmbedder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// An embedder as it is on the other side of a network.
#[derive(Default)]
struct Far {
    down: AtomicBool,
    /// The call from which on it is down.
    dies_at: Option<usize>,
    /// A text with this word is refused.
    refuses: Option<&'static str>,
    /// Vectors it forgets to send.
    forgets: usize,
    /// How long it takes over passages.
    slow: Duration,
    calls: AtomicUsize,
    passages: Mutex<Vec<String>>,
}

impl Embedder for Far {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity { name: "far".into(), ..WordEmbedder.identity() }
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let call = self.calls.fetch_add(1, SeqCst);
        if !self.is_ready() || self.dies_at.is_some_and(|at| call >= at) {
            return Err(EmbedError::Unavailable("no answer from the service".into()));
        }
        if let Some(word) = self.refuses
            && texts.iter().any(|text| text.contains(word))
        {
            return Err(EmbedError::Refused(format!("it will not hear of {word}")));
        }
        if role == TextRole::Passage {
            std::thread::sleep(self.slow);
            self.passages.lock().unwrap().extend(texts.iter().map(|text| text.to_string()));
        }
        let vectors = WordEmbedder.embed(role, texts)?;
        Ok(vectors.into_iter().skip(self.forgets).collect())
    }

    fn remote(&self) -> Option<Remote> {
        Some(Remote { batch: 8, concurrency: 3 })
    }

    fn is_ready(&self) -> bool {
        !self.down.load(SeqCst)
    }
}

impl Far {
    fn set_down(&self, down: bool) {
        self.down.store(down, SeqCst);
    }

    /// What was embedded, each text once and nothing twice.
    fn embedded(&self) -> usize {
        let passages = self.passages.lock().unwrap();
        let mut once = passages.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), passages.len(), "nothing is embedded twice");
        once.len()
    }
}

fn over(far: &Arc<Far>, files: usize) -> Sandbox {
    let sandbox = Sandbox::with(Setup { embedder: Some(far.clone()), ..Setup::default() }, "");
    write(&sandbox, files, "number");
    sandbox
}

fn write(sandbox: &Sandbox, files: usize, name: &str) {
    for file in 0..files {
        sandbox.write(&format!("src/file{file}.rs"), format!("fn {name}_{file}() {{}}\n"));
    }
}

fn complete(engine: &Engine) -> IndexReport {
    engine.index(&(), &Cancel::default()).unwrap()
}

fn says(notes: &[String], words: &str) -> bool {
    notes.iter().any(|note| note.contains(words))
}

fn by_vectors(answer: &SearchAnswer) -> bool {
    answer.hits.iter().any(|hit| hit.vector_score.is_some())
}

#[test]
fn vectors_missed_in_an_outage_are_made_when_it_is_over() {
    let far = Arc::new(Far { down: true.into(), ..Far::default() });
    let sandbox = over(&far, 5);
    let report = complete(sandbox.engine());
    assert_eq!((report.files, report.without_vectors), (5, 5));
    let expected = "no answer from the service: 5 files are found by keywords only";
    assert!(says(&report.notes, expected), "{:?}", report.notes);
    assert_eq!(sandbox.engine().status().unwrap().without_vectors, 5);
    let answer = sandbox.search("number_3");
    assert!(!by_vectors(&answer) && answer.hits[0].path.as_str() == "src/file3.rs");
    assert!(
        says(&answer.notes, "no answer from the service: answered by keywords"),
        "{:?}",
        answer.notes
    );
    assert!(says(&answer.notes, "5 files are found by keywords only"), "{:?}", answer.notes);

    far.set_down(false);
    let report = complete(sandbox.engine());
    assert_eq!((report.unchanged, report.updated, report.without_vectors), (5, 0, 0));
    let chunks = far.embedded();
    let answer = sandbox.search("number_3");
    assert!(by_vectors(&answer) && answer.notes.is_empty(), "{answer:?}");
    let again = complete(sandbox.engine());
    assert_eq!((again.parsed, again.generation), (0, report.generation));
    assert_eq!(far.embedded(), chunks);
    assert_eq!(everything(sandbox.engine()), everything(&fresh(&sandbox)));
}

#[test]
fn a_query_without_vectors_does_not_call_the_embedder() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 5);
    let keyword = SearchRequest { mode: SearchMode::Keyword, ..SearchRequest::new("number_3") };
    let answer = sandbox.ask(&keyword);
    assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs");
    assert!(answer.notes.is_empty(), "{:?}", answer.notes);
    let engine = sandbox.engine();
    let located = engine.locate(&LocateRequest::new("number_3"), &(), &Cancel::default()).unwrap();
    assert_eq!((located.definitions.len(), located.notes.len()), (1, 0));
    let path = groma_core::RelPath::new("src/file3.rs").unwrap();
    assert!(engine.outline(&path, &(), &Cancel::default()).unwrap().is_some());
    assert_eq!(engine.status().unwrap().without_vectors, 5);
    assert_eq!(far.calls.load(SeqCst), 0);
    let answer = sandbox.search("number_3");
    assert!(by_vectors(&answer) && answer.notes.is_empty(), "a few are embedded in the foreground");
    assert!(far.embedded() >= 5);
}

/// The same project, indexed at one go with nothing in the way.
fn fresh(sandbox: &Sandbox) -> Engine {
    let engine = engine(sandbox, Arc::new(Far::default()), None);
    complete(&engine);
    engine
}

fn engine(sandbox: &Sandbox, far: Arc<Far>, folder: Option<&std::path::Path>) -> Engine {
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: Some(far.identity()) };
    let store: Arc<dyn Store> = match folder {
        Some(folder) => Arc::new(EmbeddedStore::open(folder, pipeline).unwrap()),
        None => Arc::new(MemoryStore::new(pipeline)),
    };
    Engine::new(Parts {
        root: sandbox.root().to_path_buf(),
        store,
        notebook: None,
        embedder: Some(far),
        walk: WalkOptions::default(),
        ranking: Ranking::default(),
    })
}

#[test]
fn an_embedder_that_is_away_is_not_asked_for_every_file() {
    let far = Arc::new(Far { dies_at: Some(2), ..Far::default() });
    let sandbox = over(&far, 200);
    let report = complete(sandbox.engine());
    assert_eq!(report.files, 200);
    assert!(report.without_vectors > 150 && report.without_vectors < 200, "{report:?}");
    assert!(far.calls.load(SeqCst) <= 2 + 16, "each worker asks at most once more");
    let about = |note: &&String| note.contains("no answer from the service");
    assert_eq!(report.notes.iter().filter(about).count(), 1, "{:?}", report.notes);
    assert!(report.embedder_error.is_some());
}

#[test]
fn chunks_of_several_files_go_in_one_call() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 40);
    complete(sandbox.engine());
    assert!(far.embedded() >= 40);
    let calls = far.calls.load(SeqCst);
    assert!(calls <= far.embedded().div_ceil(8) + 3, "{calls} calls for {}", far.embedded());
}

#[test]
fn a_search_does_not_wait_for_many_vectors() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 3);
    complete(sandbox.engine());
    let before = far.embedded();
    write(&sandbox, 300, "other");
    let answer = sandbox.search("other_123");
    assert_eq!(answer.hits[0].path.as_str(), "src/file123.rs");
    assert!(says(&answer.notes, "300 files are found by keywords only"), "{:?}", answer.notes);
    assert_eq!(far.embedded(), before);
    assert_eq!(sandbox.search("other_124").hits[0].path.as_str(), "src/file124.rs");
    assert_eq!(far.embedded(), before, "nor does another");

    let report = complete(sandbox.engine());
    assert_eq!((report.files, report.without_vectors), (300, 0));
    assert!(report.notes.is_empty(), "{:?}", report.notes);
    assert!(far.embedded() > before + 300);
    assert_eq!(everything(sandbox.engine()), everything(&fresh(&sandbox)));
}

#[test]
fn few_vectors_are_waited_for() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 100);
    complete(sandbox.engine());
    write(&sandbox, 10, "other");
    let answer = sandbox.search("other_7");
    assert!(answer.notes.is_empty(), "{:?}", answer.notes);
    assert!(answer.hits[0].vector_score.is_some());
}

#[test]
fn an_embedder_that_is_not_ready_gets_no_passages() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 3);
    complete(sandbox.engine());
    far.set_down(true);
    write(&sandbox, 3, "other");
    let calls = far.calls.load(SeqCst);
    sandbox.search("other_1");
    assert_eq!(far.calls.load(SeqCst), calls + 1, "the question alone");
    far.set_down(false);
    assert!(by_vectors(&sandbox.search("other_1")));
}

#[test]
fn a_text_that_is_refused_costs_its_chunk_and_is_not_tried_again() {
    let far = Arc::new(Far { refuses: Some("fn number_2"), ..Far::default() });
    let sandbox = over(&far, 4);
    let report = complete(sandbox.engine());
    assert_eq!(report.without_vectors, 0);
    assert!(says(&report.notes, "will not hear"), "{:?}", report.notes);
    let answer = sandbox.search("number");
    let with = |path: &str| {
        answer.hits.iter().any(|hit| hit.path.as_str() == path && hit.vector_score.is_some())
    };
    assert!(with("src/file1.rs") && with("src/file3.rs"));
    let calls = far.calls.load(SeqCst);
    assert_eq!(complete(sandbox.engine()).parsed, 0);
    assert_eq!(far.calls.load(SeqCst), calls);
}

#[test]
fn too_few_vectors_are_none() {
    let far = Arc::new(Far { forgets: 1, ..Far::default() });
    let sandbox = over(&far, 4);
    let report = complete(sandbox.engine());
    assert_eq!(report.without_vectors, 4);
    assert!(says(&report.notes, "vectors for"), "{:?}", report.notes);
    assert_eq!(sandbox.search("number_2").hits[0].path.as_str(), "src/file2.rs");
}

#[test]
fn a_failure_to_embed_the_query_is_reported() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 3);
    complete(sandbox.engine());
    assert_eq!(sandbox.search("number_2").embed_failure, None);
    far.set_down(true);
    let failure = sandbox.search("number_1").embed_failure;
    assert!(failure.is_some_and(|failure| failure.contains("no answer from the service")));
}

const LONG: Duration = Duration::from_secs(60);

/// Asks until the vectors were made behind the questions.
fn until_made(engine: &Engine) -> SearchAnswer {
    let deadline = Instant::now() + LONG;
    loop {
        let status = engine.status().unwrap();
        let answer = search(engine, "number_3");
        if status.awaited.is_none() && status.without_vectors == 0 && answer.notes.is_empty() {
            return answer;
        }
        assert!(Instant::now() < deadline, "{:?}", answer.notes);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_server_has_the_new_vectors_made_behind_its_answers() {
    let far = Arc::new(Far { slow: Duration::from_millis(30), ..Far::default() });
    let (sandbox, _folder, engine) = changed_over(&far);
    let engine = engine.into_shared(Some(LONG));
    let answer = search(&engine, "number_3");
    assert!(by_vectors(&answer));
    assert!(says(&answer.notes, "until then words@1/16 answers"), "{:?}", answer.notes);
    sandbox.write("src/file5.rs", "fn renamed() {}\n");
    assert_eq!(search(&engine, "renamed").hits[0].path.as_str(), "src/file5.rs");
    assert!(by_vectors(&until_made(&engine)));
    assert_eq!(engine.status().unwrap().embedder.as_deref(), Some("far@1/16"));
    for round in 0..20 {
        sandbox.save("src/file7.rs", format!("fn round_{round}() {{}}\n"));
        let answer = search(&engine, &format!("round_{round}"));
        assert!(answer.hits[0].content.contains(&format!("round_{round}")), "{answer:?}");
        assert!(answer.notes.is_empty() && by_vectors(&answer), "{:?}", answer.notes);
    }
    assert_eq!(everything(&engine), everything(&fresh(&sandbox)));
}

#[test]
fn a_server_completes_vectors_in_the_background() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 3);
    complete(sandbox.engine());
    let engine = sandbox.shared(LONG);
    write(&sandbox, 200, "number");
    let answer = search(&engine, "number_123");
    assert_eq!(answer.hits[0].path.as_str(), "src/file123.rs");
    assert!(by_vectors(&until_made(&engine)));
    assert!(far.embedded() >= 200);
}

#[test]
fn a_quiet_tree_is_no_reason_to_leave_vectors_out() {
    let far = Arc::new(Far::default());
    let sandbox = over(&far, 3);
    let engine = sandbox.shared(LONG);
    let locate = || engine.locate(&LocateRequest::new("number_1"), &(), &Cancel::default());
    // Twice, because what happened before a folder was watched is seen by the second walk.
    assert_eq!((locate().unwrap().definitions.len(), locate().unwrap().notes.len()), (1, 0));
    assert_eq!((far.calls.load(SeqCst), engine.status().unwrap().without_vectors), (0, 3));
    let answer = search(&engine, "number_1");
    assert!(by_vectors(&answer) && answer.notes.is_empty(), "{:?}", answer.notes);
    assert_eq!(engine.status().unwrap().without_vectors, 0);
}

#[test]
fn what_runs_behind_answers_gives_way() {
    let far = Arc::new(Far { slow: Duration::from_millis(50), ..Far::default() });
    let (_sandbox, _folder, engine) = changed_over(&far);
    let engine = engine.into_shared(Some(LONG));
    let begun = || {
        let (before, deadline) = (far.calls.load(SeqCst), Instant::now() + LONG);
        search(&engine, "number_3");
        while far.calls.load(SeqCst) == before {
            assert!(Instant::now() < deadline, "nothing runs");
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    begun();
    engine.clear().unwrap();
    assert!(engine.status().unwrap().generation.is_none());
    begun();
    let report = engine
        .run(
            &groma_engine::Run::new(groma_engine::Goal::Complete, &(), &Cancel::default())
                .waiting(Duration::ZERO),
        )
        .unwrap();
    assert_eq!((report.files, report.without_vectors, report.notes.len()), (20, 0, 0));
}

#[test]
fn a_server_bears_an_outage() {
    let far = Arc::new(Far { down: true.into(), ..Far::default() });
    let (sandbox, _folder, engine) = changed_over(&far);
    let engine = engine.into_shared(Some(LONG));
    for round in 0..20 {
        sandbox.save("src/file3.rs", format!("fn round_{round}() {{}}\n"));
        let answer = search(&engine, &format!("round_{round}"));
        assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs");
        assert!(by_vectors(&answer) && says(&answer.notes, "until then words@1/16 answers"));
    }
    assert!(far.calls.load(SeqCst) <= 16, "it is not asked again and again");
    far.set_down(false);
    let report = complete(&engine);
    assert_eq!((report.files, report.without_vectors), (20, 0));
    assert!(search(&engine, "number_5").notes.is_empty());
}

/// A project with an index of its own, whose embedder has just been changed to a far one.
fn changed_over(far: &Arc<Far>) -> (Sandbox, tempfile::TempDir, Engine) {
    let sandbox = Sandbox::new("");
    write(&sandbox, 20, "number");
    sandbox.index();
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&sandbox, far.clone(), Some(folder.path()));
    let engine = engine.with_fallback(sandbox.fallback());
    (sandbox, folder, engine)
}

fn search(engine: &Engine, query: &str) -> SearchAnswer {
    engine.search(&SearchRequest::new(query), &(), &Cancel::default()).unwrap()
}

#[test]
fn the_old_vectors_answer_until_the_new_ones_are_there() {
    let far = Arc::new(Far::default());
    let (sandbox, _folder, engine) = changed_over(&far);
    sandbox.write("src/file3.rs", "fn renamed() {}\n");
    let answer = search(&engine, "renamed");
    assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs", "as fresh as ever");
    assert!(by_vectors(&answer));
    assert!(says(&answer.notes, "until then words@1/16 answers"), "{:?}", answer.notes);
    assert_eq!(far.calls.load(SeqCst), 0);
    let status = engine.status().unwrap();
    assert_eq!((status.files, status.awaited.as_deref()), (20, Some("far@1/16")));
    assert_eq!(status.embedder.as_deref(), Some("words@1/16"));

    let report = complete(&engine);
    assert_eq!((report.files, report.parsed, report.without_vectors), (20, 20, 0));
    assert!(report.notes.is_empty(), "{:?}", report.notes);
    let answer = search(&engine, "renamed");
    assert!(by_vectors(&answer) && answer.notes.is_empty(), "{:?}", answer.notes);
    assert!(far.calls.load(SeqCst) > 0);
    assert_eq!(engine.status().unwrap().awaited, None);
    assert_eq!(everything(&engine), everything(&fresh(&sandbox)));
}

#[test]
fn an_outage_leaves_the_old_vectors_in_place() {
    for far in [
        Far { down: true.into(), ..Far::default() },
        // Half of the vectors were made: half an index is worth less than the old one.
        Far { dies_at: Some(2), ..Far::default() },
    ] {
        let far = Arc::new(far);
        let (sandbox, _folder, engine) = changed_over(&far);
        sandbox.write("src/file3.rs", "fn renamed() {}\n");
        let report = complete(&engine);
        assert!(says(&report.notes, "no answer from the service"), "{:?}", report.notes);
        assert!(says(&report.notes, "have yet to be made"), "{:?}", report.notes);
        assert_eq!((report.files, report.updated), (20, 1));
        let answer = search(&engine, "renamed");
        assert!(by_vectors(&answer), "{answer:?}");
        assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs");
    }
}

#[test]
fn a_damaged_index_lets_the_other_stand_in_again() {
    let far = Arc::new(Far::default());
    let (sandbox, folder, first) = changed_over(&far);
    complete(&first);
    drop(first);
    for part in std::fs::read_dir(folder.path().join("segments")).unwrap() {
        std::fs::remove_file(part.unwrap().path()).unwrap();
    }
    let engine = engine(&sandbox, far, Some(folder.path())).with_fallback(sandbox.fallback());
    let answer = search(&engine, "number_3");
    assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs");
    assert!(says(&answer.notes, "damaged"), "{:?}", answer.notes);
    complete(&engine);
    let answer = search(&engine, "number_3");
    assert!(by_vectors(&answer) && answer.notes.is_empty(), "{:?}", answer.notes);
}

#[test]
fn clearing_clears_both_and_rebuilding_keeps_the_fallback() {
    let far = Arc::new(Far::default());
    let (_sandbox, _folder, engine) = changed_over(&far);
    assert_eq!(engine.rebuild(&(), &Cancel::default()).unwrap().files, 20);
    engine.clear().unwrap();
    assert!(engine.status().unwrap().generation.is_none());
    assert!(says(&search(&engine, "number_3").notes, "have yet to be made"));
}

#[test]
fn a_note_goes_with_every_answer_that_vectors_take_part_in() {
    let sandbox = Sandbox::new("//- a.rs\nfn one() {}\n");
    let engine = sandbox.another().with_note("the key is missing".into());
    assert!(says(&search(&engine, "one").notes, "the key is missing"));
    assert!(says(&engine.index(&(), &Cancel::default()).unwrap().notes, "the key is missing"));
    let keyword = SearchRequest { mode: SearchMode::Keyword, ..SearchRequest::new("one") };
    assert!(engine.search(&keyword, &(), &Cancel::default()).unwrap().notes.is_empty());
}

fn recall(engine: &Engine, query: &str) -> RecallAnswer {
    let request = RecallRequest { seek: Seek::Discoveries(None), ..RecallRequest::new(query) };
    engine.recall(&request, &(), &Cancel::default()).unwrap()
}

#[test]
fn what_a_project_knows_is_embedded_a_batch_at_a_time() {
    let far = Arc::new(Far::default());
    let sandbox = Sandbox::new("");
    let names = ["amber", "birch", "cedar", "daisy", "elder"];
    for (number, name) in names.iter().cycle().take(20).enumerate() {
        // Unlike enough not to be taken for one.
        let letter = char::from(b'a' + number as u8).to_string();
        let rooms = [3, 4, 5].map(|times| letter.repeat(times)).join(" ");
        let text = format!("// RULE: {name} lamps of {rooms} are lit\n");
        sandbox.write(&format!("src/file{number}.rs"), text);
    }
    let engine = engine(&sandbox, far.clone(), None);
    complete(&engine);
    let notes =
        || far.passages.lock().unwrap().iter().filter(|text| text.contains(" rule ")).count();
    let answer = recall(&engine, "cedar lamps");
    assert_eq!(notes(), 8, "one call's worth, whatever there is");
    assert_eq!(answer.embed_failure, None);
    let embedded: Vec<String> = far.passages.lock().unwrap().clone();
    let promising =
        embedded.iter().filter(|text| text.contains(" rule ") && text.contains("cedar"));
    assert_eq!(promising.count(), 4, "what promises most comes first");
    recall(&engine, "cedar lamps");
    assert_eq!(notes(), 16, "and the next question goes on from there");
    far.set_down(true);
    let answer = recall(&engine, "daisy lamps");
    assert!(answer.embed_failure.is_some() && !answer.results.is_empty(), "{answer:?}");
}

#[test]
fn what_a_project_knows_is_compared_by_the_model_that_answers() {
    let far = Arc::new(Far::default());
    let (sandbox, _folder, engine) = changed_over(&far);
    sandbox.write("src/lamp.rs", "// RULE: lamps are lit at dusk\n");
    assert_eq!(recall(&engine, "when are lamps lit").results.len(), 1);
    assert_eq!(far.calls.load(SeqCst), 0);
}
