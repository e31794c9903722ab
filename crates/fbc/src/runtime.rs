//! Threads: values may nest 10,000 deep and are walked recursively, so every thread needs a deep stack. Commands that
//! are done at once need no workers, so these start late.

use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;
#[cfg(feature = "query")]
use crate::query_guard as guard;

/// The stack of a worker thread. Only what is used of it becomes memory.
const WORKER_STACK_BYTES: usize = 16 << 20;

/// The stack of the thread that runs the command.
pub(crate) const COMMAND_STACK_BYTES: usize = 64 << 20;

/// The stack of a thread: the usual one, but for the process that runs the program of `fbc query`.
fn stack_bytes(usual: usize) -> usize {
    #[cfg(feature = "query")]
    if guard::is_inside() {
        return guard::STACK_BYTES;
    }
    usual
}

/// A command that is done before has no worker threads: starting them would take longer than they save.
const HEAD_START: Duration = Duration::from_millis(3);

/// What the thread that waits for the command is told.
enum Note {
    /// The command may need these workers.
    Workers(Vec<ThreadBuilder>),
    /// The command is done.
    Done,
}

/// Tells that the command is done, also where it panics.
struct NoteWhenDone(Sender<Note>);

impl Drop for NoteWhenDone {
    fn drop(&mut self) {
        // If nobody listens any more, nobody needs to know.
        let _ = self.0.send(Note::Done);
    }
}

/// Who runs a command asks here for workers.
pub(crate) struct Workers {
    notes: Sender<Note>,
}

/// The pool lives as long as the process: its workers run until then, and the thread of the command is one of them.
static POOL: OnceLock<ThreadPool> = OnceLock::new();

/// Runs a command on a thread of its own with a deep stack. This thread starts its workers meanwhile.
pub(crate) fn on_large_stack(command: impl FnOnce(&Workers) -> ExitCode + Send + 'static) -> ExitCode {
    let (sender, notes) = mpsc::channel();
    let done = NoteWhenDone(sender.clone());
    let workers = Workers { notes: sender };
    let run = move || {
        let _done = done;
        command(&workers)
    };
    let stack = stack_bytes(COMMAND_STACK_BYTES);
    match thread::Builder::new().name("fbc".to_owned()).stack_size(stack).spawn(run) {
        Ok(thread) => {
            start_late(&notes);
            // A panic has already said so on standard error.
            thread.join().unwrap_or(ExitCode::from(crate::failure::COULD_NOT_RUN))
        }
        Err(error) => Failure::new(format!("the system gives no thread to run on: {error}"))
            .help("raise the limits of processes and memory for this user (`ulimit -u`, `ulimit -v`)")
            .report(),
    }
}

/// Waits for workers that are needed, and starts them unless the command is done before.
fn start_late(notes: &Receiver<Note>) {
    let Ok(Note::Workers(workers)) = notes.recv() else { return };
    if notes.recv_timeout(HEAD_START).is_ok() {
        return;
    }
    for worker in workers {
        let stack = worker.stack_size().unwrap_or(WORKER_STACK_BYTES);
        let builder = thread::Builder::new().name(format!("worker {}", worker.index())).stack_size(stack);
        // Fewer workers do the same work: what nobody takes over, the command does itself.
        if builder.spawn(|| worker.run()).is_err() {
            return;
        }
    }
}

impl Workers {
    /// Lets this thread share its work with worker threads; with it they are as many as there are processors if no
    /// number is given.
    pub(crate) fn start(&self, threads: Option<usize>) -> Result<(), Failure> {
        let workers = Mutex::new(Vec::new());
        let stack = stack_bytes(WORKER_STACK_BYTES);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .stack_size(stack)
            .use_current_thread()
            .spawn_handler(|worker| {
                workers.lock().map_err(|_| std::io::ErrorKind::Other)?.push(worker);
                Ok(())
            })
            .build()
            .map_err(|error| {
                Failure::new(format!("worker threads do not start: {error}"))
                    .help("raise the limits of processes and memory for this user, or try `--threads 1`")
            })?;
        let workers = workers.into_inner().unwrap_or_default();
        // A second command line in one process keeps the pool of the first.
        let _ = POOL.set(pool);
        if !workers.is_empty() {
            // Nobody listens once a command is done.
            let _ = self.notes.send(Note::Workers(workers));
        }
        Ok(())
    }
}
