//! A small project to ask about.

use crate::host::MemoryHost;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A project in a folder of its own, with an index of its own.
pub struct Sample {
    _folder: TempDir,
    root: PathBuf,
    pub host: MemoryHost,
}

/// The files of every sample.
pub const FILES: &[(&str, &str)] = &[
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

impl Sample {
    /// The project, written but not indexed.
    pub fn new() -> Self {
        Self::with(FILES)
    }

    /// A project of these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sample = Self::bare();
        for (path, text) in files {
            sample.write(path, text);
        }
        sample
    }

    /// A project without a file.
    pub fn bare() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap().join("sample");
        fs::create_dir_all(&root).unwrap();
        let host = MemoryHost::new(root.clone());
        Self { _folder: folder, root, host }
    }

    pub fn root(&self) -> PathBuf {
        self.root.clone()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
