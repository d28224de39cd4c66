//! What Java, Kotlin, Scala and Groovy share: the import resolver, for which a dotted name is a path below some source root.
//!
//! Source roots are known only to the build, so any folder may be one. Of several files with the same name those of
//! the nearest module are chosen; the path up to `src` counts as the module, so that tests see the main sources beside
//! them.

use crate::resolve::{Files, ImportRules, keep_best, last_part, parent, root_of, shared};
use groma_core::RelPath;

/// Imports that name classes.
pub(super) static CLASSES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve_class) };

/// Imports that name classes or members of a package.
pub(super) static MEMBERS: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve_member) };

const ENDINGS: &[&str] = &["java", "kt", "scala", "groovy", "kts"];

/// Folders below which a source root starts, even if the folders leave out the first parts of the package.
const ROOT_NAMES: &[&str] = &["kotlin", "scala", "java", "groovy", "src"];

/// Java: a class, a member of a class, or all of a package.
fn resolve_class(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let path = dotted_path(import);
    let found = class(files, from, &path);
    if found.is_empty() { package(files, from, &path) } else { found }
}

/// Kotlin and Scala: as in Java, but a name need not be defined in a file of that name, so a name without a file of its
/// own means all files of its package.
fn resolve_member(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let found = resolve_class(files, from, import);
    if !found.is_empty() {
        return found;
    }
    let path = dotted_path(import);
    let short = class_below_root(files, from, &path);
    match path.rfind('/') {
        Some(slash) if short.is_empty() && !import.ends_with('*') => {
            package(files, from, &path[..slash])
        }
        _ => short,
    }
}

fn dotted_path(import: &str) -> String {
    let import = import.trim_start_matches("static ").trim();
    let import =
        [".*", "._", ".given"].iter().find_map(|end| import.strip_suffix(end)).unwrap_or(import);
    import.trim_end_matches('.').replace('.', "/").replace('`', "")
}

/// The file of a class; members and nested classes are in that of the outer one.
fn class(files: &Files, from: &RelPath, path: &str) -> Vec<RelPath> {
    let mut name = path;
    while name.contains('/') {
        let found = sources(files, from, name, |root| is_root(root, path));
        if !found.is_empty() {
            return found;
        }
        name = parent(name);
        if !last_part(name).starts_with(char::is_uppercase) {
            break;
        }
    }
    Vec::new()
}

/// The file of a class below a root whose folders leave out the first parts of the package.
fn class_below_root(files: &Files, from: &RelPath, path: &str) -> Vec<RelPath> {
    let outer = parent(parent(path));
    if outer.is_empty() || is_library(path) {
        return Vec::new();
    }
    sources(files, from, &path[outer.len() + 1..], |root| {
        let mut folders = root.rsplit('/').zip(outer.rsplit('/'));
        let different = folders.find(|(folder, part)| folder != part);
        different.is_some_and(|(folder, _)| ROOT_NAMES.contains(&folder))
    })
}

/// The files whose path ends with `name` and a known ending, below a root that fits.
fn sources(files: &Files, from: &RelPath, name: &str, fits: impl Fn(&str) -> bool) -> Vec<RelPath> {
    let suffixes = ENDINGS.iter().map(|ending| format!("{name}.{ending}")).collect::<Vec<_>>();
    let candidates = suffixes
        .iter()
        .flat_map(|suffix| files.ending(suffix).map(|path| (path, root_of(path.as_str(), suffix))));
    let found = nearest_module(from, candidates.filter(|(_, root)| fits(root)));
    found.into_iter().cloned().collect()
}

/// All files of a package.
fn package(files: &Files, from: &RelPath, path: &str) -> Vec<RelPath> {
    let folders = files.folders_ending(path).map(|folder| (folder, root_of(folder, path)));
    nearest_module(from, folders.filter(|(_, root)| is_root(root, path)))
        .into_iter()
        .flat_map(|folder| files.inside(folder))
        .filter(|path| path.extension().is_some_and(|extension| ENDINGS.contains(&extension)))
        .cloned()
        .collect()
}

/// `java.util` is not the folder `util` in `src/main/java`.
fn is_root(root: &str, path: &str) -> bool {
    !(is_library(path) && matches!(last_part(root), "main" | "test" | "src" | ""))
}

/// Whether a name starts like those of the standard libraries.
fn is_library(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    matches!(first, "java" | "javax" | "kotlin" | "scala" | "groovy")
}

/// The candidates in the module nearest to `from`, given with the root each was found below.
fn nearest_module<'a, T>(from: &RelPath, candidates: impl Iterator<Item = (T, &'a str)>) -> Vec<T> {
    let kept = keep_best(candidates, |(_, root)| shared(from.folder(), module(root)));
    kept.into_iter().map(|(candidate, _)| candidate).collect()
}

/// A source root without its `src` and what follows it.
fn module(root: &str) -> &str {
    let mut start = 0;
    for part in root.split('/') {
        if part == "src" {
            return root[..start].trim_end_matches('/');
        }
        start += part.len() + 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_of_java_resolve() {
        check(
            "java",
            "app/src/main/java/com/shop/Cart.java app/src/main/java/com/shop/net/Pool.java
         app/src/main/java/util/Lists.java app/src/test/java/com/shop/CartTest.java
         app/src/test/java/com/shop/net/PoolTest.java lib/src/main/java/com/shop/Cart.java
         lib/src/main/kotlin/com/shop/Money.kt other/src/main/java/com/shop/Other.java",
            &[],
            &[
                (
                    "app/src/main/java/com/shop/net/Pool.java",
                    "com.shop.Cart",
                    "app/src/main/java/com/shop/Cart.java",
                ),
                (
                    "lib/src/main/java/com/shop/X.java",
                    "com.shop.Cart",
                    "lib/src/main/java/com/shop/Cart.java",
                ),
                (
                    "app/src/main/java/com/shop/Cart.java",
                    "com.shop.net.Pool.Builder",
                    "app/src/main/java/com/shop/net/Pool.java",
                ),
                (
                    "app/src/main/java/com/shop/Cart.java",
                    "static com.shop.net.Pool.Builder.make",
                    "app/src/main/java/com/shop/net/Pool.java",
                ),
                (
                    "app/src/main/java/com/shop/Cart.java",
                    "com.shop.net.Pool.*",
                    "app/src/main/java/com/shop/net/Pool.java",
                ),
                (
                    "app/src/main/java/com/shop/Cart.java",
                    "com.shop.net.*",
                    "app/src/main/java/com/shop/net/Pool.java app/src/test/java/com/shop/net/PoolTest.java",
                ),
                (
                    "app/src/main/java/com/shop/Cart.java",
                    "com.shop.net",
                    "app/src/main/java/com/shop/net/Pool.java app/src/test/java/com/shop/net/PoolTest.java",
                ),
                (
                    "app/src/main/java/com/shop/Cart.java",
                    "com.shop.Money",
                    "lib/src/main/kotlin/com/shop/Money.kt",
                ),
                ("app/src/main/java/com/shop/Cart.java", "com.shop.Generated", ""),
                ("app/src/main/java/com/shop/Cart.java", "java.util.*", ""),
                ("app/src/main/java/com/shop/Cart.java", "java.util.Lists", ""),
                ("app/src/main/java/com/shop/Cart.java", "org.junit.Test", ""),
            ],
        );
    }

    #[test]
    fn imports_of_kotlin_and_scala_resolve() {
        let paths =
            "app/src/main/kotlin/com/shop/Cart.kt app/src/main/kotlin/com/shop/text/format.kt
         app/src/main/kotlin/com/shop/text/Words.kt app/src/main/kotlin/short/Name.kt
         app/src/commonMain/kotlin/com/multi/Clock.kt app/src/jvmMain/kotlin/com/multi/Clock.kt
         app/src/main/java/com/shop/Old.java app/src/main/scala/com/shop/models/User.scala
         app/src/main/scala/com/shop/models/Order.scala";
        let from = "app/src/main/kotlin/com/shop/Main.kt";
        let clocks = "app/src/commonMain/kotlin/com/multi/Clock.kt app/src/jvmMain/kotlin/com/multi/Clock.kt";
        let text = "app/src/main/kotlin/com/shop/text/Words.kt app/src/main/kotlin/com/shop/text/format.kt";
        check(
            "kotlin",
            paths,
            &[],
            &[
                (from, "com.shop.Cart", "app/src/main/kotlin/com/shop/Cart.kt"),
                (from, "com.shop.Cart as Basket", "app/src/main/kotlin/com/shop/Cart.kt"),
                (from, "com.shop.Cart.Companion.EMPTY", "app/src/main/kotlin/com/shop/Cart.kt"),
                (from, "com.shop.Old", "app/src/main/java/com/shop/Old.java"),
                (from, "com.shop.text.capitalise", text),
                (from, "com.shop.text.*", text),
                (from, "com.shop.text..*", text),
                (from, "org.example.short.Name", "app/src/main/kotlin/short/Name.kt"),
                (from, "com.multi.Clock", clocks),
                (from, "kotlin.collections.List", ""),
                (from, "org.junit.Test", ""),
            ],
        );
        let from = "app/src/main/scala/com/shop/Main.scala";
        let models = "app/src/main/scala/com/shop/models/Order.scala app/src/main/scala/com/shop/models/User.scala";
        check(
            "scala",
            paths,
            &[],
            &[
                (from, "com.shop.models.User", "app/src/main/scala/com/shop/models/User.scala"),
                (from, "com.shop.models.{User, Order => O}", models),
                (from, "com.shop.models._", models),
                (from, "models.User", "app/src/main/scala/com/shop/models/User.scala"),
                (from, "scala.collection.mutable", ""),
            ],
        );
    }
}
