//! The other places that findings speak of: each file is read once for all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fbc_model::tree::Tree;
use fbc_yaml::locate::Lines;

use super::{Located, Span, bytes_of};
use crate::fix::Source;

/// Another place that a finding speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// The file, relative to the root of the catalog.
    pub path: PathBuf,
    /// The stretch of the file; nothing where it is not known.
    pub span: Option<Span>,
    /// What is there, such as `declared first`.
    pub message: String,
}

/// Finds the places that findings speak of.
pub(super) fn locate(documents: &dyn Source, tree: &dyn Tree, located: &mut [Located]) {
    for one in located.iter_mut() {
        let related = one.finding.related.iter();
        one.related = related
            .map(|related| RelatedPlace {
                path: related.place.path.clone(),
                span: None,
                message: related.message.clone(),
            })
            .collect();
    }
    let mut by_path: BTreeMap<PathBuf, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, one) in located.iter().enumerate() {
        for (index, related) in one.related.iter().enumerate() {
            by_path.entry(related.path.clone()).or_default().push((number, index));
        }
    }
    for (path, wanted) in by_path {
        let Ok(source) = tree.read(&path) else { continue };
        let lines = Lines::new(&source);
        let mut locators = BTreeMap::new();
        for (number, index) in wanted {
            let Some(one) = located.get_mut(number) else { continue };
            let place = one.finding.related.get(index).map(|related| &related.place);
            let bytes = place.and_then(|place| bytes_of(documents, &source, place, &mut locators));
            if let (Some(related), Some(bytes)) = (one.related.get_mut(index), bytes) {
                related.span = Some(Span::new(&lines, bytes));
            }
        }
    }
}
