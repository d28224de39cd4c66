//! The requests to an engine: each brings the index up to date and answers from the generation it resolved.

use crate::engine::{Engine, Origin, Resolved};
use crate::error::EngineError;
use crate::freshness::not_indexed;
use groma_core::{Cancel, Discovery, FileFacts, GenerationInfo, Observer, RelPath};
use groma_index::{Goal, Run};
use groma_notebook::{ModuleView, Overview, RecallAnswer, RecallRequest};
use groma_search::{
    EmbeddedQuery, Exported, FileChunks, FileView, FolderMap, GrepAnswer, GrepRequest, Hit,
    ImpactAnswer, ImpactRequest, LocateAnswer, LocateRequest, NameMatch, Outline, PlaceSpec,
    PlaceView, Ranking, ReadFrom, ReadRequest, SearchAnswer, SearchError, SearchMode,
    SearchRequest, SnippetOptions, Snippets, embed_query,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;

/// Definitions of one name that are read.
const MAX_DEFINITIONS: usize = 3;

impl Engine {
    /// Searches the tree as it is now.
    pub fn search(
        &self,
        request: &SearchRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<SearchAnswer, EngineError> {
        request.check()?;
        let goal = match request.mode {
            SearchMode::Keyword => Goal::Keywords,
            SearchMode::Hybrid | SearchMode::Vector => Goal::Quick,
        };
        let first = self.indexer().active();
        // A remote embedder is called first: that shows whether changed files can be embedded now.
        let is_remote = self.indexer().get(first).is_remote();
        let embedded = is_remote.then(|| self.embed(request, first));
        let run = Run::new(goal, observer, cancel);
        let (mut answer, freshness) = self.fresh(&run, |resolved| {
            let embedded = embedded.clone().filter(|_| resolved.active == first);
            let query = || embedded.unwrap_or_else(|| self.embed(request, resolved.active));
            self.cached_or_search(resolved, request, query)
        })?;
        answer.notes.splice(0..0, freshness.notes);
        answer.is_behind = freshness.is_behind;
        if goal > Goal::Keywords {
            self.embed_in_background();
        }
        Ok(answer)
    }

    /// Searches the tree as it is now, and chooses the lines of the answer that a reader needs, with the context that
    /// is requested.
    pub fn search_snippets(
        &self,
        request: &SearchRequest,
        options: &SnippetOptions,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<(SearchAnswer, Snippets), EngineError> {
        let answer = self.search(request, observer, cancel)?;
        let reader = self.newest_reader()?.ok_or_else(not_indexed)?;
        let mut snippets = groma_search::snippets(&reader, &answer, options)?;
        groma_search::widen(&reader, &mut snippets, request.context);
        Ok((answer, snippets))
    }

    /// Searches the newest generation, without checking for changes. Files that have changed since are omitted, so the
    /// answer is never cached.
    pub fn search_indexed(&self, request: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        self.search_indexed_by(self.ranking(), request)
    }

    /// The same with other weights, for evaluation.
    pub fn search_indexed_by(
        &self,
        ranking: &Ranking,
        request: &SearchRequest,
    ) -> Result<SearchAnswer, EngineError> {
        request.check()?;
        let resolved = self.resolve()?.ok_or_else(not_indexed)?;
        let query = self.embed(request, resolved.active);
        Ok(self.answer(&resolved, ranking, request, query)?.0)
    }

    fn embed(&self, request: &SearchRequest, active: groma_index::Active) -> EmbeddedQuery {
        let embedder = self.indexer().get(active).embedder();
        embed_query(embedder.map(|embedder| &**embedder), request, Some(self.root()))
    }

    fn cached_or_search(
        &self,
        resolved: &Resolved,
        request: &SearchRequest,
        query: impl FnOnce() -> EmbeddedQuery,
    ) -> Result<(SearchAnswer, usize), EngineError> {
        let generation = resolved.reader.snapshot.info().generation;
        let stamp = self.notebook().reads().stamp;
        // An explanation contains the times of this run.
        if !request.explain
            && let Some(answer) = self.answers().find(generation, stamp, request)
        {
            return Ok((answer, 0));
        }
        let (answer, outdated) = self.answer(resolved, self.ranking(), request, query())?;
        // An embedder that failed may be available for the next query.
        if outdated.is_empty() && answer.embed_failure.is_none() && !request.explain {
            self.answers().insert(generation, stamp, request, &answer);
        }
        Ok((answer, outdated.len()))
    }

    fn answer(
        &self,
        resolved: &Resolved,
        ranking: &Ranking,
        request: &SearchRequest,
        query: EmbeddedQuery,
    ) -> Result<(SearchAnswer, Vec<RelPath>), EngineError> {
        let query = match resolved.origin {
            Origin::Previous { same_embedder: false } => {
                query.without_vector("the index holds the vectors of another model")
            }
            _ => query,
        };
        let reads = self.notebook().reads();
        let scores: &FxHashMap<RelPath, f32> = &reads.scores;
        Ok(groma_search::search(&resolved.reader, ranking, request, query, scores)?)
    }

    /// Locates a name in the tree as it is now.
    pub fn locate(
        &self,
        request: &LocateRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<LocateAnswer, EngineError> {
        request.check()?;
        let run = Run::new(Goal::Keywords, observer, cancel);
        let (mut answer, freshness) = self
            .fresh(&run, |resolved| Ok(groma_search::locate(&resolved.reader, request, cancel)?))?;
        answer.notes.splice(0..0, freshness.notes);
        answer.is_behind = freshness.is_behind;
        Ok(answer)
    }

    /// What depends on something in the tree as it is now, over several steps.
    pub fn impact(
        &self,
        request: &ImpactRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<ImpactAnswer, EngineError> {
        let run = Run::new(Goal::Keywords, observer, cancel);
        let (mut answer, freshness) = self
            .fresh(&run, |resolved| Ok(groma_search::impact(&resolved.reader, request, cancel)?))?;
        answer.notes.splice(0..0, freshness.notes);
        Ok(answer)
    }

    /// Locates a name in the newest generation, without checking for changes. Files that have changed since are
    /// omitted.
    pub fn locate_indexed(&self, request: &LocateRequest) -> Result<LocateAnswer, EngineError> {
        request.check()?;
        let resolved = self.resolve()?.ok_or_else(not_indexed)?;
        Ok(groma_search::locate(&resolved.reader, request, &Cancel::default())?.0)
    }

    /// The outline of a file now; `None` if it is not indexed.
    pub fn outline(
        &self,
        path: &RelPath,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<Outline>, EngineError> {
        let run = Run::new(Goal::Keywords, observer, cancel);
        let (outline, freshness) = self.fresh(&run, |resolved| match resolved.origin {
            Origin::Newest => Ok(groma_search::outline(&resolved.reader, path)?),
            Origin::Previous { .. } => Ok((None, 0)),
        })?;
        Ok(outline.map(|mut outline| {
            outline.notes.extend(freshness.notes);
            outline
        }))
    }

    /// The map of a folder now, the whole project if it is empty; `None` if nothing in it is indexed.
    pub fn map(
        &self,
        folder: &str,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<FolderMap>, EngineError> {
        let run = Run::new(Goal::Keywords, observer, cancel);
        let (map, _) =
            self.fresh(&run, |resolved| Ok((groma_search::map(&resolved.reader, folder)?, 0)))?;
        Ok(map)
    }

    /// The indexed files whose path contains a text, ignoring case.
    pub fn files_named(&self, part: &str) -> Result<Vec<RelPath>, EngineError> {
        let reader = self.newest_reader()?;
        Ok(reader.map_or_else(Vec::new, |reader| groma_search::files_named(&reader, part)))
    }

    /// The lines that match a pattern, on the tree as it is now. Nothing is indexed for it.
    pub fn grep(
        &self,
        request: &GrepRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<GrepAnswer, EngineError> {
        let newest = self.active().newest();
        Ok(groma_search::grep(self.source(), newest, request, observer, cancel)?)
    }

    /// Reads a file of the project as it is now.
    pub fn read(&self, request: &ReadRequest) -> Result<FileView, EngineError> {
        // Without an index, or with one that cannot be read, the tree is enough.
        let newest = self.newest().ok().flatten();
        let from =
            ReadFrom { source: self.source(), newest: newest.as_ref(), imports: self.imports() };
        Ok(groma_search::read(from, request)?)
    }

    /// Reads several places: files, lines of files, members of files, or definitions by name. Each is an answer of
    /// its own; what one does not use of its share of `chars` is left to the others.
    pub fn read_places(
        &self,
        places: &[String],
        chars: usize,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Vec<Result<Vec<PlaceView>, EngineError>> {
        let mut room = chars;
        let mut views = Vec::with_capacity(places.len());
        for (index, place) in places.iter().enumerate() {
            let share = room / (places.len() - index);
            let found = self.read_place(place, share, observer, cancel);
            let used: usize = found.iter().flatten().map(PlaceView::chars).sum();
            room = room.saturating_sub(used);
            views.push(found);
        }
        views
    }

    fn read_place(
        &self,
        place: &str,
        chars: usize,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Vec<PlaceView>, EngineError> {
        let spec = PlaceSpec::parse(place);
        match self.read(&ReadRequest::new(spec.path())) {
            Ok(view) => Ok(groma_search::view_place(&spec, &view, chars)?),
            Err(error @ EngineError::FileNotFound { .. }) => {
                // The name of a file may look like a range or a member.
                let whole = PlaceSpec::File(place.trim().to_string());
                if spec != whole
                    && let Ok(view) = self.read(&ReadRequest::new(whole.path()))
                {
                    return Ok(groma_search::view_place(&whole, &view, chars)?);
                }
                self.read_definition(&spec, chars, observer, cancel)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads a definition that is given by name instead of by path; `None` if nothing has that name.
    fn read_definition(
        &self,
        spec: &PlaceSpec,
        chars: usize,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<Vec<PlaceView>>, EngineError> {
        let Some(name) = spec.name() else { return Ok(None) };
        let mut request = LocateRequest::new(name);
        request.limit = MAX_DEFINITIONS;
        let found = self.locate(&request, observer, cancel)?.definitions;
        let same: Vec<_> =
            found.into_iter().filter(|one| one.matched != NameMatch::Fuzzy).collect();
        let mut views = Vec::new();
        for one in &same {
            let path = one.path.as_str().to_string();
            let view = self.read(&ReadRequest::new(&path))?;
            let spec = PlaceSpec::Member { path, name: one.symbol.qualified.clone() };
            let of_one = groma_search::view_place(&spec, &view, chars / same.len())?;
            views.extend(of_one.into_iter().filter(|view| {
                view.place.as_ref().is_some_and(|place| place.lines == one.symbol.lines)
            }));
        }
        Ok((!views.is_empty()).then_some(views))
    }

    /// The definitions of a file as it is now, from the index or by parsing it; `None` if it cannot be read.
    pub fn facts(&self, path: &RelPath) -> Option<Arc<FileFacts>> {
        let indexed = self.newest_reader().ok().flatten().filter(|reader| reader.is_current(path));
        if let Some(facts) = indexed.and_then(|reader| reader.snapshot.file_facts(path).ok()?) {
            return Some(facts);
        }
        let view = self.read(&ReadRequest::new(path.as_str())).ok()?;
        Some(Arc::new(groma_syntax::parse(&view.path, &view.content).facts))
    }

    /// Names defined in the project that are spelled like `name`, most similar first.
    pub fn similar_names(&self, name: &str, limit: usize) -> Result<Vec<String>, EngineError> {
        let Some(snapshot) = self.newest()? else { return Ok(Vec::new()) };
        Ok(groma_search::similar_names(&*snapshot, name, limit)?)
    }

    /// Passes every file of the newest generation to `take`, ordered by path; `None` if there is none.
    pub fn export<E: From<EngineError>>(
        &self,
        mut take: impl FnMut(&GenerationInfo, FileChunks) -> Result<(), E>,
    ) -> Result<Option<Exported>, E> {
        let Some(reader) = self.newest_reader()? else { return Ok(None) };
        let exported = groma_search::export(&reader, |generation, file| {
            take(generation, file).map_err(ExportError::Caller)
        });
        match exported {
            Ok(exported) => Ok(Some(exported)),
            Err(ExportError::Caller(error)) => Err(error),
            Err(ExportError::Search(error)) => Err(E::from(error.into())),
        }
    }

    /// The paths of the newest generation, in order.
    pub fn indexed_paths(&self) -> Result<Vec<RelPath>, EngineError> {
        let snapshot = self.newest()?;
        let paths = snapshot.map(|snapshot| snapshot.manifest().files.keys().cloned().collect());
        Ok(paths.unwrap_or_default())
    }

    /// Answers a request from discoveries, sessions and code.
    pub fn recall(
        &self,
        request: &RecallRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<RecallAnswer, EngineError> {
        let started = Instant::now();
        request.check()?;
        let mut notes = Vec::new();
        let hits = self.code_hits(request, observer, cancel, &mut notes)?;
        let resolved = self.resolve()?;
        let reader = resolved.as_ref().map(|resolved| &resolved.reader);
        let embedder = self.active().embedder().map(|embedder| &**embedder);
        let mut answer = self.notebook().recall(request, hits, reader, embedder)?;
        answer.notes.splice(0..0, notes);
        answer.duration = started.elapsed();
        Ok(answer)
    }

    /// The hits of the code search; brings the index up to date first.
    fn code_hits(
        &self,
        request: &RecallRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Hit>, EngineError> {
        if !request.wants_code() {
            notes.extend(self.freshen_keywords(observer, cancel)?);
            return Ok(Vec::new());
        }
        let mut snapshot = None;
        if request.module.is_some() {
            self.freshen_keywords(observer, cancel)?;
            snapshot = self.active().readable()?;
        }
        let Some(search) = self.notebook().code_request(request, snapshot.as_deref()) else {
            return Ok(Vec::new());
        };
        let mut found = self.search(&search, observer, cancel)?;
        notes.append(&mut found.notes);
        Ok(found.hits)
    }

    /// Brings the keywords of the active index up to date.
    fn freshen_keywords(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Vec<String>, EngineError> {
        let run = Run::new(Goal::Keywords, observer, cancel).on(self.indexer().active());
        Ok(self.freshen_if_possible(&run)?.notes)
    }

    /// All discoveries that are not superseded, near-duplicates merged, recorded ones first.
    pub fn discoveries(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Vec<Discovery>, EngineError> {
        self.freshen_keywords(observer, cancel)?;
        let resolved = self.resolve()?;
        let reader = resolved.as_ref().map(|resolved| &resolved.reader);
        Ok(self.notebook().discoveries(reader)?)
    }

    /// An overview of the project.
    pub fn overview(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Overview, EngineError> {
        self.freshen_keywords(observer, cancel)?;
        let resolved = self.resolve()?;
        let reader = resolved.as_ref().map(|resolved| &resolved.reader);
        Ok(self.notebook().overview(reader)?)
    }

    /// An overview of a module; `None` if no file and no discovery belongs to it.
    pub fn module(
        &self,
        name: &str,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<ModuleView>, EngineError> {
        self.freshen_keywords(observer, cancel)?;
        let resolved = self.resolve()?;
        let reader = resolved.as_ref().map(|resolved| &resolved.reader);
        Ok(self.notebook().module(name, reader)?)
    }
}

/// Why an export ended early.
enum ExportError<E> {
    Search(SearchError),
    Caller(E),
}

impl<E> From<SearchError> for ExportError<E> {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}
