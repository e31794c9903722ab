//! Bytes to documents exactly as Go's catalog loader sees them, positions on demand, and the writers.

pub mod go_text;
