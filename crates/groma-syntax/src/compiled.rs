//! Grammars and queries, compiled at first use.

use crate::capture::Capture;
use crate::fast::FastParser;
use crate::language::Language;
use crate::languages::LANGUAGES;
use crate::lowering::Codes;
use crate::query::Query;
use std::sync::OnceLock;

/// The compiled grammars, by row.
static COMPILED: [OnceLock<Compiled>; 128] = [const { OnceLock::new() }; 128];

/// A grammar with its query and the meaning of each capture.
pub(crate) struct Compiled {
    pub grammar: tree_sitter::Language,
    pub query: Query,
    /// The hand-written parser, if there is one.
    pub fast: Option<FastParser>,
    pub captures: Vec<Capture>,
    /// The separator of the language's names.
    pub separator: &'static str,
    /// The node kinds and fields of the language's lowering, if it has one.
    pub codes: Option<Codes>,
}

impl Language {
    /// Compiles the query and returns what does not fit the grammar.
    pub fn check(&self) -> Result<(), String> {
        let Some(grammar) = self.grammar else { return Ok(()) };
        crate::memory::prepare();
        Query::new(&grammar(), self.query)
            .map(drop)
            .map_err(|error| format!("languages/{}/query.scm: {error}", self.name))
    }

    /// The grammar and its query, compiled at first use.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        let grammar = self.grammar?;
        let row = LANGUAGES.iter().position(|row| row.name == self.name)?;
        Some(COMPILED[row].get_or_init(|| {
            crate::memory::prepare();
            let grammar = grammar();
            let mut query = Query::new(&grammar, self.query)
                .unwrap_or_else(|error| panic!("languages/{}/query.scm: {error}", self.name));
            let captures = query.capture_names.iter().map(|name| Capture::named(name)).collect();
            let fast = FastParser::new(self.name, &grammar);
            let separator = self.naming.separator;
            let codes = self.lowering.map(|lowering| Codes::new(&grammar, lowering));
            if let Some(codes) = &codes {
                query.keep_fields(|kind| codes.kind(kind) != 0);
            }
            Compiled { grammar, query, fast, captures, separator, codes }
        }))
    }
}
