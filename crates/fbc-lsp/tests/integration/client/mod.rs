//! A client in memory: what an editor sees, message by message.

mod bursts;
mod catalogs;
mod completion;
mod harness;
mod other_files;
mod protocol;
