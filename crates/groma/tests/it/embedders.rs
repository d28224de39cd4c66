//! Embedding services: settings, answers, and fallback while a service is unavailable.

use crate::client::Client;
use crate::sample::{Ran, Sample};
use groma_testkit::{Misbehaviour, Service};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A project whose settings name a service.
fn project(service: &Service) -> Sample {
    let sample = Sample::new();
    settle(&sample, &service.url());
    sample
}

fn settle(sample: &Sample, url: &str) {
    let settings = format!(
        "[embeddings]\nprovider = \"ollama\"\nbase_url = \"{url}\"\nmodel = \"house-made\"\n\
         timeout_seconds = 5\n"
    );
    sample.write(".groma.toml", &settings);
    assert_eq!(sample.run(&["trust"]).code, Some(0));
}

#[test]
fn a_repository_alone_reaches_no_service() {
    let service = Service::start();
    let sample = project(&service);
    assert_eq!(sample.run(&["trust", "--revoke"]).code, Some(0));
    let answer = sample.json(&["search", "verify a token"]);
    assert!(notes(&answer).contains("`groma trust` allows it"), "{answer}");
    assert_eq!((service.requests().len(), best(&answer).0), (0, "auth/token.py"));
    sample.run(&["trust"]);
    sample.json(&["index"]);
    assert!(!service.requests().is_empty());
    // Other settings are not those that were trusted.
    let settings = std::fs::read_to_string(sample.root().join(".groma.toml")).unwrap();
    sample.write(".groma.toml", &settings.replace("seconds = 5", "seconds = 3600"));
    assert!(notes(&sample.json(&["search", "token"])).contains("groma trust"));
}

fn run(sample: &Sample, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = sample.command(arguments);
    command.envs(variables.iter().copied());
    sample.ran(command.output().unwrap())
}

fn notes(answer: &Value) -> String {
    answer["notes"].to_string()
}

/// The path of the best result, and whether it has a vector score.
fn best(answer: &Value) -> (&str, bool) {
    let best = &answer["results"][0];
    (best["path"].as_str().unwrap_or_default(), best["vector_score"].is_number())
}

#[test]
fn a_service_may_become_unavailable_and_return() {
    let service = Service::start();
    let sample = project(&service);
    let report = sample.json(&["index"]);
    assert_eq!((report["files"].as_u64(), report["without_vectors"].as_u64()), (Some(4), Some(0)));
    assert_eq!(notes(&report), "[]");
    let answer = sample.json(&["search", "verify a token"]);
    assert_eq!((best(&answer), notes(&answer).as_str()), (("auth/token.py", true), "[]"));
    let status = sample.json(&["status"]);
    assert_eq!(status["embedder"], "ollama/house-made@1/16");

    // The service becomes unavailable, and a file changes.
    let address = service.address();
    drop(service);
    sample.write("src/lamp.rs", "pub fn light_lantern() {}\n");
    let answer = sample.json(&["search", "light lantern"]);
    assert_eq!(best(&answer), ("src/lamp.rs", false));
    assert!(notes(&answer).contains("refuses connections: `ollama serve` starts it"), "{answer}");
    assert!(notes(&answer).contains("1 file is found by keywords only"), "{answer}");
    let report = sample.run(&["index"]);
    assert_eq!(report.code, Some(0));
    assert!(report.stderr.contains("refuses connections"), "{report:?}");
    assert_eq!(sample.json(&["status"])["without_vectors"], 1);
    let keyword = sample.json(&["search", "light lantern", "--mode", "keyword"]);
    assert_eq!((best(&keyword).0, notes(&keyword).as_str()), ("src/lamp.rs", "[]"));

    // It returns, and the next run embeds what is missing, and nothing else.
    let service = Service::start_at(address);
    let report = sample.json(&["index"]);
    assert_eq!((report["without_vectors"].as_u64(), report["parsed"].as_u64()), (Some(0), Some(1)));
    let passages =
        service.requests().iter().flat_map(|request| request.texts()).collect::<Vec<_>>();
    assert!(passages.iter().all(|text| text.starts_with("src/lamp.rs\n")), "{passages:?}");
    let answer = sample.json(&["search", "light lantern"]);
    assert_eq!((best(&answer), notes(&answer).as_str()), (("src/lamp.rs", true), "[]"));
}

#[test]
fn no_text_is_embedded_twice() {
    let service = Service::start();
    let sample = project(&service);
    sample.json(&["index"]);
    let before = service.requests().len();
    assert_eq!(sample.json(&["index", "--force"])["parsed"], 4);
    assert_eq!(sample.run(&["clear", "--yes"]).code, Some(0));
    assert_eq!(sample.json(&["index"])["parsed"], 4);
    assert_eq!(service.requests().len(), before);
}

#[test]
fn another_embedder_is_used_once_its_vectors_exist() {
    let service = Service::start();
    let sample = Sample::indexed();
    settle(&sample, &service.url());
    let answer = sample.json(&["search", "verify a token"]);
    assert_eq!(best(&answer), ("auth/token.py", true));
    assert!(
        notes(&answer).contains("have yet to be made by `groma index`; until then groma-static")
    );
    let status = sample.run(&["status"]).stdout;
    assert!(status.contains("`groma index` computes those of ollama/house-made@1/16"), "{status}");
    let sent = || service.requests().iter().filter(|request| request.texts().len() > 1).count();
    assert_eq!(sent(), 0, "an answer does not wait for the service");
    sample.json(&["index"]);
    assert!(sent() > 0);
    assert_eq!(notes(&sample.json(&["search", "verify a token"])), "[]");
    let listed = sample.json(&["list"]);
    assert_eq!(listed["projects"][0]["files"], 4);

    // Back to the built-in model: its index is still there.
    std::fs::remove_file(sample.root().join(".groma.toml")).unwrap();
    let before = service.requests().len();
    let answer = sample.json(&["search", "verify a token"]);
    assert_eq!((best(&answer), notes(&answer).as_str()), (("auth/token.py", true), "[]"));
    assert_eq!(service.requests().len(), before);
}

#[test]
fn an_unreachable_service_falls_back_to_the_built_in_model() {
    let service = Service::start();
    let sample = project(&service);
    drop(service);
    for arguments in [&["search", "verify a token"][..], &["index"]] {
        let ran = sample.json(arguments);
        assert!(notes(&ran).contains("refuses connections"), "{ran}");
        assert!(notes(&ran).contains("the built-in model answers instead"), "{ran}");
    }
    let answer = sample.json(&["search", "verify a token"]);
    assert_eq!(best(&answer), ("auth/token.py", true));
}

#[test]
fn a_cloned_project_cannot_send_code_to_another_machine() {
    let sample = Sample::new();
    let away = "[embeddings]\nprovider = \"openai\"\nbase_url = \"http://192.0.2.1:9/v1\"\n\
                key_variable = \"HOME_KEY\"\n";
    sample.write(".groma.toml", away);
    let variables = [("HOME_KEY", "sk-secret"), ("OPENAI_API_KEY", "sk-secret")];
    let answer = run(&sample, &["search", "verify a token"], &variables);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let expected =
        "code would leave this machine: set GROMA_EMBEDDING_HOSTS=192.0.2.1:9 to allow it";
    assert!(answer.stderr.contains(expected), "{answer:?}");
    let refused = run(&sample, &["embed", "x"], &variables);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains(expected) && !refused.stderr.contains("sk-secret"));
    let doctor = run(&sample, &["doctor"], &variables);
    assert!(doctor.code == Some(1) && doctor.stdout.contains(expected), "{doctor:?}");
    let status = run(&sample, &["status"], &variables).stdout;
    assert!(status.contains(expected), "{status}");
}

#[test]
fn a_key_is_sent_and_never_shown() {
    let service = Service::start();
    let sample = Sample::new();
    let url = service.url();
    let variables = [
        ("GROMA_EMBEDDING_PROVIDER", "openai"),
        ("GROMA_EMBEDDING_URL", url.as_str()),
        ("GROMA_EMBEDDING_MODEL", "house-made"),
        ("GROMA_EMBEDDING_KEY", "sk-secret"),
    ];
    let embedded = run(&sample, &["embed", "one", "--json"], &variables);
    assert_eq!(embedded.code, Some(0), "{embedded:?}");
    assert_eq!(service.requests()[0].authorization.as_deref(), Some("Bearer sk-secret"));
    service.misbehave([Misbehaviour::Status(401, "", "no such key: sk-secret")]);
    let refused = run(&sample, &["embed", "two", "-v"], &variables);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("answered 401 (no such key: [key])"), "{refused:?}");
    assert!(refused.stderr.contains("check the key in GROMA_EMBEDDING_KEY"), "{refused:?}");
    for file in ["vectors.db", "vectors.db-wal"] {
        let bytes = std::fs::read(sample.home().join(file)).unwrap_or_default();
        assert!(!bytes.windows(9).any(|window| window == b"sk-secret"));
    }
}

#[test]
fn embed_prints_vectors() {
    let sample = Sample::new();
    let embedded = sample.json(&["embed", "verify a token", "light a lantern"]);
    assert_eq!(embedded["model"], "groma-static");
    assert_eq!(embedded["role"], "query");
    let dimensions = embedded["dimensions"].as_u64().unwrap() as usize;
    let vectors = embedded["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 2);
    for vector in vectors {
        let numbers: Vec<f64> =
            vector.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert_eq!(numbers.len(), dimensions);
        let length: f64 = numbers.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 0.02, "{length}");
    }
    let lines = sample.run(&["embed", "one", "two"]).stdout;
    assert_eq!(lines.lines().count(), 2);
    assert!(serde_json::from_str::<Vec<f64>>(lines.lines().next().unwrap()).is_ok());
}

#[test]
fn embed_reads_standard_input() {
    let sample = Sample::new();
    let embed = |input: &[u8], arguments: &[&str]| {
        let mut command = sample.command(&[&["embed"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
        sample.ran(child.wait_with_output().unwrap())
    };
    let passage = embed(b"src/pool.rs\nfn connect() {}\n", &["--json"]).stdout;
    assert_eq!(serde_json::from_str::<Value>(&passage).unwrap()["role"], "passage");
    let query = embed(b"one", &["--query", "--json"]).stdout;
    assert_eq!(serde_json::from_str::<Value>(&query).unwrap()["role"], "query");
    for (input, expected) in
        [(&b" \n"[..], "an empty text"), (b"\xff\xfe", "cannot be read as text")]
    {
        let wrong = embed(input, &[]);
        assert!(wrong.code != Some(0) && wrong.stderr.contains(expected), "{wrong:?}");
    }
    assert_eq!(sample.run(&["embed", ""]).code, Some(2));
    sample.write(".groma.toml", "[embeddings]\nenabled = false\n");
    assert!(sample.run(&["embed", "x"]).stderr.contains("embeddings are off"));
    sample.write(".groma.toml", "[embeddings]\nenabled = 7\n");
    assert!(sample.run(&["embed", "x"]).stderr.contains("line 2"));
}

#[test]
fn contracts_have_variables_of_their_own() {
    let service = Service::start();
    let sample = Sample::new();
    let endpoint = format!("{}/embed", service.url());
    let variables = [("CORTEX_EMBEDDING_ENDPOINT", endpoint.as_str())];
    let model = |contract: &str| {
        let ran = run(&sample, &["embed", "x", "--json", "--contract", contract], &variables);
        match serde_json::from_str::<Value>(&ran.stdout) {
            Ok(value) => value["model"].as_str().unwrap().to_string(),
            Err(_) => ran.stderr,
        }
    };
    assert_eq!(model("native"), "groma-static");
    // The dimensions of the test service differ from those of cortex-embed, which is reported.
    assert!(model("cortex").contains("gives 16 dimensions, and 384 were expected"));
    assert_eq!(service.requests()[0].path, "/embed");
    assert_eq!(run(&sample, &["embed", "x", "--contract", "nobody"], &[]).code, Some(2));
}

#[test]
fn doctor_probes_the_service() {
    let service = Service::start();
    let sample = project(&service);
    let embedder = |sample: &Sample| {
        let ran = sample.run(&["doctor", "--json"]);
        let value: Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = value["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|finding| finding["check"] == "embedder").unwrap()
    };
    let fine = embedder(&sample);
    assert_eq!(fine["status"], "ok", "{fine}");
    let told = fine["message"].as_str().unwrap();
    assert!(told.starts_with("ollama/house-made@1/16 at http://127.0.0.1:"), "{told}");
    assert!(told.contains("8 texts in") && told.contains("chunks/s"), "{told}");
    service.misbehave([Misbehaviour::Dimensions(5)]);
    let changed = embedder(&sample);
    assert_eq!(
        (changed["status"].as_str(), changed["next"].as_str()),
        (Some("problem"), Some("set `dimensions = 5` under [embeddings]"))
    );
    drop(service);
    let gone = embedder(&sample);
    assert_eq!(gone["status"], "problem");
    assert!(gone["message"].as_str().unwrap().contains("`ollama serve` starts it"), "{gone}");
}

#[test]
fn a_damaged_vector_cache_is_replaced() {
    let service = Service::start();
    let sample = project(&service);
    sample.json(&["index"]);
    for name in ["vectors.db-wal", "vectors.db-shm"] {
        let _ = std::fs::remove_file(sample.home().join(name));
    }
    std::fs::write(sample.home().join("vectors.db"), "garbage ".repeat(1000)).unwrap();
    let answer = sample.json(&["search", "verify a token"]);
    assert_eq!((best(&answer), notes(&answer).as_str()), (("auth/token.py", true), "[]"));
}

/// The number of passages the service received.
fn passages(service: &Service) -> usize {
    let texts = service.requests().into_iter().flat_map(|request| request.texts());
    texts.filter(|text| text.contains('\n')).count()
}

#[test]
fn a_server_embeds_with_a_service() {
    let service = Service::start();
    let sample = project(&service);
    let mut client = Client::start(&sample, &["--all-tools"]);
    let report = client.json("index_codebase", json!({ "format": "json" }));
    assert_eq!((report["files"].as_u64(), notes(&report).as_str()), (Some(4), "[]"));
    assert!(passages(&service) > 0);
    let status = client.json("index_status", json!({ "format": "json" }));
    assert_eq!(status["embedder"], "ollama/house-made@1/16");
    sample.write("src/lamp.rs", "pub fn light_lantern() {}\n");
    let asked = json!({ "query": "light lantern", "format": "json" });
    assert!(client.json("search", asked).to_string().contains("src/lamp.rs"));
    let anew = client.json("index_codebase", json!({ "force": true, "format": "json" }));
    assert_eq!((anew["files"].as_u64(), notes(&anew).as_str()), (Some(5), "[]"));
}

/// Every index below a folder.
fn indexes(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => indexes(&path),
            path if path.ends_with("index.db") => vec![path],
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn a_contract_has_an_embedder_and_an_index_of_its_own() {
    let service = Service::start();
    let sample = project(&service);
    let path = json!({ "path": sample.root() });
    let index = |variables: &[(&str, &str)]| {
        let mut command = sample.command(&["serve-mcp", "--contract", "gocontext"]);
        command.envs(variables.iter().copied());
        let mut client = Client::of(command);
        client.greet("2025-06-18", json!({}));
        client.json("index_codebase", path.clone())
    };
    index(&[("GOCONTEXT_EMBEDDING_PROVIDER", "local")]);
    assert_eq!((passages(&service), indexes(&sample.data()).len()), (0, 1));
    let size = |sample: &Sample| sample.json(&["list"])["projects"][0]["bytes"].as_u64().unwrap();
    let before = size(&sample);
    index(&[]);
    assert!(passages(&service) > 0);
    sample.json(&["index"]);
    assert_eq!(indexes(&sample.data()).len(), 4, "by hand and for the contract, local and remote");
    assert!(size(&sample) > before);
    let cleared = sample.json(&["clear", "--yes"]);
    assert!(cleared["cleared"][0]["bytes"].as_u64().unwrap() > before);
    assert_eq!(indexes(&sample.data()), Vec::<PathBuf>::new());
    assert_eq!(sample.json(&["list"])["projects"], json!([]));
}
