//! Stand-in until the writer is in.
use crate::Node;
/// Error.
#[derive(Debug, thiserror::Error)]
#[error("")]
pub struct WriteError;
/// Writes.
pub fn write(_: &mut String, _: Node<'_>) -> Result<(), WriteError> {
    Ok(())
}
