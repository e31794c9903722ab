//! JSON documents of images with one form only: keys sorted, no space. Maps of `oci_spec` have no order.

use oci_spec::image::{Descriptor, MediaType};
use serde_json::Value;

use crate::blob::digest_of;

/// The bytes of a JSON value.
pub fn bytes(mut value: Value) -> Vec<u8> {
    value.sort_all_objects();
    value.to_string().into_bytes()
}

/// The bytes of a document and their descriptor.
pub fn document(value: Value, media_type: MediaType) -> (Vec<u8>, Descriptor) {
    let bytes = bytes(value);
    let descriptor = Descriptor::new(media_type, bytes.len() as u64, digest_of(&bytes));
    (bytes, descriptor)
}

/// A descriptor as JSON.
pub fn descriptor(descriptor: &Descriptor) -> Value {
    // A structure of texts and numbers always has a JSON form.
    serde_json::to_value(descriptor).unwrap_or_default()
}
