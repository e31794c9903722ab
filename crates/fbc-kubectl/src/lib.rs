//! kubectl and oc: what they print, how their command lines read, and what they make a server do.
//!
//! Everything here is pure: objects, virtual time and look-ups go in, text comes out.

pub mod age;
pub mod alert;
pub mod command_line;
pub mod describe;
pub mod jsonpath;
pub mod layout;
pub mod print;
pub mod release;
pub mod run;
#[cfg(test)]
mod tests;
pub mod text;
