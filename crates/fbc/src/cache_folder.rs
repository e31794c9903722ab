//! Where blobs of images are kept between commands.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_registry::ImageCache;
use fbc_source::Error;
use fbc_staging::{StagedDirectory, StagedFile};

use crate::scratch;

/// Where the cache is.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CacheArguments {
    /// The directory of the cache [env: FBC_CACHE_DIR] [default: fbc in XDG_CACHE_HOME or in ~/.cache]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    cache_dir: Option<PathBuf>,
}

impl CacheArguments {
    /// The cache for a command that reads images. If nobody named a directory, and the usual one cannot be written, as where
    /// a container runs as an arbitrary user, blobs are kept in a directory that goes with the command.
    pub(crate) fn images_or_scratch(&self) -> Result<(ImageCache, Option<StagedDirectory>), Error> {
        let is_named = self.cache_dir.is_some()
            || std::env::var_os("FBC_CACHE_DIR").is_some_and(|name| !name.is_empty());
        let usual = folder_of(|name| std::env::var_os(name));
        if is_named || usual.as_deref().is_some_and(is_usable) {
            return Ok((self.images()?, None));
        }
        let scratch = scratch::directory()?;
        Ok((ImageCache::new(scratch.path().to_path_buf()), Some(scratch)))
    }

    /// The cache. It need not exist.
    pub(crate) fn images(&self) -> Result<ImageCache, Error> {
        let folder = match &self.cache_dir {
            Some(folder) => folder.clone(),
            None => folder_of(|name| std::env::var_os(name)).ok_or_else(|| {
                Error::new("there is no place for the cache: neither XDG_CACHE_HOME nor HOME is set")
                    .help("name one by --cache-dir or FBC_CACHE_DIR")
            })?,
        };
        Ok(ImageCache::new(folder))
    }
}

/// The directory that the environment names, else that of the XDG base directory specification, which ignores relative
/// paths.
fn folder_of(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(named) = variable("FBC_CACHE_DIR").filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("fbc"))
}

/// Whether a directory exists, though it may only be read, or can be made.
fn is_usable(folder: &Path) -> bool {
    let existing = folder.ancestors().find(|folder| folder.exists());
    existing.is_some_and(|existing| existing == folder || StagedFile::within(existing).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_environment() {
        let folder = |named: &str, xdg: &str, home: &str| {
            folder_of(|name| {
                Some(OsString::from(match name {
                    "HOME" => home,
                    "XDG_CACHE_HOME" => xdg,
                    _ => named,
                }))
            })
        };
        assert_eq!(folder("here", "/x", "/h"), Some("here".into()));
        assert_eq!(folder("", "/x", "/h"), Some("/x/fbc".into()));
        assert_eq!(folder("", "relative", "/h"), Some("/h/.cache/fbc".into()));
        assert_eq!(folder("", "", ""), None);
    }
}
