//! What Go's standard library does to text, numbers, lists and patterns, where an answer of the reference depends on it.
//!
//! Each module is named after the package of Go whose behaviour it has, and names the source of what is not documented;
//! [`allowance`] alone is ours.

pub mod allowance;
pub mod base64;
pub mod csv;
pub mod http;
pub mod json;
pub mod regexp;
pub mod sort;
pub mod template;
pub mod text;
pub mod time;
