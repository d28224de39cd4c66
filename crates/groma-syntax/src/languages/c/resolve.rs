//! C, C++ and Objective-C: a path relative to the including file, or the end of the path of one header.
//!
//! Imports have lost their quotes and angle brackets, and include folders are known only to the build; a header of
//! the standard library is therefore searched for beside the including file and nowhere else.

use crate::resolve::{Files, ImportRules, join, only_nearest};
use groma_core::RelPath;

pub(in super::super) static IMPORTS: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve) };

#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h", "limits.h",
    "locale.h", "math.h", "memory.h", "poll.h", "pthread.h", "sched.h", "semaphore.h", "setjmp.h", "signal.h",
    "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
    "string.h", "strings.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "unistd.h", "wchar.h", "wctype.h",
    "windows.h",
];

fn resolve(files: &Files, from: &RelPath, include: &str) -> Vec<RelPath> {
    let include = include.replace('\\', "/");
    let beside = join(from.folder(), &include).and_then(|path| files.get(&path));
    let found = beside.or_else(|| {
        let suffix = include.trim_start_matches("./");
        if STANDARD.contains(&suffix) || suffix.starts_with("sys/") || suffix.starts_with("../") {
            return None;
        }
        only_nearest(from, files.ending(suffix))
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
        "c",
        "src/main.c src/net/pool.c src/net/pool.h src/util/list.h include/shop/cart.h include/shop/net/pool.h
         third/a/include/dup.h third/b/include/dup.h src/compat/string.h lib/x/config.h config.h",
        &[],
        &[
            ("src/net/pool.c", "pool.h", "src/net/pool.h"),
            ("src/net/pool.c", "../util/list.h", "src/util/list.h"),
            ("src/main.c", "net/pool.h", "src/net/pool.h"),
            ("src/main.c", "shop/cart.h", "include/shop/cart.h"),
            ("src/main.c", "shop/net/pool.h", "include/shop/net/pool.h"),
            ("src/main.c", "util\\list.h", "src/util/list.h"),
            ("src/main.c", "list.h", "src/util/list.h"),
            ("src/main.c", "config.h", "config.h"),
            ("lib/x/y/z.c", "config.h", "lib/x/config.h"),
            ("third/a/src/x.c", "dup.h", "third/a/include/dup.h"),
            ("src/main.c", "dup.h", ""),
            ("src/main.c", "string.h", ""),
            ("src/main.c", "vector", ""),
            ("src/main.c", "../../../x.h", ""),
        ],
    );
    }
}
