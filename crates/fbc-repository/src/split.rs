//! The layout `split`: `package.yaml`, a file in `channels` for each channel, and one in `bundles` for each bundle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_model::Catalog;
use fbc_model::writer::{BlobRef, Format, WriteError, in_order};

/// What a file is about: schema and name.
type Subject = (String, String);

/// The files of a catalog, by path. A blob stays in the file that holds it in an older state, if it is there alone.
///
/// # Errors
/// A blob holds text that YAML cannot express.
pub fn split(catalog: &Catalog, old: &Catalog) -> Result<BTreeMap<PathBuf, Vec<u8>>, WriteError> {
    let mut known: BTreeMap<Subject, PathBuf> = BTreeMap::new();
    for blob in in_order(old) {
        if let Some(file) = old.file(blob.origin()).filter(|file| file.documents.len() == 1) {
            known.insert(subject(blob), file.path.clone());
        }
    }
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for blob in in_order(catalog) {
        let subject = subject(blob);
        let path = known.get(&subject).cloned().unwrap_or_else(|| path_of(blob, &subject.1));
        let text = blob.text(Format::Yaml)?;
        files.entry(path).or_default().extend(text.into_bytes());
    }
    Ok(files)
}

/// Whether a path is such as [`split`] gives.
#[must_use]
pub fn is_ours(path: &Path) -> bool {
    let parent = path.parent().unwrap_or(Path::new(""));
    let is_yaml = path.extension().is_some_and(|end| end == "yaml");
    is_yaml && (parent == Path::new("bundles") || parent == Path::new("channels"))
}

fn subject(blob: BlobRef<'_>) -> Subject {
    let (schema, name) = match blob {
        BlobRef::Package(package) => ("olm.package", package.name.as_str()),
        BlobRef::Channel(channel) => ("olm.channel", channel.name.as_str()),
        BlobRef::Bundle(bundle) => ("olm.bundle", bundle.name.as_str()),
        BlobRef::Deprecation(deprecation) => ("olm.deprecations", deprecation.package.as_str()),
        BlobRef::Other(other) => (other.meta.schema.as_str(), other.meta.name.as_str()),
    };
    (schema.to_owned(), name.to_owned())
}

fn path_of(blob: BlobRef<'_>, name: &str) -> PathBuf {
    // A name with a slash would be a directory.
    let file = format!("{}.yaml", name.replace(['/', '\\'], "_"));
    match blob {
        BlobRef::Package(_) => PathBuf::from("package.yaml"),
        BlobRef::Channel(_) => Path::new("channels").join(file),
        BlobRef::Bundle(_) => Path::new("bundles").join(file),
        BlobRef::Deprecation(_) => PathBuf::from("deprecations.yaml"),
        BlobRef::Other(_) => PathBuf::from("others.yaml"),
    }
}

#[cfg(test)]
mod tests {
    use fbc_model::load::{load_bytes, load_tree};
    use fbc_model::tree::MemoryTree;

    use super::*;

    #[test]
    fn blobs_stay_where_they_are() {
        let text = "schema: olm.package\nname: a\n---\nschema: olm.channel\npackage: a\nname: x/y\nentries: []\n---\n\
            schema: olm.bundle\npackage: a\nname: a.v1\nimage: i\n";
        let catalog = load_bytes(Path::new("c.yaml"), text.as_bytes());
        let paths = |old: &Catalog| -> Vec<String> {
            split(&catalog, old).unwrap().keys().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths(&Catalog::default()), ["bundles/a.v1.yaml", "channels/x_y.yaml", "package.yaml"]);
        let tree: MemoryTree =
            [("bundles/bundle-v1.yaml", "schema: olm.bundle\npackage: a\nname: a.v1\nimage: old\n")]
                .into_iter()
                .collect();
        assert_eq!(paths(&load_tree(&tree)), ["bundles/bundle-v1.yaml", "channels/x_y.yaml", "package.yaml"]);
        assert!(is_ours(Path::new("channels/x.yaml")) && !is_ours(Path::new("README.md")));
    }
}
