//! Answers as an assistant or a person reads them: numbered code, few tokens, the same on every surface of Groma.
//!
//! A [`Page`] is a list of lines, each with its role. The MCP server sends its text; the command line colours it. The
//! JSON of an answer has the same content.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod budget;
mod fit;
mod grep;
mod impact;
mod outline;
mod page;
mod place;
mod read;
mod search;
mod symbol;

pub use budget::Budget;
pub use fit::{fit_json, fit_page};
pub use grep::{grep_json, grep_page};
pub use impact::{impact_json, impact_page};
pub use outline::{outline_json, outline_page};
pub use page::{Line, Page};
pub use place::{place_view_json, push_place};
pub use read::{ReadPlace, read_json, read_page};
pub use search::{search_json, search_page};
pub use symbol::{symbol_json, symbol_page};
