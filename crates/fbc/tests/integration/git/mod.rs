//! Revisions of a real repository as catalogs, and what a change in one brings.

mod bases;
mod programs;
mod repository;
mod revisions;
mod ways;
