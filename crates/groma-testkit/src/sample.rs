//! A small project in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Code in three languages, a document, a secret and a binary file.
pub const SAMPLE_FILES: &[(&str, &str)] = &[
    (
        "src/limit.rs",
        "//! Rate limiting.\n\n/// Limits how many requests a client may send.\npub struct RateLimiter {\n    \
         allowed: u32,\n}\n\nimpl RateLimiter {\n    /// Whether one more request is allowed now.\n    \
         pub fn allow(&mut self) -> bool {\n        if self.allowed == 0 {\n            return false;\n        \
         }\n        self.allowed -= 1;\n        true\n    }\n}\n",
    ),
    (
        "auth/token.py",
        "\"\"\"Tokens.\"\"\"\n\n\ndef verify_token(token):\n    \"\"\"Verify the signature of a token.\"\"\"\n    \
         return token.startswith(\"ok\")\n",
    ),
    (
        "store/order.go",
        "package store\n\n// OrderRepository keeps orders.\ntype OrderRepository struct{}\n\n\
         // FindOrder finds an order by its number.\nfunc (r *OrderRepository) FindOrder(number int) string {\n\
         \treturn \"order\"\n}\n",
    ),
    ("README.md", "---\ntags: [guide]\n---\n# Sample\n\nHow orders are kept.\n"),
    (".env", "PASSWORD=secret\n"),
    ("logo.png", "\u{89}PNG\u{0}\u{0}"),
];

/// A project in a temporary folder, with room beside it.
pub struct ProjectFolder {
    _folder: TempDir,
    root: PathBuf,
}

impl ProjectFolder {
    /// A project of these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("a folder").join("sample");
        fs::create_dir_all(&root).expect("a folder");
        files.iter().for_each(|(path, text)| write_file(&root.join(path), text));
        Self { _folder: folder, root }
    }

    /// Its root, canonical.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path beside the project.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.root.with_file_name(name)
    }

    /// Writes a file of the project.
    pub fn write(&self, path: &str, text: &str) {
        write_file(&self.root.join(path), text);
    }
}

/// Writes a file and the folders it is in.
pub fn write_file(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}
