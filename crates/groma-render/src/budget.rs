//! The size of an answer.

/// Maximum size of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    chars: usize,
}

/// Characters per token of code, rounded down: common tokenizers average 3.2 to 3.6.
const CHARS_PER_TOKEN: usize = 3;

impl Budget {
    /// No limit: a person scrolls.
    pub const UNLIMITED: Self = Self { chars: u32::MAX as usize };

    /// A budget of so many tokens.
    pub fn tokens(tokens: usize) -> Self {
        Self { chars: tokens * CHARS_PER_TOKEN }
    }

    /// The budget to plan the content of a JSON answer with: names, quotes and escapes take the rest.
    pub fn of_json_content(self) -> Self {
        Self { chars: self.chars / 5 * 3 }
    }

    /// The budget in characters.
    pub fn chars(self) -> usize {
        self.chars
    }
}
