//! Recall over a project: remembered notes, statements in its files, topics of sessions, and code.

use groma_core::{DiscoveryKind, Origin, RelPath};
use groma_engine::notebook::{
    Activity, Change, NewDiscovery, RecallAnswer, RecallRequest, Recalled, Seek,
};
use groma_engine::{Cancel, EngineError, ErrorKind};
use groma_testkit::{Sandbox, Setup};

const PROJECT: &str = "\
//- src/server/auth/token.ts
// RULE: tokens are compared in constant time, so that nobody can guess them byte by byte
export function compareTokens(a: string, b: string) {
  return timingSafeEqual(a, b); // FIXME: fails on tokens of different length
}
//- src/server/billing/invoice.ts
// DECISION: invoices are numbered without gaps, the tax office wants it
export function nextInvoiceNumber() {
  return last + 1;
}
//- docs/adr/0002-queue.md
# 2. One queue

Date: 2024-05-06

## Decision

We run a single queue in PostgreSQL.
//- CLAUDE.md
# Rules

- Run the linter before every commit.
";

fn project() -> Sandbox {
    Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, PROJECT)
}

fn ask(project: &Sandbox, request: &RecallRequest) -> RecallAnswer {
    project.engine().recall(request, &(), &Cancel::default()).unwrap()
}

/// The answers in a line each.
fn shown(answer: &RecallAnswer) -> Vec<String> {
    answer
        .results
        .iter()
        .map(|(_, one)| match one {
            Recalled::Discovery(one) => {
                let module = one.module.as_deref().unwrap_or("-");
                format!("{} {module} {}: {}", one.kind, one.evidence[0], one.content)
            }
            Recalled::Session(session) => format!("session {}", session.id),
            Recalled::Code { hit, .. } => format!("code {}", hit.path),
        })
        .collect()
}

fn recalled(project: &Sandbox, query: &str, seek: Seek) -> Vec<String> {
    shown(&ask(project, &RecallRequest { seek, ..RecallRequest::new(query) }))
}

const DISCOVERIES: Seek = Seek::Discoveries(None);

#[test]
fn comments_and_documents_answer_on_day_one() {
    let project = project();
    let first = |query: &str| recalled(&project, query, Seek::All).remove(0);
    assert_eq!(
        first("how are tokens compared"),
        "rule auth comment src/server/auth/token.ts:1: tokens are compared in constant time, so \
         that nobody can guess them byte by byte"
    );
    assert_eq!(
        first("which queue do we run"),
        "decision - document docs/adr/0002-queue.md:7: One queue: We run a single queue in PostgreSQL."
    );
    assert_eq!(
        first("linter before commit"),
        "rule - document CLAUDE.md:3: Run the linter before every commit."
    );
}

#[test]
fn kinds_and_modules_are_chosen_before_ranking() {
    let project = project();
    let issue = Seek::Discoveries(Some(DiscoveryKind::Issue));
    assert_eq!(
        recalled(&project, "tokens", issue),
        ["issue auth comment src/server/auth/token.ts:3: fails on tokens of different length"]
    );
    let of = |module: &str, seek| {
        let module = Some(module.to_string());
        shown(&ask(
            &project,
            &RecallRequest { module, seek, ..RecallRequest::new("invoice numbers") },
        ))
    };
    assert_eq!(of("Billing", DISCOVERIES).len(), 1);
    assert_eq!(of("auth", DISCOVERIES), [""; 0]);
    assert_eq!(of("billing", Seek::Code), ["code src/server/billing/invoice.ts"]);
    assert_eq!(of("auth", Seek::Code), [""; 0]);
    assert_eq!(of("nothing", Seek::All), [""; 0]);
}

#[test]
fn what_files_state_follows_them() {
    let project = project();
    assert_eq!(recalled(&project, "invoices numbered", DISCOVERIES).len(), 1);
    project.write("src/server/billing/invoice.ts", "// RULE: invoices are numbered by month\n");
    assert_eq!(
        recalled(&project, "invoices numbered", DISCOVERIES),
        ["rule billing comment src/server/billing/invoice.ts:1: invoices are numbered by month"]
    );
    project.remove("src/server/billing/invoice.ts");
    assert_eq!(recalled(&project, "invoices numbered", DISCOVERIES), [""; 0]);
}

#[test]
fn remembered_discoveries_outlive_the_index() {
    let mut project = Sandbox::new(PROJECT);
    let telling = NewDiscovery {
        module: Some("auth".into()),
        ..NewDiscovery::new("DECISION: JWT, no sessions")
    };
    let kept = project.engine().notebook().remember(&telling).unwrap();
    assert!(!kept.was_known && !kept.was_redacted);
    project.engine().clear().unwrap();
    project.reopen(|_| {});
    assert_eq!(
        recalled(&project, "JWT or sessions", DISCOVERIES)[0],
        "decision auth remembered: JWT, no sessions"
    );
    let told = project.engine().notebook().recorded().unwrap();
    assert_eq!((told.len(), &told[0].id), (1, &kept.discovery.id));
}

#[test]
fn a_discovery_remembered_twice_is_kept_once() {
    let project = project();
    let tell = |text: &str| project.engine().notebook().remember(&NewDiscovery::new(text)).unwrap();
    let first = tell("Never keep a connection open across an await point in handlers");
    let second = tell("never keep a connection open, across an await point, in handlers.");
    assert!(!first.was_known && second.was_known);
    assert_eq!(first.discovery.id, second.discovery.id);
    assert_eq!(project.engine().notebook().recorded().unwrap().len(), 1);
    let third = tell("Always keep a connection open across an await point in handlers");
    assert!(!third.was_known && third.similar.len() == 1, "{third:?}");
    assert_eq!(project.engine().notebook().recorded().unwrap().len(), 2);
}

#[test]
fn a_remembered_and_derived_discovery_are_one() {
    let project = project();
    let text =
        "RULE: tokens are compared in constant time, so that nobody can guess them byte by byte";
    project.engine().notebook().remember(&NewDiscovery::new(text)).unwrap();
    let answer = ask(
        &project,
        &RecallRequest { seek: DISCOVERIES, ..RecallRequest::new("compared in constant time") },
    );
    let Recalled::Discovery(one) = &answer.results[0].1 else { panic!("{answer:?}") };
    let origins: Vec<Origin> = one.evidence.iter().map(|evidence| evidence.origin).collect();
    assert_eq!(origins, [Origin::Remembered, Origin::Comment]);
    assert_eq!(one.module.as_deref(), Some("auth"), "the comment tells the module");
    assert_eq!(
        project.engine().notebook().recorded().unwrap()[0].evidence.len(),
        1,
        "what is stated is not kept"
    );
}

#[test]
fn secrets_are_never_kept() {
    let project = project();
    let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    let kept = project
        .engine()
        .notebook()
        .remember(&NewDiscovery::new(format!("we sign with {key} now")))
        .unwrap();
    assert!(kept.was_redacted);
    assert_eq!(
        project.engine().notebook().recorded().unwrap()[0].content,
        "we sign with [REDACTED] now"
    );
    let id = &kept.discovery.id;
    let change = Change { content: Some(format!("now {key} signs")), ..Change::default() };
    assert_eq!(
        project.engine().notebook().revise(id, &change).unwrap().content,
        "now [REDACTED] signs"
    );
    let foreign = groma_core::Discovery { content: format!("{key} it is"), ..kept.discovery };
    project
        .engine()
        .notebook()
        .import(&[groma_core::Discovery { id: "x".into(), ..foreign }])
        .unwrap();
    assert!(
        project
            .engine()
            .notebook()
            .recorded()
            .unwrap()
            .iter()
            .all(|one| !one.content.contains(&key))
    );
}

#[test]
fn a_remembered_discovery_can_be_changed_and_forgotten() {
    let project = project();
    let engine = project.engine();
    let id =
        engine.notebook().remember(&NewDiscovery::new("Use tabs everywhere")).unwrap().discovery.id;
    let change = Change {
        content: Some("Use spaces everywhere".into()),
        kind: Some(DiscoveryKind::Rule),
        module: Some("style".into()),
    };
    let changed = engine.notebook().revise(&id, &change).unwrap();
    assert_eq!((&*changed.content, changed.kind), ("Use spaces everywhere", DiscoveryKind::Rule));
    assert_eq!(changed.module.as_deref(), Some("style"));
    let no_module = Change { module: Some(String::new()), ..Change::default() };
    assert_eq!(engine.notebook().revise(&id, &no_module).unwrap().module, None);
    assert_eq!(engine.notebook().forget(&id).unwrap().content, "Use spaces everywhere");
    assert!(engine.notebook().recorded().unwrap().is_empty());
    for error in [
        engine.notebook().forget(&id).unwrap_err(),
        engine.notebook().revise(&id, &no_module).unwrap_err(),
    ] {
        assert_eq!(EngineError::from(error).kind(), ErrorKind::Input);
    }
    assert!(engine.notebook().remember(&NewDiscovery::new(" ")).is_err());
}

#[test]
fn taking_in_twice_changes_nothing() {
    let (project, other) = (project(), project());
    for text in ["Errors carry their causes upwards", "We decided to build with make alone"] {
        other.engine().notebook().remember(&NewDiscovery::new(text)).unwrap();
    }
    let told = other.engine().notebook().recorded().unwrap();
    let take = || project.engine().notebook().import(&told).unwrap();
    let first = take();
    assert_eq!((first.added, first.merged, first.unchanged), (2, 0, 0));
    let second = take();
    assert_eq!((second.added, second.merged, second.unchanged), (0, 0, 2));
    assert_eq!(project.engine().notebook().recorded().unwrap(), told);
}

#[test]
fn sessions_answer_others_and_not_themselves() {
    let project = project();
    let files = [RelPath::new("src/server/auth/token.ts").unwrap()];
    let activity = Activity {
        connection: "first",
        tool: "read_file",
        topic: Some("why do webhooks retry"),
        files: &files,
    };
    assert_eq!(project.engine().notebook().record_activity(&activity), None);
    let asked_by = |connection: &str, module: Option<&str>| {
        shown(&ask(
            &project,
            &RecallRequest {
                connection: Some(connection.into()),
                seek: Seek::Sessions,
                module: module.map(String::from),
                ..RecallRequest::new("webhooks retry")
            },
        ))
    };
    assert_eq!(asked_by("second", None), ["session first"]);
    assert_eq!(asked_by("second", Some("auth")), ["session first"]);
    assert_eq!(asked_by("second", Some("billing")), [""; 0]);
    assert_eq!(asked_by("first", None), [""; 0]);
    project.engine().notebook().end_session("first").unwrap();
    assert!(project.engine().notebook().sessions(5).unwrap()[0].ended.is_some());
    project.engine().notebook().record_activity(&Activity { topic: None, ..activity });
    let ids: Vec<String> = project
        .engine()
        .notebook()
        .sessions(5)
        .unwrap()
        .into_iter()
        .map(|session| session.id)
        .collect();
    assert_eq!(
        ids,
        ["first.2", "first"],
        "a connection that ended and returns begins another session"
    );
}

#[test]
fn the_module_worked_on_comes_first() {
    let project = Sandbox::with(
        Setup { embedder: None, ..Setup::in_memory() },
        "//- src/a/x.ts\n// RULE: handles are closed twice\n//- src/b/y.ts\n// RULE: handles are closed once\n",
    );
    let first = || {
        let request = RecallRequest {
            connection: Some("c".into()),
            seek: DISCOVERIES,
            ..RecallRequest::new("handles closed")
        };
        shown(&ask(&project, &request)).remove(0)
    };
    let read = |path: &str, times: usize| {
        let files = vec![RelPath::new(path).unwrap(); times];
        let activity = Activity { connection: "c", tool: "read_file", topic: None, files: &files };
        project.engine().notebook().record_activity(&activity);
    };
    // Equal scores are ordered by path, so a raised `b` is due to the session.
    assert!(first().contains("src/a/x.ts"), "{}", first());
    read("src/b/y.ts", 3);
    assert!(first().contains("src/b/y.ts"), "{}", first());
    read("src/a/x.ts", 6);
    assert!(first().contains("src/a/x.ts"), "{}", first());
}

#[test]
fn code_that_only_repeats_a_discovery_is_left_out() {
    let project = project();
    let all = recalled(&project, "tokens compared in constant time", Seek::All);
    assert!(all[0].starts_with("rule auth"), "{all:?}");
    assert!(!all.iter().any(|one| one == "code src/server/auth/token.ts"), "{all:?}");
    let code = recalled(&project, "tokens compared in constant time", Seek::Code);
    assert_eq!(code[0], "code src/server/auth/token.ts");
}

#[test]
fn an_empty_project_knows_nothing() {
    let project = Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, "");
    assert!(ask(&project, &RecallRequest::new("anything at all")).is_empty_project);
    project.engine().notebook().remember(&NewDiscovery::new("Something is known")).unwrap();
    let answer = ask(&project, &RecallRequest::new("anything at all"));
    assert!(!answer.is_empty_project && answer.results.is_empty());
}

#[test]
fn the_same_question_has_the_same_answer() {
    let project = Sandbox::new(PROJECT);
    let answers: Vec<String> = (0..3)
        .map(|_| {
            let answer = ask(
                &project,
                &RecallRequest { limit: 20, ..RecallRequest::new("tokens queue invoices") },
            );
            format!("{:?}", answer.results)
        })
        .collect();
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn limits_are_checked() {
    let project = project();
    for limit in [0, 101] {
        let request = RecallRequest { limit, ..RecallRequest::new("x y z") };
        assert!(project.engine().recall(&request, &(), &Cancel::default()).is_err());
    }
    assert!(project.engine().recall(&RecallRequest::new(" "), &(), &Cancel::default()).is_err());
    let all = ask(&project, &RecallRequest { limit: 1, ..RecallRequest::new("tokens") });
    assert!(all.results.len() == 1 && all.found > 1, "{all:?}");
}
