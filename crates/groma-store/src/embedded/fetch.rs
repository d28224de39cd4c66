//! Fetching from memory ahead of time.
//!
//! Who goes through chosen rows of a table of megabytes waits for the memory at each of them, and does little else.
//! The processor fetches rows in order by itself; these it must be told of.

/// How many rows before its turn one is fetched: they take about as long as the work on so many.
pub(super) const AHEAD: usize = 12;

/// Has the processor fetch bytes that will be read soon.
pub(super) fn fetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: fetching changes nothing, and the address is that of a byte that can be read.
        unsafe { _mm_prefetch(line.as_ptr().cast(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
