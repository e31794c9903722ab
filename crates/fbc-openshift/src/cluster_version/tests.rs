//! Recordings of the real operator, played by this one.

mod agent;
mod case;
mod compare;
mod recorded;
mod world;
