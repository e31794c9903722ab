//! Edits of a catalog on the command line: what every command that edits one does before and after.
//!
//! Before: load. After: load the edited files, judge them, and show or write them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use fbc_graph::bundle_version;
use fbc_lint::{Located, Severity};
use fbc_model::edit::{Draft, DraftError, Edited, same_blobs};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::read_file;
use fbc_model::{Catalog, Origin};
use fbc_source::expansion;
use fbc_source::image_source::is_image;
use fbc_source::{CatalogSource, Session};
use fbc_version::{Version, VersionRelease};

use crate::checking::check_under;
use crate::configuration::{Configuration, PolicyArguments};
use crate::escape::Lines;
use crate::failure::{CLEAN, FINDINGS, Failure, HELP, closest};
use crate::input::other::{refuse_at_sight, refuse_without_blobs};
use crate::layout;
use crate::loading::load_for_rules;
use crate::output::file::edit_files;
use crate::registry::usual_session;
use crate::report::{self, CheckedCatalog, Format, Style};
use crate::settings::Settings;
use crate::terminal;

mod outcome;
mod template;

pub(crate) use outcome::{Outcome, show_diff};
use outcome::{write_bytes, write_elsewhere};
pub(crate) use template::EditedTemplate;

/// A catalog that is to be edited.
pub(crate) struct CatalogEdit {
    reference: PathBuf,
    /// Where its files are.
    pub(crate) source: CatalogSource,
    /// What they hold.
    pub(crate) catalog: Catalog,
    /// The template that it is the expansion of.
    template: Option<EditedTemplate>,
    /// Keeps other edits of the catalog waiting until this one is done.
    _lock: Option<File>,
}

impl CatalogEdit {
    /// Loads a catalog, or expands a template; a catalog that cannot be loaded in part may still be edited elsewhere.
    pub(crate) fn open(reference: &Path, session: &Session, settings: &Settings) -> Result<Self, Failure> {
        if reference.as_os_str() == "-" {
            return Err(Failure::new("standard input cannot be edited in place")
                .help("name the directory or file of the catalog"));
        }
        let shown = reference.display();
        if is_image(reference) {
            return Err(Failure::new(format!("{shown} is an image, which cannot be edited in place"))
                .help("`fbc unpack` writes the catalog of an image to a directory; edit that one"));
        }
        if reference.is_file() {
            let text = read_file(reference).map_err(|error| Failure::io("read", reference, &error))?;
            if let Some(kind) = expansion::kind_of(&text) {
                let lock = lock(folder_of(reference))?;
                let (template, source, catalog) = EditedTemplate::open(kind, reference, text, session)?;
                return Ok(Self {
                    reference: reference.to_path_buf(),
                    source,
                    catalog,
                    template: Some(template),
                    _lock: lock,
                });
            }
        }
        let source = CatalogSource::open(reference, &usual_session(settings))?;
        if !source.is_on_disk() {
            return Err(Failure::new(format!("{shown} is in a revision, which cannot be edited"))
                .help("name the directory or file of the work tree"));
        }
        if let Some(places) = layout::catalogs_of_source(&source)? {
            let first = places.first().map(|place| reference.join(&place.name)).unwrap_or_default();
            return Err(Failure::new(format!("{shown} holds the catalogs {}", layout::described(&places)))
                .help(format!("edit one at a time, such as {}", first.display())));
        }
        refuse_at_sight(&source, reference, &settings.reading())?;
        let lock = lock(folder_of(reference))?;
        let catalog = load_for_rules(source.tree.as_ref(), settings)?;
        refuse_without_blobs(&source, &catalog, reference)?;
        Ok(Self { reference: reference.to_path_buf(), source, catalog, template: None, _lock: lock })
    }

    /// Refuses a package that the catalog does not have, or has twice: whose blobs are whose is not known then.
    pub(crate) fn require_package(&self, package: &str) -> Result<(), Failure> {
        let names = || self.catalog.packages.iter().map(|blob| blob.name.as_str());
        match names().filter(|name| *name == package).count() {
            0 => {
                let failure = unknown("package", package, "the catalog", names());
                Err(match self.catalog.faults.is_empty() {
                    true => failure,
                    false => failure.help("parts of the catalog cannot be loaded: `fbc validate` shows them"),
                })
            }
            1 => Ok(()),
            _ => Err(self.declared_often(package)),
        }
    }

    fn declared_often(&self, package: &str) -> Failure {
        let blobs = self.catalog.packages.iter().filter(|blob| blob.name == package);
        let files = blobs.filter_map(|blob| self.catalog.files.get(blob.origin.file as usize));
        let mut files: Vec<String> =
            files.map(|file| self.source.shown(&file.path).display().to_string()).collect();
        files.dedup();
        Failure::refusal(format!("package {package:?} is declared more than once: in {}", files.join(", ")))
            .help("an edit could reach the wrong one; name the directory or file of one catalog")
    }

    /// A draft of changes.
    pub(crate) fn draft(&self) -> Draft<'_> {
        match self.template.as_ref().and_then(EditedTemplate::entries) {
            Some(entries) => Draft::of_template(&self.catalog, self.source.tree.as_ref(), entries),
            None => Draft::new(&self.catalog, self.source.tree.as_ref()),
        }
    }

    /// The template that is edited; nothing for a catalog.
    pub(crate) fn template(&self) -> Option<&EditedTemplate> {
        self.template.as_ref()
    }

    /// The channels of a package with their numbers.
    pub(crate) fn channel_names<'c>(&'c self, package: &'c str) -> impl Iterator<Item = &'c str> {
        let channels = self.catalog.channels.iter().filter(move |channel| channel.package == package);
        channels.map(|channel| channel.name.as_str())
    }

    /// The versions of the bundles of a package, by name.
    pub(crate) fn versions(&self, package: &str) -> HashMap<&str, VersionRelease> {
        let bundles = self.catalog.bundles.iter().filter(|bundle| bundle.package == package);
        bundles.filter_map(|bundle| Some((bundle.name.as_str(), bundle_version::find(bundle)?))).collect()
    }

    /// Makes the changes of a draft in the text.
    pub(crate) fn finish(&self, draft: Draft<'_>) -> Result<Edited, Failure> {
        draft.finish().map_err(|error| {
            let DraftError::Edit { path, document, error } = &error else {
                return Failure::refusal(error.to_string());
            };
            let document = document.map_or(String::new(), |number| format!(", document {}", number + 1));
            Failure::refusal(format!("{}{document}: {error}", self.source.shown(path).display())).help(
                "edit that blob by hand, or write it without what stands in the way; nothing was written",
            )
        })
    }

    /// Judges the edited catalog, then shows or writes it. `done` says in words what was edited; `advice`
    /// is given with a refusal.
    pub(crate) fn complete(
        self,
        edited: Edited,
        outcome: &Outcome,
        done: &[String],
        advice: &[String],
        settings: &Settings,
    ) -> Result<u8, Failure> {
        let reference = std::slice::from_ref(&self.reference);
        let configuration = Configuration::resolve(&PolicyArguments::default(), reference, settings)?;
        let policy = configuration.policy_for(&self.reference, &self.source);
        let before = match &self.template {
            Some(template) => template.report(&self.catalog, &policy, settings)?,
            None => fbc_lint::lint_under(&self.catalog, self.source.tree.as_ref(), &policy),
        };
        let Edited { files, before: old, meant } = edited;
        let shown: BTreeMap<PathBuf, PathBuf> =
            files.keys().map(|path| (path.clone(), self.source.shown(path))).collect();
        let (source, catalog) = match &self.template {
            Some(template) => template.expanded(&files, settings)?,
            None => {
                let source = self.source.overlaid(files.clone());
                let catalog = load_for_rules(source.tree.as_ref(), settings)?;
                (source, catalog)
            }
        };
        let mut checked = check_under(&self.reference, source, &catalog, &policy);
        retain_new(&mut checked.report.findings, before.findings);
        if checked.report.count(Severity::Error) > 0 {
            return refuse(checked, advice);
        }
        if !same_blobs(&meant, &catalog) {
            let now = CatalogSource::open(&self.reference, &usual_session(settings))?;
            if self.template.is_none() && !same_blobs(&self.catalog, &fbc_lint::load(now.tree.as_ref())) {
                return Err(changed(&self.reference));
            }
            return Err(Failure::new("the edited catalog is not what was meant; nothing was written")
                .help("this is a fault of fbc: please report it, with the catalog"));
        }
        tell_warnings(&checked)?;
        if outcome.dry_run {
            show_diff(&files, &old, &shown)?;
        } else if let Some(output) = &outcome.output_file {
            write_elsewhere(output, &files, &shown, settings)?;
        } else {
            let _locks = lock_files(&self.reference, shown.values())?;
            for (path, place) in &shown {
                if fs::read(place).ok().as_ref() != old.get(path) {
                    return Err(changed(place));
                }
            }
            edit_files(
                &self.reference,
                settings,
                files.iter().filter_map(|(path, bytes)| Some((shown.get(path)?.as_path(), bytes.as_deref()))),
            )?;
        }
        let mut err = crate::terminal::stderr();
        let condition = if outcome.dry_run { "would be " } else { "" };
        let written = outcome.written(&files, &shown);
        let done = done.iter().map(|line| format!("{condition}{line}"));
        for line in done.chain(written).filter(|_| !settings.quiet) {
            // What is said here is not worth failing for.
            let _ = writeln!(err, "{line}");
        }
        Ok(CLEAN)
    }

    /// Ends an edit that changes nothing: what --output-file names is written all the same, with the file that holds
    /// the blob.
    pub(crate) fn complete_unchanged(
        &self,
        origin: Origin,
        outcome: &Outcome,
        settings: &Settings,
    ) -> Result<u8, Failure> {
        let file = self.catalog.files.get(origin.file as usize);
        if let (Some(output), Some(file)) = (&outcome.output_file, file) {
            let bytes = self.source.tree.read(&file.path);
            let bytes = bytes.map_err(|error| Failure::io("read", &self.source.shown(&file.path), &error))?;
            write_bytes(output, &bytes, settings)?;
            // What is said here is not worth failing for.
            let _ = outcome
                .written(&FileVersions::new(), &BTreeMap::new())
                .iter()
                .try_for_each(|line| writeln!(crate::terminal::stderr(), "{line}"));
        }
        Ok(CLEAN)
    }
}

/// Waits until no other fbc edits the catalog. The lock is on its directory: files are replaced, so a lock on one would
/// be on what it was. Where the system cannot lock directories, the comparison before writing must do.
pub(crate) fn lock(folder: &Path) -> Result<Option<File>, Failure> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {
            terminal::tell(format_args!("waiting for another fbc that edits {}", folder.display()));
            file.lock().map_err(|error| Failure::io("lock", folder, &error))?;
            Ok(Some(file))
        }
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Locks the directories of files as well, for they may be edited as catalogs of their own. Who edits more has the lock
/// above already, so nobody waits in a circle.
pub(crate) fn lock_files<'f>(
    reference: &Path,
    files: impl Iterator<Item = &'f PathBuf>,
) -> Result<Vec<File>, Failure> {
    let real = |folder: &Path| fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let held = real(folder_of(reference));
    let folders: BTreeSet<PathBuf> = files
        .map(|file| real(file.parent().unwrap_or(Path::new("."))))
        .filter(|folder| *folder != held)
        .collect();
    folders.iter().filter_map(|folder| lock(folder).transpose()).collect()
}

/// The directory that a catalog is, or lies in.
pub(crate) fn folder_of(reference: &Path) -> &Path {
    let folder = if is_folder(reference) { Some(reference) } else { reference.parent() };
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The refusal to write over what somebody else wrote meanwhile.
pub(crate) fn changed(path: &Path) -> Failure {
    let failure = Failure::refusal(format!(
        "{} was changed by another program while it was edited; nothing was written",
        path.display()
    ));
    failure.help("run the command again: it starts from the new content")
}

/// Leaves only findings that were not there before the edit.
fn retain_new(findings: &mut Vec<Located>, before: Vec<Located>) {
    let mut known: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for located in before {
        *known.entry((located.finding.rule.code, located.finding.message)).or_default() += 1;
    }
    findings.retain(|located| {
        match known.get_mut(&(located.finding.rule.code, located.finding.message.clone())) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    });
}

/// Shows what would be wrong, with the lines of the edited text.
fn refuse(mut checked: CheckedCatalog, advice: &[String]) -> Result<u8, Failure> {
    checked.report.findings.retain(|located| located.finding.severity == Severity::Error);
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

/// The name that a user means, who gives a name or the version of a bundle; nothing for a version that no bundle has, or
/// several have.
pub(crate) fn meant_name<'n>(
    text: &str,
    known: impl Iterator<Item = (&'n str, Option<&'n VersionRelease>)> + Clone,
) -> Option<String> {
    let Ok(wanted) = Version::parse(text) else { return Some(text.to_owned()) };
    if known.clone().any(|(name, _)| name == text) {
        return Some(text.to_owned());
    }
    let mut found = known.filter(|(_, version)| version.is_some_and(|one| one.to_version() == wanted));
    match (found.next(), found.next()) {
        (Some((name, _)), None) => Some(name.to_owned()),
        _ => None,
    }
}

/// The refusal of a name that is not there, with the one that may have been meant.
pub(crate) fn unknown<'n>(
    what: &str,
    name: &str,
    place: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Failure {
    let known: Vec<&str> = known.into_iter().collect();
    let failure = Failure::refusal(format!("{what} {name:?} is not in {place}"));
    match closest(name, known.iter().copied()) {
        Some(meant) => failure.help(format!("did you mean {meant:?}?")),
        None if known.is_empty() => failure.help("there are none"),
        None if known.len() <= 12 => failure.help(format!("there are: {}", known.join(", "))),
        None => failure.help(format!("there are {} others; `fbc list` shows them", known.len())),
    }
}

/// Whether a path names a directory that exists.
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
