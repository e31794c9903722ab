//! `fbc serve` as clients meet it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod api;
mod browser;
mod curl;
mod faults;
mod generated;
mod grpcio;
mod image;
mod load;
mod opm;
mod pages;
mod polling;
mod server;
