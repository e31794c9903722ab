//! Signatures of images as cosign and GnuPG make them, and the policies of `containers/image` that ask for them.
//!
//! Everything here is bytes and values: who reads files, asks registries and gives random numbers is elsewhere.

pub mod attachments;
pub mod bundle;
pub mod certificate;
mod encryption;
mod error;
pub mod identity;
pub mod key;
pub mod openpgp;
pub mod payload;
pub mod policy;
pub mod simple_signing;
pub mod transparency_log;
pub mod trust;
pub mod trusted_root;
mod unique_fields;

pub use attachments::Attachments;
pub use error::{ErrorKind, SignatureError};
pub use identity::ImageName;
pub use key::{KeyError, PrivateKey, PublicKey};
pub use policy::{Policy, Requirement};
pub use trust::{Signature, Trust};
pub use trusted_root::TrustedRoot;
