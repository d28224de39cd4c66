//! C and its kin: the path as seen from the including file, or the end of the path of one header.
//!
//! Quotes and angle brackets are gone by now, and include folders are known to the build only; a header of
//! the standard library is therefore looked for beside the including file and nowhere else.

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
