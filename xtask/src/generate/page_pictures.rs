//! Pictures of pages in a browser, in `docs/images`.
//!
//! A browser draws a page differently with every version, so a picture cannot be compared. What can is the page:
//! `docs/images/pages.sha256` has the digest of each page at the time when its picture was drawn, and is out of date when
//! a page has changed.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_testing::browser;
use sha2::{Digest as _, Sha256};

use super::Generated;
use crate::dist::fbc;
use crate::error::{Context as _, TaskError, TaskResult};

const DIGESTS: &str = "docs/images/pages.sha256";

/// A page that fbc writes to the last of these arguments, and the part of its address that chooses what it shows.
struct Page {
    picture: &'static str,
    arguments: &'static [&'static str],
    choices: &'static str,
}

const PAGES: [Page; 2] = [
    Page {
        picture: "docs/images/graph-page.png",
        arguments: &["graph", "testdata/sample-catalog", "-o", "html", "--output-file"],
        choices: "#package=lighthouse-operator&semantics=v1&version=1.0.0",
    },
    Page {
        picture: "docs/images/simulation-page.png",
        arguments: &["simulate", "testdata/scenarios/document/taints-of-lost-nodes.yaml", "-q", "--report"],
        choices: "",
    },
];

impl Page {
    fn write(&self, root: &Path, directory: &Path) -> TaskResult<PathBuf> {
        let page = directory.join("page.html");
        let target = page.display().to_string();
        fbc(root, &[self.arguments, &[target.as_str()]].concat())?;
        Ok(page)
    }
}

/// The digests of all pages.
pub(super) fn digests(root: &Path) -> TaskResult<Vec<Generated>> {
    let directory = temporary()?;
    let mut content = String::new();
    for page in &PAGES {
        content.push_str(&line(&page.write(root, directory.path())?, page)?);
    }
    Ok(vec![Generated { path: PathBuf::from(DIGESTS), content }])
}

/// Draws the pages that have changed since their pictures were drawn.
pub(super) fn draw(root: &Path) -> TaskResult {
    let directory = temporary()?;
    let drawn = fs::read_to_string(root.join(DIGESTS)).unwrap_or_default();
    for page in &PAGES {
        let (file, picture) = (page.write(root, directory.path())?, root.join(page.picture));
        if picture.is_file() && drawn.contains(&line(&file, page)?) {
            continue;
        }
        if !fbc_testing::is_installed("chromium") {
            return Err(TaskError::new(format!(
                "{} needs Chromium: install it and run this again",
                page.picture
            )));
        }
        let drawing = directory.path().join("picture.png");
        browser::picture(&file, page.choices, &drawing);
        let bytes = fs::read(&drawing).context(|| format!("drawing {}", page.picture))?;
        fs::remove_file(&drawing).context(|| format!("removing {}", drawing.display()))?;
        super::write_and_rename(&picture, &bytes)?;
        println!("drawn: {}", page.picture);
    }
    Ok(())
}

fn temporary() -> TaskResult<tempfile::TempDir> {
    tempfile::tempdir().context(|| "making a temporary directory".to_owned())
}

fn line(file: &Path, page: &Page) -> TaskResult<String> {
    let bytes = fs::read(file).context(|| format!("reading {}", file.display()))?;
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{digest}  {}\n", page.picture))
}
