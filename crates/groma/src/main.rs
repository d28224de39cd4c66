//! The binary.
mod commands;
mod config;
mod project;
use clap::Parser;

#[derive(Parser)]
enum Cli {
    Eval(commands::eval::EvalArgs),
    Index { path: std::path::PathBuf },
}

fn main() -> anyhow::Result<()> {
    let home = std::path::PathBuf::from(std::env::var("GROMA_HOME").unwrap());
    match Cli::parse() {
        Cli::Eval(args) => commands::eval::run(&args, &home, &mut std::io::stdout().lock()),
        Cli::Index { path } => {
            let engine = project::Project::find(&path, &home)?.engine(Default::default())?;
            let report = engine.index(&(), &Default::default())?;
            println!("{report:#?}");
            println!("{:?}", engine.status()?.size);
            Ok(())
        }
    }
}
