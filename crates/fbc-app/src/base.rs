//! `--base`: only what a change brings. Findings that the base has too are left out, and what the change breaks
//! is added.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_lint::Report;
use fbc_lint::comparison::scope::Scope;
use fbc_lint::comparison::{self, Class};
use fbc_lint::report::judged;
use fbc_model::Catalog;
use fbc_rules::rep;
use fbc_rules::rep::repository::{self, Surroundings, Touch};
use fbc_source::Error;
use fbc_source::git::Repository;
use fbc_source::{CatalogSource, Session};
use fbc_version::Version;

use crate::checked::CheckedCatalog;
use crate::checked::not_all_kept;
use crate::configuration::Configuration;
use crate::count::counted;
use crate::event::Event;
use crate::layout::{self, Place};
use crate::loading::{load_for_rules, load_tree};
use crate::settings::Settings;

/// What the catalogs are compared with.
enum Base {
    /// An older state of the one path.
    Folder(PathBuf),
    /// The same paths in a revision.
    Revision(Revision),
    /// Another path of a revision: the older state of the one path.
    Elsewhere(PathBuf),
}

struct Revision {
    /// The id of the commit or tree.
    id: String,
}

/// Checks what changed in the catalogs that the paths name.
///
/// # Errors
/// If a path or the base cannot be read.
pub fn check(
    base: &Path,
    paths: &[PathBuf],
    configuration: &mut Configuration,
    session: &Session,
    settings: &Settings,
) -> Result<Vec<CheckedCatalog>, Error> {
    let talk = Talk(settings);
    let is_stdin = paths.iter().any(|path| path.as_os_str() == "-");
    let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
    let base = Base::find(base, first, is_stdin, &talk, settings)?;
    if paths.len() > 1 && !matches!(base, Base::Revision(_)) {
        return Err(Error::new("a base directory is the older state of one path, and there are several")
            .help("run the command once for each, or give a revision"));
    }
    configuration.observe_a_part_only();
    let mut run = Run { configuration, session, checked: Vec::new(), bundles: Vec::new() };
    for path in paths {
        let old = base.counterpart(path, None, session)?;
        let in_new = layout::catalogs_in(path, &settings.reading())?;
        let in_old = old.as_ref().map(layout::catalogs_of_source).transpose()?.flatten();
        match (in_new, in_old) {
            (None, None) => {
                // A catalog that the change deletes is one without packages.
                let is_gone = old.is_some() && path.as_os_str() != "-" && fs::symlink_metadata(path).is_err();
                let source =
                    if is_gone { CatalogSource::nothing(path) } else { CatalogSource::open(path, session)? };
                run.catalog(path, source, old, &talk, settings)?;
            }
            (None, Some(_)) if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) => {
                run.catalog(path, CatalogSource::open(path, session)?, old, &talk, settings)?;
            }
            (in_new, in_old) => {
                let new = in_new.unwrap_or_default();
                let old = in_old.unwrap_or_default();
                for Place { name, releases, images } in layout::both(&old, &new) {
                    let catalog = match path.as_os_str() == "." {
                        true => PathBuf::from(&name),
                        false => path.join(&name),
                    };
                    if !releases.is_empty() {
                        run.configuration.observe_targets(&catalog, releases);
                    }
                    if let Some(image) = images.first() {
                        run.configuration.observe_place(&catalog, &image.target);
                    }
                    let source = match layout::has(&new, &name) {
                        true => CatalogSource::open(&catalog, session)?,
                        false => CatalogSource::nothing(&catalog),
                    };
                    let old = if layout::has(&old, &name) {
                        base.counterpart(path, Some(&name), session)?
                    } else {
                        None
                    };
                    run.catalog(&catalog, source, old, &talk, settings)?;
                }
            }
        }
    }
    if let Base::Revision(revision) = &base {
        run.change_set(revision, first, settings)?;
    }
    Ok(run.checked)
}

impl Base {
    fn find(
        base: &Path,
        path: &Path,
        is_stdin: bool,
        talk: &Talk<'_>,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let text = base.to_str().unwrap_or_default();
        let on_disk = fs::metadata(base).is_ok();
        let is_plainly_path = base.is_absolute() || text.starts_with("./") || text.starts_with("../");
        if on_disk && is_plainly_path {
            return Ok(Self::Folder(base.to_path_buf()));
        }
        let name = match text.split_once(':') {
            Some((_, path)) if !path.is_empty() && !on_disk => {
                return Ok(Self::Elsewhere(base.to_path_buf()));
            }
            Some((name, "")) => name,
            _ => text,
        };
        let repository = Repository::around(&folder_of(path), settings.budgets.git);
        let revision =
            repository.as_ref().map_err(|_| ()).and_then(|found| found.resolve(name).map_err(|_| ()));
        match (on_disk, revision) {
            (true, Ok(_)) => Err(Error::new(format!("{text:?} is both a path and a revision"))
                .help(format!("write `./{text}` for the path, `{text}:` for the revision"))),
            (true, Err(())) => Ok(Self::Folder(base.to_path_buf())),
            (false, _) if is_stdin => Err(Error::new("standard input has no place in a revision")
                .help(format!("name the path to compare with: `{name}:PATH`"))),
            (false, _) => {
                let repository = repository.map_err(|failure| {
                    failure.help(format!("{text:?} is not a directory, so it was taken for a revision"))
                })?;
                let id = repository
                    .resolve(name)
                    .map_err(|failure| failure.help(format!("there is no directory {text:?} either")))?;
                let id = match repository.merge_base(name)? {
                    Some(commit) => commit,
                    None => {
                        talk.say(&format!(
                            "{name} and HEAD have no common history here (a shallow clone?); comparing with {name} itself"
                        ));
                        id
                    }
                };
                talk.say(&format!("comparing with {}, {name}", id.get(..12).unwrap_or(&id)));
                Ok(Self::Revision(Revision { id }))
            }
        }
    }

    /// What a path, or a catalog in it, was in the base; nothing if it was not there.
    fn counterpart(
        &self,
        path: &Path,
        catalog: Option<&str>,
        session: &Session,
    ) -> Result<Option<CatalogSource>, Error> {
        match self {
            Self::Folder(base) | Self::Elsewhere(base) => {
                let base = catalog.map_or_else(|| base.clone(), |catalog| base.join(catalog));
                Ok(Some(CatalogSource::open(&base, session)?))
            }
            Self::Revision(revision) => {
                // A path that is gone still has a place: below the closest directory that is there.
                let path = catalog.map_or_else(|| path.to_path_buf(), |catalog| path.join(catalog));
                let (mut folder, mut below) = (path, PathBuf::new());
                while !folder.is_dir() {
                    let Some(name) = folder.file_name().map(PathBuf::from) else { break };
                    below = if below.as_os_str().is_empty() { name } else { name.join(below) };
                    folder.pop();
                }
                let repository = Repository::around(&folder, session.reading().git)?;
                let place = repository.prefix()?.join(below);
                let found = CatalogSource::of_revision(repository, &revision.id, &place)?;
                Ok(found.map(|found| found.expanded(&folder, session)).transpose()?)
            }
        }
    }
}

/// The closest directory that is there: the path itself, or one above.
fn folder_of(path: &Path) -> PathBuf {
    path.ancestors().find(|folder| folder.is_dir()).map(Path::to_path_buf).unwrap_or_default()
}

/// What is said on the way.
struct Talk<'s>(&'s Settings);

impl Talk<'_> {
    fn say(&self, text: &str) {
        self.0.tell(Event::Remark(text));
    }
}

struct Run<'c> {
    configuration: &'c mut Configuration,
    session: &'c Session,
    checked: Vec<CheckedCatalog>,
    /// Package and version of the bundles of each catalog, as it is now.
    bundles: Vec<(String, Vec<(String, Version)>)>,
}

impl Run<'_> {
    /// Checks one catalog against what it was.
    fn catalog(
        &mut self,
        path: &Path,
        source: CatalogSource,
        old: Option<CatalogSource>,
        talk: &Talk<'_>,
        settings: &Settings,
    ) -> Result<(), Error> {
        let shown = path.display();
        if old.is_none() {
            talk.say(&format!("{shown}: the base does not have it, so everything in it is new"));
        }
        let old = old.unwrap_or_else(|| CatalogSource::nothing(path));
        let (old_tree, new_tree) = (old.tree.as_ref(), source.tree.as_ref());
        let before = load_tree(old_tree, settings)?;
        let after = load_tree(new_tree, settings)?;
        self.bundles.push((shown.to_string(), versions(&after)));
        let scope = Scope::between((&before, old_tree), (&after, new_tree));
        if scope.is_empty() {
            talk.say(&format!("{shown}: nothing changed"));
            return Ok(());
        }
        talk.say(&format!("{shown}: {}", describe(&scope, &before, &after)));
        let (old_narrow, new_narrow) = (scope.narrow(&before, old_tree), scope.narrow(&after, new_tree));
        let catalog = load_for_rules(&new_narrow, settings)?;
        self.configuration.observe(&source, &catalog);
        let policy = self.configuration.policy_for(path, &source);
        let mut report = fbc_rules::lint_under(&catalog, &new_narrow, &policy);
        let known = fbc_rules::lint_under(&load_for_rules(&old_narrow, settings)?, &old_narrow, &policy);
        if !known.counted_only.is_empty() || !report.counted_only.is_empty() {
            return Err(not_all_kept(&shown.to_string(), "what is new among them is not known"));
        }
        report.findings = comparison::only_new(report.findings, &known.findings);
        if report.findings.iter().all(|located| located.finding.opm.is_none()) {
            report.opm_error = None;
        }
        let (unknown, findings) = rep::unknown_breakage((&before, old_tree), (&after, new_tree));
        report.append(judged(&after, new_tree, findings, &policy).findings);
        let wants = |package: &str| {
            !unknown.contains(package) && (package.is_empty() || scope.packages.contains(package))
        };
        let mut changes = comparison::compare_packages(&before, &after, &wants).changes;
        changes.retain(|change| change.class == Class::Breaking);
        let broken = rep::broken(&after, new_tree, &changes, &policy);
        report.append(broken.findings);
        let (files, packages, bundles) = (catalog.files.len(), catalog.packages.len(), catalog.bundles.len());
        let reference = path.to_path_buf();
        self.checked.push(CheckedCatalog { reference, report, files, packages, bundles, source });
        Ok(())
    }

    /// Checks what the change does to the repository as a whole.
    fn change_set(&mut self, revision: &Revision, path: &Path, settings: &Settings) -> Result<(), Error> {
        let repository = Repository::around(&folder_of(path), settings.budgets.git)?;
        let touched = repository.touched_since(&revision.id, &repository::FOLDERS.map(Path::new))?;
        let root = match (path.is_relative(), Repository::around(Path::new("."), settings.budgets.git)) {
            (true, Ok(here)) => here.way_up()?,
            _ => folder_of(path).join(repository.way_up()?),
        };
        let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
        let base =
            match touched.iter().any(|(path, touch)| path.starts_with("operators") && *touch != Touch::Added)
            {
                true => CatalogSource::of_revision(repository, &revision.id, Path::new(""))?,
                false => None,
            };
        let users = |package: &str, version: &Version| {
            let has = |bundles: &[(String, Version)]| {
                bundles.iter().any(|(name, own)| name == package && own == version)
            };
            let users = self.bundles.iter().filter(|(_, bundles)| has(bundles));
            users.map(|(catalog, _)| catalog.clone()).collect()
        };
        let around = Surroundings {
            existed: &|folder| base.as_ref().is_some_and(|base| base.tree.list(folder).is_ok()),
            exists: &|folder| root.join(folder).is_dir(),
            users: &users,
        };
        let findings = repository::findings(&touched, &around);
        if findings.is_empty() {
            return Ok(());
        }
        let tree = settings.disk_tree(&root);
        let report: Report =
            judged(&Catalog::default(), tree.as_ref(), findings, self.configuration.policy());
        let source = CatalogSource::open(&root, self.session)?;
        self.checked.push(CheckedCatalog {
            reference: root,
            source,
            report,
            files: 0,
            packages: 0,
            bundles: 0,
        });
        Ok(())
    }
}

fn versions(catalog: &Catalog) -> Vec<(String, Version)> {
    let found = catalog.bundles.iter().filter_map(|bundle| {
        let version = fbc_graph::bundle_version::find(bundle)?;
        Some((bundle.package.clone(), version.version))
    });
    found.collect()
}

/// `2 of 35 packages changed: "a", "b"`
fn describe(scope: &Scope, before: &Catalog, after: &Catalog) -> String {
    const SHOWN: usize = 8;
    let mut all = fbc_model::writer::package_names(before);
    all.extend(fbc_model::writer::package_names(after));
    let names: Vec<&str> = scope.packages.iter().map(String::as_str).take(SHOWN).collect();
    let more = scope.packages.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    match scope.packages.len() {
        0 => format!("{} changed, none of a package", counted(scope.files.len(), "file")),
        changed => format!("{changed} of {} packages changed: {}{more}", all.len(), names.join(", ")),
    }
}
