//! Signatures of images as cosign makes them, and the policies of `containers/image` that ask for them.
//!
//! Everything here is bytes and values: who reads files, asks registries and gives random numbers is elsewhere.

pub mod attachments;
pub mod bundle;
mod encryption;
pub mod identity;
pub mod key;
pub mod payload;
pub mod policy;
mod unique_fields;

pub use attachments::Attachments;
pub use identity::ImageName;
pub use key::{KeyError, PrivateKey, PublicKey};
pub use policy::{Policy, Requirement};
