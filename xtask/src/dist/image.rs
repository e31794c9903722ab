//! An image with fbc, for pipelines that run their steps in images: made as `fbc build` makes catalogs, without a daemon, and
//! equal for equal files. What a step needs besides, such as git and a shell, comes from the base.

use std::collections::BTreeMap;
use std::path::Path;

use fbc_image::build::{Build, Contents, Format, Moment, build};
use fbc_image::image::PlatformName;
use fbc_image::layer::{Compression, Content, Entries, LayerEntry};
use fbc_image::layout::Output;
use fbc_image::{LocalReference, Transport};

use super::Release;
use super::contents::PackedFile;
use super::sbom::timestamp;
use crate::error::{Context as _, TaskError, TaskResult};

/// Where files of an archive are in the image; others stay out.
const PLACES: [(&str, &str); 3] = [
    ("fbc", "usr/local/bin/fbc"),
    ("LICENSE", "usr/local/share/doc/fbc/LICENSE"),
    ("THIRD-PARTY-LICENSES.md", "usr/local/share/doc/fbc/THIRD-PARTY-LICENSES.md"),
];

/// Writes the image as an OCI archive. The base is an image on disk, such as `oci:PATH`, or `scratch`.
pub(super) fn write(
    path: &Path,
    base: &str,
    architecture: &str,
    release: &Release,
    files: &[PackedFile],
) -> TaskResult {
    let making = || format!("making {}", path.display());
    let base = match base {
        "scratch" => None,
        text => {
            let parsed = LocalReference::parse(text)
                .ok_or_else(|| TaskError::new(format!("{text} is neither `scratch` nor `oci:PATH`")))?;
            Some(parsed.context(|| text.to_owned())?.open().context(|| text.to_owned())?)
        }
    };
    let reference = LocalReference {
        transport: Transport::OciArchive,
        path: path.to_path_buf(),
        name: Some(release.version.clone()),
    };
    let target = Output::begin(&reference, false).context(making)?;
    let built = build(
        &Build {
            contents: Contents {
                entries: entries(files),
                labels: labels(release),
                created_by: "fbc",
                catalog: None,
            },
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            base: base.as_deref(),
            base_name: None,
            format: Format::default(),
            platforms: vec![PlatformName::linux(architecture)],
            compression: Compression::Gzip,
            created: Moment { seconds: release.moment, text: timestamp(release.moment) },
            servers: Vec::new(),
        },
        target.blobs(),
    );
    target.finish(&built.context(making)?.root).context(making)
}

fn entries(files: &[PackedFile]) -> Entries {
    let mut entries = Entries::default();
    for file in files {
        if let Some((_, place)) = PLACES.iter().find(|(name, _)| *name == file.path) {
            let content = Content::Bytes(file.bytes.clone());
            entries.insert(place, LayerEntry::File { content, is_executable: file.is_program });
        }
    }
    entries
}

/// Labels as the annotations of OCI have them.
fn labels(release: &Release) -> BTreeMap<String, String> {
    let label = |name: &str, value: &str| (format!("org.opencontainers.image.{name}"), value.to_owned());
    let mut labels = BTreeMap::from([
        label("title", "fbc"),
        label("version", &release.version),
        label("licenses", "Apache-2.0"),
    ]);
    labels.extend(release.commit.as_ref().map(|commit| label("revision", commit)));
    labels.extend(release.repository.as_ref().map(|url| label("source", url)));
    labels
}

#[cfg(test)]
mod tests {
    use fbc_image::Image;

    use super::*;

    #[test]
    fn equal_files_make_equal_images() {
        let folder = tempfile::tempdir().unwrap();
        let files = [PackedFile { path: "fbc".to_owned(), bytes: vec![1, 2], is_program: true }];
        let release = Release::of_test("1.2.3", 1_700_000_000);
        let paths = ["a.tar", "b.tar"].map(|name| folder.path().join(name));
        for path in &paths {
            write(path, "scratch", "arm64", &release, &files).unwrap();
        }
        let [a, b] = paths.map(|path| std::fs::read(path).unwrap());
        assert!(a == b);
        let text = format!("oci-archive:{}", folder.path().join("a.tar").display());
        let source = LocalReference::parse(&text).unwrap().unwrap().open().unwrap();
        let image = Image::all(source.as_ref()).unwrap().remove(0);
        assert_eq!(image.platform().to_string(), "linux/arm64");
        assert_eq!(image.labels()["org.opencontainers.image.version"], "1.2.3");
        assert!(write(&folder.path().join("c"), "quay.io/a/b:c", "amd64", &release, &files).is_err());
    }
}
