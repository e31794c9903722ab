//! Threads: values may nest 10,000 deep and are walked recursively, so every thread needs a deep stack.

use std::process::ExitCode;

use crate::failure::Failure;

/// The stack of a worker thread. Only what is used of it becomes memory.
const WORKER_STACK_BYTES: usize = 16 << 20;

/// The stack of the thread that runs the command.
pub(crate) const COMMAND_STACK_BYTES: usize = 64 << 20;

/// Runs a command on a thread of its own with a deep stack.
pub(crate) fn on_large_stack(command: impl FnOnce() -> ExitCode + Send + 'static) -> ExitCode {
    let thread =
        std::thread::Builder::new().name("fbc".to_owned()).stack_size(COMMAND_STACK_BYTES).spawn(command);
    match thread {
        // A panic has already said so on standard error.
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(crate::failure::COULD_NOT_RUN)),
        Err(error) => Failure::new(format!("the system gives no thread to run on: {error}"))
            .help("raise the limits of processes and memory for this user (`ulimit -u`, `ulimit -v`)")
            .report(),
    }
}

/// Starts the worker threads; as many as there are processors if no number is given.
pub(crate) fn start_workers(threads: Option<usize>) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .stack_size(WORKER_STACK_BYTES)
        .build_global()
        .map_err(|error| {
            Failure::new(format!("worker threads do not start: {error}"))
                .help("raise the limits of processes and memory for this user, or try `--threads 1`")
        })
}
