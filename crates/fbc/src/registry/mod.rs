//! Registries on the command line: flags, environment and progress.
//!
//! A command that may name images flattens [`ImageArguments`], [`RegistryArguments`] or [`TransferArguments`], makes one
//! [`fbc_source::Session`] of them, and passes it to what opens images deep below, so that connections, tokens and the cache are
//! shared.

#[cfg(feature = "registry")]
mod arguments;
#[cfg(feature = "registry")]
mod connection;
#[cfg(feature = "registry")]
mod places;
#[cfg(feature = "registry")]
mod progress;
#[cfg(feature = "registry")]
mod tokio_clock;
#[cfg(not(feature = "registry"))]
mod without_registries;

#[cfg(feature = "registry")]
pub(crate) use arguments::{
    CopyLogins, ImageArguments, RegistryArguments, TransferArguments, parse_duration,
};
#[cfg(feature = "registry")]
pub(crate) use connection::usual_connection;
#[cfg(feature = "registry")]
pub(crate) use fbc_app::registry::logins::Named;
#[cfg(not(feature = "registry"))]
pub(crate) use without_registries::{
    CopyLogins, ImageArguments, Named, RegistryArguments, TransferArguments,
};
