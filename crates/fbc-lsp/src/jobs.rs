//! Work off the main loop: threads with deep stacks, each with its own queue, and what tells work that nobody waits for it
//! any more.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// Whether somebody still waits for a piece of work. Long work asks between its steps.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Says that nobody waits any more.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether nobody waits any more.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The requests that were not answered so far.
#[derive(Clone, Debug, Default)]
pub struct Requests(Arc<Mutex<HashMap<RequestId, Stop>>>);

impl Requests {
    /// Takes a request in.
    #[must_use]
    pub fn begin(&self, id: &RequestId) -> Stop {
        let stop = Stop::default();
        self.lock().insert(id.clone(), stop.clone());
        stop
    }

    /// Stops a request, if it was not answered so far.
    pub fn cancel(&self, id: &RequestId) {
        if let Some(stop) = self.lock().get(id) {
            stop.set();
        }
    }

    /// Takes a request out that is answered now.
    pub fn end(&self, id: &RequestId) {
        self.lock().remove(id);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Stop>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work of which only the last that was asked for counts: that before it stops, and is not begun if it still waits.
#[derive(Debug)]
pub struct Newest<K>(BTreeMap<K, Stop>);

impl<K> Default for Newest<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Newest<K> {
    /// Stops what was asked for before, for something new.
    pub fn begin(&mut self, key: K) -> Stop {
        let stop = Stop::default();
        if let Some(before) = self.0.insert(key, stop.clone()) {
            before.set();
        }
        stop
    }

    /// Stops what nobody needs any more.
    pub fn stop(&mut self, is_meant: impl Fn(&K) -> bool) {
        self.0.retain(|key, stop| {
            if is_meant(key) {
                stop.set();
            }
            !is_meant(key)
        });
    }
}
