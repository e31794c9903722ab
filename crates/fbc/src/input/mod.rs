//! What references and flags name, read for commands: each kind of input with its arguments.

pub(crate) mod bundle;
pub(crate) mod file;
pub(crate) mod operators;
pub(crate) mod other;
pub(crate) mod payload;
pub(crate) mod scenario;
pub(crate) mod updates;
