//! The registry client against registries: one in this process that misbehaves, and Debian's own.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod attached;
mod budgets;
mod copies;
mod faults;
mod fixture;
mod real;
