//! Work off the main loop: threads with deep stacks, each with its own queue.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Sender, unbounded};
use lsp_server::RequestId;

/// Values may nest 10,000 deep and are walked recursively. Only what is used of a stack becomes memory.
const STACK_BYTES: usize = 64 << 20;

type Work = Box<dyn FnOnce() + Send>;

/// A thread that does one thing after another.
#[derive(Clone, Debug)]
pub struct Worker {
    queue: Sender<Work>,
}

impl Worker {
    /// Starts a thread; it ends with the last sender of its queue.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn start(name: &str) -> std::io::Result<Self> {
        let (queue, work) = unbounded::<Work>();
        let run = move || {
            for work in work {
                // A fault of ours in one answer must not cost all later ones; the panic itself says where it is.
                let _ = guarded(work);
            }
        };
        thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(run)?;
        Ok(Self { queue })
    }

    /// Queues something.
    pub fn push(&self, work: impl FnOnce() + Send + 'static) {
        // The thread ends only with the program.
        let _ = self.queue.send(Box::new(work));
    }
}

/// Does something that may panic, which would be a fault of ours; nothing if it did.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The requests that the client does not want answered any more.
#[derive(Clone, Debug, Default)]
pub struct Cancelled(Arc<Mutex<HashSet<RequestId>>>);

impl Cancelled {
    /// Notes that a request is cancelled. Requests that are unknown or done are forgotten when the next is taken.
    pub fn add(&self, id: RequestId) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() > 1_000 {
            ids.clear();
        }
        ids.insert(id);
    }

    /// Whether a request was cancelled.
    #[must_use]
    pub fn take(&self, id: &RequestId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }
}
