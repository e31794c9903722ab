//! The lines in which two texts differ.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::Replacement;

/// The replacements, line by line, that turn one text into the other. `offset` is added to all places.
pub(super) fn between(old: &[u8], new: &[u8], offset: usize) -> Vec<Replacement> {
    let (before, after) = (lines(old), lines(new));
    let texts = |text: &'_ [u8], ranges: &[Range<usize>]| -> Vec<Vec<u8>> {
        ranges.iter().map(|range| text.get(range.clone()).unwrap_or_default().to_vec()).collect()
    };
    let (old_lines, new_lines) = (texts(old, &before), texts(new, &after));
    let stretch = |ranges: &[Range<usize>], index: usize, count: usize, end: usize| {
        let start = ranges.get(index).map_or(end, |range| range.start);
        let end = ranges.get(index + count).map_or(end, |range| range.start);
        start..end
    };
    capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines)
        .into_iter()
        .filter(|operation| !matches!(operation, DiffOp::Equal { .. }))
        .map(|operation| {
            let (gone, came) = (operation.old_range(), operation.new_range());
            let gone = stretch(&before, gone.start, gone.len(), old.len());
            let came = stretch(&after, came.start, came.len(), new.len());
            let text = new.get(came).unwrap_or_default();
            Replacement {
                bytes: gone.start + offset..gone.end + offset,
                text: String::from_utf8_lossy(text).into_owned(),
            }
        })
        .collect()
}

/// The lines of a text with their line breaks.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for at in memchr::memchr_iter(b'\n', text) {
        lines.push(start..at + 1);
        start = at + 1;
    }
    if start < text.len() {
        lines.push(start..text.len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn replacements_turn_one_text_into_the_other() {
        for (old, new) in [
            ("a\nb\nc\n", "a\nc\n"),
            ("a\nb", "a\nb\nc"),
            ("", "x\n"),
            ("a\nb\nc\nd\n", "A\nb\nc\nD\ne\n"),
            ("same\n", "same\n"),
        ] {
            let mut text = old.to_owned();
            for replacement in between(old.as_bytes(), new.as_bytes(), 0).into_iter().rev() {
                text.replace_range(replacement.bytes, &replacement.text);
            }
            assert_eq!(text, new);
        }
    }
}
