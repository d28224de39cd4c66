//! Project-relative paths.
//!
//! Paths leave the engine only in this form, so an answer can neither name a file outside the project nor
//! depend on where the project happens to be checked out.

use std::borrow::Borrow;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A path below the project root: UTF-8, `/` as separator, no `.` or `..` component, never empty.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Arc<str>);

/// Why a path is not a [`RelPath`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path is absolute, empty, or climbs out of the project.
    #[error("`{0}` is not a path inside the project")]
    Outside(String),
    /// The path holds bytes that are not UTF-8.
    #[error("`{0}` is not valid UTF-8")]
    NotUtf8(String),
}

impl RelPath {
    /// Checks and normalises a relative path.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, PathError> {
        let path = path.as_ref();
        let mut components: Vec<&str> = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(component) => components.push(
                    component
                        .to_str()
                        .ok_or_else(|| PathError::NotUtf8(path.to_string_lossy().into_owned()))?,
                ),
                Component::CurDir => {}
                _ => return Err(PathError::Outside(path.to_string_lossy().into_owned())),
            }
        }
        if components.is_empty() {
            return Err(PathError::Outside(path.to_string_lossy().into_owned()));
        }
        Ok(Self(components.join("/").into()))
    }

    /// The path as text, `/` separated.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The file name without its last extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => &name[..dot],
            _ => name,
        }
    }

    /// What follows the last dot of the file name.
    pub fn extension(&self) -> Option<&str> {
        let name = self.file_name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => Some(&name[dot + 1..]),
            _ => None,
        }
    }

    /// The folder of the file; empty at the root.
    pub fn folder(&self) -> &str {
        self.0.rfind('/').map_or("", |slash| &self.0[..slash])
    }

    /// The folders above the file, outermost first.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folder().split('/').filter(|folder| !folder.is_empty())
    }

    /// Where the file is, given the project's root.
    pub fn under(&self, root: &Path) -> PathBuf {
        root.join(&*self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for RelPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises_and_refuses_escapes() {
        assert_eq!(RelPath::new("./src//main.rs").unwrap().as_str(), "src/main.rs");
        assert!(matches!(RelPath::new("../x"), Err(PathError::Outside(_))));
        assert!(matches!(RelPath::new("/etc/passwd"), Err(PathError::Outside(_))));
        assert!(matches!(RelPath::new("."), Err(PathError::Outside(_))));
    }

    #[test]
    fn names_its_parts() {
        let path = RelPath::new("src/net/pool.test.rs").unwrap();
        assert_eq!(path.file_name(), "pool.test.rs");
        assert_eq!(path.stem(), "pool.test");
        assert_eq!(path.extension(), Some("rs"));
        assert_eq!(path.folder(), "src/net");
        assert_eq!(path.folders().collect::<Vec<_>>(), ["src", "net"]);
        assert_eq!(RelPath::new(".env").unwrap().extension(), None);
    }
}
