//! Registries on the command line: flags and environment, one session for the process, progress, and words.
//!
//! A command that may name images flattens [`ImageArguments`], [`RegistryArguments`] or [`TransferArguments`] and
//! settles them before it does anything else. What opens images deep below asks for [`session`]. Both happen once in a
//! process, as with colours, so that connections, tokens and the cache are shared.

mod arguments;
mod environment;
mod failure;
mod progress;
mod session;
mod tokio_clock;

pub(crate) use arguments::{ImageArguments, RegistryArguments, TransferArguments};
pub(crate) use progress::settle_voice;
pub(crate) use session::{session, settled_platform};
