//! Software prefetch.
//!
//! A pass over selected rows of a table of megabytes is bound by cache misses. The hardware prefetcher only follows
//! regular strides, so such passes issue prefetch instructions themselves.

/// How many rows ahead to prefetch: processing as many takes about as long as a cache miss.
pub(super) const AHEAD: usize = 12;

/// Prefetches bytes that will be read soon.
pub(super) fn fetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no side effects, and the address is of a readable byte.
        unsafe { _mm_prefetch(line.as_ptr().cast(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
