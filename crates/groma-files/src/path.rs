//! Components of slash-separated paths.

/// The last component.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}
