//! What the server asks of the program around it: files, configuration, and what is judged elsewhere.

use std::ops::Range;
use std::path::{Path, PathBuf};

use fbc_lint::{Policy, Report};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::Tree;

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
    /// The file, if it is another than the one that was asked about.
    pub path: Option<PathBuf>,
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
}

/// The program around the server.
pub trait Host: Send + Sync {
    /// The files of a directory.
    fn tree(&self, folder: &Path) -> Box<dyn Tree>;
    /// The policy of a catalog.
    ///
    /// # Errors
    /// What is wrong with the configuration, in words.
    fn policy(&self, catalog: &Path) -> Result<Policy, String>;
    /// Takes out of a report what the configuration sets aside.
    fn leave_counting(&self, catalog: &Path, report: &mut Report);
    /// The configuration file that holds for a path, or the one that would.
    fn configuration_file(&self, path: &Path) -> PathBuf;
    /// What is wrong with a file that is not a catalog. `buffers` are the files that editors hold in other versions than
    /// the disk.
    fn problems(&self, kind: FileKind, path: &Path, text: &str, buffers: &FileVersions) -> Vec<Problem>;
    /// Plays a scenario.
    ///
    /// # Errors
    /// Why it cannot be played.
    fn simulate(&self, path: &Path, text: &str) -> Result<Simulated, String>;
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
    let head: String = text.chars().take(16 << 10).collect();
    let has = |wanted: &str| {
        let quoted = wanted.replacen("schema: ", "\"schema\": \"", 1);
        head.lines().any(|line| line.trim_start().trim_start_matches("--- ").starts_with(wanted))
            || wanted.starts_with("schema: ") && head.contains(&quoted)
    };
    if ["schema: olm.semver", "schema: olm.template.", "schema: olm.composite"]
        .iter()
        .any(|schema| has(schema))
    {
        return Some(FileKind::Template);
    }
    if has("kind: ImageSetConfiguration") {
        return Some(FileKind::ImageSet);
    }
    if matches!(folder, Some("manifests" | "metadata")) && is_yaml && !has("schema: olm.") {
        return Some(FileKind::Bundle);
    }
    let is_top = |key: &str| head.lines().any(|line| line.starts_with(key));
    if is_yaml && is_top("steps:") && (is_top("title:") || is_top("catalogs:")) {
        return Some(FileKind::Scenario);
    }
    let has_schema = has("schema:") || head.contains("\"schema\"");
    (has_schema || is_yaml && head.trim().is_empty()).then_some(FileKind::Catalog)
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
            ("deployment.yaml", "kind: Deployment\n", None),
        ] {
            assert_eq!(kind_of(Path::new(path), text), kind, "{path}");
        }
    }
}
