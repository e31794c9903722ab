//! Commands that work at the root of a repository, in copies of the repositories in `testdata`.

mod comparison;
mod generate;
mod lifecycle;
#[cfg(unix)]
mod links;
mod pin;
mod places;
mod release;
mod sample;
