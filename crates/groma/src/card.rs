//! The card in a project's folder of the data directory: whose index the folder holds, and what it is called.
//!
//! Cards are small files that several processes change, so each change is made under one lock over all of them
//! and a card is replaced whole: who reads sees the old one or the new one.

use crate::numbers::unix;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file.
pub const NAME: &str = "project.json";

/// What the card says.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Card {
    /// The project's root, as it was when it was indexed first.
    pub root: PathBuf,
    /// When that was, in seconds since 1970.
    pub created: u64,
    /// The names the project was given, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Card {
    /// The card of a project that is indexed for the first time now.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), created: unix(SystemTime::now()), names: Vec::new() }
    }

    /// The card in a folder; `None` where there is none that can be read.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = fs::read_to_string(folder.join(NAME)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Puts the card into a folder. Only who holds the lock may.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(NAME);
        let text = serde_json::to_string_pretty(self)
            .with_context(|| format!("{} cannot be written down", self.root.display()))?;
        let whole = folder.join(format!("{NAME}.new"));
        fs::write(&whole, text + "\n")
            .and_then(|()| fs::rename(&whole, &path))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// The right to change cards, over all processes; given back when it is dropped.
pub fn lock(data: &Path) -> Result<File> {
    let path = data.join("cards.lock");
    fs::create_dir_all(data)
        .and_then(|()| File::options().create(true).append(true).open(&path))
        .and_then(|file| file.lock().map(|()| file))
        .with_context(|| format!("cannot lock {}", path.display()))
}
