//! The Dockerfile of a catalog image, byte for byte as opm writes it.
//!
//! Source: `operator-framework/operator-registry:alpha/action/generate_dockerfile.go`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use fbc_go::text::quote;

use fbc_source::Error;

/// Where opm serves catalogs from.
pub const CONFIGS: &str = "/configs";
/// The image that opm builds on by default.
pub const OPM_IMAGE: &str = "quay.io/operator-framework/opm:latest";

/// What goes into a Dockerfile.
pub struct Dockerfile<'d> {
    /// The image that the catalog is added to.
    pub base_image: &'d str,
    /// The image that fills the cache.
    pub builder_image: &'d str,
    /// The directory of the catalog, beside the Dockerfile.
    pub folder: &'d str,
    /// Where the catalog goes in the image.
    pub target: &'d str,
    /// Further labels.
    pub labels: BTreeMap<&'d str, &'d str>,
}

impl Dockerfile<'_> {
    /// Refuses what would break out of its place: a line break begins an instruction, a blank a word, a quotation mark
    /// ends a label. opm writes it all the same.
    pub fn check(&self) -> Result<(), Error> {
        let ends_word = |c: char| c.is_control() || c.is_whitespace();
        let ends_label = |c: char| c.is_control() || c == '"';
        let words = [
            ("image", self.base_image),
            ("image", self.builder_image),
            ("directory", self.folder),
            ("directory", self.target),
        ];
        let words = words.into_iter().filter(|(_, word)| word.contains(ends_word));
        let labels = self.labels.iter().flat_map(|(key, value)| [("label", *key), ("label", *value)]);
        match words.chain(labels.filter(|(_, text)| text.contains(ends_label))).next() {
            None => Ok(()),
            Some((what, text)) => Err(Error::new(format!("a Dockerfile cannot hold the {what} {text:?}"))
                .help("use a name without line breaks, blanks and quotation marks")),
        }
    }

    /// The text.
    pub fn text(&self) -> String {
        let Self { base_image, builder_image, folder, target, .. } = self;
        let start = if *base_image == "scratch" { SCRATCH } else { WITH_OPM };
        let mut text = format!(
            "# The builder image is expected to contain
# /bin/opm (with serve subcommand)
FROM {builder_image} as builder

# Copy FBC root into image at /configs and pre-populate serve cache
ADD {folder} {target}
RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]

FROM {base_image}
{start}
COPY --from=builder /configs /configs
COPY --from=builder /tmp/cache /tmp/cache

# Set FBC-specific label for the location of the FBC root directory
# in the image
LABEL operators.operatorframework.io.index.configs.v1=/configs
"
        );
        if !self.labels.is_empty() {
            text.push_str("\n# Set other custom labels\n");
        }
        for (key, value) in &self.labels {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "LABEL \"{key}\"=\"{value}\"");
        }
        text
    }
}

const WITH_OPM: &str = "\
# The base image is expected to contain
# /bin/opm (with serve subcommand) and /bin/grpc_health_probe

# Configure the entrypoint and command
ENTRYPOINT [\"/bin/opm\"]
CMD [\"serve\", \"/configs\", \"--cache-dir=/tmp/cache\"]
";

const SCRATCH: &str = "\
# OLMv0 CatalogSources that use binary-less images must set:
# spec:
#   grpcPodConfig:
#     extractContent:
#       catalogDir: /configs
#       cacheDir: /tmp/cache
";

/// A label without a value, in opm's words.
#[derive(Debug, thiserror::Error)]
#[error("invalid label {}", quote(.0))]
pub struct InvalidLabel(String);

/// Labels from texts such as `key=value`; of equal keys the last one counts.
pub fn labels(texts: &[String]) -> Result<BTreeMap<&str, &str>, InvalidLabel> {
    texts.iter().map(|text| text.split_once('=').ok_or_else(|| InvalidLabel(text.clone()))).collect()
}

/// Where the Dockerfile of a catalog directory goes, beside the directory, and the name of the directory in it.
pub fn place(folder: &Path) -> (PathBuf, String) {
    // Only the text of the path counts, as in opm; `.` is a name like any other.
    let mut clean = PathBuf::new();
    for component in folder.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    if clean.as_os_str().is_empty() {
        clean.push(".");
    }
    let name = match clean.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => clean.to_string_lossy().into_owned(),
    };
    let file = format!("{name}.Dockerfile");
    let path = match clean.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.join(file),
        _ => PathBuf::from(file),
    };
    (path, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_its_place() {
        let dockerfile = |base_image, folder, label| Dockerfile {
            base_image,
            builder_image: OPM_IMAGE,
            folder,
            target: CONFIGS,
            labels: [("key", label)].into(),
        };
        assert!(dockerfile(OPM_IMAGE, "catalog", "a value").check().is_ok());
        for (image, folder, label) in [
            ("a\nRUN x", "catalog", "v"),
            (OPM_IMAGE, "cat\nRUN curl evil", "v"),
            (OPM_IMAGE, "my catalog", "v"),
            (OPM_IMAGE, "catalog", "v\" other=\"w"),
            (OPM_IMAGE, "catalog", "v\nRUN x"),
        ] {
            let refused = dockerfile(image, folder, label).check().unwrap_err();
            assert!(refused.message().starts_with("a Dockerfile cannot hold"), "{}", refused.message());
        }
    }

    #[test]
    fn beside_the_folder() {
        for (folder, path, name) in [
            ("cat", "cat.Dockerfile", "cat"),
            ("a/cat/", "a/cat.Dockerfile", "cat"),
            ("./a//cat/.", "a/cat.Dockerfile", "cat"),
            (".", "..Dockerfile", "."),
            ("a/..", "..Dockerfile", "."),
            ("../b/../cat", "../cat.Dockerfile", "cat"),
            ("/abs/cat", "/abs/cat.Dockerfile", "cat"),
        ] {
            assert_eq!(place(Path::new(folder)), (PathBuf::from(path), name.to_owned()), "{folder}");
        }
    }
}
