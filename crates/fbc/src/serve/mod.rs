//! Flags of what serves: under which names it is asked and how its log is written.

mod hosts;
pub(crate) mod log;

pub(crate) use hosts::HostArguments;
