//! What an editor is told that is wrong in files that are not catalogs: templates, configurations, scenarios, bundle directories and image sets.

use std::ops::Range;
use std::path::{Path, PathBuf};

use fbc_app::configuration::{self, Configuration, PolicyChoice};
use fbc_app::settings::Settings;
use fbc_bundle::BundleContents;
use fbc_lint::{Located, Severity, Targets};
use fbc_lsp::{FileKind, Problem, ProblemFix};
use fbc_mirror::image_set::{self, ImageSetFault};
use fbc_model::Bundle;
use fbc_model::overlay_tree::{FileVersions, OverlayTree};
use fbc_rules::lint_bundle;
use fbc_scenario::Scenario;
use fbc_template::{BundleFault, BundleSource, Renderer, SourceError, TemplateFault};

/// What is wrong in a file; `buffers` are the texts of files that are open, by their paths.
#[must_use]
pub fn find(
    kind: FileKind,
    path: &Path,
    text: &str,
    buffers: &FileVersions,
    settings: &Settings,
) -> Vec<Problem> {
    match kind {
        FileKind::Catalog => Vec::new(),
        FileKind::Template => of_template(text),
        FileKind::Configuration => of_configuration(path, text),
        FileKind::ImageSet => of_image_set(text),
        FileKind::Scenario => of_scenario(path, text),
        FileKind::Bundle => of_bundle(path, buffers, settings),
    }
}

fn problem(bytes: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Problem {
    let (message, help) = (message.into(), help.into());
    Problem { bytes, message, help, code: "", is_error: true, fixes: Vec::new() }
}

fn of_configuration(path: &Path, text: &str) -> Vec<Problem> {
    let faults = configuration::faults(path, text).into_iter();
    faults.map(|fault| problem(fault.place, fault.message, fault.help)).collect()
}

fn of_image_set(text: &str) -> Vec<Problem> {
    match image_set::parse(text.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(ImageSetFault::Unreadable(error)) => vec![problem(rest_of_line(text, 1, 1), error, "")],
        Err(ImageSetFault::Faults(faults)) => {
            let faults = faults.into_iter();
            faults
                .map(|((line, column), fault)| problem(rest_of_line(text, line, column), fault, ""))
                .collect()
        }
    }
}

/// The bytes from a place to the end of its line; lines and columns count from 1, columns in characters.
fn rest_of_line(text: &str, line: usize, column: usize) -> Range<usize> {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let content = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
    let inner = content.char_indices().nth(column.saturating_sub(1)).map_or(content.len(), |(at, _)| at);
    start + inner..start + content.len()
}

/// Images are not pulled while somebody types.
struct NoBundles;

impl BundleSource for NoBundles {
    fn bundle(&self, _: &str) -> Result<Bundle, SourceError> {
        Err(SourceError::Unusable("images are not read while a file is edited".to_owned()))
    }
}

fn of_template(text: &str) -> Vec<Problem> {
    let renderer = Renderer {
        source: &NoBundles,
        validate: &|_| None,
        migrate: Default::default(),
        semantics: Default::default(),
    };
    let outcome = fbc_template::detect(text.as_bytes())
        .and_then(|kind| fbc_template::render(kind, text.as_bytes(), &renderer));
    let Err(error) = outcome else { return Vec::new() };
    if matches!(error.fault.as_ref(), TemplateFault::Bundle(BundleFault::Source { .. })) {
        return Vec::new();
    }
    let bytes = error.place.as_ref().map_or_else(|| rest_of_line(text, 1, 1), |place| place.bytes.clone());
    vec![problem(bytes, error.to_string(), error.help().unwrap_or_default())]
}

fn of_scenario(path: &Path, text: &str) -> Vec<Problem> {
    let faults = Scenario::read(&path.display().to_string(), text.as_bytes()).err().unwrap_or_default();
    let faults = faults.into_iter();
    faults
        .map(|fault| {
            let place = rest_of_line(text, fault.place.line, fault.place.column);
            problem(place, fault.message, fault.help.unwrap_or_default())
        })
        .collect()
}

/// The findings of the bundle directory around a file that lie in that file.
fn of_bundle(path: &Path, buffers: &FileVersions, settings: &Settings) -> Vec<Problem> {
    let Some(root) = path.parent().and_then(Path::parent) else { return Vec::new() };
    if !root.join("manifests").is_dir() || !root.join("metadata").is_dir() {
        return Vec::new();
    }
    let inside = buffers
        .iter()
        .filter_map(|(path, bytes)| Some((path.strip_prefix(root).ok()?.to_path_buf(), bytes.clone())));
    let tree = OverlayTree::new(settings.disk_tree(root), inside.collect());
    let Ok(mut configuration) =
        Configuration::resolve(&PolicyChoice::default(), &[root.to_path_buf()], settings)
    else {
        return Vec::new();
    };
    configuration.resolve_fixes();
    let contents = BundleContents::read(&tree);
    let report = lint_bundle(&contents, &tree, &Targets::default(), configuration.policy());
    let relative = path.strip_prefix(root).unwrap_or(path).to_path_buf();
    report.findings.iter().filter_map(|located| of_finding(located, &relative)).collect()
}

fn of_finding(located: &Located, path: &PathBuf) -> Option<Problem> {
    let finding = &located.finding;
    finding.place.as_ref().filter(|place| place.path == *path)?;
    let fixes = located.fixes.iter().filter_map(|fix| {
        let [file] = fix.files.as_slice() else { return None };
        let replacements =
            file.replacements.iter().map(|one| (one.bytes.clone(), one.text.clone())).collect();
        let is_safe = fix.safety == fbc_lint::fix::Safety::Safe;
        (file.path == *path).then(|| ProblemFix { title: fix.title.clone(), is_safe, replacements })
    });
    Some(Problem {
        bytes: located.span.as_ref().map_or(0..0, |span| span.bytes.clone()),
        message: finding.message.clone(),
        help: finding.help.clone(),
        code: finding.rule.code,
        is_error: finding.severity == Severity::Error,
        fixes: fixes.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(kind: FileKind, name: &str, text: &str, settings: &Settings) -> Vec<(usize, String)> {
        let found = find(kind, Path::new(name), text, &FileVersions::new(), settings);
        found.into_iter().map(|problem| (problem.bytes.start, problem.message)).collect()
    }

    #[test]
    fn files_of_all_kinds_are_checked() {
        let settings = &Settings::default();
        let toml = "profile = \"strict\"\nprofil = 1\n";
        let found = messages(FileKind::Configuration, "/a/fbc.toml", toml, settings);
        assert!(
            matches!(found.as_slice(), [(19, message)] if message.contains("unknown key `profil`")),
            "{found:?}"
        );
        let set = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operator: []\n";
        let found = messages(FileKind::ImageSet, "/a/set.yaml", set, settings);
        assert!(found.iter().any(|(at, message)| *at == 79 && message.contains("operator")), "{found:?}");
        // Every fault is reported where it is, not the first alone.
        let set = set.replace("operator: []", "operator: []\n  additionalImage: []");
        let found = messages(FileKind::ImageSet, "/a/set.yaml", &set, settings);
        assert_eq!(found.iter().filter(|(at, _)| *at >= 79).count(), 2, "{found:?}");
        let template = "schema: olm.semver\nstabel:\n  bundles: []\n";
        assert_eq!(messages(FileKind::Template, "/a/t.yaml", template, settings).len(), 1);
        let good = "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: quay.io/a/b:v1\n";
        assert_eq!(messages(FileKind::Template, "/a/t.yaml", good, settings), []);
        let scenario = "title: x\nsteps:\n- aply: {}\n";
        assert!(!messages(FileKind::Scenario, "/a/s.yaml", scenario, settings).is_empty());
    }
}
