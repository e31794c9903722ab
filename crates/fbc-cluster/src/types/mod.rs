//! Objects of the built-in kinds, decoded and encoded as Go does it by the tables of types ([`fbc_kubernetes::types`]).
//!
//! Server-side apply ([`crate::apply::Shape`]), strategic merge patches and strict decoding all read the same tables.

mod decode;
mod zero;

pub use decode::{DecodeError, Decoding, decode, decode_fields};
pub use fbc_kubernetes::types::{Field, Items, Omit, Special, Struct, StructId, Type, Types, types};
pub(crate) use zero::is_left_out;
