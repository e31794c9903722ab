//! The fbc binary.

fn main() {}
