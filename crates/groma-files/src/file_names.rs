//! Classifies files and folders by name: secret, vendored, generated, minified, lock file, test, binary.
//!
//! These are tables. A name is listed only if hardly any hand-written file has it; for ambiguous names (`target`,
//! `coverage`) the walk looks for a marker file beside or inside the folder.

use groma_core::RelPath;

/// Folders of version control systems.
pub(super) fn is_version_control(name: &str) -> bool {
    matches!(name, ".git" | ".hg" | ".svn" | ".jj" | ".bzr" | "CVS" | "_darcs" | ".pijul")
}

/// Hidden folders and files that people write and look for: workflows, containers, hooks. Others are settings and caches
/// of one person's tools.
pub(super) fn is_shared_hidden(name: &str) -> bool {
    matches!(
        name,
        ".github"
            | ".gitlab"
            | ".gitlab-ci.yml"
            | ".circleci"
            | ".devcontainer"
            | ".buildkite"
            | ".travis.yml"
            | ".pre-commit-config.yaml"
            | ".golangci.yml"
            | ".goreleaser.yml"
            | ".rubocop.yml"
    )
}

/// Whether a path is never read for clients: secrets, and the internal data of tools.
pub fn is_sensitive(path: &RelPath) -> bool {
    let is_sensitive = |folder: &str| {
        let folder = &*folder.to_ascii_lowercase();
        is_version_control(folder)
            || matches!(folder, "node_modules" | ".ssh" | ".gnupg" | ".aws")
            || folder == ".env"
            || folder.starts_with(".env.")
    };
    path.folders().any(is_sensitive)
        || is_sensitive_file(path.file_name())
        || is_client_config(path)
}

/// Configuration of clients that log in: `.kube/config`, `.docker/config.json`.
pub(super) fn is_client_config(path: &RelPath) -> bool {
    let folder = path.folder().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let name = path.file_name().to_ascii_lowercase();
    matches!(
        (&*folder, &*name),
        (".kube" | "kube", "config")
            | (".docker" | "docker", "config.json")
            | (".cargo", "credentials.toml" | "credentials")
            | (".config/gh" | "gh", "hosts.yml")
            | (".azure", "accesstokens.json" | "msal_token_cache.json")
            | ("gcloud", "application_default_credentials.json")
    )
}

/// Settings that often contain a password: they are withheld if they do.
pub(super) fn may_hold_secrets(path: &RelPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_settings = |names: &[&str]| {
        names.iter().any(|one| {
            stem.strip_prefix(one)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
        })
    };
    match extension {
        "json" => is_settings(&["appsettings", "local.settings", "config", "settings"]),
        "yml" | "yaml" => is_settings(&["application", "database", "config", "settings", "values"]),
        "properties" => is_settings(&["application", "database", "gradle", "local"]),
        "config" => is_settings(&["web", "app", "nuget"]),
        "ini" | "toml" | "cfg" | "conf" => {
            is_settings(&["config", "settings", "local", "production"])
        }
        _ => false,
    }
}

fn is_sensitive_file(name: &str) -> bool {
    let lower = &*name.to_ascii_lowercase();
    is_version_control(lower) || lower == "node_modules" || is_secret(name)
}

/// Files that may contain a password or a private key.
pub(super) fn is_secret(name: &str) -> bool {
    let name = &*name.to_ascii_lowercase();
    name.starts_with(".env") && !is_template(name)
        || SECRET_NAMES.contains(&name)
        || name.ends_with(".tfvars")
        || name.ends_with(".tfvars.json")
        || extension(name).is_some_and(|extension| SECRET_EXTENSIONS.contains(&extension))
        || is_credentials_file(name)
}

/// `.env.example` and the like contain names of settings but no values.
fn is_template(name: &str) -> bool {
    matches!(name, ".env.example" | ".env.sample" | ".env.template" | ".env.dist")
}

const SECRET_NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".dockerconfigjson",
    ".vault-token",
    ".vault_pass",
    ".s3cfg",
    "credentials",
    ".credentials",
    "kubeconfig",
    "terraform.tfstate.backup",
    "wp-config.php",
    "localsettings.php",
    ".terraformrc",
    "terraform.rc",
    ".boto",
    ".databrickscfg",
    ".snowsql",
    "master.key",
    "secring.gpg",
];

const SECRET_EXTENSIONS: &[&str] = &[
    "env", "pem", "key", "p12", "pfx", "p8", "pkcs12", "keystore", "jks", "ppk", "kdbx", "kdb",
    "tfstate", "ovpn", "agekey",
];

/// `credentials.json`, `secrets.yml`, `client_secret_123.json`: data, not code that handles credentials.
fn is_credentials_file(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let data = matches!(
        extension,
        "json" | "yml" | "yaml" | "toml" | "ini" | "xml" | "cfg" | "csv" | "properties"
    );
    data && (matches!(stem, "credentials" | "secrets" | ".credentials" | ".secrets")
        || stem.starts_with("client_secret")
        || stem.starts_with("service-account")
        || stem.starts_with("service_account"))
}

/// Folders of vendored code.
pub(super) fn is_vendored_folder(name: &str) -> bool {
    matches!(
        name,
        "node_modules"
            | "bower_components"
            | "jspm_packages"
            | "vendor"
            | "third_party"
            | "third-party"
            | "thirdparty"
            | "Godeps"
            | ".venv"
            | "venv"
            | "virtualenv"
            | "site-packages"
            | ".tox"
            | ".nox"
            | ".eggs"
            | "__pypackages__"
            | "Pods"
            | "Carthage"
            | ".bundle"
            | ".yarn"
            | ".pnpm-store"
            | ".terraform"
            | ".gradle"
            | ".m2"
            | "elm-stuff"
            | ".stack-work"
    )
}

/// Folders of generated files.
pub(super) fn is_generated_folder(name: &str) -> bool {
    matches!(
        name,
        "__pycache__"
            | ".next"
            | ".nuxt"
            | ".svelte-kit"
            | ".output"
            | ".turbo"
            | ".parcel-cache"
            | ".angular"
            | ".docusaurus"
            | ".serverless"
            | ".nyc_output"
            | "htmlcov"
            | ".pytest_cache"
            | ".mypy_cache"
            | ".ruff_cache"
            | ".hypothesis"
            | ".ipynb_checkpoints"
            | ".dart_tool"
            | ".ccls-cache"
            | ".clangd"
            | "DerivedData"
            | "CMakeFiles"
            | "cmake-build-debug"
            | "cmake-build-release"
            | "zig-cache"
            | ".zig-cache"
            | "zig-out"
            | "dist-newstyle"
    ) || name.ends_with(".egg-info")
        || name.ends_with(".dSYM")
}

/// A marker file that identifies a generated or vendored folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// This file is in the folder.
    Inside(&'static str),
    /// This file is beside the folder.
    Beside(&'static str),
}

/// The markers of a folder with an ambiguous name; one of them makes it generated.
pub(super) fn generated_markers(name: &str) -> &'static [Marker] {
    match name {
        "target" => &[
            Marker::Inside("CACHEDIR.TAG"),
            Marker::Beside("Cargo.toml"),
            Marker::Beside("pom.xml"),
            Marker::Beside("build.sbt"),
        ],
        "coverage" => &[
            Marker::Inside("lcov.info"),
            Marker::Inside("lcov-report"),
            Marker::Inside("coverage-final.json"),
            Marker::Inside("clover.xml"),
            Marker::Inside(".last_run.json"),
        ],
        "_build" => &[Marker::Beside("mix.exs"), Marker::Beside("dune-project")],
        // By convention a folder with this tag is a cache that can be regenerated.
        _ => &[Marker::Inside("CACHEDIR.TAG")],
    }
}

/// The markers of a folder with an ambiguous name; one of them makes it vendored.
pub(super) fn vendored_markers(name: &str) -> &'static [Marker] {
    match name {
        "env" | "ENV" => &[Marker::Inside("pyvenv.cfg")],
        "deps" => &[Marker::Beside("mix.exs"), Marker::Beside("rebar.config")],
        _ => &[],
    }
}

/// Generated files.
pub(super) fn is_generated_file(name: &str) -> bool {
    GENERATED_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        || name.contains(".generated.")
        || name.contains("_generated.")
        || name.starts_with("zz_generated")
        || matches!(name, "lex.yy.c" | "bindata.go" | ".pnp.cjs" | ".pnp.loader.mjs")
}

const GENERATED_SUFFIXES: &[&str] = &[
    ".pb.go",
    ".pb.gw.go",
    ".pb.cc",
    ".pb.h",
    ".pb.swift",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    "_pb2_grpc.pyi",
    "_pb.js",
    "_pb.d.ts",
    ".g.dart",
    ".freezed.dart",
    ".gr.dart",
    ".mocks.dart",
    ".g.cs",
    ".g.i.cs",
    ".Designer.cs",
    ".designer.cs",
    ".tab.c",
    ".tab.h",
    ".map",
    ".tsbuildinfo",
];

/// Minified code.
pub(super) fn is_minified_file(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    matches!(extension, "js" | "mjs" | "cjs" | "css" | "html" | "json")
        && [".min", "-min", ".bundle", ".chunk"].iter().any(|mark| stem.ends_with(mark))
}

/// Lock files.
pub(super) fn is_lock_file(name: &str) -> bool {
    extension(name) == Some("lock")
        || matches!(
            name,
            "package-lock.json"
                | "npm-shrinkwrap.json"
                | "pnpm-lock.yaml"
                | "bun.lockb"
                | "go.sum"
                | "go.work.sum"
                | "gradle.lockfile"
                | "packages.lock.json"
                | "Package.resolved"
                | "Cartfile.resolved"
                | "cabal.project.freeze"
                | ".terraform.lock.hcl"
                | "MODULE.bazel.lock"
        )
}

/// Folders of tests.
pub(super) fn is_test_folder(name: &str) -> bool {
    matches!(name, "test" | "tests" | "__tests__" | "testdata" | "__mocks__")
}

/// Test files, by the naming conventions of their languages.
pub(super) fn is_test_file(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let ends = |endings: &[&str]| endings.iter().any(|ending| stem.ends_with(ending));
    match extension {
        "py" => stem.starts_with("test_") || ends(&["_test"]) || stem == "conftest",
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "vue" | "svelte" => {
            ends(&[".test", ".spec", "_test", "-test", "_spec", "-spec"])
        }
        "java" | "kt" | "kts" | "cs" | "php" | "swift" => {
            ends(&["Test", "Tests", "TestCase", "IT"])
        }
        "scala" | "groovy" | "hs" => ends(&["Test", "Tests", "Spec"]),
        _ => ends(&["_test", "_tests", "_spec"]) || matches!(stem, "test" | "tests"),
    }
}

/// Files whose extension says that they are not text.
pub(super) fn is_binary_file(name: &str) -> bool {
    extension(name).is_some_and(|extension| {
        BINARY_EXTENSIONS.binary_search(&&*extension.to_ascii_lowercase()).is_ok()
    }) || name == ".DS_Store"
}

/// Sorted, for the binary search.
#[rustfmt::skip]
const BINARY_EXTENSIONS: &[&str] = &[
    "3gp", "7z", "a", "aab", "aac", "ai", "aiff", "apk", "ar", "arrow", "avi", "avif", "avro", "beam",
    "bin", "blend", "bmp", "br", "bz2", "cab", "class", "crx", "cur", "db", "db3", "deb", "dex", "dll",
    "dmg", "doc", "docx", "dylib", "ear", "egg", "eot", "eps", "exe", "exr", "fbx", "feather", "fla",
    "flac", "flv", "gem", "gif", "glb", "gpg", "gz", "h5", "hdf5", "heic", "heif", "icns", "ico", "img",
    "ipa", "iso", "jar", "jpeg", "jpg", "jxl", "ko", "lib", "lz", "lz4", "lzma", "m4a", "m4v", "mdb", "mid",
    "mkv", "mo", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "node", "npy", "npz", "nupkg", "o", "obj",
    "odp", "ods", "odt", "ogg", "ogv", "onnx", "opus", "otf", "parquet", "pbf", "pdb", "pdf", "pickle",
    "pkl", "png", "ppt", "pptx", "psd", "pyc", "pyd", "pyo", "rar", "rdb", "realm", "rlib", "rmeta", "rpm",
    "safetensors", "sketch", "snupkg", "so", "sqlite", "sqlite3", "swf", "swp", "tar", "tga", "tgz", "tif",
    "tiff", "ttc", "ttf", "vsix", "war", "wasm", "wav", "webm", "webp", "whl", "wma", "wmv", "woff",
    "woff2", "xls", "xlsm", "xlsx", "xz", "z", "zip", "zst",
];

/// The extension; a leading dot starts a name, not an extension.
pub(super) fn extension(name: &str) -> Option<&str> {
    match name.rfind('.') {
        Some(dot) if dot > 0 => Some(&name[dot + 1..]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_extensions_are_sorted() {
        assert!(BINARY_EXTENSIONS.is_sorted());
    }

    #[test]
    fn credentials_are_data_not_code() {
        for name in [
            "credentials.json",
            "Secrets.yml",
            "client_secret_1.json",
            ".env.local",
            "x.PEM",
            "terraform.tfvars",
            "prod.auto.tfvars",
            "wp-config.php",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "credentials.go",
            "secrets.py",
            "environment.ts",
            "id_rsa.pub",
            "keys.rs",
            "wp-config-sample.php",
            "variables.tf",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn sensitive_is_by_component() {
        let sensitive = |path: &str| is_sensitive(&RelPath::new(path).unwrap());
        for path in [
            ".env",
            ".ENV",
            ".env.local",
            "a/.env.production",
            ".git/config",
            "a/.Git/HEAD",
            ".git",
            "node_modules/x/index.js",
            "web/node_modules",
            "keys/server.pem",
            "home/.ssh/config",
            ".env/lib/x.py",
            ".kube/config",
            "deploy/kube/config",
            ".docker/config.json",
            "terraform.tfvars",
        ] {
            assert!(sensitive(path), "{path}");
        }
        for path in [
            ".gitignore",
            ".github/workflows/ci.yml",
            ".gitattributes",
            "src/environment.ts",
            ".env.example",
            "src/env.rs",
            "src/git/mod.rs",
            "credentials/mod.rs",
            "node_modules.md",
            "config",
            "src/config.json",
            "docker/compose.json",
            "appsettings.json",
        ] {
            assert!(!sensitive(path), "{path}");
        }
    }

    #[test]
    fn tests_follow_the_naming_conventions_of_their_language() {
        for name in
            ["pool_test.go", "test_pool.py", "pool.spec.ts", "PoolTest.java", "pool_spec.rb"]
        {
            assert!(is_test_file(name), "{name}");
        }
        for name in ["contest.go", "testing.py", "latest.ts", "Attest.java", "protest.rb"] {
            assert!(!is_test_file(name), "{name}");
        }
    }
}
