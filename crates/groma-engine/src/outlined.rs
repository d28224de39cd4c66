//! The outline of whatever a client names: a file, a class of a file, a folder, or part of a path.

use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{Cancel, Observer, RelPath};
use groma_search::{FolderMap, Outline, Place, outline_places};

/// What a target of [`Engine::outline_target`] is.
#[derive(Clone, Debug)]
pub enum Outlined {
    /// A file, or a class of a file.
    File {
        /// The file.
        outline: Outline,
        /// Its members, or those of the class.
        members: Vec<Place>,
    },
    /// A folder, or the project.
    Folder(FolderMap),
    /// Files whose path contains the target, best first.
    Files(Vec<RelPath>),
}

impl Engine {
    /// The outline of `path`, `path#Class`, a folder, the project if the target is empty, or the files whose path
    /// contains the target; `None` if nothing indexed is named so.
    pub fn outline_target(
        &self,
        target: &str,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<Outlined>, EngineError> {
        let target = target.trim().trim_start_matches("./");
        let target = if target == "." { "" } else { target };
        let (path, member) = target.split_once('#').unwrap_or((target, ""));
        if let Ok(file) = RelPath::new(path)
            && let Some(outline) = self.outline(&file, observer, cancel)?
        {
            let members = inside(outline_places(&outline.facts), member).ok_or_else(|| {
                EngineError::invalid("path", format!("{file} has no member {member}"))
            })?;
            return Ok(Some(Outlined::File { outline, members }));
        }
        if let Some(map) = self.map(path, observer, cancel)? {
            return Ok(Some(Outlined::Folder(map)));
        }
        let files = self.files_named(path)?;
        Ok((!files.is_empty()).then_some(Outlined::Files(files)))
    }
}

/// The members inside the one that is named; all of them without a name.
fn inside(members: Vec<Place>, name: &str) -> Option<Vec<Place>> {
    if name.is_empty() {
        return Some(members);
    }
    let last =
        |place: &Place| place.name.rsplit(['.', ':', '#']).next().unwrap_or_default() == name;
    let outer = members.iter().find(|place| last(place) || place.name.ends_with(name))?.lines;
    Some(members.into_iter().filter(|place| outer.encloses(place.lines)).collect())
}
