//! Classifies files by path: sources, tests, examples, records and stubs rank differently.

use groma_core::RelPath;

/// The kind of a file, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// Production code.
    Source,
    /// A test, a fixture or a mock.
    Test,
    /// An example, a benchmark, a script or a tool beside the product.
    Example,
    /// A changelog, a licence or a list of contributors; seldom an answer.
    Record,
    /// Declarations without bodies, or code kept for other versions.
    Stub,
}

const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "testdata",
    "spec",
    "specs",
    "__tests__",
    "fixtures",
    "fixture",
    "mocks",
    "__mocks__",
    "testutil",
    "testutils",
    "e2e",
    "integration_tests",
    "unit_tests",
    "test_data",
];

const EXAMPLE_FOLDERS: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "benchmark",
    "benchmarks",
    "bench",
    "benches",
    "perf",
    "performance",
    "docs_src",
    "scripts",
    "script",
    "tools",
    "hack",
    "contrib",
    "playground",
    "www",
    "website",
    "tutorial",
    "tutorials",
    ".github",
    "docs",
    "doc",
    "documentation",
    "microbenchmarks",
    "fuzz",
];

const RECORD_STEMS: &[&str] = &[
    "changelog",
    "changes",
    "history",
    "news",
    "authors",
    "contributors",
    "license",
    "licence",
    "copying",
    "code_of_conduct",
    "release_notes",
    "releases",
    "upgrading",
    "thanks",
    "release-notes",
];

/// Classifies a path. It is lowercased once as a whole, because a query classifies hundreds.
pub fn kind(path: &RelPath) -> PathKind {
    let lower = path.as_str().to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = &name[..path.stem().len()];
    let has_folder = |fits: fn(&str) -> bool| folders.split('/').any(fits);
    if RECORD_STEMS.contains(&stem) {
        PathKind::Record
    } else if is_test_name(stem, path) || has_folder(is_test_folder) {
        PathKind::Test
    } else if has_folder(|folder| EXAMPLE_FOLDERS.contains(&folder)) || stem.starts_with("example")
    {
        PathKind::Example
    } else if name.ends_with(".pyi") || name.ends_with(".d.ts") || has_folder(is_old) {
        PathKind::Stub
    } else {
        PathKind::Source
    }
}

/// The path of a C or C++ implementation, without its extension.
pub(crate) fn implementation(path: &RelPath) -> Option<&str> {
    strip_extension(path, &["c", "cc", "cpp", "cxx", "m", "mm"])
}

/// The path of a header, without its extension.
pub(crate) fn header(path: &RelPath) -> Option<&str> {
    strip_extension(path, &["h", "hpp"])
}

fn strip_extension<'p>(path: &'p RelPath, extensions: &[&str]) -> Option<&'p str> {
    let (rest, extension) = path.as_str().rsplit_once('.')?;
    extensions.contains(&extension).then_some(rest)
}

fn is_test_folder(folder: &str) -> bool {
    TEST_FOLDERS.contains(&folder)
        || folder.ends_with("_test")
        || folder.ends_with("-tests")
        || folder.ends_with("_tests")
        || folder.ends_with(".tests")
        || folder.ends_with("-test")
}

fn is_old(folder: &str) -> bool {
    matches!(folder, "compat" | "legacy" | "deprecated" | "_compat" | "polyfills" | "polyfill")
}

/// `lower` is the lowercased stem.
fn is_test_name(lower: &str, path: &RelPath) -> bool {
    let (name, stem) = (path.file_name(), path.stem());
    let camel_test = ["Test", "Tests", "TestCase", "Spec", "Specs", "Suite"].iter().any(|end| {
        stem.strip_suffix(end).is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_lowercase()))
    });
    lower.starts_with("test_")
        || ["_test", "_tests", "_spec"].iter().any(|end| lower.ends_with(end))
        || matches!(lower, "test" | "tests" | "conftest")
        || name.contains(".test.")
        || name.contains(".spec.")
        || camel_test
        || name.ends_with(".bats")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_classified() {
        use PathKind::*;
        let cases = [
            ("src/net/pool.rs", Source),
            ("pkg/auth/jwt_test.go", Test),
            ("tests/it/main.rs", Test),
            ("src/__tests__/a.ts", Test),
            ("src/app.spec.ts", Test),
            ("core/src/test/java/FooTest.java", Test),
            ("src/Contest.java", Source),
            ("examples/hello.py", Example),
            ("docs/guide.md", Example),
            ("CHANGELOG.md", Record),
            ("types/index.d.ts", Stub),
            ("src/testing.rs", Source),
        ];
        for (path, expected) in cases {
            assert_eq!(kind(&RelPath::new(path).unwrap()), expected, "{path}");
        }
    }
}
