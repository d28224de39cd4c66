//! The table of rules: what each secret looks like.
//!
//! The formats are those that services publish for their keys, and that maintained scanners such as gitleaks look for.
//! A rule is a keyword and a regular expression that is tried at each place where the keyword stands. To add one, add
//! a row, and a line in `tests/corpus.rs`.

/// How a secret of one kind is recognised.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it matches.
    pub matches: &'static str,
    /// Texts that the secret begins with, or the name or sign before it; case is ignored.
    pub keywords: &'static [&'static str],
    /// Matched where the keyword begins. The secret is the first group, or all of it.
    pub pattern: &'static str,
    /// Minimum entropy of the secret, in bits per byte; 0 where the format says enough.
    pub entropy: f64,
    /// What is asked of the secret besides.
    pub(crate) check: Check,
}

/// What is asked of a match besides its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// It stands alone: no letter or digit before it.
    Token,
    /// Its keyword is in the middle of it: letters and digits before belong to it.
    Infix,
    /// The value is judged, as in `password = ...`.
    Assigned,
    /// The value is judged, wherever it stands: `Bearer ...`.
    Header,
    /// The password of an address.
    Password,
    /// A block of a private key follows.
    PrivateKey,
}

/// A rule for tokens with a prefix of their own.
const fn token(
    name: &'static str,
    matches: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    entropy: f64,
) -> Rule {
    Rule { name, matches, keywords, pattern, entropy, check: Check::Token }
}

/// A rule for tokens that are known by what is in the middle of them.
const fn infix(
    name: &'static str,
    matches: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule { name, matches, keywords, pattern, entropy: 3.0, check: Check::Infix }
}

/// Every rule.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    // Clouds
    token("aws-access-key", "the id of an AWS access key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", 2.5),
    token("aws-bedrock-key", "a key of AWS Bedrock", &["ABSK"], r"ABSK[A-Za-z0-9+/]{100,270}={0,2}", 3.0),
    token("google-api-key", "an API key of Google", &["AIza"], r"AIza[A-Za-z0-9_-]{35}", 3.0),
    token("google-oauth-secret", "the secret of a Google OAuth client", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{28}", 3.0),
    token("google-refresh-token", "an OAuth token of Google", &["ya29.", "1//0"], r"(?:ya29\.[A-Za-z0-9_-]{30,}|1//0[A-Za-z0-9_-]{40,})", 3.5),
    infix("azure-client-secret", "the secret of an Azure application, by the `8Q~` in it", &["7Q~", "8Q~"], r"[78]Q~[A-Za-z0-9_~.-]{31,34}"),
    token("azure-storage-key", "the key in a connection string of Azure storage", &["AccountKey="], r"(?i:AccountKey)=([A-Za-z0-9+/]{80,}={0,2})", 3.5),
    token("azure-sas", "the signature of a shared access signature", &["sig="], r"sig=([A-Za-z0-9%+/]{43,90}(?:%3D|=))", 3.5),
    token("alibaba-access-key", "the id of an Alibaba Cloud access key", &["LTAI"], r"LTAI[A-Za-z0-9]{16,20}", 3.0),
    token("digitalocean-token", "a token of DigitalOcean", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{64}", 3.0),
    token("vault-token", "a token of HashiCorp Vault", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{24,300}", 3.0),
    infix("terraform-token", "a token of Terraform Cloud", &[".atlasv1."], r"\.atlasv1\.[A-Za-z0-9_=-]{60,70}"),
    token("cloudflare-ca-key", "a key of Cloudflare's origin authority", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}", 2.0),
    token("databricks-token", "a token of Databricks", &["dapi"], r"dapi[a-f0-9]{32}(?:-[0-9])?", 3.0),
    token("planetscale-token", "a token or password of PlanetScale", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}", 3.0),
    token("doppler-token", "a token of Doppler", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], r"dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,60}", 3.0),
    token("pulumi-token", "a token of Pulumi", &["pul-"], r"pul-[a-f0-9]{40}", 3.0),
    token("vercel-token", "a token of Vercel", &["vcp_", "vck_"], r"vc[pk]_[A-Za-z0-9]{24,80}", 3.0),
    token("supabase-token", "a token of Supabase", &["sbp_", "sb_secret_"], r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60})", 3.0),
    token("fly-token", "a token of Fly.io", &["fo1_", "fm2_"], r"(?:fo1_[A-Za-z0-9_-]{43}|fm2_[A-Za-z0-9+/=_-]{100,500})", 3.0),
    token("heroku-token", "a token of Heroku", &["HRKU-"], r"HRKU-[A-Za-z0-9_-]{36,65}", 3.0),
    // Code hosting and packages
    token("github-token", "a token of GitHub", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{30,255}", 3.0),
    token("github-fine-grained-token", "a fine-grained token of GitHub", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{30,255}", 3.0),
    token("gitlab-token", "a token of GitLab", &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"], r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,300}", 3.0),
    token("bitbucket-token", "a token of Bitbucket or another product of Atlassian", &["ATATT3", "ATCTT3", "ATBB"], r"(?:AT[AC]TT3[A-Za-z0-9_=.-]{60,250}|ATBB[A-Za-z0-9]{24,40})", 3.0),
    token("npm-token", "a token of npm", &["npm_"], r"npm_[A-Za-z0-9]{30,40}", 3.0),
    token("pypi-token", "a token of PyPI", &["pypi-"], r"pypi-[A-Za-z0-9_-]{30,300}", 3.5),
    token("rubygems-token", "a key of RubyGems", &["rubygems_"], r"rubygems_[a-f0-9]{48}", 3.0),
    token("nuget-key", "a key of NuGet", &["oy2"], r"oy2[a-z0-9]{43}", 3.0),
    token("crates-token", "a token of crates.io", &["cio"], r"cio[A-Za-z0-9]{32}", 3.5),
    token("docker-token", "a token of Docker Hub", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{27,40}", 3.0),
    token("artifactory-key", "a key of Artifactory", &["AKCp", "cmVmd"], r"(?:AKCp[A-Za-z0-9]{60,75}|cmVmd[A-Za-z0-9]{59})", 4.0),
    token("sonar-token", "a token of SonarQube", &["sqp_", "squ_", "sqa_"], r"sq[pua]_[a-f0-9]{40}", 3.0),
    token("linear-key", "a key of Linear", &["lin_api_", "lin_oauth_"], r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}", 3.0),
    token("postman-key", "a key of Postman", &["PMAK-"], r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", 3.0),
    token("figma-token", "a token of Figma", &["figd_"], r"figd_[A-Za-z0-9_-]{40}", 3.0),
    // Models
    token("anthropic-key", "a key of Anthropic", &["sk-ant-"], r"sk-ant-[a-z0-9]{4,10}-[A-Za-z0-9_-]{20,120}", 3.0),
    token("openai-key", "a key of OpenAI, or of a service with its form", &["sk-"], r"sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,200}", 3.5),
    token("huggingface-token", "a token of Hugging Face", &["hf_", "api_org_"], r"(?:hf|api_org)_[A-Za-z]{30,40}", 3.0),
    token("groq-or-xai-key", "a key of Groq, xAI, Perplexity, Replicate or Jina", &["gsk_", "xai-", "pplx-", "r8_", "jina_"], r"(?:gsk_|xai-|pplx-|r8_|jina_)[A-Za-z0-9_]{32,100}", 3.5),
    // Money
    token("stripe-key", "a key of Stripe", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,120}|whsec_[A-Za-z0-9+/=]{20,80})", 2.5),
    token("square-token", "a token of Square", &["EAAA", "sq0atp-", "sq0csp-"], r"(?:EAAA[A-Za-z0-9_-]{56,64}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,50})", 3.0),
    token("shopify-token", "a token of Shopify", &["shpat_", "shpca_", "shppa_", "shpss_"], r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}", 3.0),
    token("braintree-or-plaid-token", "a token of Braintree or Plaid", &["access_token$", "access-sandbox-", "access-production-", "access-development-"], r"access(?:_token\$[a-z]+\$[a-z0-9]{16}\$[a-f0-9]{32}|-(?:sandbox|production|development)-[a-f0-9-]{36})", 3.0),
    // Messages
    token("slack-token", "a token of Slack", &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], r"(?:xox[abeoprs][-.][A-Za-z0-9.-]{12,250}|xapp-[0-9]-[A-Za-z0-9-]{20,200})", 2.5),
    token("slack-webhook", "the address of a Slack webhook", &["hooks.slack.com/"], r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,60})", 3.0),
    token("discord-webhook", "the address of a Discord webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], r"discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,70})", 3.0),
    infix("telegram-token", "the token of a Telegram bot", &[":AA"], r":AA[A-Za-z0-9_-]{33}"),
    token("sendgrid-key", "a key of SendGrid", &["SG."], r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", 3.5),
    token("mailgun-key", "a key of Mailgun", &["key-"], r"key-[a-f0-9]{32}", 3.0),
    infix("mailchimp-key", "a key of Mailchimp, by its data centre", &["-us"], r"-us[0-9]{1,2}"),
    token("twilio-key", "the SID of a Twilio key", &["SK"], r"SK[a-f0-9]{32}", 3.0),
    token("sendinblue-key", "a key of Brevo", &["xkeysib-"], r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}", 3.0),
    // Observation
    token("grafana-token", "a token of Grafana", &["glc_", "glsa_", "eyJrIjoi"], r"(?:glc_[A-Za-z0-9+/=]{32,400}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|eyJrIjoi[A-Za-z0-9+/=]{40,400})", 3.0),
    token("newrelic-key", "a key of New Relic", &["NRAK-", "NRII-", "NRAL-"], r"NR(?:AK|II|AL)-[A-Za-z0-9]{27,32}", 3.0),
    token("sentry-token", "a token of Sentry", &["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9+/=_]{50,250}", 3.0),
    token("dynatrace-token", "a token of Dynatrace", &["dt0c01.", "dt0s01."], r"dt0[cs]01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}", 3.5),
    token("posthog-key", "a personal key of PostHog", &["phx_"], r"phx_[A-Za-z0-9_]{40,60}", 3.0),
    // Forms that many services share
    token("json-web-token", "a signed JSON web token", &["eyJ"], r"eyJ[A-Za-z0-9_-]{10,}\.(?:eyJ|[A-Za-z0-9_-]{4})[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{10,}", 3.0),
    token("age-key", "a private key of age", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[0-9A-Z]{58}", 3.0),
    token("onepassword-key", "a secret key or service token of 1Password", &["A3-", "ops_eyJ"], r"(?:A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}|ops_eyJ[A-Za-z0-9+/]{200,}={0,3})", 3.0),
    Rule {
        name: "private-key",
        matches: "a private key in PEM or OpenPGP armour",
        keywords: &["-----BEGIN "],
        pattern: r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
        entropy: 0.0,
        check: Check::PrivateKey,
    },
    Rule {
        name: "address-password",
        matches: "the password in `scheme://user:password@host`",
        keywords: &["://"],
        pattern: r#"://[^\s/:@"'`<>]{0,100}:([^\s/@"'`<>]{1,200})@[A-Za-z0-9\[]"#,
        entropy: 0.0,
        check: Check::Password,
    },
    Rule {
        name: "connection-string",
        matches: "the password in a connection string: `...;Password=...;`",
        keywords: &[";password=", ";pwd=", "; password=", "; pwd="],
        pattern: r#"(?i:; ?(?:password|pwd))=([^;"'`\s<>{}]{3,200})"#,
        entropy: 0.0,
        check: Check::Password,
    },
    Rule {
        name: "authorization-header",
        matches: "the credentials after `Bearer` or `Basic`",
        keywords: &["bearer ", "basic "],
        pattern: r"(?i:bearer|basic) +([A-Za-z0-9_.~+/=-]{12,500})",
        entropy: 2.5,
        check: Check::Header,
    },
    Rule {
        name: "assigned-secret",
        matches: "a value assigned to a name that ends like `password`, `secret`, `token` or `api_key`",
        keywords: &[
            "password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key", "api-key", "accesskey",
            "access_key", "access-key", "privatekey", "private_key", "private-key", "authorization", "credential",
            "_auth", "\"auth\"",
        ],
        pattern: ASSIGNED,
        entropy: 0.0,
        check: Check::Assigned,
    },
];

/// The end of a name, a type, an assignment and a value; the quote is the first group, the value the second.
const ASSIGNED: &str = concat!(
    // `secret_key_base`, `access_token_2`, `passwords`
    r#"(?i:"?[a-z]+(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?|[_-]?value|[_-]?id)?(?:_?v?[0-9]{1,2})?)"#,
    // `"password": `, `config['token'] = `, `const KEY: &str = `, `define('KEY', `
    r#"["'`\])]{0,3}[ \t]{0,20}(?::[ \t]{0,4}[&A-Za-z_<>' ]{1,20}=|:=|=>|=|:|,|>)[ \t]{0,20}"#,
    r#"(?:[bru&]?(["'`])([^"'`\s]{4,300})|([^\s"'`,;<>)}\]„“”«»]{4,300}))"#,
);
