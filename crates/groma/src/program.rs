//! The programs whose place Groma can take.

use groma_mcp::contracts::Contract;
use std::ffi::OsStr;
use std::path::Path;

/// A program that Groma can be started as.
#[derive(Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Other names of it.
    aliases: &'static [&'static str],
    /// The contract it serves.
    pub contract: Contract,
}

const PROGRAMS: &[Program] = &[
    Program { name: "gocontext-mcp", aliases: &["gocontext"], contract: Contract::GoContext },
    Program { name: "context-tool", aliases: &["kioku"], contract: Contract::Context },
    Program { name: "codecompass", aliases: &["cruxe"], contract: Contract::CodeCompass },
    Program { name: "cocosearch", aliases: &[], contract: Contract::Cocosearch },
    Program { name: "cortex", aliases: &["cortex-mcp"], contract: Contract::Cortex },
];

/// The program of a name.
pub fn named(name: &str) -> Result<&'static Program, String> {
    let is_named = |program: &&Program| program.name == name || program.aliases.contains(&name);
    PROGRAMS.iter().find(is_named).ok_or_else(|| {
        let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        format!("`{name}` is none of {}", names.join(", "))
    })
}

/// The program that this process was started as, by the name of its file.
pub fn started_as(program: &OsStr) -> Option<&'static Program> {
    let name = Path::new(program).file_name()?.to_str()?;
    named(name.strip_suffix(".exe").unwrap_or(name)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_recognised_by_the_name_of_the_link() {
        let name = |path: &str| started_as(OsStr::new(path)).map(|program| program.name);
        assert_eq!(name("/usr/local/bin/codecompass"), Some("codecompass"));
        assert_eq!(name("cortex"), Some("cortex"));
        assert_eq!(name("./gocontext-mcp.exe"), Some("gocontext-mcp"));
        assert_eq!(name("kioku"), Some("context-tool"));
        assert_eq!(name("/opt/groma"), None);
        assert_eq!(name(""), None);
    }
}
