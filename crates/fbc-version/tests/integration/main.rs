//! The crate as others use it: one module per topic.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod properties;
