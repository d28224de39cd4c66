//! What a worker can no longer do.
//!
//! It needs its two pipes, memory and CPU time; everything else is taken away before it reads a text. System calls off
//! the list fail instead of killing, so that a C library that makes an unexpected one does not look like a crash.

/// The limits that took effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// No system calls but those on a list (seccomp).
    pub system_calls: bool,
    /// No files (Landlock).
    pub files: bool,
    /// A limit on memory, and none on disk.
    pub memory: bool,
}

impl Confinement {
    /// The byte it is sent as.
    pub(crate) fn to_byte(self) -> u8 {
        u8::from(self.system_calls) | u8::from(self.files) << 1 | u8::from(self.memory) << 2
    }

    pub(crate) fn from_byte(byte: u8) -> Self {
        Self { system_calls: byte & 1 != 0, files: byte & 2 != 0, memory: byte & 4 != 0 }
    }
}

/// Maximum address space of a worker. The allocator reserves more than it uses, and the model is mapped.
pub(crate) const MAX_MEMORY: u64 = 4 << 30;

/// Exit code of a worker that reached its memory limit.
pub(crate) const OUT_OF_MEMORY: i32 = 77;

/// CPU seconds after which a worker is ended if its parser does not end itself: the time limit of a parse, and as much
/// for what follows it.
const MAX_CPU_SECONDS: u64 = 10;

/// Confines this process for the rest of its life.
pub(crate) fn confine() -> Confinement {
    exit_when_out_of_memory();
    let memory = limit_memory();
    Confinement { memory, files: close_files(), system_calls: close_system_calls() }
}

/// Ends this process after so much more CPU time.
#[cfg(unix)]
pub(crate) fn renew_cpu_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec.unsigned_abs();
    let hard = getrlimit(Resource::Cpu).maximum;
    let limit = Rlimit { current: Some(used + 1 + MAX_CPU_SECONDS), maximum: hard };
    // A system that refuses has a limit of its own.
    let _ = setrlimit(Resource::Cpu, limit);
}

#[cfg(not(unix))]
pub(crate) fn renew_cpu_limit() {}

/// Makes a failed allocation exit with a code of its own: tree-sitter would dereference a null pointer, which looks like
/// a crash of the grammar.
fn exit_when_out_of_memory() {
    extern "C" fn on_error(code: std::ffi::c_int, _: *mut std::ffi::c_void) {
        const ENOMEM: std::ffi::c_int = 12;
        if code == ENOMEM {
            #[allow(clippy::exit)]
            std::process::exit(OUT_OF_MEMORY);
        }
    }
    // SAFETY: the handler has the expected signature, uses no argument and lives as long as the program.
    unsafe { libmimalloc_sys::mi_register_error(Some(on_error), std::ptr::null_mut()) };
}

#[cfg(unix)]
fn limit_memory() -> bool {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let at_most = |limit| Rlimit { current: Some(limit), maximum: Some(limit) };
    let _ = setrlimit(Resource::Core, at_most(0));
    let _ = setrlimit(Resource::Fsize, at_most(0));
    setrlimit(Resource::As, at_most(MAX_MEMORY)).is_ok()
}

#[cfg(not(unix))]
fn limit_memory() -> bool {
    false
}

#[cfg(target_os = "linux")]
fn close_files() -> bool {
    use landlock::{ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetStatus};
    let restricted = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    restricted.is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

#[cfg(not(target_os = "linux"))]
fn close_files() -> bool {
    false
}

/// The system calls of a process that reads and writes open pipes, allocates, and ends.
#[cfg(target_os = "linux")]
const SYSTEM_CALLS: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_mmap,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_clock_gettime,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

#[cfg(target_os = "linux")]
fn close_system_calls() -> bool {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch,
    };
    // Signals and limits of its own process only.
    let first_argument_is = |value| {
        let condition =
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value).ok()?;
        SeccompRule::new(vec![condition]).ok()
    };
    let own = u64::from(std::process::id());
    let filter = || {
        let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
        let mut rules: std::collections::BTreeMap<_, _> =
            SYSTEM_CALLS.iter().map(|call| (*call, Vec::new())).collect();
        rules.insert(libc::SYS_prlimit64, vec![first_argument_is(0)?]);
        rules.insert(libc::SYS_tgkill, vec![first_argument_is(own)?]);
        let denied = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules, denied, SeccompAction::Allow, arch).ok()?;
        BpfProgram::try_from(filter).ok()
    };
    filter().is_some_and(|program| seccompiler::apply_filter(&program).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn close_system_calls() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::process::Command;

    const CONFINED: &str = "GROMA_TEST_CONFINED";

    /// What a scanner that was taken over might try: a name, and whether it succeeds.
    fn attempts(parent: libc::pid_t) -> Vec<(&'static str, bool)> {
        // SAFETY: the calls have no arguments in memory but constants that live long enough.
        unsafe {
            vec![
                ("open", std::fs::File::open("/etc/passwd").is_ok()),
                ("list", std::fs::read_dir("/").is_ok()),
                ("create", std::fs::File::create("/tmp/groma-confined").is_ok()),
                (
                    "connect",
                    std::net::TcpStream::connect(("127.0.0.1", 1))
                        .is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused),
                ),
                ("socket", libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0) >= 0),
                ("start", Command::new("/bin/true").status().is_ok()),
                ("kill", libc::kill(parent, 0) == 0),
                ("tgkill", libc::syscall(libc::SYS_tgkill, parent, parent, 0) == 0),
                (
                    "limit",
                    libc::prlimit(parent, libc::RLIMIT_CPU, std::ptr::null(), std::ptr::null_mut())
                        == 0,
                ),
            ]
        }
    }

    /// Runs in a process of its own: what is given up is given up for good.
    #[test]
    fn a_confined_process_can_compute_and_nothing_else() {
        if std::env::var_os(CONFINED).is_some() {
            assert!(std::fs::File::open("/etc/passwd").is_ok());
            let parent = libc::pid_t::try_from(std::os::unix::process::parent_id()).unwrap();
            let confined = confine();
            println!("confined: {confined:?}");
            let succeeded: Vec<_> =
                attempts(parent).into_iter().filter(|(_, succeeds)| *succeeds).collect();
            println!("succeeded: {succeeded:?}");
            // It can still compute, read the clock and raise its own limit on CPU time.
            renew_cpu_limit();
            println!("computed: {}", vec![1u64; 1 << 20].iter().sum::<u64>());
            return;
        }
        let name = "confinement::tests::a_confined_process_can_compute_and_nothing_else";
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(CONFINED, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        let error = String::from_utf8_lossy(&child.stderr);
        assert!(said.contains("succeeded: []"), "{said}{error}");
        assert!(said.contains("system_calls: true") && said.contains("memory: true"), "{said}");
        assert!(said.contains("computed: 1048576"), "{said}{error}");
    }
}
