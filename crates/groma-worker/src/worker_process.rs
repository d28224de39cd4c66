//! The pool's side of one worker: its process and its pipes.

use crate::confinement::{Confinement, MAX_MEMORY, OUT_OF_MEMORY};
use crate::frame::{Response, read_response, write_request};
use groma_core::RelPath;
use groma_syntax::HostError;
use std::io::{self, BufReader, BufWriter, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// The capacity asked for a pipe: most files in one piece.
#[cfg(target_os = "linux")]
const PIPE_CAPACITY: usize = 1 << 20;

/// A running worker.
pub(crate) struct WorkerProcess {
    child: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<Deadlined>,
    pub confinement: Confinement,
    /// Whether it has parsed a file before.
    pub is_used: bool,
}

impl WorkerProcess {
    /// Starts `program` with the argument that makes it a worker, and waits until it has confined itself.
    pub fn start(program: &Path, argument: &str) -> io::Result<Self> {
        let mut command = Command::new(program);
        // Neither the environment, which may hold keys, nor the project's folder concern it.
        command.arg(argument).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A terminal's Ctrl-C is for the program; its end is that of its workers.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("a worker has no pipes"));
        };
        #[cfg(target_os = "linux")]
        for pipe in [std::os::fd::AsFd::as_fd(&input), std::os::fd::AsFd::as_fd(&output)] {
            let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_CAPACITY);
        }
        let mut worker = Self {
            child,
            input: BufWriter::with_capacity(1 << 16, input),
            output: BufReader::with_capacity(1 << 16, Deadlined(output)),
            confinement: Confinement::default(),
            is_used: false,
        };
        let mut greeting = [0];
        worker.output.read_exact(&mut greeting)?;
        worker.confinement = Confinement::from_byte(greeting[0]);
        Ok(worker)
    }

    /// Has a file parsed. After an error the worker is of no more use.
    pub fn parse(&mut self, path: &RelPath, text: &str) -> io::Result<Response> {
        // A worker that dies while it reads closes its output, too.
        let written = write_request(&mut self.input, path, text);
        let response = read_response(&mut self.output, text)?;
        written?;
        self.is_used = true;
        Ok(response)
    }

    /// Why the worker died of a file.
    pub fn cause_of_death(mut self) -> HostError {
        // It is dead, what it wrote was not valid, or it does not answer.
        let _ = self.child.kill();
        match self.child.wait() {
            Ok(status) => death(status),
            Err(error) => HostError::Interrupted(error.to_string()),
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn death(status: ExitStatus) -> HostError {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let crashes = [
        (Signal::ABORT, "SIGABRT"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::BUS, "SIGBUS"),
        (Signal::ILL, "SIGILL"),
        (Signal::FPE, "SIGFPE"),
        (Signal::TRAP, "SIGTRAP"),
    ];
    if status.code() == Some(OUT_OF_MEMORY) {
        return out_of_memory();
    }
    let crash = crashes.iter().find(|(signal, _)| status.signal() == Some(signal.as_raw()));
    match crash {
        Some((_, name)) => HostError::Crashed(format!("the grammar crashed on this file ({name})")),
        None if status.signal() == Some(Signal::XCPU.as_raw()) => {
            HostError::Interrupted("parsing took too much CPU time".to_string())
        }
        None => HostError::Interrupted(format!("the parser was stopped ({status})")),
    }
}

#[cfg(not(unix))]
fn death(status: ExitStatus) -> HostError {
    // NTSTATUS codes of exceptions have the two highest bits set.
    match status.code() {
        Some(OUT_OF_MEMORY) => out_of_memory(),
        Some(code) if code as u32 >= 0xC000_0000 => {
            HostError::Crashed(format!("the grammar crashed on this file ({status})"))
        }
        _ => HostError::Interrupted(format!("the parser was stopped ({status})")),
    }
}

fn out_of_memory() -> HostError {
    HostError::Interrupted(format!("parsing needed more than {} GiB of memory", MAX_MEMORY >> 30))
}

/// The output of a worker, which may stop without ending: a read that waits for too long fails. The CPU limit ends a busy
/// worker long before.
struct Deadlined(ChildStdout);

impl Read for Deadlined {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            const STALLED: Timespec = Timespec { tv_sec: 120, tv_nsec: 0 };
            let mut output = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut output, Some(&STALLED)) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.0.read(buffer)
    }
}
