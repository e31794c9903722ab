//! Where the parts of composite templates may lie.

use std::path::{Path, PathBuf};

use fbc_source::Error;
use fbc_source::confinement::require_inside;
use fbc_template::composite::{Input, Step};

/// Catalogs lie where the command runs, contributions in their catalog, templates beside either of their files.
///
/// # Errors
/// The path that leads out.
pub fn require_inside_roots(step: &Step, contribution: &Path) -> Result<(), Error> {
    let here = Path::new(".");
    require_inside(here, &step.root, "the working directory")?;
    require_inside(&step.root, &step.output, "the output")?;
    match &step.input {
        Input::Template { paths, .. } => match found(paths) {
            path if require_inside(contribution, path, "").is_ok() => Ok(()),
            path => require_inside(here, path, "the template"),
        },
        Input::Command { .. } => Ok(()),
    }
}

/// The first path that exists, or else the last.
#[must_use]
pub fn found(paths: &[PathBuf]) -> &Path {
    paths.iter().find(|path| path.exists()).or(paths.last()).map_or(Path::new(""), PathBuf::as_path)
}
