//! The size of a bundle, and what clusters take.
//!
//! Sources: `operator-framework/operator-registry:pkg/configmap/configmap_writer.go` and
//! `pkg/lib/encoding/encoding.go`, `operator-framework/api:pkg/validation/internal/bundle.go`.

use std::io::Write as _;

use fbc_lint::bundle::BundleContext;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

/// Bytes of all files, packed, that OLM unpacks.
pub(super) const MAX_PACKED: u64 = 1 << 20;
/// Bytes of a ConfigMap.
pub(super) const MAX_CONFIG_MAP: u64 = 1 << 20;
/// Bytes of a request to etcd, in its default configuration.
pub(super) const MAX_OBJECT: u64 = 3 << 19;

/// The bytes of all files, each compressed with gzip and written in base64; nothing where the bundle is so
/// small that it cannot be near the limit.
pub(super) fn packed(context: &BundleContext<'_>) -> Option<u64> {
    let size: u64 = context.contents.files.iter().map(|file| file.size).sum();
    if size < MAX_PACKED / 2 {
        return None;
    }
    Some(*context.packed_size.get_or_init(|| {
        let sizes = context.contents.files.par_iter().map(|file| {
            let bytes = context.tree.read(&file.path).unwrap_or_default();
            base64_length(compressed_length(&bytes))
        });
        sizes.sum()
    }))
}

fn compressed_length(bytes: &[u8]) -> u64 {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().map_or(0, |packed| packed.len() as u64)
}

fn base64_length(length: u64) -> u64 {
    length.div_ceil(3) * 4
}

/// The largest files, in words.
pub(super) fn largest(context: &BundleContext<'_>) -> String {
    let mut files: Vec<_> = context.contents.files.iter().collect();
    files.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.path.cmp(&b.path)));
    let shown = files.iter().take(3);
    let shown: Vec<String> =
        shown.map(|file| format!("{} ({} bytes)", file.path.display(), grouped(file.size))).collect();
    format!("the largest files: {}", shown.join(", "))
}

/// A number with its digits in groups of three.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lengths() {
        assert_eq!(
            ["1", "999", "1,000", "1,048,576"],
            [1, 999, 1000, MAX_PACKED].map(grouped).each_ref().map(String::as_str)
        );
        assert_eq!([base64_length(0), base64_length(1), base64_length(3), base64_length(4)], [0, 4, 4, 8]);
    }
}
