//! Folders that only their owner can read: an index and a notebook say as much as the project they are of.

use std::io;
use std::path::Path;

/// Creates a folder and those above it that are missing, for the owner only. Existing ones stay as they are.
pub(crate) fn create_private_folders(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn others_cannot_enter() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        create_private_folders(&data.join("projects/a")).unwrap();
        create_private_folders(&data.join("projects/a")).unwrap();
        for path in [data.clone(), data.join("projects"), data.join("projects/a")] {
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
