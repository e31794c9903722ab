//! The client against registries: one in this process that misbehaves, and Debian's own.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attached;
mod budgets;
mod copies;
mod faults;
mod fixture;
mod habits;
mod real;
