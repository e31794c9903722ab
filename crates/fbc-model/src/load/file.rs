//! One file of a catalog: its documents, and how they join the catalog.

use std::path::PathBuf;

use fbc_yaml::limits::Meter;
use fbc_yaml::stream::{self, Decoded};

use super::decode::{Problem, SettledBlob, decode_blob, settle};
use super::{FaultPlace, LoadFault, LoadFaultKind, Look};
use crate::blob::Origin;
use crate::catalog::{Catalog, CatalogFile};

/// A file that was read, or why it could not be.
pub(super) struct LoadedFile {
    file: CatalogFile,
    documents: Vec<SettledBlob>,
    unreadable: Option<String>,
}

impl LoadedFile {
    pub(super) fn unreadable(path: PathBuf, message: String) -> Self {
        Self {
            file: CatalogFile { path, documents: Vec::new() },
            documents: Vec::new(),
            unreadable: Some(message),
        }
    }

    /// Reads a file, and gives what the look made of its blobs.
    pub(super) fn from_bytes<T: Send>(
        path: PathBuf,
        bytes: &[u8],
        meter: &Meter,
        look: Look<'_, T>,
    ) -> (Self, Vec<T>) {
        let decoded = stream::read_within(bytes, meter, &|document| decode_blob(document, look));
        let mut file = CatalogFile { path, documents: Vec::with_capacity(decoded.len()) };
        let mut documents = Vec::with_capacity(decoded.len());
        let mut made = Vec::with_capacity(decoded.len());
        for Decoded { range, syntax, outcome } in decoded {
            let (info, result, made_of_it) = settle(range, syntax, outcome);
            file.documents.push(info);
            documents.push(result);
            made.extend(made_of_it);
        }
        (Self { file, documents, unreadable: None }, made)
    }

    /// Adds the blobs and faults of the file to a catalog.
    pub(super) fn add_to(self, catalog: &mut Catalog) {
        let index = catalog.files.len() as u32;
        let path = self.file.path.clone();
        let fault = |problem: Problem, origin| LoadFault {
            kind: problem.kind,
            message: problem.message,
            path: path.clone(),
            origin,
            place: problem.place,
        };
        if let Some(message) = self.unreadable {
            let problem = Problem { kind: LoadFaultKind::Unreadable, message, place: FaultPlace::File };
            catalog.faults.push(fault(problem, None));
        }
        let first_fault = catalog.faults.len();
        for (number, document) in self.documents.into_iter().enumerate() {
            let origin = Origin { file: index, document: number as u32 };
            match document {
                Ok((blob, problem)) => {
                    catalog.push(blob, origin);
                    catalog.faults.extend(problem.map(|problem| fault(problem, Some(origin))));
                }
                Err(problem) => {
                    let mut at = catalog.faults.len();
                    if problem.kind == LoadFaultKind::Separator {
                        // The reference reads to the end of a document before it looks at it, so it speaks of a line
                        // that is no separator before it speaks of the document that ends there.
                        let own = catalog.faults.get(first_fault..).unwrap_or_default();
                        let last = own.last().filter(|fault| fault.kind != LoadFaultKind::Separator);
                        let of_last = last.and_then(|fault| fault.origin);
                        let ends_here = |last: Origin| {
                            let range = |at: u32| self.file.documents.get(at as usize).map(|of| &of.range);
                            let (ended, line) = (range(last.document), range(origin.document));
                            last.document + 1 == origin.document
                                && ended.map(|of| of.end) == line.map(|of| of.start)
                        };
                        at -= usize::from(of_last.is_some_and(ends_here));
                    }
                    catalog.faults.insert(at, fault(problem, Some(origin)));
                }
            }
        }
        catalog.files.push(self.file);
    }
}
