//! What becomes of edited files: written, written elsewhere, or shown.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_model::overlay_tree::FileVersions;
use similar::TextDiff;

use crate::escape::line;
use crate::failure::Failure;
use crate::output::file::{write_file, write_output};
use crate::settings::Settings;
use crate::terminal;

/// What becomes of the edited files.
#[derive(Args, Debug)]
pub(crate) struct Outcome {
    /// Write nothing; show the changes as a unified diff
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Write the edited file here (`-` for standard output) and leave the catalog as it is
    #[arg(
        long,
        alias = "output",
        short_alias = 'o',
        value_name = "FILE",
        conflicts_with = "dry_run",
        value_hint = ValueHint::FilePath
    )]
    pub(super) output_file: Option<PathBuf>,
}

impl Outcome {
    /// Whether the catalog itself is written.
    pub(crate) fn edits_in_place(&self) -> bool {
        !self.dry_run && self.output_file.is_none()
    }

    /// What is written and deleted, in words.
    pub(super) fn written(&self, files: &FileVersions, shown: &BTreeMap<PathBuf, PathBuf>) -> Vec<String> {
        if let Some(output) = &self.output_file {
            let is_file = output.as_os_str() != "-";
            return is_file.then(|| format!("wrote {}", output.display())).into_iter().collect();
        }
        let names = |is_there: bool| -> Vec<String> {
            let files = files.iter().filter(|(_, bytes)| bytes.is_some() == is_there);
            files.map(|(path, _)| shown.get(path).unwrap_or(path).display().to_string()).collect()
        };
        let (wrote, deleted) = match self.dry_run {
            true => ("would write ", "would delete, because nothing is left in it: "),
            false => ("wrote ", "deleted, because nothing was left in it: "),
        };
        [(wrote, names(true)), (deleted, names(false))]
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(word, names)| format!("{word}{}", names.join(", ")))
            .collect()
    }
}

/// Shows the changes of files as a unified diff on standard output.
pub(crate) fn show_diff(
    files: &FileVersions,
    old: &BTreeMap<PathBuf, Vec<u8>>,
    shown: &BTreeMap<PathBuf, PathBuf>,
) -> Result<(), Failure> {
    let mut out = terminal::text();
    let empty = Vec::new();
    for (path, new) in files {
        let name = shown.get(path).unwrap_or(path).display().to_string();
        let name = line(&name);
        let old = old.get(path).unwrap_or(&empty);
        let side = |letter: &str, is_there: bool| {
            if is_there { format!("{letter}/{name}") } else { "/dev/null".to_owned() }
        };
        let diff = TextDiff::from_lines(old.as_slice(), new.as_deref().unwrap_or_default());
        let mut unified = diff.unified_diff();
        let mut text = Vec::new();
        unified.header(&side("a", !old.is_empty()), &side("b", new.is_some())).to_writer(&mut text)?;
        out.write_all(&text)?;
    }
    Ok(out.flush()?)
}

pub(super) fn write_elsewhere(
    output: &Path,
    files: &FileVersions,
    shown: &BTreeMap<PathBuf, PathBuf>,
    settings: &Settings,
) -> Result<(), Failure> {
    let mut files_left = files.iter();
    let (Some((path, bytes)), None) = (files_left.next(), files_left.next()) else {
        return Err(Failure::new(format!("{} files change, and --output-file names one", files.len()))
            .help("edit the catalog in place, or look at the changes with --dry-run"));
    };
    let Some(bytes) = bytes else {
        let shown = shown.get(path).unwrap_or(path).display();
        return Err(Failure::new(format!(
            "{shown} would be deleted, and --output-file names a file to write"
        ))
        .help("edit the catalog in place, or look at the changes with --dry-run"));
    };
    write_bytes(output, bytes, settings)
}

pub(super) fn write_bytes(output: &Path, bytes: &[u8], settings: &Settings) -> Result<(), Failure> {
    match output.as_os_str() == "-" {
        true => write_output(settings, None, |out| Ok(out.write_all(bytes)?)),
        false => write_file(output, settings, |out| Ok(out.write_all(bytes)?)),
    }
}
