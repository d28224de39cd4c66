//! Random identities.

use groma_core::StoreError;

/// Sixteen random bytes of the operating system.
pub(crate) fn bytes() -> Result<[u8; 16], StoreError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::unavailable(error.to_string()))?;
    Ok(bytes)
}
