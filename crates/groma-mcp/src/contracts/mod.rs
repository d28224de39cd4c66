//! The surfaces: the native one, and the five contracts.

pub mod cocosearch;
pub mod codecompass;
pub mod context;
pub mod cortex;
mod filter;
pub mod gocontext;
mod handles;
pub mod native;

use crate::surface::Surface;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A surface by its name. The command that starts the server chooses it; it is never inferred from the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contract {
    /// Every capability, in few tools.
    #[default]
    Native,
    /// CocoSearch: six tools over named indexes.
    Cocosearch,
    /// GoContext: index, search and status of Go projects.
    GoContext,
    /// CodeCompass.
    CodeCompass,
    /// Cortex: one search over code and documents, from the index or from chunk files.
    Cortex,
    /// Context Tool: notebook, files and grep.
    Context,
}

/// Which tools of the native surface a server offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// Those that an assistant needs for its work.
    #[default]
    Work,
    /// Also those that maintain and explain an index.
    All,
}

impl Contract {
    /// Every surface.
    pub const ALL: &'static [Contract] = &[
        Self::Native,
        Self::GoContext,
        Self::Context,
        Self::CodeCompass,
        Self::Cocosearch,
        Self::Cortex,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Cocosearch => "cocosearch",
            Self::GoContext => "gocontext",
            Self::CodeCompass => "codecompass",
            Self::Cortex => "cortex",
            Self::Context => "context",
        }
    }

    /// A surface of this contract, with a state of its own. Only the native one has a choice of tools.
    pub fn surface(self, tools: ToolSet) -> Arc<dyn Surface> {
        match self {
            Self::Native => Arc::new(native::Native::new(tools)),
            Self::Cocosearch => Arc::new(cocosearch::Cocosearch),
            Self::GoContext => Arc::new(gocontext::GoContext),
            Self::CodeCompass => Arc::new(codecompass::CodeCompass),
            Self::Cortex => Arc::new(cortex::Cortex::default()),
            Self::Context => Arc::new(context::ContextTool::default()),
        }
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Contract {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|contract| contract.as_str() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|contract| contract.as_str()).collect();
            format!("`{name}` is none of {}", names.join(", "))
        })
    }
}
