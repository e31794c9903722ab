//! What commands write: where it goes, and in which form.

pub(crate) mod catalog;
pub(crate) mod destination;
pub(crate) mod file;
pub(crate) mod manifest;
#[cfg(feature = "query")]
pub(crate) mod until_closed;
