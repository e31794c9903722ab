//! What references name besides catalogs.

pub mod bundle;
pub mod file;
pub mod other;
pub mod rights;
