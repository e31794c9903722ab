//! Programs may run for ever and take all memory. So they run in a process of their own, which watches its time and
//! its memory and gives up by itself; its parent knows what to say should the system end it all the same.
//!
//! Recursion without end needs memory for its stack. The stacks of that process are larger than the budget, so that
//! the budget ends it, not the guard page.

use std::env;
use std::fs;
use std::process::{self, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use fbc_source::Error;

use crate::failure::{COULD_NOT_RUN, Failure};
use crate::limits;

/// Set in the environment of the process that runs the program.
const MARK: &str = "FBC_QUERY_PROCESS";

/// The stack of each thread of that process. Only what is used of it becomes memory.
pub(crate) const STACK_BYTES: usize = 1 << 30;

/// How often time and memory are looked at.
const INTERVAL: Duration = Duration::from_millis(5);

/// Whether this process is the one that runs the program.
pub(crate) fn is_inside() -> bool {
    env::var_os(MARK).is_some()
}

/// Runs this command line again in a process of its own; its exit code.
pub(crate) fn run_inside() -> Result<u8, Failure> {
    let program = env::current_exe()
        .map_err(|error| Failure::new(format!("the program of this process is not known: {error}")))?;
    let mut command = Command::new(program);
    command.args(env::args_os().skip(1)).env(MARK, "1");
    let status = command
        .status()
        .map_err(|error| Failure::new(format!("a process for the program does not start: {error}")))?;
    match status.code() {
        Some(code) => Ok(code as u8),
        None => Err(ended(status)),
    }
}

/// Why the system ended the process.
fn ended(status: ExitStatus) -> Failure {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        /// SIGABRT and SIGSEGV: no memory, or no stack.
        const OUT_OF_MEMORY: [i32; 2] = [6, 11];
        if status.signal().is_some_and(|signal| OUT_OF_MEMORY.contains(&signal)) {
            return limits::failure(
                "query-bytes",
                "the program was given up: it asks for more memory than there is",
            );
        }
    }
    Failure::new(format!("the program was ended by the system: {status}"))
}

/// Watches the process until it is dropped.
pub(crate) struct Guard {
    _done: Sender<()>,
}

/// What a program may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// The time.
    pub(crate) time: Duration,
    /// The memory beside that which the process has already.
    pub(crate) bytes: u64,
}

impl Guard {
    /// Watches the process from now on. A program that takes too much ends the process.
    pub(crate) fn watch(allowance: Allowance) -> Result<Self, Failure> {
        end_with_parent();
        let (done, is_done) = mpsc::channel();
        let start = Instant::now();
        let most_bytes = memory().unwrap_or_default().saturating_add(allowance.bytes);
        let watch = move || {
            while is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if let Some(failure) = excess(start.elapsed(), memory(), allowance, most_bytes) {
                    let _ = Failure::from(failure).report();
                    process::exit(i32::from(COULD_NOT_RUN));
                }
            }
        };
        thread::Builder::new().name("guard".to_owned()).spawn(watch).map_err(|error| {
            Failure::new(format!("the thread that watches the program does not start: {error}"))
        })?;
        Ok(Self { _done: done })
    }
}

/// What there is too much of.
fn excess(elapsed: Duration, memory: Option<u64>, allowance: Allowance, most_bytes: u64) -> Option<Error> {
    if elapsed > allowance.time {
        let seconds = allowance.time.as_secs();
        let message = format!(
            "the program was given up: it runs for more than {seconds} seconds (limit query-seconds)"
        );
        return Some(Error::new(message).help("if that is meant, allow more with `--timeout SECONDS`"));
    }
    memory.filter(|memory| *memory > most_bytes).map(|_| {
        let bytes = allowance.bytes;
        Error::budget(
            "query-bytes",
            format!("the program was given up: its values or its recursion take more than {bytes} bytes"),
        )
    })
}

/// The memory of this process in bytes; nothing where the system does not say.
fn memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Lets this process end when its parent does, however that ends.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        // Without it the time limit ends this process all the same.
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much() {
        let allowance = Allowance { time: Duration::from_secs(2), bytes: 100 };
        let told = |milliseconds: u64, memory: Option<u64>| {
            excess(Duration::from_millis(milliseconds), memory, allowance, 150).map(|failure| failure.line())
        };
        assert_eq!(told(1_999, Some(150)), None);
        assert_eq!(told(0, None), None);
        assert!(told(2_001, Some(0)).is_some_and(|text| text.contains("more than 2 seconds")));
        assert!(
            told(0, Some(151)).is_some_and(|text| text.contains("more than 100 bytes (limit query-bytes)"))
        );
    }
}
