//! jq programs over the blobs of a catalog, run by the `jaq` crates.
//!
//! [`Program`] is a filter made of a text, `values` makes jaq's values of blobs, [`Query`] brings the two together, and
//! `output` writes what comes out as jq does. What only jq's command line has, such as `input` and `debug`, is in
//! `functions`. Who runs a program watches what it takes.

mod functions;
mod number;
mod output;
mod program;
mod run;
mod values;

pub use output::Layout;
pub use program::{MAX_BYTES, MAX_DEPTH, Program, ProgramFault};
pub use run::{InputMode, Outcome, Query, TellError};
