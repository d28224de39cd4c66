//! `cargo xtask`: the chores of this repository.

mod bench;
mod branch;
mod corpus;
mod ctags;
mod eval;
mod graph;
mod grep;
mod mcp;
mod parsers;
mod peers;
mod process;
mod servers;
mod tidy;
mod warm;
mod workspace;

use anyhow::Result;
use clap::Parser;

/// As in the product, whose speed is measured here.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Check the rules of this repository, measure its speed and its answers
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
enum Task {
    /// Check the rules that the compiler does not: dependency edges, module docs, lists that must agree
    Tidy,
    Bench(bench::BenchArgs),
    Eval(eval::EvalArgs),
    Ctags(ctags::CtagsArgs),
    Graph(graph::GraphArgs),
    Parsers(parsers::ParsersArgs),
    #[command(hide = true)]
    Warm(warm::WarmArgs),
}

fn main() -> Result<()> {
    match Task::parse() {
        Task::Tidy => tidy::run(),
        Task::Bench(args) => bench::run(&args),
        Task::Eval(args) => eval::run(&args),
        Task::Ctags(args) => ctags::run(&args),
        Task::Graph(args) => graph::run(&args),
        Task::Parsers(args) => parsers::run(&args),
        Task::Warm(args) => warm::run(&args),
    }
}
