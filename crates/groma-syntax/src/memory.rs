//! The allocator of tree-sitter's nodes.
//!
//! A parse allocates a node for nearly every token and frees it soon after, on several threads at once. The system's
//! allocator took a tenth of a cold index for that; mimalloc takes half as much.
//!
//! Transparent huge pages are off (`no_thp`): they save as much time on TLB misses as zeroing them costs, and peak
//! memory of a cold index is a sixth lower without.

use libmimalloc_sys::{mi_calloc, mi_free, mi_malloc, mi_realloc};
use std::sync::Once;
use tree_sitter::Allocator;

/// Makes tree-sitter use mimalloc. Must be called before the first parser is made; later calls do nothing.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let allocator =
            Allocator { malloc: mi_malloc, calloc: mi_calloc, realloc: mi_realloc, free: mi_free };
        // SAFETY: the four functions are one allocator's, and tree-sitter has allocated nothing before: every query and
        // parser of this program is made behind `Language::compiled`, which calls this first.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    });
}
