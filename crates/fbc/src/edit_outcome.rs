//! What becomes of edited files: written, written elsewhere, or shown.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueHint};
use fbc_app::catalog_edit::{CatalogEdit, Judged};
use fbc_app::checked::CheckedCatalog;
use fbc_app::escape::{Lines, line};
use fbc_app::output::file::write_file;
use fbc_model::Origin;
use fbc_model::edit::Edited;
use fbc_model::overlay_tree::FileVersions;
use similar::TextDiff;

use crate::failure::{CLEAN, FINDINGS, Failure, HELP};
use crate::output::file::write_output;
use crate::report::{self, Format, Style};
use crate::settings::Settings;
use crate::terminal;

/// What becomes of the edited files.
#[derive(Args, Debug)]
pub(crate) struct Outcome {
    /// Write nothing; show the changes as a unified diff
    #[arg(long)]
    dry_run: bool,
    /// Write the edited file here (`-` for standard output) and leave the catalog as it is
    #[arg(
        long,
        alias = "output",
        short_alias = 'o',
        value_name = "FILE",
        conflicts_with = "dry_run",
        value_hint = ValueHint::FilePath
    )]
    output_file: Option<PathBuf>,
}

impl Outcome {
    /// Whether the catalog itself is written.
    pub(crate) fn edits_in_place(&self) -> bool {
        !self.dry_run && self.output_file.is_none()
    }

    /// What is written and deleted, in words.
    fn written(&self, files: &FileVersions, shown: &BTreeMap<PathBuf, PathBuf>) -> Vec<String> {
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

/// Judges an edited catalog, then shows or writes it. `done` says in words what was edited; `advice` is given with a refusal.
pub(crate) fn complete(
    edit: CatalogEdit,
    edited: Edited,
    outcome: &Outcome,
    done: &[String],
    advice: &[String],
    settings: &Settings,
) -> Result<u8, Failure> {
    let accepted = match edit.judge(edited, settings)? {
        Judged::Refused(checked) => return refuse(*checked, advice),
        Judged::Accepted(accepted) => accepted,
    };
    tell_warnings(&accepted.warnings)?;
    let (files, shown) = (&accepted.files, &accepted.shown);
    if outcome.dry_run {
        show_diff(files, &accepted.before, shown)?;
    } else if let Some(output) = &outcome.output_file {
        write_elsewhere(output, files, shown, settings)?;
    } else {
        accepted.write(settings)?;
    }
    let mut err = terminal::stderr();
    let condition = if outcome.dry_run { "would be " } else { "" };
    let written = outcome.written(files, shown);
    let done = done.iter().map(|line| format!("{condition}{line}"));
    for line in done.chain(written).filter(|_| !settings.quiet) {
        // What is said here is not worth failing for.
        let _ = writeln!(err, "{line}");
    }
    Ok(CLEAN)
}

/// Ends an edit that changes nothing: what --output-file names is written all the same, with the file that holds the blob.
pub(crate) fn complete_unchanged(
    edit: &CatalogEdit,
    origin: Origin,
    outcome: &Outcome,
    settings: &Settings,
) -> Result<u8, Failure> {
    let Some(output) = &outcome.output_file else { return Ok(CLEAN) };
    if let Some(bytes) = edit.file_of(origin)? {
        write_bytes(output, &bytes, settings)?;
        // What is said here is not worth failing for.
        let _ = outcome
            .written(&FileVersions::new(), &BTreeMap::new())
            .iter()
            .try_for_each(|line| writeln!(terminal::stderr(), "{line}"));
    }
    Ok(CLEAN)
}

/// Shows what would be wrong, with the lines of the edited text.
fn refuse(checked: CheckedCatalog, advice: &[String]) -> Result<u8, Failure> {
    let stderr = io::stderr();
    let style = Style {
        color: AutoStream::choice(&stderr) != ColorChoice::Never,
        quiet: true,
        max_findings: Some(100),
        shard: None,
    };
    let mut out = BufWriter::new(stderr.lock());
    report::write(Format::Full, &[checked], style, &mut out)?;
    let mut out = Lines::new(out, style.color);
    writeln!(
        out,
        "refused: the edited catalog would have these errors, shown with the edited text; nothing was written"
    )?;
    for line in advice {
        let (on, off) =
            if style.color { (format!("{HELP}"), format!("{HELP:#}")) } else { Default::default() };
        writeln!(out, "  {on}help{off}: {line}")?;
    }
    out.flush()?;
    Ok(FINDINGS)
}

/// New warnings do not refuse an edit, but its author should see them.
fn tell_warnings(checked: &CheckedCatalog) -> Result<(), Failure> {
    let stderr = io::stderr();
    let color = AutoStream::choice(&stderr) != ColorChoice::Never;
    let style = Style { color, quiet: false, max_findings: Some(100), shard: None };
    let mut out = BufWriter::new(stderr.lock());
    report::write(Format::Concise, std::slice::from_ref(checked), style, &mut out)?;
    Ok(out.flush()?)
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

fn write_elsewhere(
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

fn write_bytes(output: &Path, bytes: &[u8], settings: &Settings) -> Result<(), Failure> {
    match output.as_os_str() == "-" {
        true => write_output(settings, None, |out| Ok(out.write_all(bytes)?)),
        false => write_file(output, settings, |out| Ok(out.write_all(bytes)?)).map(drop),
    }
}
