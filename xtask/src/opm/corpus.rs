//! The catalogs and bundles that cases are made of.

use std::fs;
use std::path::Path;

use crate::error::{Context, TaskResult};
use crate::workspace;

/// Larger catalogs and manifests would make a case slow, and its difference hard to see.
const LARGEST_FILE: u64 = 24 << 10;

/// What cases are made of, in an order that does not depend on the machine.
pub(super) struct Corpus {
    /// Catalogs of one file.
    pub(super) catalogs: Vec<Vec<u8>>,
    /// Bundles: paths in the directory and the files.
    pub(super) bundles: Vec<Vec<(String, Vec<u8>)>>,
}

impl Corpus {
    /// Reads `testdata` and the recordings.
    pub(super) fn read(root: &Path) -> TaskResult<Self> {
        let recorded = workspace::conformance_folder(root);
        let mut corpus = Self { catalogs: Vec::new(), bundles: Vec::new() };
        let catalogs = [root.join("testdata/sample-catalog"), root.join("testdata/released")];
        for folder in catalogs.into_iter().chain([recorded.join("catalogs"), recorded.join("validate/cases")])
        {
            for path in workspace::files_below(&folder)? {
                let is_catalog = path.extension().is_some_and(|end| end == "json" || end == "yaml");
                if let (true, Some(bytes)) = (is_catalog, small_file(&path)?) {
                    corpus.catalogs.push(bytes);
                }
            }
        }
        let mut folders = workspace::folders_in(&root.join("testdata"))?;
        for package in workspace::folders_in(&recorded.join("bundles"))? {
            folders.extend(workspace::folders_in(&package)?);
        }
        for folder in folders {
            if folder.join("manifests").is_dir() && folder.join("metadata").is_dir() {
                corpus.add_bundle(&folder)?;
            }
        }
        println!("{} catalogs, {} bundles", corpus.catalogs.len(), corpus.bundles.len());
        Ok(corpus)
    }

    fn add_bundle(&mut self, folder: &Path) -> TaskResult {
        let mut files = Vec::new();
        for path in workspace::files_below(folder)? {
            // A bundle without its largest definitions is another bundle, and serves as well.
            let (Ok(name), Some(bytes)) = (path.strip_prefix(folder), small_file(&path)?) else { continue };
            files.push((name.to_string_lossy().into_owned(), bytes));
        }
        let is_version = |bytes: &Vec<u8>| bytes.windows(21).any(|window| window == b"ClusterServiceVersion");
        if files.iter().any(|(_, bytes)| is_version(bytes)) {
            self.bundles.push(files);
        }
        Ok(())
    }
}

fn small_file(path: &Path) -> TaskResult<Option<Vec<u8>>> {
    let reading = || format!("reading {}", path.display());
    if path.metadata().context(reading)?.len() > LARGEST_FILE {
        return Ok(None);
    }
    fs::read(path).map(Some).context(reading)
}
