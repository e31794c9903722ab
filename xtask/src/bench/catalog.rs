//! The generated catalog on disk: how large it is, and when it is written again.
//!
//! The content comes from `catalog_text`. A stamp file, written last, names the size and the version of the content;
//! the catalog is written again only when the stamp differs.

use std::fs;
use std::path::Path;

use super::catalog_text;
use crate::error::{Context, TaskResult};

/// Raise this when `catalog_text` changes what it writes.
const CONTENT_VERSION: u32 = 1;

/// The name of the stamp; it lies beside the catalog, because all files inside belong to the catalog.
const STAMP: &str = "stamp";

/// How large a catalog is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Packages, each a directory with one file.
    pub(super) packages: usize,
    /// Bundles of each package.
    pub(super) bundles: usize,
    /// Bytes of each bundle, its share of package and channels included.
    pub(super) bundle_bytes: usize,
}

impl Size {
    /// 200 MB in 20,000 bundles.
    pub(super) const FULL: Self = Self { packages: 40, bundles: 500, bundle_bytes: 10_000 };
    /// 20 MB in 2,000 bundles.
    pub(super) const QUICK: Self = Self { packages: 8, bundles: 250, bundle_bytes: 10_000 };

    /// 57 MB in 5,700 bundles, to compare with.
    pub(super) const COMPARED: Self = Self { packages: 38, bundles: 150, bundle_bytes: 10_000 };
    /// The same with a bundle more in every package.
    pub(super) const COMPARED_LATER: Self = Self { packages: 38, bundles: 151, bundle_bytes: 10_000 };

    fn stamp(&self) -> String {
        format!(
            "content {CONTENT_VERSION}: {} packages of {} bundles of {} bytes\n",
            self.packages, self.bundles, self.bundle_bytes
        )
    }
}

/// Writes the catalog unless one of this size and content is there; true when it wrote.
pub(super) fn write_unless_present(folder: &Path, size: &Size) -> TaskResult<bool> {
    let stamp = folder.with_extension(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|text| text == size.stamp()) && folder.is_dir() {
        return Ok(false);
    }
    if stamp.exists() {
        fs::remove_file(&stamp).context(|| format!("removing {}", stamp.display()))?;
    }
    if folder.exists() {
        fs::remove_dir_all(folder).context(|| format!("removing {}", folder.display()))?;
    }
    for index in 0..size.packages {
        let package = folder.join(catalog_text::package_name(index));
        fs::create_dir_all(&package).context(|| format!("making {}", package.display()))?;
        let text = catalog_text::package(index, size.bundles, size.bundle_bytes);
        let file = package.join("catalog.yaml");
        fs::write(&file, text).context(|| format!("writing {}", file.display()))?;
    }
    fs::write(&stamp, size.stamp()).context(|| format!("writing {}", stamp.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    const SMALL: Size = Size { packages: 2, bundles: 3, bundle_bytes: 10_000 };

    #[test]
    fn the_full_size_is_what_the_measurements_promise() {
        assert_eq!(Size::FULL.packages * Size::FULL.bundles, 20_000);
        assert_eq!(20_000 * Size::FULL.bundle_bytes, 200_000_000);
    }

    #[test]
    fn a_catalog_is_written_again_only_when_the_stamp_differs() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("generated");
        assert!(write_unless_present(&folder, &SMALL).unwrap());
        assert!(!write_unless_present(&folder, &SMALL).unwrap());
        let files = workspace::files_below(&folder).unwrap();
        assert_eq!(files.len(), SMALL.packages, "{files:?}");
        let other = Size { packages: 1, ..SMALL };
        assert!(write_unless_present(&folder, &other).unwrap());
        assert_eq!(workspace::files_below(&folder).unwrap().len(), 1);
    }

    #[test]
    fn an_unfinished_catalog_is_written_again() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("generated");
        fs::create_dir_all(folder.join("left-over")).unwrap();
        fs::write(folder.join("left-over/catalog.yaml"), "half").unwrap();
        assert!(write_unless_present(&folder, &SMALL).unwrap());
        assert!(!folder.join("left-over").exists());
    }
}
