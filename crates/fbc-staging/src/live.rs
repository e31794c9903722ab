//! What this process has staged and not published so far.
//!
//! The list belongs to the process, as the signals do that end it. Names are created and published while it is locked;
//! a signal locks it for ever, so that nothing is published behind the removal.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::signals;

static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

pub(crate) fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a file or directory and puts its path on the list. From then on signals are watched for.
pub(crate) fn create<T>(
    make: impl FnOnce() -> io::Result<T>,
    path_of: impl FnOnce(&T) -> &Path,
) -> io::Result<T> {
    signals::watch();
    let mut live = lock();
    let made = make()?;
    live.insert(path_of(&made).to_path_buf());
    Ok(made)
}

/// Takes a path from the list, which is removed or gone.
pub(crate) fn forget(path: &Path) {
    lock().remove(path);
}

/// Renames something while no signal can end the process.
pub(crate) fn locked<T>(rename: impl FnOnce() -> T) -> T {
    let _live = lock();
    rename()
}

/// Publishes what lies at a path; it stays on the list if that fails.
pub(crate) fn publish<T, E>(path: &Path, rename: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let mut live = lock();
    let published = rename()?;
    live.remove(path);
    Ok(published)
}

/// Waits for ever if a signal is ending the process. To be called before an error is told or an exit code returned:
/// both may come from names that the signal has just removed.
pub fn wait_if_exiting() {
    drop(lock());
}
