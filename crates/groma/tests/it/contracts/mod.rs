//! The surfaces through the program: what needs its processes, its files and its settings. Everything else is tested in
//! groma-mcp, in process.

mod cocosearch;
mod codecompass;
mod context;
mod cortex;
mod gocontext;
