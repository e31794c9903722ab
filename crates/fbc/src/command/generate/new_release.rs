//! `fbc generate --new-ocp`: a release of OpenShift gets what the one before it has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_app::layout::{find, repository_tree};
use fbc_app::output::file::{replace_files, root_for};
use fbc_model::tree::Tree;
use fbc_repository::CONFIGURATION;
use fbc_repository::matrix::migrate_level;
use fbc_repository::next_release::{before, copies, declared, with_release};
use fbc_version::OpenShiftRelease;

use crate::failure::{CLEAN, Failure};
use crate::output::file::report_written;
use crate::settings::Settings;
use crate::terminal;

/// Copies what names the release before, and adds the new one to the configuration.
pub(super) fn add(root: &Path, release: OpenShiftRelease, settings: &Settings) -> Result<u8, Failure> {
    let tree = repository_tree(root, settings)?;
    let found = find(tree.as_ref())?;
    if found.catalogs.iter().any(|catalog| catalog.releases.contains(&release)) {
        return Err(Failure::refusal(format!(
            "{} has a catalog for OpenShift {release} already",
            root.display()
        ))
        .help("`fbc repository` shows it"));
    }
    let old = before(&found, release).ok_or_else(|| {
        Failure::refusal(format!("{} has no catalog for a release before {release}", root.display()))
            .help("`fbc repository` shows what it has")
    })?;
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for copied in copies(&found, old, release) {
        for (below, bytes) in files_of(tree.as_ref(), &copied.from)? {
            let bytes = match copied.is_text {
                true => with_release(&String::from_utf8_lossy(&bytes), old, release).into_bytes(),
                false => bytes,
            };
            files.insert(
                if below.as_os_str().is_empty() { copied.to.clone() } else { copied.to.join(below) },
                bytes,
            );
        }
    }
    if let Some(path) = files.keys().find(|path| root.join(path).exists()) {
        return Err(Failure::refusal(format!("{} exists already", root.join(path).display()))
            .help("remove it, or generate the release by hand"));
    }
    if let Ok(text) = tree.read(Path::new(CONFIGURATION)) {
        let text = String::from_utf8_lossy(&text);
        let changed = declared(&text, old, release);
        if changed != text {
            files.insert(PathBuf::from(CONFIGURATION), changed.into_bytes());
        }
    }
    if files.is_empty() {
        return Err(Failure::refusal(format!(
            "nothing in {} names OpenShift {old} in its path",
            root.display()
        ))
        .help("add the release to what makes the images of its catalogs"));
    }
    let new = files.iter().map(|(path, bytes)| (path.as_path(), Some(bytes.as_slice())));
    replace_files(&root_for(root, settings)?, new)?;
    if !settings.quiet {
        for path in files.keys() {
            report_written(path, settings);
        }
        if migrate_level(Some(old)) != migrate_level(Some(release)) {
            terminal::tell(format_args!(
                "note: OpenShift {release} wants olm.csv.metadata in bundles; `fbc generate --ocp {release}` makes it"
            ));
        }
    }
    Ok(CLEAN)
}

/// The files of a path with their paths below it; one with the empty path for a file.
fn files_of(tree: &dyn Tree, path: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let Ok(entries) = tree.list(path) else {
        let bytes = tree.read(path).map_err(|error| Failure::io("read", path, &error))?;
        return Ok(vec![(PathBuf::new(), bytes)]);
    };
    let mut files = Vec::new();
    for entry in entries {
        for (below, bytes) in files_of(tree, &path.join(&entry.name))? {
            let name = match below.as_os_str().is_empty() {
                true => entry.name.clone(),
                false => entry.name.join(below),
            };
            files.push((name, bytes));
        }
    }
    Ok(files)
}
