//! Edits of a catalog: what is done before and after every one of them.
//!
//! Before: load. After: load the edited files, judge them, and write them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use fbc_graph::bundle_version;
use fbc_lint::{Located, Severity};
use fbc_model::closest::closest;
use fbc_model::edit::{Draft, DraftError, Edited, same_blobs};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::read_file;
use fbc_model::{Catalog, Origin};
use fbc_source::Error;
use fbc_source::expansion;
use fbc_source::image_source::is_image;
use fbc_source::{CatalogSource, Session};
use fbc_version::{Version, VersionRelease};

use crate::checked::CheckedCatalog;
use crate::checked::check_under;
use crate::configuration::{Configuration, PolicyChoice};
use crate::event::Event;
use crate::input::other::{refuse_at_sight, refuse_without_blobs};
use crate::layout;
use crate::loading::load_for_rules;
use crate::output::file::edit_files;
use crate::settings::Settings;

mod template;

pub use template::EditedTemplate;

/// A catalog that is to be edited.
pub struct CatalogEdit {
    reference: PathBuf,
    /// Where its files are.
    pub source: CatalogSource,
    /// What they hold.
    pub catalog: Catalog,
    /// The template that it is the expansion of.
    template: Option<EditedTemplate>,
    /// Keeps other edits of the catalog waiting until this one is done.
    _lock: Option<File>,
}

impl CatalogEdit {
    /// Loads a catalog, or expands a template; a catalog that cannot be loaded in part may still be edited elsewhere.
    pub fn open(reference: &Path, session: &Session, settings: &Settings) -> Result<Self, Error> {
        if reference.as_os_str() == "-" {
            return Err(Error::new("standard input cannot be edited in place")
                .help("name the directory or file of the catalog"));
        }
        let shown = reference.display();
        if is_image(reference) {
            return Err(Error::new(format!("{shown} is an image, which cannot be edited in place"))
                .help("`fbc unpack` writes the catalog of an image to a directory; edit that one"));
        }
        if reference.is_file() {
            let text = read_file(reference).map_err(|error| Error::io("read", reference, &error))?;
            if let Some(kind) = expansion::kind_of(&text) {
                let lock = lock(folder_of(reference), settings)?;
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
        let source = CatalogSource::open(reference, &settings.session())?;
        if !source.is_on_disk() {
            return Err(Error::new(format!("{shown} is in a revision, which cannot be edited"))
                .help("name the directory or file of the work tree"));
        }
        if let Some(places) = layout::catalogs_of_source(&source)? {
            let first = places.first().map(|place| reference.join(&place.name)).unwrap_or_default();
            return Err(Error::new(format!("{shown} holds the catalogs {}", layout::described(&places)))
                .help(format!("edit one at a time, such as {}", first.display())));
        }
        refuse_at_sight(&source, reference, &settings.reading())?;
        let lock = lock(folder_of(reference), settings)?;
        let catalog = load_for_rules(source.tree.as_ref(), settings)?;
        refuse_without_blobs(&source, &catalog, reference)?;
        Ok(Self { reference: reference.to_path_buf(), source, catalog, template: None, _lock: lock })
    }

    /// Refuses a package that the catalog does not have, or has twice: whose blobs are whose is not known then.
    pub fn require_package(&self, package: &str) -> Result<(), Error> {
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

    fn declared_often(&self, package: &str) -> Error {
        let blobs = self.catalog.packages.iter().filter(|blob| blob.name == package);
        let files = blobs.filter_map(|blob| self.catalog.files.get(blob.origin.file as usize));
        let mut files: Vec<String> =
            files.map(|file| self.source.shown(&file.path).display().to_string()).collect();
        files.dedup();
        Error::refusal(format!("package {package:?} is declared more than once: in {}", files.join(", ")))
            .help("an edit could reach the wrong one; name the directory or file of one catalog")
    }

    /// A draft of changes.
    pub fn draft(&self) -> Draft<'_> {
        match self.template.as_ref().and_then(EditedTemplate::entries) {
            Some(entries) => Draft::of_template(&self.catalog, self.source.tree.as_ref(), entries),
            None => Draft::new(&self.catalog, self.source.tree.as_ref()),
        }
    }

    /// The template that is edited; nothing for a catalog.
    pub fn template(&self) -> Option<&EditedTemplate> {
        self.template.as_ref()
    }

    /// The channels of a package with their numbers.
    pub fn channel_names<'c>(&'c self, package: &'c str) -> impl Iterator<Item = &'c str> {
        let channels = self.catalog.channels.iter().filter(move |channel| channel.package == package);
        channels.map(|channel| channel.name.as_str())
    }

    /// The versions of the bundles of a package, by name.
    pub fn versions(&self, package: &str) -> HashMap<&str, VersionRelease> {
        let bundles = self.catalog.bundles.iter().filter(|bundle| bundle.package == package);
        bundles.filter_map(|bundle| Some((bundle.name.as_str(), bundle_version::find(bundle)?))).collect()
    }

    /// Makes the changes of a draft in the text.
    pub fn finish(&self, draft: Draft<'_>) -> Result<Edited, Error> {
        draft.finish().map_err(|error| {
            let DraftError::Edit { path, document, error } = &error else {
                return Error::refusal(error.to_string());
            };
            let document = document.map_or(String::new(), |number| format!(", document {}", number + 1));
            Error::refusal(format!("{}{document}: {error}", self.source.shown(path).display())).help(
                "edit that blob by hand, or write it without what stands in the way; nothing was written",
            )
        })
    }

    /// Judges the edited catalog.
    ///
    /// # Errors
    /// If the edited files do not hold what was meant, or others changed the catalog meanwhile.
    pub fn judge(self, edited: Edited, settings: &Settings) -> Result<Judged, Error> {
        let reference = std::slice::from_ref(&self.reference);
        let configuration = Configuration::resolve(&PolicyChoice::default(), reference, settings)?;
        let policy = configuration.policy_for(&self.reference, &self.source);
        let before = match &self.template {
            Some(template) => template.report(&self.catalog, &policy, settings)?,
            None => fbc_rules::lint_under(&self.catalog, self.source.tree.as_ref(), &policy),
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
            checked.report.findings.retain(|located| located.finding.severity == Severity::Error);
            return Ok(Judged::Refused(Box::new(checked)));
        }
        if !same_blobs(&meant, &catalog) {
            let now = CatalogSource::open(&self.reference, &settings.session())?;
            if self.template.is_none() && !same_blobs(&self.catalog, &fbc_lint::load(now.tree.as_ref())) {
                return Err(changed(&self.reference));
            }
            return Err(Error::new("the edited catalog is not what was meant; nothing was written")
                .help("this is a fault of fbc: please report it, with the catalog"));
        }
        Ok(Judged::Accepted(Box::new(AcceptedEdit {
            reference: self.reference,
            warnings: checked,
            files,
            before: old,
            shown,
            _lock: self._lock,
        })))
    }

    /// The bytes of the file that holds a blob; nothing where it has none.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn file_of(&self, origin: Origin) -> Result<Option<Vec<u8>>, Error> {
        let Some(file) = self.catalog.files.get(origin.file as usize) else { return Ok(None) };
        let bytes = self.source.tree.read(&file.path);
        bytes.map(Some).map_err(|error| Error::io("read", &self.source.shown(&file.path), &error))
    }
}

/// An edit that was judged.
pub enum Judged {
    /// The edited catalog would have these errors.
    Refused(Box<CheckedCatalog>),
    /// It may be written.
    Accepted(Box<AcceptedEdit>),
}

/// An edit that may be written.
pub struct AcceptedEdit {
    reference: PathBuf,
    /// What the edited catalog has that is new and no error.
    pub warnings: CheckedCatalog,
    /// The edited files by their paths in the catalog; those without bytes go away.
    pub files: FileVersions,
    /// What they held before.
    pub before: BTreeMap<PathBuf, Vec<u8>>,
    /// How their paths are shown.
    pub shown: BTreeMap<PathBuf, PathBuf>,
    /// Keeps other edits of the catalog waiting until this one is done.
    _lock: Option<File>,
}

impl AcceptedEdit {
    /// Writes the files in the places of the old ones.
    ///
    /// # Errors
    /// If others changed them meanwhile, or they cannot be written.
    pub fn write(&self, settings: &Settings) -> Result<(), Error> {
        write_over(&self.reference, &self.files, &self.before, &self.shown, settings)
    }
}

/// Writes files in the places of old ones that nobody changed meanwhile.
///
/// # Errors
/// If somebody did, or they cannot be written.
pub fn write_over(
    reference: &Path,
    files: &FileVersions,
    before: &BTreeMap<PathBuf, Vec<u8>>,
    shown: &BTreeMap<PathBuf, PathBuf>,
    settings: &Settings,
) -> Result<(), Error> {
    let _locks = lock_files(reference, shown.values(), settings)?;
    for (path, place) in shown {
        if fs::read(place).ok().as_ref() != before.get(path) {
            return Err(changed(place));
        }
    }
    edit_files(
        reference,
        settings,
        files.iter().filter_map(|(path, bytes)| Some((shown.get(path)?.as_path(), bytes.as_deref()))),
    )
}

/// Waits until no other fbc edits the catalog. The lock is on its directory: files are replaced, so a lock on one would
/// be on what it was. Where the system cannot lock directories, the comparison before writing must do.
pub fn lock(folder: &Path, settings: &Settings) -> Result<Option<File>, Error> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {
            settings.tell(Event::Waiting(folder));
            file.lock().map_err(|error| Error::io("lock", folder, &error))?;
            Ok(Some(file))
        }
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Locks the directories of files as well, for they may be edited as catalogs of their own. Who edits more has the lock
/// above already, so nobody waits in a circle.
pub fn lock_files<'f>(
    reference: &Path,
    files: impl Iterator<Item = &'f PathBuf>,
    settings: &Settings,
) -> Result<Vec<File>, Error> {
    let real = |folder: &Path| fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let held = real(folder_of(reference));
    let folders: BTreeSet<PathBuf> = files
        .map(|file| real(file.parent().unwrap_or(Path::new("."))))
        .filter(|folder| *folder != held)
        .collect();
    folders.iter().filter_map(|folder| lock(folder, settings).transpose()).collect()
}

/// The directory that a catalog is, or lies in.
pub fn folder_of(reference: &Path) -> &Path {
    let folder = if is_folder(reference) { Some(reference) } else { reference.parent() };
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The refusal to write over what somebody else wrote meanwhile.
pub fn changed(path: &Path) -> Error {
    let failure = Error::refusal(format!(
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

/// The name that a user means, who gives a name or the version of a bundle; nothing for a version that no bundle has, or
/// several have.
pub fn meant_name<'n>(
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
pub fn unknown<'n>(what: &str, name: &str, place: &str, known: impl IntoIterator<Item = &'n str>) -> Error {
    let known: Vec<&str> = known.into_iter().collect();
    let failure = Error::refusal(format!("{what} {name:?} is not in {place}"));
    match closest(name, known.iter().copied()) {
        Some(meant) => failure.help(format!("did you mean {meant:?}?")),
        None if known.is_empty() => failure.help("there are none"),
        None if known.len() <= 12 => failure.help(format!("there are: {}", known.join(", "))),
        None => failure.help(format!("there are {} others; `fbc list` shows them", known.len())),
    }
}

/// Whether a path names a directory that exists.
pub fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
