//! What a catalog comes from, and whether that changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fbc_registry::PlatformChoice;
use fbc_source::Session;
use fbc_source::image_source::{ImageName, image_of_path, registry_image_of_path};
use sha2::{Digest, Sha256};

use fbc_source::Error;

/// What a catalog comes from, as far as looking at it tells whether it changed.
#[derive(Debug)]
pub enum Origin {
    /// A directory or file.
    Path(PathBuf),
    /// An image in a registry, as it was written.
    Image(String),
    /// Something else, which has to be loaded to be looked at.
    Unknown,
}

/// A state of an origin.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    Files(Fingerprint),
    /// The digest of an image.
    Image(String),
}

impl Origin {
    /// The origin that a reference names.
    pub fn from_reference(reference: &Path) -> Self {
        let image =
            || image_of_path(reference).and_then(Result::ok).or_else(|| registry_image_of_path(reference));
        match (reference.exists(), image()) {
            (true, _) => Self::Path(reference.to_owned()),
            (false, Some(ImageName::Local(local))) => Self::Path(local.path),
            (false, Some(ImageName::Registry(text))) => Self::Image(text),
            (false, None) => Self::Unknown,
        }
    }

    /// Its state now; nothing where that cannot be told without loading. Of an image no more than documents is pulled.
    pub(super) fn state(&self, session: &Session) -> Result<Option<State>, Error> {
        Ok(match self {
            Self::Path(path) => Some(State::Files(fingerprint(path))),
            Self::Image(text) => {
                let (pinned, _) = session.open()?.documents(text, &PlatformChoice::Any)?;
                pinned.digest().map(|digest| State::Image(digest.to_string()))
            }
            Self::Unknown => None,
        })
    }
}

/// What tells one state of a directory or file from another: names, sizes and times of all files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint([u8; 32]);

/// The state of a directory or file. What cannot be read counts as a state as well, so that its return is a change.
pub(super) fn fingerprint(path: &Path) -> Fingerprint {
    let mut digest = Sha256::new();
    let mut waiting: Vec<PathBuf> = vec![path.to_owned()];
    while let Some(place) = waiting.pop() {
        digest.update(place.as_os_str().as_encoded_bytes());
        // Links to files are followed: Kubernetes changes mounted directories by moving one.
        let Ok(metadata) = fs::metadata(&place) else {
            digest.update(b"missing");
            continue;
        };
        if !metadata.is_dir() {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            digest.update(metadata.len().to_le_bytes());
            digest.update(since.as_nanos().to_le_bytes());
            continue;
        }
        // Below the root, loading does not enter linked directories either, and one that leads upwards has no end.
        if let Some(target) = fs::read_link(&place).ok().filter(|_| place != path) {
            digest.update(target.as_os_str().as_encoded_bytes());
            continue;
        }
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        waiting.extend(entries);
    }
    Fingerprint(digest.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_file_shows() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/catalog.yaml");
        let empty = fingerprint(folder.path());
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(&file, "one").unwrap();
        let first = fingerprint(folder.path());
        assert_ne!(first, empty);
        assert_eq!(first, fingerprint(folder.path()));
        fs::write(&file, "three").unwrap();
        let second = fingerprint(folder.path());
        assert_ne!(second, first);
        fs::rename(&file, folder.path().join("a/other.yaml")).unwrap();
        let third = fingerprint(folder.path());
        assert_ne!(third, second);
        // A link to a directory is a change. What lies there is not looked at, so that one may lead upwards.
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("catalog.yaml"), "one").unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("a/linked")).unwrap();
        let linked = fingerprint(folder.path());
        assert_ne!(linked, third);
        fs::write(outside.path().join("catalog.yaml"), "three").unwrap();
        assert_eq!(fingerprint(folder.path()), linked);
        std::os::unix::fs::symlink("..", folder.path().join("a/up")).unwrap();
        assert_ne!(fingerprint(folder.path()), linked);
        assert_ne!(fingerprint(&folder.path().join("none")), fingerprint(folder.path()));
    }
}
