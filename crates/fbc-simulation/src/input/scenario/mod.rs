//! Scenarios from files, with the catalogs and bundles that they name.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::tree::{Tree, TreeEntry, read_file};
use fbc_scenario::{Contents, Prepared, Scenario, ScenarioFault};
use fbc_source::{CatalogSource, Session};

use fbc_app::event::Event;
use fbc_app::input::other::not_a_scenario;
use fbc_app::loading::open_as_one;
use fbc_app::settings::Settings;
use fbc_model::closest::closest;
use fbc_source::Error;

mod files;

pub use self::files::{ALLOW, ReadableFiles};

/// A scenario, and the files that it may read.
pub struct Readable {
    /// The scenario.
    pub prepared: Prepared,
    /// The files.
    pub files: Arc<ReadableFiles>,
}

/// A catalog or bundle that was opened, kept as long as its files are needed.
struct OpenedTree(CatalogSource);

impl Tree for OpenedTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.0.tree.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.0.tree.read(file)
    }
}

/// Opens what a reference names: a directory, a file, a revision or an image.
pub fn open(reference: &Path, session: &Session, settings: &Settings) -> Result<Arc<dyn Tree>, Error> {
    Ok(Arc::new(OpenedTree(open_as_one(reference, session, settings)?)))
}

/// The references of `--catalog NAME=REF`.
pub fn named(flags: &[String]) -> impl Iterator<Item = &Path> {
    flags.iter().filter_map(|flag| Some(Path::new(flag.split_once('=')?.1)))
}

/// What `--catalog NAME=REF` says, by name.
pub fn catalogs_of_flags(
    flags: &[String],
    session: &Session,
    settings: &Settings,
) -> Result<BTreeMap<String, Arc<dyn Tree>>, Error> {
    let mut catalogs = BTreeMap::new();
    for flag in flags {
        let pair = flag.split_once('=').filter(|(name, reference)| !name.is_empty() && !reference.is_empty());
        let (name, reference) = pair.ok_or_else(|| {
            Error::new(format!("--catalog {flag:?} is not of the form NAME=REF"))
                .help("write NAME=REF: a name, which may be that of a catalog of the scenario, and the directory, file or image")
        })?;
        if catalogs.insert(name.to_owned(), open(Path::new(reference), session, settings)?).is_some() {
            return Err(Error::new(format!("--catalog gives {name:?} twice")));
        }
    }
    Ok(catalogs)
}

/// Reads all scenarios and what they name. Everything that is wrong with any of them is told.
pub fn prepare(
    paths: &[PathBuf],
    catalogs: &BTreeMap<String, Arc<dyn Tree>>,
    session: &Session,
    settings: &Settings,
    allowed: &[PathBuf],
) -> Result<Vec<Readable>, Error> {
    let mut prepared = Vec::new();
    let mut failures = Vec::new();
    for path in files(paths)? {
        match prepare_one(&path, catalogs, session, settings, allowed, |_| ()) {
            Ok(one) => prepared.push(one),
            Err(mut some) => failures.append(&mut some),
        }
    }
    if let Some(last) = failures.pop() {
        for failure in failures {
            settings.tell(Event::Refusal(failure));
        }
        return Err(last);
    }
    let names = |readable: &Readable| -> Vec<String> {
        readable.prepared.scenario.catalogs.iter().map(|catalog| catalog.name.clone()).collect()
    };
    let known: Vec<String> = prepared.iter().flat_map(names).collect();
    if let Some(name) = catalogs.keys().find(|name| !known.contains(name)) {
        let failure = Error::new(format!("--catalog {name}: no scenario has a catalog of this name"));
        return Err(match closest(name, known.iter().map(String::as_str)) {
            Some(known) => failure.help(format!("did you mean {known:?}?")),
            None => failure.help(format!("they have [{}]", known.join(", "))),
        });
    }
    Ok(prepared)
}

/// The files of paths, those of directories in the order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        let metadata = fs::metadata(path).map_err(|error| {
            Error::io("read", path, &error).help("name a file with a scenario, or a directory of such files")
        })?;
        if !metadata.is_dir() {
            files.push(path.clone());
            continue;
        }
        let read = |error: io::Error| Error::io("read", path, &error);
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(read)? {
            let file = entry.map_err(read)?.path();
            let is_yaml = file.extension().is_some_and(|end| end == "yaml" || end == "yml");
            if is_yaml && file.is_file() {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(Error::new(format!("there is no scenario in {}", path.display()))
                .help("files of scenarios end in .yaml or .yml"));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// Reads one scenario and what it names, after a change of what it says.
pub fn prepare_as(
    path: &Path,
    catalogs: &BTreeMap<String, Arc<dyn Tree>>,
    session: &Session,
    settings: &Settings,
    change: impl FnOnce(&mut Scenario),
) -> Result<Prepared, Error> {
    let readable = prepare_one(path, catalogs, session, settings, &[], change);
    readable
        .map(|readable| readable.prepared)
        .map_err(|failures| Error::of_reasons(failures.iter().map(Error::line)))
}

fn prepare_one(
    path: &Path,
    catalogs: &BTreeMap<String, Arc<dyn Tree>>,
    session: &Session,
    settings: &Settings,
    allowed: &[PathBuf],
    change: impl FnOnce(&mut Scenario),
) -> Result<Readable, Vec<Error>> {
    let text = read_file(path).map_err(|error| vec![Error::io("read", path, &error)])?;
    let shown = path.display().to_string();
    let mut scenario = Scenario::read(&shown, &text).map_err(|faults| match not_a_scenario(path, &text) {
        Some(failure) => vec![failure],
        None => failures(faults),
    })?;
    change(&mut scenario);
    let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let files = Arc::new(ReadableFiles::new(&directory, allowed));
    let contents = contents(&scenario, &directory, &files, catalogs, session, settings)?;
    let prepared =
        Prepared::new(scenario, contents, Arc::clone(&files) as Arc<dyn Tree>).map_err(failures)?;
    Ok(Readable { prepared, files })
}

fn failures(faults: Vec<ScenarioFault>) -> Vec<Error> {
    let failure = |fault: ScenarioFault| {
        let failure = Error::new(fault.to_string());
        match fault.help {
            Some(help) => failure.help(help),
            None => failure,
        }
    };
    faults.into_iter().map(failure).collect()
}

/// Opens what a scenario names; paths start from its directory, what does not exist there may be an image.
fn contents(
    scenario: &Scenario,
    directory: &Path,
    files: &ReadableFiles,
    replaced: &BTreeMap<String, Arc<dyn Tree>>,
    session: &Session,
    settings: &Settings,
) -> Result<Contents, Vec<Error>> {
    let mut contents = Contents::default();
    let mut failures = Vec::new();
    let mut find = |text: &str, line: usize| {
        let below = directory.join(text);
        let path = if below.exists() { below } else { PathBuf::from(text) };
        let is_open = !path.exists() || files.permits(&path);
        let permitted = is_open.then_some(()).ok_or_else(|| {
            Error::new(format!("{text} leads out of the directory of the scenario")).help(ALLOW)
        });
        permitted
            .and_then(|()| open(&path, session, settings))
            .map_err(|failure| {
                let place = format!("{}:{line}", scenario.file);
                failures.push(failure.within(&place).help("paths of a scenario start from its directory"));
            })
            .ok()
    };
    let (catalogs, bundles) = scenario.references();
    for reference in catalogs {
        if let Some(tree) = find(&reference.text, reference.place.line) {
            contents.catalogs.insert(reference.text.clone(), tree);
        }
    }
    for reference in bundles {
        if let Some(tree) = find(&reference.text, reference.place.line) {
            contents.bundles.insert(reference.text.clone(), tree);
        }
    }
    if !failures.is_empty() {
        return Err(failures);
    }
    contents.replaced = replaced.clone();
    Ok(contents)
}
