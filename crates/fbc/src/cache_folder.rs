//! Where blobs of images are kept between commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_image::registry::ImageCache;

use crate::failure::Failure;

/// Where the cache is.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CacheArguments {
    /// The folder of the cache [default: fbc in XDG_CACHE_HOME or in ~/.cache]
    #[arg(long, value_name = "DIR", env = "FBC_CACHE_DIR", value_hint = ValueHint::DirPath)]
    cache_dir: Option<PathBuf>,
}

impl CacheArguments {
    /// The cache. It need not exist.
    pub(crate) fn images(&self) -> Result<ImageCache, Failure> {
        let folder = match &self.cache_dir {
            Some(folder) => folder.clone(),
            None => default_folder(|name| std::env::var_os(name)).ok_or_else(|| {
                Failure::new("there is no place for the cache: neither XDG_CACHE_HOME nor HOME is set")
                    .help("name one by --cache-dir or FBC_CACHE_DIR")
            })?,
        };
        Ok(ImageCache::new(folder))
    }
}

/// The folder by the XDG base directory specification, which ignores relative paths.
fn default_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("fbc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_environment() {
        let folder = |xdg: &str, home: &str| {
            default_folder(|name| Some(OsString::from(if name == "HOME" { home } else { xdg })))
        };
        assert_eq!(folder("/x", "/h"), Some("/x/fbc".into()));
        assert_eq!(folder("relative", "/h"), Some("/h/.cache/fbc".into()));
        assert_eq!(folder("", ""), None);
    }
}
