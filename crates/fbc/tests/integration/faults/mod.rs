//! Every command that writes, with a system call that fails, and killed at one: no file is ever half there.

mod commands;
mod permissions;
mod system_calls;
mod traces;
mod tree;
