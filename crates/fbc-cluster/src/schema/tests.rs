//! Tests over recordings of an API server, and tables.

mod olm;
mod recorded;
