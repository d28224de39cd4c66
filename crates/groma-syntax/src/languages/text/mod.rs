//! Plain text.

use crate::language::{Language, prose};

pub(super) const LANGUAGE: Language =
    prose("text", &["txt", "text", "adoc", "asciidoc", "org", "tex"]);
