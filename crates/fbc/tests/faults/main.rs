//! Every command that writes, with a system call that fails, and killed at one: no file is ever half there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![cfg(target_os = "linux")]

mod commands;
mod faults;
mod permissions;
mod traces;
mod tree;
