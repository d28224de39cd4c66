//! Groma in the place of another program: that program's command line, translated into Groma's.
//!
//! Each module has the commands, options and environment variables of one program, as far as the document of its
//! contract and what is known of the program name them. A client whose configuration starts that program can start
//! Groma instead, by a link of that name (`groma install --as NAME`) or by `groma as NAME`.

mod cocosearch;
mod codecompass;
mod context_tool;
mod cortex;
mod gocontext;

use crate::commands::Call;
use crate::environment::Environment;
use crate::failure::{Failure, Kind};
use crate::program::Program;
use crate::project::index_name;
use anyhow::Result;
use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};
use groma_mcp::contracts::Contract;
use std::ffi::OsString;
use std::path::PathBuf;

/// Translates the command line of a program, which begins with its name, and applies its environment variables.
pub fn translate(
    program: &Program,
    line: &[OsString],
    environment: &mut Environment,
) -> Result<Translation, clap::Error> {
    match program.contract {
        Contract::GoContext => {
            gocontext::prepare(environment);
            gocontext::translate(line, environment)
        }
        Contract::Context => {
            context_tool::prepare(environment);
            parsed::<context_tool::ContextTool>(line, environment)
        }
        Contract::CodeCompass => parsed::<codecompass::CodeCompass>(line, environment),
        Contract::Cocosearch => parsed::<cocosearch::CocoSearch>(line, environment),
        Contract::Cortex => parsed::<cortex::Cortex>(line, environment),
        Contract::Native => Ok(Translation { line: line.to_vec(), index: NamedIndex::None }),
    }
}

/// A command line of Groma.
pub struct Translation {
    /// Its words.
    pub line: Vec<OsString>,
    /// The index that it names.
    pub index: NamedIndex,
}

impl Translation {
    /// A command of Groma.
    fn new(command: &[&str]) -> Self {
        let words = std::iter::once("groma").chain(command.iter().copied());
        Self { line: words.map(OsString::from).collect(), index: NamedIndex::None }
    }

    /// With an argument.
    fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.line.push(argument.into());
        self
    }

    /// With an argument, if it is given.
    fn optional(self, argument: Option<impl Into<OsString>>) -> Self {
        match argument {
            Some(argument) => self.argument(argument),
            None => self,
        }
    }

    /// With a flag, if it is given.
    fn flag(self, name: &str, is_given: bool) -> Self {
        if is_given { self.argument(name) } else { self }
    }

    /// With an option, if it is given.
    fn option(self, name: &str, value: Option<impl Into<OsString>>) -> Self {
        match value {
            Some(value) => self.argument(name).argument(value),
            None => self,
        }
    }

    /// On the index of a name.
    fn on(self, name: Option<String>) -> Self {
        Self { index: name.map_or(NamedIndex::None, NamedIndex::Existing), ..self }
    }
}

/// An index that a command names.
pub enum NamedIndex {
    /// It names none.
    None,
    /// The command is about the project of that name.
    Existing(String),
    /// The command indexes a project, which then has that name.
    New { name: String, root: Option<PathBuf> },
}

impl NamedIndex {
    /// Makes the project of that name the one the command is about.
    pub fn locate(&self, call: &mut Call) -> Result<()> {
        let Self::Existing(name) = self else { return Ok(()) };
        let names = index_name::all(&*call.environment.catalog()?)?;
        let found = names.into_iter().find(|index| index.matches(name)).ok_or_else(|| {
            Failure::new(Kind::NotFound, format!("Index '{name}' not found"))
                .hint("`groma list` shows what is indexed")
        })?;
        call.global.project = Some(found.root);
        Ok(())
    }

    /// Gives the project that was indexed its name.
    pub fn keep(&self, call: &Call) -> Result<()> {
        let Self::New { name, root } = self else { return Ok(()) };
        let root = call.project(root.as_deref())?.root;
        let taken = index_name::add(&*call.environment.catalog()?, &root, name)?;
        taken.map_or(Ok(()), |other| {
            let message = format!("'{name}' is already the index of {}", other.display());
            Err(Failure::new(Kind::Usage, message).hint("choose another name").into())
        })
    }
}

/// A program whose command line clap parses.
trait CommandLine: Parser {
    fn translated(self, environment: &Environment) -> Result<Translation, clap::Error>;
}

/// The error of a command that the program has and Groma has not.
fn not_offered(what: &str, instead: &str) -> clap::Error {
    clap::Error::raw(
        ErrorKind::InvalidSubcommand,
        format!("there is no `{what}` here: {instead}\n"),
    )
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Transport {
    Stdio,
    /// HTTP+SSE
    Sse,
    /// Streamable HTTP
    #[value(alias = "streamable-http")]
    Http,
}

fn parsed<P: CommandLine>(
    line: &[OsString],
    environment: &Environment,
) -> Result<Translation, clap::Error> {
    P::try_parse_from(line)?.translated(environment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::Args;
    use crate::program::named;
    use clap::CommandFactory;
    use std::path::Path;

    fn line(program: &str, arguments: &[&str]) -> String {
        let program = named(program).unwrap();
        let words = std::iter::once(program.name).chain(arguments.iter().copied());
        let words: Vec<OsString> = words.map(OsString::from).collect();
        let mut environment = Environment::of_test(Path::new("/data"));
        let translated = translate(program, &words, &mut environment).unwrap();
        let texts: Vec<&str> = translated.line.iter().map(|word| word.to_str().unwrap()).collect();
        Args::try_parse_from(&texts).unwrap_or_else(|error| panic!("{texts:?}: {error}"));
        texts.join(" ")
    }

    #[test]
    fn the_command_lines_are_well_formed() {
        codecompass::CodeCompass::command().debug_assert();
        cocosearch::CocoSearch::command().debug_assert();
        cortex::Cortex::command().debug_assert();
        context_tool::ContextTool::command().debug_assert();
    }

    /// The rows of "CLI Commands (non-MCP)", with every option of theirs.
    #[test]
    fn codecompass() {
        let line = |arguments: &[&str]| line("codecompass", arguments);
        assert_eq!(line(&["init"]), "groma init");
        assert_eq!(line(&["doctor", "-v"]), "groma doctor --verbose");
        assert_eq!(
            line(&["index", "--force", "--path", "api", "--ref", "main"]),
            "groma index --force --path api --ref main"
        );
        assert_eq!(
            line(&["sync", "--force", "--workspace", "api"]),
            "groma sync --force --workspace api"
        );
        assert_eq!(
            line(&["search", "rate limit", "--ref", "main", "--lang", "rust"]),
            "groma search --ref main --lang rust -- rate limit"
        );
        assert_eq!(
            line(&["--config", "own.toml", "serve-mcp", "--workspace", "api"]),
            "groma serve-mcp --contract codecompass --workspace api --config own.toml"
        );
        assert_eq!(
            line(&["serve-mcp", "--transport", "http", "--port", "9100", "--no-prewarm"]),
            "groma serve --contract codecompass --port 9100"
        );
        // "serve-mcp [... --bind --auto-workspace --allowed-root --max-auto-workspaces]"
        assert_eq!(
            line(&[
                "serve-mcp",
                "--transport",
                "http",
                "--bind",
                "127.0.0.1",
                "--auto-workspace",
                "--allowed-root",
                "a",
                "--allowed-root",
                "b",
                "--max-auto-workspaces",
                "3"
            ]),
            "groma serve --contract codecompass --port 9100 --host 127.0.0.1 --allow a --allow b"
        );
    }

    /// A command of a program that Groma does not have is refused with what to do instead, not as a misspelling.
    #[test]
    fn what_is_not_offered_is_said() {
        for (program, arguments, instead) in [
            ("codecompass", &["state", "export", "x.tar.zst"][..], "groma notes export"),
            ("codecompass", &["prune-overlays", "--older-than", "30d"], "no overlays"),
            ("codecompass", &["eval", "retrieval"], "groma eval"),
            ("cocosearch", &["index", "-e", "*.md", "--no-gitignore"], ".groma.toml"),
            ("cocosearch", &["deps", "tree"], "groma symbol"),
            ("cocosearch", &["grammars"], "groma languages"),
            ("cocosearch", &["search", "-i"], "one question"),
            ("cocosearch", &["search", "x", "--indexes", "a,b"], "several projects"),
            ("cocosearch", &["stats", "--watch"], "/metrics"),
            ("cocosearch", &["dashboard"], "/metrics"),
            ("cortex", &["embed", "start"], ".cortex/config.yml"),
            ("cortex", &["cache"], "groma clear"),
            ("cortex", &["indexer", "logs"], "--log info"),
            ("context-tool", &["show", "--sessions"], "context://sessions/recent"),
            ("context-tool", &["cleanup-sessions", "--older-than", "3"], "by themselves"),
        ] {
            let program = named(program).unwrap();
            let words = std::iter::once(program.name).chain(arguments.iter().copied());
            let words: Vec<OsString> = words.map(OsString::from).collect();
            let mut environment = Environment::of_test(Path::new("/data"));
            let Err(error) = translate(program, &words, &mut environment) else {
                panic!("{arguments:?}")
            };
            assert!(error.to_string().contains(instead), "{arguments:?}: {error}");
        }
    }

    #[test]
    fn cocosearch() {
        let line = |arguments: &[&str]| line("cocosearch", arguments);
        assert_eq!(line(&["mcp", "--project-from-cwd"]), "groma serve-mcp --contract cocosearch");
        assert_eq!(
            line(&["index", "api", "-n", "my-api", "--fresh"]),
            "groma --json index --force api"
        );
        assert_eq!(
            line(&[
                "search",
                "auth",
                "-l",
                "5",
                "--lang",
                "go",
                "--symbol-type",
                "class",
                "-C",
                "3"
            ]),
            "groma --json search --limit 5 --lang go --kind class --context 3 -- auth"
        );
        assert_eq!(
            line(&["search", "auth", "--pretty", "--hybrid"]),
            "groma search --mode hybrid -- auth"
        );
        assert_eq!(line(&["list"]), "groma --json list");
        assert_eq!(line(&["stats", "--show-failures"]), "groma --json stats --failures");
        assert_eq!(line(&["clear", "my-api", "--force"]), "groma --json clear --yes");
        assert_eq!(line(&["languages"]), "groma --json languages");
        // "transports stdio, SSE (/sse), streamable HTTP, port 3000"
        for transport in ["sse", "http", "streamable-http"] {
            let served = line(&["mcp", "--transport", transport]);
            assert_eq!(served, "groma serve --contract cocosearch --port 3000");
        }
        assert_eq!(line(&["stats", "--staleness-threshold", "3"]), "groma --json stats");
    }

    #[test]
    fn cortex_and_context_tool_and_gocontext() {
        assert_eq!(line("cortex", &["mcp"]), "groma serve-mcp --contract cortex");
        let indexed = line("cortex", &["index", "--watch", "--force"]);
        assert_eq!(indexed, "groma index --watch --force --chunks-dir .cortex/chunks");
        assert_eq!(line("cortex", &["clean"]), "groma clear --yes --chunks-dir .cortex/chunks");
        assert_eq!(line("context-tool", &["serve"]), "groma serve-mcp --contract context");
        assert_eq!(line("context-tool", &["status"]), "groma status");
        assert_eq!(
            line("context-tool", &["show", "--module", "auth"]),
            "groma notes list --all --module auth"
        );
        assert_eq!(line("context-tool", &["show", "--stats"]), "groma stats");
        assert_eq!(line("context-tool", &["doctor", "--repair"]), "groma doctor --restore");
        assert_eq!(line("cortex", &["indexer", "start"]), "groma sync");
        assert_eq!(line("cortex", &["indexer", "status"]), "groma status");
        assert_eq!(line("gocontext-mcp", &[]), "groma serve-mcp --contract gocontext");
        assert_eq!(line("gocontext-mcp", &["anything"]), "groma serve-mcp --contract gocontext");
    }
}
