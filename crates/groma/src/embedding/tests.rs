//! The chosen embedding model, for every way of choosing it.

use super::*;

fn variables(pairs: &[(&str, &str)]) -> Variables {
    Variables::of(pairs)
}

fn settings(provider: Provider) -> EmbeddingSettings {
    let default = EmbeddingSettings::default();
    EmbeddingSettings { provider: Some(provider), is_trusted: true, ..default }
}

fn choose(settings: &EmbeddingSettings, pairs: &[(&str, &str)]) -> Embedding {
    Embedding::choose(settings, &variables(pairs))
}

/// The service that was chosen, and the key it gets.
fn chosen(embedding: Embedding) -> (Endpoint, String) {
    match embedding {
        Embedding::Remote(endpoint) => {
            let key = if endpoint.key == Some(Secret::new("sk")) { "sk" } else { "" };
            (*endpoint, key.to_string())
        }
        other => panic!("{other:?}"),
    }
}

fn reason(embedding: Embedding) -> String {
    match embedding {
        Embedding::Unusable(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn keys_alone_choose_nothing() {
    let usual = EmbeddingSettings::default();
    let keys = [("OPENAI_API_KEY", "sk"), ("JINA_API_KEY", "sk"), ("GROMA_EMBEDDING_KEY", "sk")];
    assert_eq!(choose(&usual, &keys), Embedding::BuiltIn);
    assert_eq!(
        Embedding::on_surface("native", &usual, &EmbeddingSettings::default(), &variables(&keys)),
        Embedding::BuiltIn
    );
    assert_eq!(
        Embedding::on_surface(
            "cocosearch",
            &usual,
            &EmbeddingSettings::default(),
            &variables(&keys)
        ),
        Embedding::BuiltIn
    );
}

#[test]
fn the_environment_outranks_the_file() {
    let usual = EmbeddingSettings::default();
    let asked = [("GROMA_EMBEDDING_PROVIDER", "openai"), ("OPENAI_API_KEY", "sk")];
    let (endpoint, key) = chosen(choose(&usual, &asked));
    assert_eq!(
        (endpoint.provider, endpoint.model.as_str()),
        (Provider::OpenAi, "text-embedding-3-small")
    );
    assert_eq!(key, "sk");
    let file = EmbeddingSettings { model: "mine".into(), ..settings(Provider::Ollama) };
    assert_eq!(chosen(choose(&file, &[])).0.model, "mine");
    assert_eq!(chosen(choose(&file, &asked)).0.model, "text-embedding-3-small");
    let other = [("GROMA_EMBEDDING_MODEL", "other"), ("GROMA_EMBEDDING_URL", "http://localhost:9")];
    let (endpoint, _) = chosen(choose(&file, &other));
    assert_eq!(
        (endpoint.model.as_str(), endpoint.base_url.as_str()),
        ("other", "http://localhost:9")
    );
    assert_eq!(endpoint.provider, Provider::Ollama);
    assert_eq!(choose(&file, &[("GROMA_EMBEDDING_PROVIDER", "builtin")]), Embedding::BuiltIn);
    assert_eq!(choose(&file, &[("GROMA_EMBEDDING_PROVIDER", "off")]), Embedding::Off);
    assert!(
        reason(choose(&file, &[("GROMA_EMBEDDING_PROVIDER", "x")]))
            .contains("must be one of openai")
    );
    let off = EmbeddingSettings { enabled: false, ..usual };
    assert_eq!(choose(&off, &asked), Embedding::Off);
}

#[test]
fn an_address_alone_is_one_of_openais_kind_and_gets_no_key_of_openai() {
    let asked = [("GROMA_EMBEDDING_URL", "http://emb.example/v1"), ("OPENAI_API_KEY", "sk")];
    let (endpoint, key) = chosen(choose(&EmbeddingSettings::default(), &asked));
    assert_eq!((endpoint.provider, key.as_str()), (Provider::OpenAi, ""));
    let with_key = [asked[0], ("GROMA_EMBEDDING_KEY", "sk")];
    assert_eq!(chosen(choose(&EmbeddingSettings::default(), &with_key)).1, "sk");
}

#[test]
fn a_file_sends_no_code_and_no_key_anywhere_by_itself() {
    let key = ("OPENAI_API_KEY", "sk");
    let away = EmbeddingSettings {
        base_url: "https://evil.example/v1".into(),
        key_variable: "OPENAI_API_KEY".into(),
        ..settings(Provider::OpenAi)
    };
    let message = reason(choose(&away, &[key]));
    assert!(message.contains("evil.example, and code would leave"), "{message}");
    assert!(message.contains("GROMA_EMBEDDING_HOSTS=evil.example"), "{message}");
    assert!(reason(choose(&settings(Provider::OpenAi), &[key])).contains("api.openai.com"));
    // Not even when the user asks for the same service: the file names another place.
    reason(choose(&away, &[key, ("GROMA_EMBEDDING_PROVIDER", "openai")]));
    reason(choose(&away, &[key, (HOSTS, "good.example,example")]));
    let here = EmbeddingSettings { base_url: "http://localhost:9".into(), ..away.clone() };
    assert!(reason(choose(&here, &[key])).contains("a key would be sent"));

    let allowed = (HOSTS, "good.example, Evil.Example");
    assert_eq!(chosen(choose(&away, &[key, allowed])).1, "sk");
    let user = [key, ("GROMA_EMBEDDING_PROVIDER", "openai")];
    assert_eq!(chosen(choose(&settings(Provider::OpenAi), &user)).1, "sk");
    assert_eq!(chosen(choose(&here, &[key, (HOSTS, "localhost:9")])).1, "sk");
    // A model on this machine without a key needs only trust.
    let untrusted = EmbeddingSettings { is_trusted: false, ..settings(Provider::Ollama) };
    assert!(reason(choose(&untrusted, &[])).contains("`groma trust` allows it"));
    let (_, key) = chosen(choose(&settings(Provider::Ollama), &[("GROMA_EMBEDDING_KEY", "sk")]));
    assert_eq!(key, "");
}

#[test]
fn a_service_without_its_key_is_unusable() {
    let asked = choose(&EmbeddingSettings::default(), &[("GROMA_EMBEDDING_PROVIDER", "jina")]);
    assert_eq!(reason(asked), "jina needs a key: set JINA_API_KEY");
}

#[test]
fn gocontext_has_variables_of_its_own() {
    let on = |pairs: &[(&str, &str)]| {
        Embedding::on_surface(
            "gocontext",
            &EmbeddingSettings::default(),
            &EmbeddingSettings::default(),
            &variables(pairs),
        )
    };
    let (jina, openai) = (("JINA_API_KEY", "sk"), ("OPENAI_API_KEY", "sk"));
    let asks = |name| ("GOCONTEXT_EMBEDDING_PROVIDER", name);
    assert_eq!(on(&[]), Embedding::BuiltIn);
    assert_eq!(chosen(on(&[openai, jina])).0.provider, Provider::Jina);
    assert_eq!(chosen(on(&[openai])).0.provider, Provider::OpenAi);
    assert_eq!(chosen(on(&[openai, jina, asks("openai")])).0.provider, Provider::OpenAi);
    assert_eq!(on(&[openai, jina, asks("local")]), Embedding::BuiltIn);
    assert!(reason(on(&[asks("jina")])).contains("JINA_API_KEY"));
    assert!(reason(on(&[asks("magic")])).contains("jina, openai or local"));
    let off = EmbeddingSettings { enabled: false, ..EmbeddingSettings::default() };
    let of_off = Embedding::on_surface(
        "gocontext",
        &off,
        &EmbeddingSettings::default(),
        &variables(&[openai]),
    );
    assert_eq!(of_off, Embedding::Off);
}

#[test]
fn cortex_and_context_have_theirs() {
    let on = |contract: &str, pairs: &[(&str, &str)]| {
        Embedding::on_surface(
            contract,
            &EmbeddingSettings::default(),
            &EmbeddingSettings::default(),
            &variables(pairs),
        )
    };
    let there = ("CORTEX_EMBEDDING_ENDPOINT", "http://localhost:8121/embed");
    let (endpoint, _) = chosen(on("cortex", &[there]));
    assert_eq!((endpoint.provider, endpoint.base_url.as_str()), (Provider::Cortex, there.1));
    assert_eq!(on("cortex", &[]), Embedding::BuiltIn);
    assert_eq!(on("gocontext", &[there]), Embedding::BuiltIn);
    assert!(
        reason(on("cortex", &[("CORTEX_EMBEDDING_ENDPOINT", "nowhere")]))
            .contains("not a valid service URL")
    );
    let openai = ("OPENAI_API_KEY", "sk");
    assert_eq!(chosen(on("context", &[openai])).0.provider, Provider::OpenAi);
    assert_eq!(on("context", &[("JINA_API_KEY", "sk")]), Embedding::BuiltIn);
}
