//! The ways to create a catalog that the documents walk, in a shell, with fbc in opm's place.

mod generated;
mod walks;
mod workplace;
