//! Signatures of images in registries: keys on disk, and what is kept beside images.

pub(crate) mod attached;
pub(crate) mod keys;
pub(crate) mod signer;
