//! Registries on the command line: flags and environment, the session of a command, progress, and words.
//!
//! A command that may name images flattens [`ImageArguments`], [`RegistryArguments`] or [`TransferArguments`], makes one
//! [`Session`] of them, and passes it to what opens images deep below, so that connections, tokens and the cache are
//! shared.

mod arguments;
mod environment;
mod failure;
mod logins;
mod places;
mod progress;
mod session;
mod signature_policy;
mod tokio_clock;

pub(crate) use arguments::{
    CopyLogins, ImageArguments, RegistryArguments, SignatureArguments, TransferArguments, parse_duration,
};
pub(crate) use logins::Named;
pub(crate) use places::Places;
pub(crate) use progress::{ImageBar, is_quiet, settle_voice};
pub(crate) use session::{OpenSession, Session};
