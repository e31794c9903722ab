//! Paths that inputs name stay below their root, also when the links on their way are followed.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_image::LocalReference;
use fbc_repository::CONFIGURATION;

use crate::error::Error;

/// Refuses a path that leaves the root. What does not exist yet counts by the directory that it would come into.
pub fn require_inside(root: &Path, path: &Path, what: &str) -> Result<(), Error> {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    if is_inside(root, path)? {
        return Ok(());
    }
    let shown =
        if root == Path::new(".") { "the current directory".to_owned() } else { root.display().to_string() };
    Err(Error::refusal(format!("{what} {:?} leads out of {shown}", path.display().to_string()))
        .help(format!("name a path in {shown}, and check the symbolic links on the way")))
}

/// Whether a path lies below a root. A root that does not exist confines nothing.
pub fn is_inside(root: &Path, path: &Path) -> Result<bool, Error> {
    let Some(existing) = deepest_existing(root) else { return Ok(true) };
    let real_root = fs::canonicalize(existing).map_err(|error| Error::io("open", existing, &error))?;
    // A link that leads nowhere has a name and no target; what is written through it could be anywhere.
    let real = deepest_existing(path).and_then(|existing| fs::canonicalize(existing).ok());
    Ok(real.is_some_and(|real| real.starts_with(&real_root)))
}

/// The directory that an input in `folder` may name others in: the repository around it; without one the directory that the
/// command runs in, if the input lies there; or else its own.
pub fn confining_directory(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let (own, here) = (real(folder), real(Path::new(".")));
    let of_git = own.ancestors().find(|above| above.join(".git").exists()).map(Path::to_path_buf);
    of_git.or_else(|| repository_around(&own)).unwrap_or(if own.starts_with(&here) { here } else { own })
}

/// The root of the repository that a directory lies in, or is, without links in its path.
pub fn repository_around(folder: &Path) -> Option<PathBuf> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let is_root =
        |directory: &&Path| directory.join(".git").exists() || directory.join(CONFIGURATION).is_file();
    folder.ancestors().find(is_root).map(Path::to_path_buf)
}

/// Whether a reference that an input holds names something of this machine beyond a root: a file, a directory, or an image
/// in one.
pub fn leads_out(root: &Path, reference: &str) -> bool {
    let path = Path::new(reference);
    let path = match fs::symlink_metadata(path) {
        Ok(_) => Some(path.to_path_buf()),
        Err(_) => LocalReference::parse(reference).and_then(Result::ok).map(|image| image.path),
    };
    path.is_some_and(|path| !is_inside(root, &path).unwrap_or(false))
}

/// The path itself or the nearest directory above it that exists, a link without a target included.
fn deepest_existing(path: &Path) -> Option<&Path> {
    let mut above = path.ancestors().map(|path| match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    });
    above.find(|path| fs::symlink_metadata(path).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn links_and_dots_do_not_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(folder.path().join("out")).unwrap();
        for (target, link) in [("../out", "up"), ("in", "down"), ("../nowhere", "dangling")] {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
        }
        for (path, is_inside) in [
            ("in/new/file", true),
            ("new", true),
            ("down/file", true),
            ("in/../in", true),
            ("", true),
            ("../out/file", false),
            ("up/file", false),
            ("up", false),
            ("dangling", false),
            ("dangling/file", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(require_inside(&root, &root.join(path), "path").is_ok(), is_inside, "{path}");
        }
    }
}
