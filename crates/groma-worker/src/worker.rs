//! The worker's side: parses what is asked for until the input ends.

use crate::confinement::{confine, renew_cpu_limit};
use crate::frame::{Response, read_request, write_response};
use groma_syntax::parse;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::panic::catch_unwind;

/// Parses requests from standard input until it ends. The program calls this as the first thing in a process that a pool
/// has started.
pub fn run_worker() -> io::Result<()> {
    // A panic is a response; its message would go to the null device.
    std::panic::set_hook(Box::new(|_| {}));
    let confinement = confine();
    serve(io::stdin().lock(), io::stdout().lock(), confinement.to_byte())
}

/// Sends `greeting`, then a response for each request.
fn serve(input: impl Read, output: impl Write, greeting: u8) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut output = BufWriter::with_capacity(1 << 16, output);
    output.write_all(&[greeting])?;
    output.flush()?;
    while let Some((path, text)) = read_request(&mut input)? {
        renew_cpu_limit();
        let parsed = catch_unwind(|| parse(&path, &text));
        write_response(
            &mut output,
            &parsed.map_or(Response::Panicked, |parsed| Response::Parsed(Box::new(parsed))),
        )?;
    }
    Ok(())
}
