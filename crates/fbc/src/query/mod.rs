//! jq programs over the blobs of a catalog, run by the `jaq` crates.
//!
//! [`program`] makes a filter of a text, [`values`] makes jaq's values of blobs, [`run`] brings the two
//! together, and [`output`] writes what comes out as jq does. What only jq's command line has, such as
//! `input` and `debug`, is in [`functions`]; [`guard`] ends programs that take too much. Words for the user are in `command::query`.

mod functions;
pub(crate) mod guard;
mod number;
pub(crate) mod output;
pub(crate) mod program;
pub(crate) mod run;
mod values;
