//! What references and flags name, read for commands: each kind of input with its arguments.

pub(crate) mod bundle;
pub(crate) mod file;
