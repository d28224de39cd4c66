//! Where tree-sitter's nodes live.
//!
//! A parse makes a node for nearly every token and frees it a moment later, on several threads at once. The
//! system's allocator took a tenth of a cold index for that; mimalloc takes half as much.
//!
//! Without huge pages (`no_thp`): they save as much time on look-ups as it takes to fill them with zeros, and the
//! peak of a cold index is a sixth lower without.

use libmimalloc_sys::{mi_calloc, mi_free, mi_malloc, mi_realloc};
use std::sync::Once;
use tree_sitter::Allocator;

/// Has tree-sitter use mimalloc. Called before the first parser is made; later calls do nothing.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let allocator =
            Allocator { malloc: mi_malloc, calloc: mi_calloc, realloc: mi_realloc, free: mi_free };
        // SAFETY: the four functions belong together, and nothing was allocated by others before: every
        // query and parser of this program is made behind `Language::compiled`, which calls this first.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    });
}
