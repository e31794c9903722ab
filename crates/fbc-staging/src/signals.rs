//! Signals that end the process.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::Duration;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

use crate::{live, remove_directory};

const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// As shells write it: 130 for Ctrl-C, 143 for SIGTERM.
fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// Set while nothing is staged: a signal ends the process at once. Also set a while after the first signal, so that another
/// one need not wait until all is removed.
static AT_ONCE: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Sees to it that Ctrl-C, SIGTERM and SIGHUP remove what is staged, and that the process exits with 128 and the number
/// of the signal: also where it is the first process of a container, for which the system does nothing by itself.
///
/// # Errors
/// If the system does not take the handlers.
pub fn exit_on_signals() -> io::Result<()> {
    let at_once = AT_ONCE.get_or_init(|| Arc::new(AtomicBool::new(true)));
    for signal in ENDING {
        flag::register_conditional_shutdown(signal, exit_code(signal), Arc::clone(at_once))?;
    }
    Ok(())
}

/// What comes so soon after the first signal is the same wish once more: `timeout` sends a signal to a process and then to
/// its group.
const DUPLICATE_SIGNAL_WINDOW: Duration = Duration::from_secs(1);

/// What asks the process to end by itself. Handlers of signals belong to the process, and nobody can pass them a value.
static ASK: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// From now on the first signal only asks the process to end, by this call on a thread of its own; a server finishes what
/// it has begun. A second signal, a second later or more, ends it at once. Only the first call of a process counts.
pub fn ask_on_signals(ask: impl Fn() + Send + Sync + 'static) {
    // A second call would come from a second server in the process, which there is not.
    let _ = ASK.set(Box::new(ask));
    watch();
}

/// The process that signals are for, while there is one.
static CHILD: Mutex<Option<Pid>> = Mutex::new(None);

fn child() -> MutexGuard<'static, Option<Pid>> {
    CHILD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command that decides what signals mean: until it ends, SIGTERM and SIGHUP are passed on to it, and Ctrl-C does
/// nothing here, because a terminal sends it to the command as well. Signals do so only after [`exit_on_signals`].
///
/// # Errors
/// If the command does not start, or the system does not let anybody wait for it.
pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
    watch();
    let (mut started, process) = {
        // A signal that comes meanwhile waits until there is a process to pass it on to.
        let mut child = child();
        let started = command.spawn()?;
        *child = i32::try_from(started.id()).ok().and_then(Pid::from_raw);
        (started, *child)
    };
    if let Some(process) = process {
        // Until it is waited for in earnest, no other process gets its number, and signals have forgotten it by then.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let ended = retry_on_intr(|| waitid(WaitId::Pid(process), options));
        *child() = None;
        ended?;
    }
    started.wait()
}

/// Passes a signal on to the child that is waited for; false if there is none.
fn pass_on(signal: i32) -> bool {
    // Held until the signal is sent: the process is not waited for before, so that its number is still its own.
    let held = child();
    let Some(process) = *held else { return false };
    let signal = match signal {
        SIGTERM => Some(Signal::TERM),
        SIGHUP => Some(Signal::HUP),
        _ => None,
    };
    if let Some(signal) = signal {
        // A child that is gone needs none.
        let _ = kill_process(process, signal);
    }
    true
}

/// Watches for signals, if [`exit_on_signals`] was called. A thread is only started for who stages something.
pub(crate) fn watch() {
    static STARTED: Once = Once::new();
    let Some(at_once) = AT_ONCE.get() else { return };
    STARTED.call_once(|| {
        let Ok(mut signals) = Signals::new(ENDING) else { return };
        let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            // Later signals are the same wish, or end the process in their handlers.
            let Some(signal) = signals.forever().find(|signal| !pass_on(*signal)) else { return };
            let last = Arc::clone(at_once);
            let timer = std::thread::Builder::new().spawn(move || {
                std::thread::sleep(DUPLICATE_SIGNAL_WINDOW);
                last.store(true, Ordering::SeqCst);
            });
            if timer.is_err() {
                at_once.store(true, Ordering::SeqCst);
            }
            match ASK.get() {
                Some(ask) => ask(),
                None => {
                    remove_all();
                    low_level::exit(exit_code(signal));
                }
            }
        });
        // Without a thread nothing is removed, as after a kill.
        at_once.store(thread.is_err(), Ordering::SeqCst);
    });
}

/// Removes what is staged, and keeps the list locked until the process ends.
fn remove_all() {
    let live = live::lock();
    for path in live.iter() {
        remove(path);
    }
    std::mem::forget(live);
}

/// Other threads may still write into a directory, so it is tried several times.
fn remove(path: &Path) {
    for _ in 0..1_000 {
        let removed = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => remove_directory(path),
            Ok(_) => fs::remove_file(path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            _ => return,
        }
    }
}
