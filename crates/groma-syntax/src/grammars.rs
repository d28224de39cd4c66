//! The grammars' versions, which are part of an index's identity: facts of two grammars must not mix.

/// tree-sitter and every grammar crate, with the version that `Cargo.toml` pins. A constant costs nothing at start-up,
/// and because the pins are exact no build has other versions than these; a test compares both.
const GRAMMARS: &[(&str, &str)] = &[
    ("arborium-perl", "2.18.2"),
    ("tree-sitter", "0.27.1"),
    ("tree-sitter-bash", "0.25.1"),
    ("tree-sitter-c", "0.24.2"),
    ("tree-sitter-c-sharp", "0.23.5"),
    ("tree-sitter-cmake", "0.7.6"),
    ("tree-sitter-containerfile", "0.9.2"),
    ("tree-sitter-cpp", "0.23.4"),
    ("tree-sitter-css", "0.25.0"),
    ("tree-sitter-dart", "0.3.0"),
    ("tree-sitter-elixir", "0.3.5"),
    ("tree-sitter-erlang", "0.21.0"),
    ("tree-sitter-go", "0.25.0"),
    ("tree-sitter-haskell", "0.24.1"),
    ("tree-sitter-hcl", "1.1.0"),
    ("tree-sitter-html", "0.23.2"),
    ("tree-sitter-java", "0.23.5"),
    ("tree-sitter-javascript", "0.25.0"),
    ("tree-sitter-json", "0.24.8"),
    ("tree-sitter-julia", "0.23.1"),
    ("tree-sitter-kotlin-sg", "0.4.1"),
    ("tree-sitter-lua", "0.5.0"),
    ("tree-sitter-make", "1.1.1"),
    ("tree-sitter-nix", "0.3.0"),
    ("tree-sitter-ocaml", "0.26.0"),
    ("tree-sitter-php", "0.25.1"),
    ("tree-sitter-proto", "0.6.0"),
    ("tree-sitter-python", "0.25.0"),
    ("tree-sitter-r", "1.3.0"),
    ("tree-sitter-ruby", "0.23.1"),
    ("tree-sitter-rust", "0.24.2"),
    ("tree-sitter-scala", "0.26.4"),
    ("tree-sitter-sequel", "0.3.11"),
    ("tree-sitter-swift", "0.7.4"),
    ("tree-sitter-toml-ng", "0.7.0"),
    ("tree-sitter-typescript", "0.23.2"),
    ("tree-sitter-yaml", "0.7.2"),
    ("tree-sitter-zig", "1.1.2"),
];

/// A hash of the grammars' versions: facts extracted under different fingerprints may differ.
pub const fn grammar_fingerprint() -> u64 {
    let mut hash = FNV_OFFSET;
    let mut at = 0;
    while at < GRAMMARS.len() {
        hash = fnv1a(fnv1a(hash, GRAMMARS[at].0), GRAMMARS[at].1);
        at += 1;
    }
    hash
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// FNV-1a of a string and a terminator, so that `("a", "b")` and `("ab", "")` differ. Stored indexes depend on it, hence
/// no hasher of a library, which may change.
const fn fnv1a(mut hash: u64, text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(FNV_PRIME);
        at += 1;
    }
    (hash ^ 0xff).wrapping_mul(FNV_PRIME)
}

#[cfg(test)]
mod tests;
