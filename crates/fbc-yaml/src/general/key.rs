//! What a node means where it stands as a key.

use fbc_go::text;

use super::{Composed, Fault, go_syntax};
use crate::document::{DocumentBuilder, Slot, Text};
use crate::scalar::Scalar;

/// A key of the open mapping.
pub(super) enum Key {
    /// The text of the key.
    Text(Text),
    /// `<<`: the value is merged into the mapping.
    Merge,
    /// The conversion to JSON does not take it.
    Unsupported {
        /// Its type and value, in Go's words.
        key: String,
        /// Its first byte.
        byte: usize,
    },
}

/// The key that a node gives: JSON has only text, so numbers and booleans are written out.
///
/// # Errors
/// Lists and mappings, which go-yaml does not take as keys.
pub(super) fn key_of(
    builder: &mut DocumentBuilder,
    bytes: &[u8],
    composed: Composed,
    byte: usize,
) -> Result<Key, Fault> {
    Ok(match (composed.scalar, composed.slot) {
        (Some(Scalar::Merge), _) => Key::Merge,
        (Some(Scalar::Text), Slot::Text(text)) => Key::Text(text),
        (Some(scalar), _) => match key_text(scalar, "") {
            Ok(text) => Key::Text(builder.add_text(&text)),
            Err(kind) => Key::Unsupported { key: kind.to_string(), byte },
        },
        (None, _) => return Err(Fault::Key(go_syntax::of_node(bytes, composed.number))),
    })
}

/// A scalar that the conversion to JSON does not take as a key: its type and value, in Go's words.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum NotAKey {
    #[error("%!s(<nil>), key: <nil>")]
    Null,
    #[error("uint64, key: {0:#x}")]
    Uint(u64),
}

/// A scalar as the text of a key (`sigs.k8s.io/yaml`: floats are rounded to 32 bits).
///
/// # Errors
/// Scalars that the reference does not take as keys.
pub(crate) fn key_text(scalar: Scalar, text: &str) -> Result<String, NotAKey> {
    Ok(match scalar {
        Scalar::Text | Scalar::Merge => text.to_owned(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(number) => number.to_string(),
        Scalar::Float(f64::INFINITY) => ".inf".to_owned(),
        Scalar::Float(f64::NEG_INFINITY) => "-.inf".to_owned(),
        Scalar::Float(number) if number.is_nan() => ".nan".to_owned(),
        Scalar::Float(number) => {
            let mut written = String::new();
            text::push_general_number_32(&mut written, number);
            written
        }
        Scalar::Null => return Err(NotAKey::Null),
        Scalar::Uint(number) => return Err(NotAKey::Uint(number)),
    })
}

/// Takes the members of a mapping, or of a list of mappings, into the open object. Of a list the
/// first comes last, because what is set later wins.
pub(super) fn merge(builder: &mut DocumentBuilder, value: Slot) -> bool {
    match value {
        Slot::Object(..) => builder.push_members_of(value),
        Slot::Array(..) => {
            for item in builder.items_of(value).into_iter().rev() {
                if !matches!(item, Slot::Object(..)) {
                    return false;
                }
                builder.push_members_of(item);
            }
        }
        _ => return false,
    }
    true
}
