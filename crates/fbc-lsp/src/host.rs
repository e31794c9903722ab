//! What the server asks of the program around it: files, configuration, and what is judged elsewhere.

use std::ops::Range;
use std::path::{Path, PathBuf};

use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::Tree;

use crate::configuration::CatalogConfiguration;

/// What a file is, as far as the server looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file of a catalog.
    Catalog,
    /// A catalog template.
    Template,
    /// `fbc.toml`.
    Configuration,
    /// A scenario of `fbc simulate`.
    Scenario,
    /// A file of a bundle directory.
    Bundle,
    /// An ImageSetConfiguration.
    ImageSet,
}

/// What is wrong in a file that is not a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the text.
    pub bytes: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do; empty where nobody knows.
    pub help: String,
    /// The code of the rule; empty where it is none.
    pub code: &'static str,
    /// Whether it is an error.
    pub is_error: bool,
    /// What would fix it.
    pub fixes: Vec<ProblemFix>,
}

/// A fix in the text of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemFix {
    /// What it does, as an instruction.
    pub title: String,
    /// Whether it is certain that this is meant.
    pub is_safe: bool,
    /// Bytes, and what takes their place.
    pub replacements: Vec<(Range<usize>, String)>,
}

/// What came of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// Whether everything that was expected happened.
    pub is_success: bool,
    /// The verdict in a few words.
    pub summary: String,
    /// The timeline as `fbc simulate` prints it.
    pub text: String,
    /// The expectations that were not met, in the order of the file.
    pub unmet: Vec<Unmet>,
}

/// An expectation that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// Its line in the saved file, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// What was expected, and what came instead.
    pub message: String,
}

/// Why the program around the server does not do what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// What was asked for is at fault, in the words of the program.
    #[error("{0}")]
    Refused(String),
    /// The program is.
    #[error("this is a fault of fbc: please report it, with the scenario")]
    Panicked,
}

/// The program around the server.
pub trait Host: Send + Sync {
    /// The files of a directory.
    fn tree(&self, folder: &Path) -> Box<dyn Tree>;
    /// What the configuration says of a catalog.
    ///
    /// # Errors
    /// [`HostError`]
    fn configuration(&self, catalog: &Path) -> Result<CatalogConfiguration, HostError>;
    /// The configuration file that holds for a catalog, or the one that would: it lies outside of the catalog.
    fn configuration_file(&self, catalog: &Path) -> PathBuf;
    /// What is wrong with a file that is not a catalog. `buffers` are the files that editors hold in other versions than
    /// the disk.
    fn problems(&self, kind: FileKind, path: &Path, text: &str, buffers: &FileVersions) -> Vec<Problem>;
    /// A catalog was read and judged as a whole, which takes more memory than what is kept of it.
    fn catalog_loaded(&self) {}
    /// Plays a scenario that is saved.
    ///
    /// # Errors
    /// [`HostError`]
    fn simulate(&self, path: &Path) -> Result<Simulated, HostError>;
}

/// What a file is, by its name and its first lines.
#[must_use]
pub fn kind_of(path: &Path, text: &str) -> Option<FileKind> {
    let name = path.file_name()?.to_str()?;
    if name == "fbc.toml" {
        return Some(FileKind::Configuration);
    }
    let folder = path.parent().and_then(Path::file_name).and_then(|folder| folder.to_str());
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
    let schema = first_schema(text);
    if schema.is_some_and(|schema| TEMPLATES.iter().any(|template| schema.starts_with(template))) {
        return Some(FileKind::Template);
    }
    if has_line(text, "kind: ImageSetConfiguration") {
        return Some(FileKind::ImageSet);
    }
    let is_of_olm = schema.is_some_and(|schema| schema.starts_with("olm."));
    if matches!(folder, Some("manifests" | "metadata")) && is_yaml && !is_of_olm {
        return Some(FileKind::Bundle);
    }
    if is_yaml && has_line(text, "steps:") && (has_line(text, "title:") || has_line(text, "catalogs:")) {
        return Some(FileKind::Scenario);
    }
    (schema.is_some() || is_yaml && text.trim().is_empty()).then_some(FileKind::Catalog)
}

/// What the schemas of templates begin with.
const TEMPLATES: [&str; 3] = ["olm.semver", "olm.template.", "olm.composite"];

/// The first schema that a document names; a large icon may stand before it. Keys of documents begin their line in YAML.
fn first_schema(text: &str) -> Option<&str> {
    let is_json = text.trim_start().starts_with('{');
    memchr::memmem::find_iter(text.as_bytes(), "schema").find_map(|at| {
        let before = text.get(..at)?.strip_suffix(['"', '\'']).unwrap_or(text.get(..at)?);
        let begins = before.is_empty() || before.ends_with('\n') || before.ends_with("--- ");
        let rest = text.get(at + "schema".len()..)?.trim_start_matches(['"', '\'']).trim_start();
        let rest = rest.strip_prefix(':').filter(|_| is_json || begins)?;
        let rest = rest.trim_start_matches([' ', '"', '\'']);
        Some(rest.split([' ', '"', '\'', '\n', '\r', ',', '}']).next().unwrap_or_default())
    })
}

/// Whether a line of the text begins like this.
fn has_line(text: &str, start: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), start)
        .any(|at| text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart() {
        for (path, text, kind) in [
            ("a/fbc.toml", "", Some(FileKind::Configuration)),
            ("a/catalog.yaml", "# x\n---\nschema: olm.package\n", Some(FileKind::Catalog)),
            ("a/index.json", "{\"schema\": \"olm.package\"}", Some(FileKind::Catalog)),
            ("a/t.yaml", "schema: olm.semver\n", Some(FileKind::Template)),
            ("a/t.json", "{\"schema\": \"olm.template.basic\"}", Some(FileKind::Template)),
            ("b/manifests/x.yaml", "kind: ClusterServiceVersion\n", Some(FileKind::Bundle)),
            ("s.yaml", "title: x\nsteps: []\n", Some(FileKind::Scenario)),
            (
                "set.yaml",
                "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n",
                Some(FileKind::ImageSet),
            ),
            ("README.md", "# words\n", None),
            (
                "crd.yaml",
                "kind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema: {}\n",
                None,
            ),
            ("deployment.yaml", "kind: Deployment\n", None),
        ] {
            assert_eq!(kind_of(Path::new(path), text), kind, "{path}");
        }
    }

    #[test]
    fn a_large_icon_before_the_schema_hides_nothing() {
        let icon = "A".repeat(1 << 20);
        for text in [
            format!("---\nicon:\n  base64data: {icon}\nname: foo\nschema: olm.package\n"),
            format!("{{\"icon\": {{\"base64data\": \"{icon}\"}}, \"schema\": \"olm.package\"}}"),
            format!("icon: {icon}\n\"schema\": 'olm.package'\n"),
        ] {
            assert_eq!(kind_of(Path::new("a/catalog.yaml"), &text), Some(FileKind::Catalog));
        }
    }
}
