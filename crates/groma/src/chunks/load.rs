//! Reading a folder of chunk files.

use crate::project::Project;
use anyhow::{Context, Result, bail};
use groma_core::{Embedder, Pipeline, TextRole};
use groma_embed::StaticEmbedder;
use groma_engine::{Document, DocumentIndex, PIPELINE_VERSION};
use groma_mcp::contracts::cortex::file::{self, ChunkFile, GENERATOR_OUTPUT};
use groma_store::EmbeddedStore;
use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest chunk file, in bytes: tens of thousands of chunks with their vectors.
const MAX_FILE: u64 = 256 << 20;

/// How to treat an unreadable file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Skip it, when a server starts.
    Skipped,
    /// Fail, when files are reloaded: one may be incomplete, and the previous chunks are better.
    Refused,
}

/// The content of a folder.
pub struct Loaded {
    /// Its chunks.
    pub chunks: DocumentIndex,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// The chunk files of a folder, in order of name; none when it cannot be listed.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| path.file_name().is_some_and(|name| name != GENERATOR_OUTPUT))
        .collect();
    files.sort();
    files
}

/// Reads every chunk file of a folder.
pub fn load(folder: &Path, project: &Project, broken: Broken) -> Result<Loaded> {
    let mut shelf = Shelf::default();
    let paths = files(folder);
    if paths.is_empty() {
        let message = format!("{} holds no chunk file", folder.display());
        match broken {
            Broken::Refused => bail!(message),
            Broken::Skipped => shelf.warnings.push(message),
        }
    }
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match read(&path) {
            Ok(file) => shelf.put(&name, file),
            Err(error) if broken == Broken::Refused => return Err(error),
            Err(error) => shelf.warnings.push(format!("{error:#}; it is skipped")),
        }
    }
    shelf.indexed(project)
}

fn read(path: &Path) -> Result<ChunkFile> {
    let cannot = || format!("cannot read {}", path.display());
    // A pipe could block, and what is too large is not read at all.
    let metadata = fs::metadata(path).with_context(cannot)?;
    if !metadata.is_file() {
        bail!("{} is not a regular file", path.display());
    }
    if metadata.len() > MAX_FILE {
        bail!("{} is larger than {MAX_FILE} bytes", path.display());
    }
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes))
        .with_context(cannot)?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{} is larger than {MAX_FILE} bytes", path.display());
    }
    file::read(&bytes)
        .map_err(|reason| anyhow::anyhow!("{} is not a chunk file: {reason}", path.display()))
}

/// Collects the chunks of several files.
#[derive(Default)]
struct Shelf {
    documents: Vec<Document>,
    ids: HashSet<String>,
    /// The model of the vectors and their dimensions.
    model: Option<(String, usize)>,
    warnings: Vec<String>,
}

impl Shelf {
    fn put(&mut self, name: &str, file: ChunkFile) {
        self.warnings.extend(file.warnings.iter().map(|warning| format!("{name}: {warning}")));
        let own = (file.model, file.dimensions);
        let has_vectors = file.chunks.iter().any(|chunk| chunk.vector.is_some());
        if has_vectors && self.model.is_none() {
            self.model = Some(own.clone());
        }
        let is_other_model = has_vectors && self.model.as_ref() != Some(&own);
        if is_other_model {
            let warning = format!("{name}: its vectors are of another model and are ignored");
            self.warnings.push(warning);
        }
        for mut chunk in file.chunks {
            if is_other_model {
                chunk.vector = None;
            }
            if self.ids.insert(chunk.id.clone()) {
                self.documents.push(chunk.into_document(self.documents.len()));
            } else {
                let warning = format!("{name}: {} is a duplicate and is skipped", chunk.id);
                self.warnings.push(warning);
            }
        }
    }

    /// Indexes the chunks in memory.
    fn indexed(mut self, project: &Project) -> Result<Loaded> {
        let embedder = match &self.model {
            Some(model) => embedder(project, model)?,
            None => None,
        };
        if let Some(embedder) = &embedder {
            embed_missing(&mut self.documents, &**embedder)?;
        }
        if let Some((model, dimensions)) = self.model.filter(|_| embedder.is_none()) {
            self.warnings.push(format!(
                "the vectors are of {model} ({dimensions} dimensions), which is not this project's embedder: \
                 searching by keywords"
            ));
        }
        let identity = embedder.as_ref().map(|embedder| embedder.identity());
        let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: identity };
        let store = EmbeddedStore::in_memory(pipeline);
        let chunks = DocumentIndex::build(&store, self.documents, embedder)?;
        Ok(Loaded { chunks, warnings: self.warnings })
    }
}

/// Texts of one call of the embedder.
const BATCH: usize = 64;

/// Embeds the chunks that came without a vector, so that a search finds all of them.
fn embed_missing(documents: &mut [Document], embedder: &dyn Embedder) -> Result<()> {
    let mut missing: Vec<&mut Document> =
        documents.iter_mut().filter(|document| document.vector.is_none()).collect();
    for batch in missing.chunks_mut(BATCH) {
        let texts: Vec<&str> = batch.iter().map(|document| document.searched.as_str()).collect();
        let vectors = embedder
            .embed(TextRole::Passage, &texts)
            .context("chunks without a vector cannot be embedded")?;
        batch.iter_mut().zip(vectors).for_each(|(document, vector)| document.vector = Some(vector));
    }
    Ok(())
}

/// The embedder for queries over the chunks' vectors: the built-in one for its own vectors, the configured one for
/// any others of the same dimensions, because services rarely report the name of their model. A configured service of
/// other dimensions is an error.
fn embedder(project: &Project, model: &(String, usize)) -> Result<Option<Arc<dyn Embedder>>> {
    let built_in = StaticEmbedder::default();
    let own = built_in.identity();
    let Ok(Some(configured)) = project.models.embedder() else { return Ok(None) };
    if *model == (own.to_string(), own.dimensions) {
        return Ok(Some(Arc::new(built_in)));
    }
    let identity = configured.identity();
    if identity == own {
        return Ok(None);
    }
    if identity.dimensions != model.1 {
        let (name, dimensions) = model;
        bail!(
            "the chunk files hold vectors of {name} with {dimensions} dimensions, and {identity} makes {}; \
             serve the model of the chunk files",
            identity.dimensions
        );
    }
    Ok(Some(configured.into()))
}
