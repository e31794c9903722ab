//! The fbc command.
