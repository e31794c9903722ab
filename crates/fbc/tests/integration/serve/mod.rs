//! `fbc serve` as clients meet it.

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
