//! Revisions of a real repository as catalogs, and what a change in one brings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![cfg(unix)]

mod bases;
mod programs;
mod repository;
mod revisions;
mod ways;
