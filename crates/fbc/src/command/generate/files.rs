//! Generated files: what is said of them, and how they are written.

use std::path::{Path, PathBuf};

use fbc_app::generation::Unknown;
use fbc_app::output::file::{replace_files, root_for};
use fbc_model::overlay_tree::FileVersions;
use fbc_repository::matrix::Entry;
use fbc_version::OpenShiftRelease;

use crate::failure::Failure;
use crate::settings::Settings;

/// Of a catalog that is split into a file for each bundle, no more files than this are named.
const MAX_NAMED_FILES: usize = 10;

/// What becomes of the files of a catalog, or what is wrong with them.
pub(super) fn describe_changes(
    entry: &Entry,
    release: Option<OpenShiftRelease>,
    files: &FileVersions,
    is_check: bool,
) -> Vec<String> {
    let prefix = release.map(|release| format!("OpenShift {release}: ")).unwrap_or_default();
    if files.is_empty() {
        return vec![format!("{prefix}{} is up to date", entry.path.fill(release))];
    }
    let file = |(path, bytes): (&PathBuf, &Option<Vec<u8>>)| {
        let path = path.display();
        match (bytes.is_some(), is_check) {
            (true, true) => format!("{prefix}{path} is stale"),
            (true, false) => format!("{prefix}wrote {path}"),
            (false, true) => format!("{prefix}{path} is no longer made"),
            (false, false) => format!("{prefix}deleted {path}, which is no longer made"),
        }
    };
    let mut lines: Vec<String> = files.iter().take(MAX_NAMED_FILES).map(file).collect();
    if let Some(more) = files.len().checked_sub(MAX_NAMED_FILES).filter(|more| *more > 0) {
        lines.push(format!("{prefix}{more} more files"));
    }
    lines
}

/// What is known of a catalog that cannot be expanded.
pub(super) fn describe_unknown(
    entry: &Entry,
    release: Option<OpenShiftRelease>,
    unknown: &Unknown,
) -> String {
    let prefix = release.map(|release| format!("OpenShift {release}: ")).unwrap_or_default();
    let path = entry.path.fill(release);
    match &unknown.not_held {
        Some(image) => {
            format!("{prefix}{path} is stale: its template names {image}, which it does not hold")
        }
        None => format!("{prefix}{path} is not known: {}", unknown.error.message()),
    }
}

pub(super) fn write_all(root: &Path, files: &FileVersions, settings: &Settings) -> Result<(), Failure> {
    Ok(replace_files(
        &root_for(root, settings)?,
        files.iter().map(|(path, bytes)| (path.as_path(), bytes.as_deref())),
    )?)
}
