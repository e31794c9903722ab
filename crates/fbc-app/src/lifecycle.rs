//! Until when versions are supported, in catalogs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_lint::Profile;
use fbc_lint::schema::LIFECYCLE;
use fbc_model::overlay_tree::{FileVersions, OverlayTree};
use fbc_model::tree::{MemoryTree, read_file};
use fbc_model::{Catalog, Other, Package};
use fbc_rules::lfc;
use fbc_source::{CatalogSource, Error};
use fbc_version::OpenShiftRelease;
use fbc_yaml::json_writer;

use crate::checked::check_loaded;
use crate::event::Event;
use crate::layout;
use crate::loading::{load_for_rules, load_tree};
use crate::settings::Settings;

/// What goes where.
pub struct Order<'o> {
    /// The file or directory with lifecycles.
    pub lifecycles: &'o Path,
    /// The catalog, or a repository of catalogs.
    pub catalog: &'o Path,
    /// Of a repository, the catalogs for these releases.
    pub releases: &'o [OpenShiftRelease],
    /// Whether other lifecycles of the packages are replaced.
    pub replaces: bool,
}

const FILE: &str = "lifecycle.json";

/// The files that are to be written; nothing after findings that were told.
///
/// # Errors
/// If a catalog cannot take its lifecycle.
pub fn files(order: &Order<'_>, settings: &Settings) -> Result<Option<FileVersions>, Error> {
    let lifecycles = lifecycles(order.lifecycles, settings)?;
    let mut files = FileVersions::new();
    let mut is_known = false;
    for catalog in catalogs(order, settings)? {
        if !catalog.is_dir() {
            return Err(Error::refusal(format!(
                "{} is a single file, beside which a lifecycle is lost",
                catalog.display()
            ))
            .help("name the directory of the catalog, and let the Dockerfile copy the directory"));
        }
        let tree = settings.disk_tree(&catalog);
        let loaded = load_tree(tree.as_ref(), settings)?;
        let mut new = FileVersions::new();
        for package in &loaded.packages {
            let Some(lifecycle) = lifecycles.get(&package.name) else { continue };
            is_known = true;
            if let Some((path, text)) = file(&loaded, package, lifecycle, &catalog, order.replaces)? {
                new.insert(path, Some(text));
            }
        }
        if !is_valid(&catalog, &new, settings)? {
            settings.tell(Event::Refusal(
                Error::refusal("a lifecycle has findings, so nothing is written")
                    .help("correct it in its source"),
            ));
            return Ok(None);
        }
        files.extend(new.into_iter().map(|(path, text)| (catalog.join(path), text)));
    }
    if !is_known {
        let names: Vec<&str> = lifecycles.keys().map(String::as_str).collect();
        return Err(Error::refusal(format!(
            "no catalog in {} has a package of {}",
            order.catalog.display(),
            names.join(", ")
        )));
    }
    Ok(Some(files))
}

/// The directories and files of the catalogs that get lifecycles.
fn catalogs(order: &Order<'_>, settings: &Settings) -> Result<Vec<PathBuf>, Error> {
    let path = order.catalog;
    let catalogs = layout::select(path, order.releases, &settings.reading())?;
    let is_named = !order.releases.is_empty() || layout::catalogs_in(path, &settings.reading())?.is_none();
    let shows =
        |releases: &[OpenShiftRelease]| is_named || releases.iter().any(|one| *one >= lfc::FIRST_RELEASE);
    let meant: Vec<PathBuf> =
        catalogs.into_iter().filter(|one| shows(&one.releases)).map(|one| one.path).collect();
    if meant.is_empty() {
        return Err(Error::refusal(format!(
            "{} has no catalog for OpenShift {} or later",
            path.display(),
            lfc::FIRST_RELEASE
        ))
        .help("earlier consoles show no lifecycles; --ocp names releases that get them all the same"));
    }
    Ok(meant)
}

/// The lifecycles of a file or directory, by package.
fn lifecycles(path: &Path, settings: &Settings) -> Result<BTreeMap<String, Other>, Error> {
    let catalog: Catalog = match path.is_dir() {
        true => load_tree(settings.disk_tree(path).as_ref(), settings)?,
        false => {
            let text = read_file(path).map_err(|error| Error::io("read", path, &error))?;
            let name = path.file_name().unwrap_or(path.as_os_str());
            load_tree(&MemoryTree::from_iter([(name, text)]), settings)?
        }
    };
    if let Some(fault) = catalog.faults.first() {
        return Err(Error::refusal(format!("{}: {}", path.display(), fault.message))
            .help("a lifecycle is a JSON or YAML document"));
    }
    let mut lifecycles = BTreeMap::new();
    for other in catalog.others.into_iter().filter(|other| other.meta.schema == LIFECYCLE) {
        let package = other.meta.package.clone();
        if lifecycles.insert(package.clone(), other).is_some() {
            return Err(Error::refusal(format!(
                "{} has two lifecycles of package {package:?}",
                path.display()
            )));
        }
    }
    if lifecycles.is_empty() {
        return Err(Error::refusal(format!("{} holds no lifecycle", path.display()))
            .help(format!("a lifecycle has the schema {}", LIFECYCLE)));
    }
    Ok(lifecycles)
}

/// The file of a lifecycle with its text; nothing if the catalog says the same already.
fn file(
    catalog: &Catalog,
    package: &Package,
    lifecycle: &Other,
    shown: &Path,
    replaces: bool,
) -> Result<Option<(PathBuf, Vec<u8>)>, Error> {
    let of_package = |other: &&Other| other.meta.schema == LIFECYCLE && other.meta.package == package.name;
    let directory = catalog.file(package.origin).and_then(|file| file.path.parent()).unwrap_or(Path::new(""));
    let directory_of = |other: &Package| catalog.file(other.origin).and_then(|file| file.path.parent());
    let shares_directory = catalog
        .packages
        .iter()
        .any(|other| other.name != package.name && directory_of(other) == directory_of(package));
    let path = match shares_directory {
        true if package.name.contains(['/', '\\']) => {
            return Err(Error::refusal(format!("package {:?} cannot name a file", package.name))
                .help("give the package a directory of its own"));
        }
        true => directory.join(format!("lifecycle-{}.json", package.name)),
        false => directory.join(FILE),
    };
    if let Some(known) = catalog.others.iter().find(of_package) {
        if known.value == lifecycle.value {
            return Ok(None);
        }
        let lies_in = catalog.file(known.origin).map(|file| file.path.clone()).unwrap_or_default();
        if !replaces || lies_in != path {
            let failure = Error::refusal(format!(
                "{} has another lifecycle of package {:?}",
                shown.join(&lies_in).display(),
                package.name
            ));
            return Err(match lies_in == path {
                true => failure.help("--replace writes the new one in its place"),
                false => failure.help("take it out of that file first"),
            });
        }
    }
    let held = catalog.files.iter().find(|file| file.path == path).map_or(0, |file| file.documents.len());
    let lies_there = |other: &&Other| catalog.file(other.origin).is_some_and(|file| file.path == path);
    if held > catalog.others.iter().filter(of_package).filter(lies_there).count() {
        return Err(Error::refusal(format!("{} holds other blobs", shown.join(&path).display()))
            .help("move them to another file"));
    }
    let mut text = String::new();
    json_writer::write_indented(&mut text, lifecycle.value.node(), 2, 0);
    text.push('\n');
    Ok(Some((path, text.into_bytes())))
}

/// Whether the lifecycles of the catalog with these files have no findings, which are told.
fn is_valid(catalog: &Path, files: &FileVersions, settings: &Settings) -> Result<bool, Error> {
    if files.is_empty() {
        return Ok(true);
    }
    let tree = OverlayTree::new(settings.disk_tree(catalog), files.clone());
    let source = CatalogSource::of_tree(Box::new(tree), catalog);
    let loaded = load_for_rules(source.tree.as_ref(), settings)?;
    let mut checked = check_loaded(catalog, source, &loaded, Profile::Default);
    checked.report.findings.retain(|located| located.finding.rule.code.starts_with("LFC"));
    if checked.report.findings.is_empty() {
        return Ok(true);
    }
    settings.tell(Event::Findings { checked: &checked, errors_only: false });
    Ok(false)
}
