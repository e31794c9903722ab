//! `fbc simulate --replay`: what a cluster makes of a recorded scenario, step by step.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_app::escape::Lines;
use fbc_model::tree::{DiskTree, Tree};
use fbc_scenario::replay::{ContentDirectories, play};
use serde_json::Value;

use super::Format;
use crate::failure::{CLEAN, Failure};
use crate::output::file::write_output;
use crate::settings::Settings;

/// A recorded scenario and what goes with it.
pub(super) struct Replay<'a> {
    /// The directory with `scenario.yaml` and `steps`.
    pub(super) scenario: &'a Path,
    /// The directory with `catalogs` and `bundles`.
    pub(super) content: &'a Path,
    /// Further bundles as `PACKAGE/VERSION`.
    pub(super) bundles: Option<&'a Path>,
    pub(super) seed: u64,
}

/// Plays it and writes what each step came to.
pub(super) fn run(
    replay: &Replay<'_>,
    format: Format,
    output: Option<&Path>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let tree = |path: &Path| -> Result<Arc<dyn Tree>, Failure> {
        let tree = DiskTree { root: path.to_path_buf() };
        tree.list(Path::new("")).map_err(|error| Failure::io("read", path, &error))?;
        Ok(Arc::new(tree))
    };
    // Recordings have further bundles in a directory beside those of the content.
    let beside = replay.content.join("../../bundles");
    let bundles = replay.bundles.map(Path::to_path_buf).or_else(|| beside.is_dir().then_some(beside));
    let content = ContentDirectories {
        images: tree(replay.content)?,
        bundles: bundles.as_deref().map(tree).transpose()?,
    };
    let scenario = tree(replay.scenario)?;
    let answer = play(scenario.as_ref(), &content, replay.seed).map_err(|error| {
        Failure::new(format!("{}: {error}", replay.scenario.display()))
            .help("the directory has `scenario.yaml` and `steps`; --content has `catalogs` and `bundles`")
    })?;
    write_output(settings, output, |out| {
        if format == Format::Json {
            return Ok(writeln!(out, "{answer:#}")?);
        }
        let out = &mut Lines::new(out, false);
        for step in answer["steps"].as_array().into_iter().flatten() {
            writeln!(out, "step {}", step["file"].as_str().unwrap_or_default())?;
            for error in step["errors"].as_array().into_iter().flatten() {
                let lines = error.as_str().unwrap_or_default().trim_end();
                out.write_all(format!("  refused: {lines}\n").as_bytes())?;
            }
            for object in step["settled"].as_array().into_iter().flatten() {
                settled(object, out)?;
            }
            for object in step["objects"].as_array().into_iter().flatten() {
                let name = PathBuf::from(object["namespace"].as_str().unwrap_or_default())
                    .join(object["name"].as_str().unwrap_or_default());
                let text = |field: &str| object[field].as_str().unwrap_or_default();
                writeln!(out, "  {} {}/{}", text("change"), text("kind"), name.display())?;
            }
        }
        Ok(())
    })?;
    Ok(CLEAN)
}

fn settled(object: &Value, out: &mut dyn std::io::Write) -> Result<(), Failure> {
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
    writeln!(out, "  {}/{}", text(object, "kind"), text(&object["metadata"], "name"))?;
    for condition in object["status"]["conditions"].as_array().into_iter().flatten() {
        let [name, status, reason, message] =
            ["type", "status", "reason", "message"].map(|field| text(condition, field));
        let mut lines = message.lines();
        writeln!(out, "    {name}={status} ({reason}): {}", lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| writeln!(out, "      {line}"))?;
    }
    Ok(())
}
