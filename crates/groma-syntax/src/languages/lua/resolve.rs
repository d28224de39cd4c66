//! Lua: `require "a.b"` is `a/b.lua` or `a/b/init.lua` below a folder of the search path.

use crate::resolve::{Files, ImportRules, ancestors, join, only_nearest};
use groma_core::RelPath;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve) };

/// Folders in which the search path of a project usually starts.
const ROOTS: &[&str] = &["", "lua", "src", "lib"];

fn resolve(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let path = match import.strip_suffix(".lua") {
        Some(file) => file.to_string(),
        None => import.replace('.', "/"),
    };
    let endings = [format!("{path}.lua"), format!("{path}/init.lua")];
    let unknown = endings.iter().all(|ending| files.ending(ending).next().is_none());
    if unknown {
        return Vec::new();
    }
    let above = ancestors(from.folder()).find_map(|folder| {
        ROOTS.iter().find_map(|root| {
            files.first(&join(&join(folder, root)?, &path)?, &[".lua", "/init.lua"])
        })
    });
    let found = above
        .or_else(|| only_nearest(from, endings.iter().flat_map(|ending| files.ending(ending))));
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
            "lua",
            "lua/shop/init.lua lua/shop/cart.lua src/util.lua plugin/x.lua deps/json/json.lua",
            &[],
            &[
                ("plugin/x.lua", "shop", "lua/shop/init.lua"),
                ("plugin/x.lua", "shop.cart", "lua/shop/cart.lua"),
                ("plugin/x.lua", "shop/cart", "lua/shop/cart.lua"),
                ("plugin/x.lua", "util", "src/util.lua"),
                ("plugin/x.lua", "json", "deps/json/json.lua"),
                ("plugin/x.lua", "socket.http", ""),
            ],
        );
    }
}
