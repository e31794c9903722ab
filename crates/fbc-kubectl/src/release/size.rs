//! How large the images of a release are, and what of it they share.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{ReleaseImage, images};
use crate::age::{seconds_between, short_human_duration};

/// What is known of an image of a release.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageSize {
    /// When it was made.
    pub created: Option<Moment>,
    /// Digests and packed sizes of its layers in bytes, the lowest first.
    pub layers: Vec<(String, u64)>,
}

impl ImageSize {
    fn base(&self) -> Option<&str> {
        self.layers.first().map(|(digest, _)| digest.as_str())
    }
}

/// The images with their ages and sizes; names only of those about which nothing is known.
pub(super) fn table(release: &ReleaseImage, references: &Value, now: Moment) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut total = 0;
    for (digest, size) in release.sizes.values().flat_map(|image| &image.layers) {
        let count = counts.entry(digest).or_default();
        if *count == 0 {
            total = size.saturating_add(total);
        }
        *count += 1;
    }
    let bases: BTreeSet<&str> = release.sizes.values().filter_map(ImageSize::base).collect();
    let heading = if bases.len() > 1 { "BASE" } else { "" };
    let mut text = format!("\nImages:\n  NAME\t AGE\t LAYERS\t SIZE MB\t UNIQUE MB\t {heading}\n");
    let mut named_bases: Vec<&str> = Vec::new();
    let mut covered: BTreeSet<&str> = BTreeSet::new();
    for tag in images(references) {
        let name = tag.text(&["name"]);
        let Some(image) = release.sizes.get(name) else {
            text.push_str(&format!("  {name}\t\t\t\t\t\n"));
            continue;
        };
        let mut base = String::new();
        if let Some(digest) = image.base().filter(|_| bases.len() > 1) {
            let known = named_bases.iter().position(|base| *base == digest);
            let index = known.unwrap_or_else(|| {
                named_bases.push(digest);
                named_bases.len() - 1
            });
            base = match u8::try_from(index) {
                // Few are letters in columns of their own, so that it shows which images have the same.
                Ok(index) if bases.len() <= 5 => {
                    format!("{}{}", " ".repeat(usize::from(index)), char::from(b'A' + index))
                }
                _ => (index + 1).to_string(),
            };
        }
        let is_shared = |digest: &str| counts.get(digest).is_some_and(|count| *count > 1);
        let own = image.layers.iter().filter(|(digest, _)| !is_shared(digest));
        let mut unique = own.map(|(_, size)| *size).fold(0, u64::saturating_add);
        if let Some((digest, size)) = image.layers.last().filter(|_| unique == 0)
            && covered.insert(digest)
        {
            // Images of the same layers: the first one counts for the uppermost.
            unique = *size;
        }
        let size = image.layers.iter().map(|(_, size)| *size).fold(0, u64::saturating_add);
        let megabytes = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
        let age = image.created.map(|created| short_human_duration(seconds_between(created, now)));
        text.push_str(&format!(
            "  {name}\t{:>4}\t{:>7}\t{:>8.1}\t{:>10.1}\t {base}\n",
            age.unwrap_or_default(),
            image.layers.len(),
            megabytes(size),
            megabytes(unique)
        ));
    }
    text.push_str(&format!("\n  {} across {} layers", human_size(total), counts.len()));
    if bases.len() > 1 {
        text.push_str(&format!(", {} different base images", bases.len()));
    }
    text.push('\n');
    text
}

/// A warning for each image about which nothing is known.
pub(super) fn warnings(release: &ReleaseImage, references: &Value) -> Vec<String> {
    let unknown =
        images(references).map(|tag| tag.text(&["name"])).filter(|name| !release.sizes.contains_key(*name));
    unknown.map(|name| format!("tag {name:?}: the image cannot be read here")).collect()
}

/// A number of bytes in units of thousands, with four digits at most.
///
/// Source: `docker/go-units:size.go`, `HumanSize`.
fn human_size(bytes: u64) -> String {
    const UNITS: [&str; 9] = ["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1000.0 && unit + 1 < UNITS.len() {
        number /= 1000.0;
        unit += 1;
    }
    let decimals = match number {
        ..10.0 => 3,
        10.0..100.0 => 2,
        100.0..1000.0 => 1,
        _ => 0,
    };
    let text = format!("{number:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{}", UNITS.get(unit).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::human_size;

    #[test]
    fn sizes_have_four_digits_at_most() {
        for (bytes, expected) in [
            (0, "0B"),
            (999, "999B"),
            (1000, "1kB"),
            (1024, "1.024kB"),
            (12_345, "12.35kB"),
            (123_456_789, "123.5MB"),
            (23_456_789_012, "23.46GB"),
        ] {
            assert_eq!(human_size(bytes), expected);
        }
    }
}
