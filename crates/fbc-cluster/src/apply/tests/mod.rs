//! Server-side apply against recordings of an API server, and against a slow simple model.

mod model;
mod recorded;
