//! Running a program and measuring its resource usage.

use anyhow::{Context, Result, bail};
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a run of a program took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// User and system time, of all threads and of the children it waited for.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// The most memory it held at a time; of several processes, the largest one's.
    pub peak_bytes: u64,
}

/// Runs a program to its end. Gives what it took and its standard output.
pub fn measure(command: &mut Command) -> Result<(Cost, String)> {
    let started = Instant::now();
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let mut output = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_string(&mut output)?;
    }
    let (status, mut cost) = wait(&child)?;
    cost.wall = started.elapsed();
    if status != 0 {
        bail!("{name} failed (status {status})");
    }
    Ok((cost, output))
}

/// The time this thread has been running: what a machine's other work does not add to.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local that outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time on the clock, where no better one is to be had.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// Waits for a child; the standard library does not report its resource usage.
#[cfg(unix)]
fn wait(child: &Child) -> io::Result<(i32, Cost)> {
    let mut status = 0;
    // SAFETY: all zeros is a valid `rusage`, plain numbers that wait4 fills in.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to locals that outlive the call, and no other code waits for this child.
        let done = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) };
        if done >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // Linux counts in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak_bytes = usage.ru_maxrss as u64 * unit;
    let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
    Ok((status, Cost { cpu, wall: Duration::ZERO, peak_bytes }))
}

#[cfg(unix)]
fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

#[cfg(not(unix))]
fn wait(_: &Child) -> io::Result<(i32, Cost)> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "what a program takes is measured on Unix only"))
}
