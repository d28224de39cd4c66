//! Recall and false alarms, measured on secrets planted by rule and on ordinary code.
//!
//! The secrets are generated from the form that each service publishes and planted into lines of many languages; the
//! ordinary lines are generated from what looks like a secret but is none, and the sources of this repository are
//! ordinary code, too.

use groma_secrets::{Context, RULES, find};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The least share of planted secrets that must be found.
const MIN_RECALL: f64 = 0.98;

/// The greatest share of ordinary lines in which something may be found.
const MAX_FALSE_ALARMS: f64 = 0.002;

/// The form of each rule's secret: text, and `{class count}` for random characters.
const FORMS: &[(&str, &str)] = &[
    ("aws-access-key", "AKIA{upper 16}"),
    ("aws-bedrock-key", "ABSK{alnum 120}"),
    ("google-api-key", "AIza{alnum 35}"),
    ("google-oauth-secret", "GOCSPX-{alnum 28}"),
    ("google-refresh-token", "ya29.{alnum 60}"),
    ("azure-client-secret", "{alnum 3}8Q~{alnum 34}"),
    ("azure-storage-key", "AccountKey={alnum 86}=="),
    ("azure-sas", "sig={alnum 43}%3D"),
    ("alibaba-access-key", "LTAI{alnum 20}"),
    ("digitalocean-token", "dop_v1_{hex 64}"),
    ("vault-token", "hvs.{alnum 90}"),
    ("terraform-token", "{alnum 14}.atlasv1.{alnum 67}"),
    ("cloudflare-ca-key", "v1.0-{hex 24}-{hex 146}"),
    ("databricks-token", "dapi{hex 32}"),
    ("planetscale-token", "pscale_tkn_{alnum 43}"),
    ("doppler-token", "dp.pt.{alnum 43}"),
    ("pulumi-token", "pul-{hex 40}"),
    ("vercel-token", "vcp_{alnum 56}"),
    ("supabase-token", "sbp_{hex 40}"),
    ("fly-token", "fo1_{alnum 43}"),
    ("heroku-token", "HRKU-{alnum 60}"),
    ("github-token", "ghp_{alnum 36}"),
    ("github-fine-grained-token", "github_pat_{alnum 82}"),
    ("gitlab-token", "glpat-{alnum 20}"),
    ("bitbucket-token", "ATATT3{alnum 186}"),
    ("npm-token", "npm_{alnum 36}"),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc{alnum 70}"),
    ("rubygems-token", "rubygems_{hex 48}"),
    ("nuget-key", "oy2{lower 43}"),
    ("crates-token", "cio{alnum 32}"),
    ("docker-token", "dckr_pat_{alnum 27}"),
    ("artifactory-key", "AKCp{alnum 69}"),
    ("sonar-token", "sqp_{hex 40}"),
    ("linear-key", "lin_api_{alnum 40}"),
    ("postman-key", "PMAK-{hex 24}-{hex 34}"),
    ("figma-token", "figd_{alnum 40}"),
    ("anthropic-key", "sk-ant-api03-{alnum 93}AA"),
    ("openai-key", "sk-proj-{alnum 74}"),
    ("huggingface-token", "hf_{letter 34}"),
    ("groq-or-xai-key", "gsk_{alnum 52}"),
    ("stripe-key", "sk_live_{alnum 24}"),
    ("square-token", "sq0atp-{alnum 22}"),
    ("shopify-token", "shpat_{hex 32}"),
    ("braintree-or-plaid-token", "access-production-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}"),
    ("slack-token", "xoxb-{digit 12}-{digit 12}-{alnum 24}"),
    ("slack-webhook", "hooks.slack.com/services/T{upper 8}/B{upper 8}/{alnum 24}"),
    ("discord-webhook", "discord.com/api/webhooks/{digit 18}/{alnum 68}"),
    ("telegram-token", "{digit 10}:AA{alnum 33}"),
    ("sendgrid-key", "SG.{alnum 22}.{alnum 43}"),
    ("mailgun-key", "key-{hex 32}"),
    ("mailchimp-key", "{hex 32}-us12"),
    ("twilio-key", "SK{hex 32}"),
    ("sendinblue-key", "xkeysib-{hex 64}-{alnum 16}"),
    ("grafana-token", "glsa_{alnum 32}_{hex 8}"),
    ("newrelic-key", "NRAK-{upper 27}"),
    ("sentry-token", "sntrys_{alnum 60}"),
    ("dynatrace-token", "dt0c01.{upper 24}.{upper 64}"),
    ("posthog-key", "phx_{alnum 43}"),
    ("json-web-token", "eyJ{alnum 33}.eyJ{alnum 60}.{alnum 43}"),
    ("age-key", "AGE-SECRET-KEY-1{upper 58}"),
    ("onepassword-key", "A3-{upper 6}-{upper 6}-{upper 5}-{upper 5}-{upper 5}-{upper 5}"),
    (
        "private-key",
        "-----BEGIN RSA PRIVATE KEY-----\\n{alnum 64}\\n{alnum 64}\\n-----END RSA PRIVATE KEY-----",
    ),
    ("address-password", "postgres://app:{alnum 14}@db.internal/shop"),
    ("connection-string", "Server=db;User Id=sa;Password={alnum 14};"),
    ("authorization-header", "Authorization: Bearer {alnum 40}"),
    ("assigned-secret", ""),
];

/// Lines into which a secret is planted.
const LINES: &[(&str, Context)] = &[
    ("const VALUE = \"{}\";", Context::Code),
    ("    value := `{}`", Context::Code),
    ("client = Client('{}')  # staging", Context::Code),
    ("// was {} until March", Context::Code),
    ("private static final String VALUE = \"{}\";", Context::Code),
    ("$this->connect('{}');", Context::Code),
    ("let headers = vec![(\"x\", \"{}\")];", Context::Code),
    ("VALUE={}", Context::Text),
    ("value: {}", Context::Text),
    ("  \"value\": \"{}\",", Context::Text),
    ("Use `{}` for the staging server.", Context::Text),
    ("export VALUE='{}'", Context::Text),
];

/// Lines that assign a random value to the name of a secret.
const ASSIGNMENTS: &[(&str, Context)] = &[
    ("const API_KEY: &str = \"{}\";", Context::Code),
    ("api_key = '{}'", Context::Code),
    ("\tsecretKey := \"{}\"", Context::Code),
    ("  clientSecret: \"{}\",", Context::Code),
    ("define('DB_PASSWORD', '{}');", Context::Code),
    ("private String accessToken = \"{}\";", Context::Code),
    ("options[:auth_token] = \"{}\"", Context::Code),
    ("    'password' => '{}',", Context::Code),
    ("config[\"secret\"] = \"{}\"", Context::Code),
    ("DB_PASSWORD={}", Context::Text),
    ("password: {}", Context::Text),
    ("  \"client_secret\": \"{}\",", Context::Text),
    ("aws_secret_access_key = {}", Context::Text),
    ("SECRET_KEY_BASE={}", Context::Text),
    ("<password>{}</password>", Context::Text),
    ("//registry.npmjs.org/:_authToken={}", Context::Text),
    ("export GITHUB_TOKEN={}", Context::Text),
];

/// Ordinary lines, some of which look like secrets: `{class count}` is random, `{word}` a word.
const ORDINARY: &[(&str, Context)] = &[
    ("let {word}_{word} = {word}({word}, {digit 3});", Context::Code),
    ("token = self.{word}.next_{word}()", Context::Code),
    ("password = request.form['{word}']", Context::Code),
    ("const TOKEN_{word}: &str = \"{word}_{word}\";", Context::Code),
    ("if (token.type === '{word}') {", Context::Code),
    ("secret: process.env.{word}_SECRET,", Context::Code),
    ("commit {hex 40}", Context::Text),
    ("\"integrity\": \"sha512-{alnum 86}==\",", Context::Text),
    ("sha256 \"{hex 64}\"", Context::Code),
    ("id = \"{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}\"", Context::Code),
    ("src=\"data:image/png;base64,{alnum 120}\"", Context::Code),
    ("https://{word}.com/{word}/{word}?id={digit 6}", Context::Text),
    ("import { {word}Token, {word}Secret } from './{word}';", Context::Code),
    ("The token: a {word} that {word} expects; see {word}.", Context::Text),
    ("| `password` | string | the {word} of the {word} |", Context::Text),
    ("password: ${DB_PASSWORD}", Context::Text),
    ("token: {{ .Values.{word}.token }}", Context::Text),
    ("api_key: your-api-key-here", Context::Text),
    ("fn {word}_password(&self) -> Option<&str> {", Context::Code),
    ("tokens.push(Token::new(\"{word}\", {digit 2}));", Context::Code),
    ("x-api-key-header: {word}", Context::Text),
    ("mysql://user:password@localhost/{word}", Context::Text),
    ("checksum = \"{hex 64}\"", Context::Text),
    ("- uses: actions/{word}@{hex 40}", Context::Text),
    ("accessKey=\"{word}.{word}\"", Context::Code),
    ("pwd = os.getcwd() + '/{word}'", Context::Code),
    ("task-{word}-{digit 4} disk-{word} risk-{word}-{word}-{word}", Context::Text),
    ("Basic authentication of {word}, Bearer tokens of {word}", Context::Text),
    ("pub const {word}: [u8; 4] = [{digit 2}, {digit 2}, {digit 2}, {digit 2}];", Context::Code),
    ("assert_eq!({word}.token(), \"{word}-{digit 1}\");", Context::Code),
];

const WORDS: &[&str] = &[
    "parser", "session", "user", "account", "index", "query", "handler", "route", "buffer", "node",
    "cache", "worker", "request", "response", "schema", "payment", "order", "camera", "lexer",
    "symbol",
];

/// A linear congruential generator: the same corpus everywhere, always.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn filled(&mut self, form: &str) -> String {
        let mut out = String::new();
        let mut rest = form;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let close = rest[open..].find('}').map(|at| open + at);
            let class = close.map(|close| &rest[open + 1..close]).unwrap_or("");
            let filled = self.class(class);
            out.push_str(filled.as_deref().unwrap_or("{"));
            rest = &rest[if filled.is_some() { close.unwrap_or(open) + 1 } else { open + 1 }..];
        }
        out + rest
    }

    fn class(&mut self, class: &str) -> Option<String> {
        if class == "word" {
            return Some(WORDS[self.below(WORDS.len())].to_string());
        }
        let (name, count) = class.split_once(' ')?;
        let letters: &[u8] = match name {
            "alnum" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "letter" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "upper" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "lower" => b"abcdefghijklmnopqrstuvwxyz0123456789",
            "hex" => b"0123456789abcdef",
            "digit" => b"0123456789",
            _ => return None,
        };
        let count: usize = count.parse().ok()?;
        Some((0..count).map(|_| char::from(letters[self.below(letters.len())])).collect())
    }
}

#[test]
fn every_rule_has_a_form() {
    let forms: BTreeSet<&str> = FORMS.iter().map(|(name, _)| *name).collect();
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(forms, rules);
}

#[test]
fn planted_secrets_are_found() {
    let mut random = Random(17);
    let mut missed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut planted = 0;
    let mut plant = |rule, line: String, context| {
        planted += 1;
        if find(&line, context).is_empty() {
            missed.entry(rule).or_default().push(line);
        }
    };
    for (rule, form) in FORMS.iter().filter(|(_, form)| !form.is_empty()) {
        for _ in 0..5 {
            for (line, context) in LINES {
                plant(rule, line.replace("{}", &random.filled(form)), *context);
            }
        }
    }
    for (line, context) in ASSIGNMENTS {
        for form in ["{alnum 16}", "{alnum 32}", "{hex 32}", "{lower 20}", "{alnum 6}!{alnum 5}"] {
            for _ in 0..6 {
                plant("assigned-secret", line.replace("{}", &random.filled(form)), *context);
            }
        }
    }
    let lost: usize = missed.values().map(Vec::len).sum();
    let recall = 1.0 - lost as f64 / planted as f64;
    eprintln!("recall {recall:.4}: {lost} of {planted} missed");
    assert!(recall >= MIN_RECALL, "recall {recall:.4}, {lost} of {planted}: {missed:#?}");
}

#[test]
fn ordinary_lines_raise_no_alarm() {
    let mut random = Random(23);
    let mut alarms: BTreeMap<&str, String> = BTreeMap::new();
    let (mut lines, mut wrong) = (0, 0);
    for (form, context) in ORDINARY {
        for _ in 0..200 {
            let line = random.filled(form);
            let found = find(&line, *context);
            lines += 1;
            if let Some(first) = found.first() {
                wrong += 1;
                alarms.insert(form, format!("{}: {line}", first.rule));
            }
        }
    }
    let share = wrong as f64 / lines as f64;
    eprintln!("false alarms {share:.4}: {wrong} of {lines} lines");
    assert!(share <= MAX_FALSE_ALARMS, "{wrong} of {lines} lines: {alarms:#?}");
}

/// Sources of this repository that hold keys on purpose: they test the recognition of keys.
fn plants_secrets(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "groma-secrets")
}

#[test]
fn our_own_sources_raise_no_alarm() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders: Vec<PathBuf> = vec![crates.to_path_buf()];
    let (mut lines, mut alarms) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|one| one == "rs") && !plants_secrets(&path) {
                let text = std::fs::read_to_string(&path).unwrap();
                lines += text.lines().count();
                let found = find(&text, Context::Code).into_iter();
                alarms.extend(found.map(|one| {
                    let row = text[..one.span.start].matches('\n').count() + 1;
                    format!("{}:{row} {} {}", path.display(), one.rule, &text[one.span])
                }));
            }
        }
    }
    eprintln!("{} alarms in {lines} lines of our own sources", alarms.len());
    // What is left are keys and passwords that other tests plant.
    assert!(lines > 10_000 && alarms.len() <= 40, "{alarms:#?}");
}
