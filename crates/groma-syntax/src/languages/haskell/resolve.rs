//! Haskell: `A.B` is `A/B.hs` below a source root, which is any folder that is not one of modules itself.

use crate::resolve::{Files, ImportRules, last_part, only_nearest, root_of};
use groma_core::RelPath;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve) };

fn resolve(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let path = import.replace('.', "/");
    let suffixes = ["hs", "lhs", "hsc"].map(|ending| format!("{path}.{ending}"));
    let rooted = suffixes.iter().flat_map(|suffix| {
        files.ending(suffix).filter(|path| !is_module(root_of(path.as_str(), suffix)))
    });
    only_nearest(from, rooted).into_iter().collect()
}

/// Folders of modules start with a capital.
fn is_module(folder: &str) -> bool {
    last_part(folder).starts_with(|first: char| first.is_uppercase())
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
            "haskell",
            "src/Shop/Cart.hs src/Shop/Data/Map.hs app/Main.hs src/Types.hs",
            &[],
            &[
                ("app/Main.hs", "Shop.Cart", "src/Shop/Cart.hs"),
                ("app/Main.hs", "Types", "src/Types.hs"),
                ("app/Main.hs", "Shop.Data.Map", "src/Shop/Data/Map.hs"),
                ("app/Main.hs", "Data.Map", ""),
            ],
        );
    }
}
