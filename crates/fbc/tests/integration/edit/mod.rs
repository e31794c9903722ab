//! `fbc add` and `fbc deprecate` on copies of catalogs: what is written, and what the statements of the
//! documentation ask for.

mod additions;
mod files;
mod sample;
