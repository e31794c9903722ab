//! Definitions of OLM against recordings of an API server.

mod recorded;
mod updates;
