//! `opm migrate`.

use std::path::{Component, Path, PathBuf};

use fbc_app::output::directory::{Existing, write_folder};
use fbc_go::text::quote;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::writer;

use super::arguments::Invocation;
use super::error::{OpmError, inform};
use super::{catalog, render};
use crate::failure::words;
use crate::settings::Settings;

pub(super) fn run(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let [reference, folder] = invocation.positionals.as_slice() else { return Ok(()) };
    let output = invocation.text("output");
    catalog::check_output(output).map_err(|error| OpmError::Log(error.to_string()))?;
    let level = match invocation.text("migrate-level") {
        "" => MigrateLevel::None,
        name => MigrateLevel::from_name(name)
            .ok_or_else(|| OpmError::Log(format!("unknown migration level {}", quote(name))))?,
    };
    inform(&format!("rendering index {} as file-based catalog", quote(reference)));
    let path = Path::new(folder);
    match std::fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
        Ok(true) => {
            return Err(OpmError::Fatal(format!("output dir {} must be empty", quote(folder))));
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(OpmError::Fatal(format!("open {folder}: {}", words(&error).to_lowercase())));
        }
        Ok(false) | Err(_) => {}
    }
    let mut catalog = render::load(reference, &settings.session()).map_err(|error| match error {
        OpmError::Log(text) => OpmError::Fatal(format!("render catalog image: {text}")),
        other => other,
    })?;
    prepare(&mut catalog, level)
        .map_err(|error| OpmError::Fatal(format!("render catalog image: {error}")))?;
    if folder.is_empty() {
        return Err(OpmError::Fatal("mkdir : no such file or directory".to_owned()));
    }
    let format = catalog::format(output);
    let name = format!("catalog.{output}");
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for part in writer::parts(&catalog) {
        // Go's rule for a path that stays where it is.
        let is_local = Path::new(part.package).components().try_fold(0_i32, depth).is_some();
        if !is_local {
            let package = quote(part.package);
            let text = format!("invalid package name {package}: must be a single local path element");
            return Err(OpmError::Fatal(text));
        }
        let file = Path::new(part.package).join(&name);
        let mut bytes = Vec::new();
        part.write(format, &mut bytes).map_err(|error| {
            let path = quote(&path.join(&file).to_string_lossy());
            OpmError::Fatal(format!("write to buffer for {path}: {error}"))
        })?;
        files.push((file, bytes));
    }
    write_folder(path, &files, Existing::Keep, settings).map_err(OpmError::refused)?;
    inform(&format!("wrote rendered file-based catalog to {}\n", quote(folder)));
    Ok(())
}

/// The depth below the start after one more step; nothing once a path leads out of it.
fn depth(depth: i32, step: Component<'_>) -> Option<i32> {
    let depth = match step {
        Component::Normal(_) => depth + 1,
        Component::CurDir => depth,
        Component::ParentDir => depth - 1,
        Component::RootDir | Component::Prefix(_) => return None,
    };
    (depth >= 0).then_some(depth)
}
