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
    libc::SYS_tgkill,
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
    let argument_is_zero = |index| {
        let condition =
            SeccompCondition::new(index, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0).ok()?;
        SeccompRule::new(vec![condition]).ok()
    };
    let filter = || {
        let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
        let mut rules: std::collections::BTreeMap<_, _> =
            SYSTEM_CALLS.iter().map(|call| (*call, Vec::new())).collect();
        rules.insert(libc::SYS_prlimit64, vec![argument_is_zero(0)?]);
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
