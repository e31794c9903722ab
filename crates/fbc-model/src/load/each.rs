//! Blobs as they are written, one after another, without a catalog of them.

use fbc_yaml::Node;
use rayon::prelude::*;

use super::{FaultPlace, LoadFault, LoadFaultKind, Problem, Walk, read_into, settle_fault};
use crate::blob::Origin;
use crate::meta::{self, Meta};
use crate::tree::Tree;

/// Makes something of every blob of a tree, in the order of the walk. Files are read in parallel.
///
/// # Errors
/// The first thing that cannot be read, in that order, or that is not a blob.
pub fn map_blobs<T: Send>(
    tree: &dyn Tree,
    map: &(dyn Fn(Node<'_>, &Meta) -> T + Sync),
) -> Result<Vec<T>, LoadFault> {
    let walk = Walk::over(tree);
    if let Some(fault) = walk.faults.into_iter().next() {
        return Err(fault);
    }
    let files: Vec<Result<Vec<T>, LoadFault>> =
        walk.files.par_iter().with_max_len(1).map(|path| of_file(tree, path, map)).collect();
    let mut all = Vec::new();
    for file in files {
        all.extend(file?);
    }
    Ok(all)
}

fn of_file<T: Send>(
    tree: &dyn Tree,
    path: &std::path::Path,
    map: &(dyn Fn(Node<'_>, &Meta) -> T + Sync),
) -> Result<Vec<T>, LoadFault> {
    let fault = |problem: Problem, document: Option<usize>| LoadFault {
        kind: problem.kind,
        message: problem.message,
        path: path.to_owned(),
        origin: document.map(|document| Origin { file: 0, document: document as u32 }),
        place: problem.place,
    };
    let mut bytes = Vec::new();
    read_into(tree, path, &mut bytes).map_err(|message| {
        fault(Problem { kind: LoadFaultKind::Unreadable, message, place: FaultPlace::File }, None)
    })?;
    let documents = fbc_yaml::stream::read(&bytes, &|document| {
        let meta = meta::read(document.root())?;
        Ok(map(document.root(), &meta))
    });
    let results = documents.into_iter().enumerate().map(|(number, document)| {
        document.outcome.map_err(|error| fault(settle_fault(document.syntax, error), Some(number)))
    });
    results.collect()
}
