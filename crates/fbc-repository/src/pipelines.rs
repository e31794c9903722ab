//! The builds that a repository's pipelines run: which Dockerfile, with which arguments, in which directory.
//!
//! Source: `konflux-ci/build-definitions:task/buildah/0.5/buildah.yaml` (parameters `DOCKERFILE`, `CONTEXT`, `BUILD_ARGS`,
//! `BUILD_ARGS_FILE`).

use std::path::{Path, PathBuf};

use fbc_model::tree::Tree;
use fbc_yaml::{Kind, Node, stream};

use crate::dockerfile::{BuildArguments, tidy};
use crate::survey::is_document;

/// The directory of pipelines.
const FOLDER: &str = ".tekton";
/// No more files of pipelines than this are read.
const MOST_FILES: usize = 1_000;

/// A build that a pipeline runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PipelineBuild {
    /// The Dockerfile, from the root of the repository.
    pub(crate) dockerfile: PathBuf,
    /// The directory that the build sees.
    pub(crate) context: PathBuf,
    /// The arguments whose values are constant.
    pub(crate) arguments: BuildArguments,
}

/// The builds of all pipelines, each once, in the order of the files.
pub(crate) fn builds(tree: &dyn Tree) -> Vec<PipelineBuild> {
    let mut files: Vec<PathBuf> = tree
        .list(Path::new(FOLDER))
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| !entry.is_directory && is_document(&entry.name.to_string_lossy()))
        .map(|entry| Path::new(FOLDER).join(entry.name))
        .collect();
    files.sort();
    let mut builds = Vec::new();
    for bytes in files.iter().take(MOST_FILES).filter_map(|path| tree.read(path).ok()) {
        let Ok(document) = stream::read_one(&bytes) else { continue };
        let build = of_run(tree, document.root());
        builds.extend(build.filter(|build| !builds.contains(build)));
    }
    builds
}

/// The build of a `PipelineRun`.
fn of_run(tree: &dyn Tree, run: Node<'_>) -> Option<PipelineBuild> {
    if run.get_str("kind") != Some("PipelineRun") {
        return None;
    }
    let params = run.get("spec")?.get("params")?;
    let param = |name: &str| params.items().find(|item| item.get_str("name") == Some(name))?.get("value");
    let text = |name: &str| param(name).and_then(Node::as_str).filter(|text| is_constant(text));
    let context = PathBuf::from(tidy(text("path-context").unwrap_or_default()));
    let named = tidy(text("dockerfile").unwrap_or("Dockerfile"));
    let in_context = context.join(&named);
    let dockerfile = if tree.read(&in_context).is_ok() { in_context } else { PathBuf::from(named) };
    let mut arguments = BuildArguments::new();
    let file = text("build-args-file").and_then(|path| tree.read(Path::new(&tidy(path))).ok());
    if let Some(file) = file {
        let file = String::from_utf8_lossy(&file);
        let lines = file.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        arguments.extend(lines.filter_map(argument));
    }
    if let Some(list) = param("build-args") {
        let items: Vec<&str> = match list.kind() {
            Kind::Array => list.items().filter_map(Node::as_str).collect(),
            _ => list.as_str().into_iter().collect(),
        };
        arguments.extend(items.into_iter().filter_map(argument));
    }
    Some(PipelineBuild { dockerfile, context, arguments })
}

/// `NAME=VALUE` with a value that is the same in every run.
fn argument(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let value = value.trim().trim_matches('"');
    is_constant(value).then(|| (name.trim().to_owned(), value.to_owned()))
}

/// Whether a text has no part that the pipeline fills in.
fn is_constant(text: &str) -> bool {
    !text.contains("{{") && !text.contains("$(")
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;

    use super::*;

    #[test]
    fn arguments_that_are_constant() {
        let run = "kind: PipelineRun\nspec:\n  params:\n  - {name: dockerfile, value: Dockerfile}\n  \
            - {name: path-context, value: sub/}\n  - {name: build-args-file, value: t/y.args}\n  \
            - name: build-args\n    value: [\"INDEX_FILE=./c/y.yaml\", 'COMMIT={{revision}}']\n";
        let files = [
            (".tekton/a.yaml", run),
            (".tekton/b.yaml", run),
            (".tekton/pipeline.yaml", "kind: Pipeline\n"),
            ("t/y.args", "# version\nVERSION=1.2.3\n"),
            ("sub/Dockerfile", "FROM x\n"),
        ];
        let tree: MemoryTree = files.into_iter().collect();
        let arguments = [("INDEX_FILE", "./c/y.yaml"), ("VERSION", "1.2.3")];
        assert_eq!(
            builds(&tree),
            [PipelineBuild {
                dockerfile: "sub/Dockerfile".into(),
                context: "sub".into(),
                arguments: arguments.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            }]
        );
    }
}
