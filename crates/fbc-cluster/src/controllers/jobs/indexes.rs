//! Sets of completion indexes as text: `0-3,5,7`.

use std::collections::BTreeSet;

use crate::object::{Object, ObjectFields};

/// So many indexes are read of a range: no job that has indexes may have more completions.
///
/// Source: `kubernetes/kubernetes:pkg/apis/batch/validation/validation.go` (`maxFailedIndexes`, completions of a job
/// with `backoffLimitPerIndex`).
const MOST: usize = 1_000_000;

/// The annotation and label of a pod that say which index it works for.
pub(super) const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// The index that a pod works for.
pub(super) fn index_of(pod: &Object) -> Option<u64> {
    pod.annotation(INDEX)?.parse().ok()
}

/// Reads a set.
pub(super) fn read(text: &str) -> BTreeSet<u64> {
    let mut indexes = BTreeSet::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>()) {
            indexes.extend((first..=last).take(MOST));
        }
    }
    indexes
}

/// Writes a set; runs of three and more become ranges.
pub(super) fn write(indexes: &BTreeSet<u64>) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for index in indexes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => runs.push((*index, *index)),
        }
    }
    let texts: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        })
        .collect();
    texts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_and_read_back() {
        for (text, count) in [("", 0), ("0", 1), ("0,1", 2), ("0-2", 3), ("0-2,4,6,7", 6)] {
            assert_eq!(read(text).len(), count);
            assert_eq!(write(&read(text)), text);
        }
    }
}
