//! The layout of the data directory: the only module that knows its folder and file names.
//!
//! ```text
//! vectors.db                      cache of vectors, shared by all projects
//! cards.lock                      held while a record changes
//! projects/ID/                    one project: its index, its notebook and project.json
//! projects/ID/remote/             the index with vectors of an embedding service
//! projects/ID/scopes/NAME/        a sub-index, laid out as a project, with scope.json
//! ```

use groma_core::{IndexId, ProjectId, VectorSource};
use std::fs;
use std::path::{Path, PathBuf};

const PROJECTS: &str = "projects";
const SERVICE: &str = "remote";
const SUB_INDEXES: &str = "scopes";

/// A project's record, in its folder.
pub const RECORD: &str = "project.json";

/// The definition of a sub-index, in its folder.
pub const SUB_INDEX: &str = "scope.json";

/// Paths in a data directory.
#[derive(Clone, Debug)]
pub struct Layout {
    data: PathBuf,
}

impl Layout {
    /// The layout of the data directory `data`.
    pub fn new(data: &Path) -> Self {
        Self { data: data.to_path_buf() }
    }

    /// The data directory itself.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The folder with the folders of all projects.
    pub fn projects(&self) -> PathBuf {
        self.data.join(PROJECTS)
    }

    /// The lock file for changes of records.
    pub fn lock(&self) -> PathBuf {
        self.data.join("cards.lock")
    }

    /// The vector cache.
    pub fn vectors(&self) -> PathBuf {
        self.data.join("vectors.db")
    }

    /// The folder of a project, or of one of its sub-indexes.
    pub fn project(&self, project: &ProjectId, sub_index: Option<&str>) -> PathBuf {
        let folder = self.projects().join(project.as_str());
        match sub_index {
            Some(name) => folder.join(SUB_INDEXES).join(name),
            None => folder,
        }
    }

    /// The folder of an index.
    pub fn index(&self, index: &IndexId) -> PathBuf {
        let folder = self.project(&index.project, index.sub_index.as_deref());
        match index.vectors {
            VectorSource::BuiltIn => folder,
            VectorSource::Service => folder.join(SERVICE),
        }
    }

    /// The names of a project's sub-indexes, in order.
    pub fn sub_indexes(&self, project: &ProjectId) -> Vec<String> {
        let entries = fs::read_dir(self.project(project, None).join(SUB_INDEXES));
        let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
        let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        names
    }

    /// Every index that a project may have, its sub-indexes included.
    pub fn indexes(&self, project: &ProjectId) -> Vec<IndexId> {
        let named = self.sub_indexes(project).into_iter().map(Some);
        std::iter::once(None)
            .chain(named)
            .flat_map(|sub_index| {
                [VectorSource::BuiltIn, VectorSource::Service].map(|vectors| IndexId {
                    project: project.clone(),
                    sub_index: sub_index.clone(),
                    vectors,
                })
            })
            .collect()
    }
}

/// The id of the project at `root`: the folder's name, to be readable, and a hash of the whole path.
pub fn project_id(root: &Path) -> ProjectId {
    let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy().to_lowercase());
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    ProjectId::new(format!("{name}-{}", &hash[..16]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_have_ids_of_their_own() {
        let one = project_id(Path::new("/one/My App"));
        let two = project_id(Path::new("/two/My App"));
        assert!(one.as_str().starts_with("my_app-"), "{one}");
        assert_ne!(one, two);
        assert!(project_id(Path::new("/")).as_str().starts_with("root-"));
    }

    #[test]
    fn an_index_has_a_folder_of_its_own() {
        let layout = Layout::new(Path::new("/data"));
        let index = |sub_index: Option<&str>, vectors| IndexId {
            project: ProjectId::new("app-1"),
            sub_index: sub_index.map(str::to_string),
            vectors,
        };
        let folders = [
            (index(None, VectorSource::BuiltIn), "/data/projects/app-1"),
            (index(None, VectorSource::Service), "/data/projects/app-1/remote"),
            (index(Some("go"), VectorSource::BuiltIn), "/data/projects/app-1/scopes/go"),
            (index(Some("go"), VectorSource::Service), "/data/projects/app-1/scopes/go/remote"),
        ];
        for (index, folder) in folders {
            assert_eq!(layout.index(&index), Path::new(folder));
        }
    }
}
