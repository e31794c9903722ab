//! The API as clients see it, without connections.
