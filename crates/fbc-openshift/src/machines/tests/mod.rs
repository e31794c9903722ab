//! The functions of the Machine API against recordings of the real ones, and its definitions.

mod definitions;
mod random;
mod scale_up;
mod vectors;
