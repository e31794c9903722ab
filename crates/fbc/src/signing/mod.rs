//! Signing images: keys on disk, and certificates for those who have none.

pub(crate) mod keys;
pub(crate) mod signer;
