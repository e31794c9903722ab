//! Tests over recordings of an API server, and tables.

mod definitions;

mod recorded;
