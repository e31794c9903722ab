//! The crate as others use it: one module per topic.

mod conformance;
