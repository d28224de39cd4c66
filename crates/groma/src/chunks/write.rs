//! Writing an index as chunk files.
//!
//! Each file is replaced atomically by a rename. The same index gives the same bytes.

use anyhow::{Context, Result};
use groma_core::{ChunkKind, EmbedderIdentity, GenerationInfo};
use groma_engine::{Engine, FileChunks};
use groma_mcp::contracts::cortex::{Names, file};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Counts of what was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Chunks by kind.
    pub chunks: Vec<(ChunkKind, usize)>,
    /// Files that changed while they were read, and were skipped.
    pub outdated: usize,
}

/// Writes the newest generation of an index into a folder.
pub fn write(engine: &Engine, folder: &Path) -> Result<Written> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let names = Names::new(&engine.indexed_paths()?);
    let model = engine.embedder_identity();
    let mut drafts = ChunkKind::ALL
        .iter()
        .map(|kind| Draft::new(*kind, model.as_ref(), folder))
        .collect::<Result<Vec<_>>>()?;
    let mut checksums = Map::new();
    let exported = engine.export(|generation, file| {
        checksums.insert(file.path.to_string(), checksum(&file).into());
        for (kind, record) in file::records(&file, &names) {
            drafts[kind.code() as usize].add(&record, generation)?;
        }
        Ok::<(), anyhow::Error>(())
    })?;
    let generated =
        exported.as_ref().map_or(SystemTime::UNIX_EPOCH, |exported| exported.generation.committed);
    let mut written = Written::default();
    for draft in drafts {
        written.chunks.push((draft.kind, draft.count));
        draft.finish(generated)?;
    }
    written.outdated = exported.map_or(0, |exported| exported.outdated);
    put_output(folder, generated, checksums, &written)?;
    Ok(written)
}

fn checksum(file: &FileChunks) -> String {
    Sha256::digest(&file.bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A chunk file being written.
struct Draft {
    kind: ChunkKind,
    model: Option<EmbedderIdentity>,
    path: PathBuf,
    draft: PathBuf,
    file: BufWriter<File>,
    count: usize,
}

impl Draft {
    fn new(kind: ChunkKind, model: Option<&EmbedderIdentity>, folder: &Path) -> Result<Self> {
        let path = folder.join(file::file_name(kind));
        let draft = draft_of(&path);
        let file = File::create(&draft).with_context(|| cannot(&draft))?;
        let file = BufWriter::with_capacity(1 << 18, file);
        Ok(Self { kind, model: model.cloned(), path, draft, file, count: 0 })
    }

    fn add(&mut self, record: &Value, generation: &GenerationInfo) -> Result<()> {
        match self.count {
            0 => self.begin(generation.committed)?,
            _ => self.file.write_all(b",\n").with_context(|| cannot(&self.draft))?,
        }
        serde_json::to_writer(&mut self.file, record).with_context(|| cannot(&self.draft))?;
        self.count += 1;
        Ok(())
    }

    fn begin(&mut self, generated: SystemTime) -> Result<()> {
        let header = file::header(self.kind, self.model.as_ref(), generated);
        writeln!(self.file, "{{\"_metadata\":{header},\"chunks\":[")
            .with_context(|| cannot(&self.draft))
    }

    fn finish(mut self, generated: SystemTime) -> Result<()> {
        if self.count == 0 {
            self.begin(generated)?;
        }
        self.file
            .write_all(b"\n]}\n")
            .and_then(|()| self.file.flush())
            .and_then(|()| fs::rename(&self.draft, &self.path))
            .with_context(|| cannot(&self.path))
    }
}

/// Deletes an unfinished draft.
impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.draft);
    }
}

/// Writes the checksums of the files and the chunk counts.
fn put_output(
    folder: &Path,
    generated: SystemTime,
    checksums: Map<String, Value>,
    written: &Written,
) -> Result<()> {
    let path = folder.join(file::GENERATOR_OUTPUT);
    let draft = draft_of(&path);
    let output = file::generator_output(generated, checksums, &written.chunks);
    fs::write(&draft, format!("{output:#}\n"))
        .and_then(|()| fs::rename(&draft, &path))
        .with_context(|| cannot(&path))
}

fn draft_of(path: &Path) -> PathBuf {
    path.with_extension(format!("json.{}.tmp", std::process::id()))
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
