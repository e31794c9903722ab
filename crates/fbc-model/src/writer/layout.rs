//! How much of the text of deeply nested blobs is indentation.

use fbc_yaml::Node;

use super::fields::Sink;
use super::{BlobRef, PLAIN_DEPTH, WriteError};
use crate::blob::Value;

/// Spaces of a level in JSON; YAML has fewer.
const INDENT: u64 = 4;

/// Refuses blobs whose indentation is more than a budget.
pub(super) fn check<'b, 'c: 'b>(
    blobs: impl IntoIterator<Item = &'b BlobRef<'c>>,
    most: u64,
) -> Result<(), WriteError> {
    let mut sink = LayoutSink::default();
    for blob in blobs {
        blob.write_to(&mut sink);
        if sink.bytes > most {
            return Err(WriteError::Layout { blob: blob.to_string(), most });
        }
    }
    Ok(())
}

/// Adds up the indentation of deep values; nothing else of a blob can be deep.
#[derive(Default)]
struct LayoutSink {
    bytes: u64,
}

impl Sink for LayoutSink {
    fn open_object(&mut self) {}
    fn close_object(&mut self) {}
    fn open_list(&mut self) {}
    fn close_list(&mut self) {}
    fn key(&mut self, _: &str) {}
    fn text(&mut self, _: &str) {}
    fn null(&mut self) {}

    fn value(&mut self, value: &Value) {
        let node = value.node();
        if node.document().depth() > PLAIN_DEPTH {
            self.bytes = self.bytes.saturating_add(indentation(node));
        }
    }
}

/// The spaces in front of all lines of a value: one for each part, and one for each closing bracket.
fn indentation(node: Node<'_>) -> u64 {
    let mut bytes = 0;
    let mut waiting = vec![(node, 0)];
    while let Some((node, level)) = waiting.pop() {
        bytes += INDENT * level;
        if !node.is_empty() {
            bytes += INDENT * level;
            let parts = node.items().chain(node.members().map(|(_, value)| value).collect::<Vec<_>>());
            waiting.extend(parts.map(|part| (part, level + 1)));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Format, WriteError, write, write_within};
    use crate::load::load_bytes;

    fn catalog(depth: usize) -> crate::Catalog {
        let value = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        load_bytes(Path::new("a"), format!("{{\"schema\":\"x\",\"value\":{value}}}").as_bytes())
    }

    #[test]
    fn the_budget_is_what_is_written() {
        let mut text = Vec::new();
        write(&catalog(300), Format::Json, &mut text).unwrap();
        let spaces = text.iter().filter(|byte| **byte == b' ').count() as u64;
        for format in [Format::Json, Format::Yaml] {
            let within = |most| write_within(&catalog(300), format, most, &mut Vec::new());
            assert!(matches!(within(spaces / 10), Err(WriteError::Layout { .. })));
            assert!(within(4 * spaces + 10_000).is_ok());
        }
    }

    #[test]
    fn twenty_kilobytes_do_not_become_four_hundred_megabytes() {
        let mut text = Vec::new();
        let error = write(&catalog(9_990), Format::Json, &mut text).unwrap_err();
        assert!(text.is_empty());
        assert!(error.to_string().contains("indented by more than"), "{error}");
    }
}
