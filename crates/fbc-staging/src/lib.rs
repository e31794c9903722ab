//! Files and directories under temporary names, until they are whole.
//!
//! Whatever is written to a name that others read is staged: it comes to be under a temporary name in the same
//! directory and takes its own name in one step. This crate is the one place that knows these names:
//!
//! - Dropped before it is published, a staged file or directory is removed.
//! - A signal that ends the process removes all of them first ([`exit_on_signals`]); nothing is published after that.
//! - What a killed process leaves behind is removed by the next one that stages something in the same directory, or that
//!   begins to serve it ([`remove_leftovers`]). A lock
//!   on each staged file or directory tells what is left behind from what somebody else is writing.
//!
//! It is also the one place that writes: what the program may write in is a [`Root`], files whose bytes count before they
//! are whole come from [`in_place`], and `cargo xtask test` refuses other calls that write.

mod directory;
mod file;
pub mod in_place;
mod leftovers;
mod live;
mod named;
mod removal;
mod root;
mod signals;

use std::path::Path;

pub use directory::StagedDirectory;
pub use file::StagedFile;
pub use leftovers::remove_leftovers;
pub use live::wait_if_exiting;
pub use named::destination;
pub use removal::remove_directory;
pub use root::{Replacement, Root, leads_out, permissions_of};
pub use signals::{ask_on_signals, exit_on_signals, run};

/// What temporary names begin with.
pub const PREFIX: &str = ".fbc-tmp-";

/// The directory that a path lies in.
#[must_use]
pub fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// How often a name is tried anew after somebody took the file or directory for a leftover before it was locked.
const ATTEMPTS: usize = 100;

/// Creates something under a temporary name and locks it.
fn create<T>(
    parent: &Path,
    make: impl Fn(&Path) -> std::io::Result<T>,
    path_of: impl Fn(&T) -> &Path,
) -> std::io::Result<(T, Option<std::fs::File>)> {
    leftovers::remove(parent);
    for _ in 0..ATTEMPTS {
        let made = live::create(|| make(parent), &path_of)?;
        match leftovers::lock(path_of(&made)) {
            leftovers::Lock::Held(lock) => return Ok((made, Some(lock))),
            leftovers::Lock::Unsupported => return Ok((made, None)),
            leftovers::Lock::Gone => live::forget(path_of(&made)),
        }
    }
    Err(std::io::Error::other("another process removes every temporary name at once"))
}
