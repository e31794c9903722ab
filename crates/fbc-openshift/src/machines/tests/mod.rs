//! The functions of the Machine API against recordings of the real ones.

mod vectors;
