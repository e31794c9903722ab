//! Signing images: keys on disk, and certificates for those who have none.

pub mod image;
pub mod keys;
pub mod signer;
pub mod verification;
