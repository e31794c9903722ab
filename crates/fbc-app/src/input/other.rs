//! Inputs that are not what a command takes, such as a bundle for a catalog: what they look like, and which command takes them.

use std::path::Path;

use fbc_bundle::folder::is_bundle;
use fbc_model::Catalog;
use fbc_model::load::is_ignored;
use fbc_source::Error;
use fbc_source::{CatalogSource, Reading};
use fbc_yaml::stream;

use crate::layout;
use crate::settings::Settings;

/// Catalogs of a repository that are named.
const MOST_NAMED: usize = 4;
/// Files that are looked at to tell what a directory holds.
const MOST_LOOKED_AT: usize = 20;

/// Refuses, before it is loaded, what is plainly not a catalog: a bundle, and what [`refuse_repository`] refuses.
pub fn refuse_at_sight(source: &CatalogSource, reference: &Path, reading: &Reading) -> Result<(), Error> {
    let shown = reference.display();
    if is_bundle(source.tree.as_ref()) {
        return Err(Error::new(format!("{shown} is a bundle directory, not a catalog")).help(format!(
            "`fbc bundle validate {shown}` checks it; `fbc render {shown}` renders it as a blob"
        )));
    }
    refuse_repository(source, reference, reading)
}

/// Refuses the root of a repository, and an image layout, before it is loaded.
pub fn refuse_repository(source: &CatalogSource, reference: &Path, reading: &Reading) -> Result<(), Error> {
    let tree = source.tree.as_ref();
    let shown = reference.display();
    let entries = tree.list(Path::new("")).unwrap_or_default();
    let has = |name: &str| entries.iter().any(|entry| entry.name == Path::new(name));
    if has("oci-layout") && has("index.json") {
        return Err(Error::new(format!("{shown} is an image layout, not a catalog"))
            .help(format!("`oci:{shown}` names the image in it")));
    }
    let is_repository = entries.iter().any(|entry| entry.is_directory && entry.name == Path::new(".git"));
    if !is_repository || is_ignored(tree, Path::new(".git/HEAD")) {
        return Ok(());
    }
    let failure = Error::new(format!("{shown} is the root of a git repository, not a catalog"));
    let catalogs = layout::select(reference, &[], reading).unwrap_or_default();
    let catalogs: Vec<_> = catalogs.iter().filter(|catalog| catalog.path != reference).collect();
    let named: Vec<String> =
        catalogs.iter().take(MOST_NAMED).map(|catalog| catalog.path.display().to_string()).collect();
    Err(match (named.is_empty(), catalogs.len().saturating_sub(MOST_NAMED)) {
        (true, _) => {
            failure.help("name the directory of the catalog; if this is it, add `.git` to its `.indexignore`")
        }
        (false, 0) => failure.help(format!("name a catalog in it: {}", named.join(", "))),
        (false, more) => {
            failure.help(format!("name a catalog in it: {} or one of {more} more", named.join(", ")))
        }
    })
}

/// Refuses what was loaded and holds nothing of a catalog, but something else.
pub fn refuse_without_blobs(
    source: &CatalogSource,
    catalog: &Catalog,
    reference: &Path,
) -> Result<(), Error> {
    let has_blobs = !(catalog.packages.is_empty()
        && catalog.channels.is_empty()
        && catalog.bundles.is_empty()
        && catalog.deprecations.is_empty());
    if has_blobs {
        return Ok(());
    }
    let tree = source.tree.as_ref();
    let files = catalog.files.iter().take(MOST_LOOKED_AT);
    let found = files
        .filter_map(|file| Some((file.path.as_path(), Look::from_bytes(&tree.read(&file.path).ok()?)?)))
        .next();
    match found {
        Some((path, look)) => Err(look.failure(reference, &source.shown(path))),
        None => Ok(()),
    }
}

/// Warns of a catalog without any blob; whether it is one. opm accepts it, so that this is no failure.
pub fn warn_of_nothing(catalog: &Catalog, reference: &Path, settings: &Settings) -> bool {
    // The blob of a bundle directory stands in none of its files.
    let is_nothing = catalog.files.iter().all(|file| file.documents.is_empty())
        && catalog.bundles.is_empty()
        && catalog.faults.is_empty();
    if is_nothing {
        settings.warn(Error::new(format!("no blobs found in {}", reference.display()))
            .help("name the directory or file of a catalog; files that `.indexignore` names do not count (`fbc validate --verbose` shows them)"));
    }
    is_nothing
}

/// Refuses what was loaded and holds no blob in any file, but something else, and warns of what holds nothing at all;
/// outside of the profile that says what opm says. A path that is wrong in a pipeline does not stay unnoticed.
pub fn refuse_other_documents(
    source: &CatalogSource,
    catalog: &Catalog,
    reference: &Path,
    settings: &Settings,
) -> Result<(), Error> {
    if warn_of_nothing(catalog, reference, settings) {
        return Ok(());
    }
    let tree = source.tree.as_ref();
    let mut found = None;
    for file in &catalog.files {
        let Ok(bytes) = tree.read(&file.path) else { return Ok(()) };
        match Look::from_bytes(&bytes) {
            Some(look) => found = found.or(Some((file.path.as_path(), look))),
            None if may_be_blob(&bytes) => return Ok(()),
            None => {}
        }
    }
    match found {
        Some((path, look)) => Err(look.failure(reference, &source.shown(path))),
        None => Ok(()),
    }
}

/// The failure of a file that was given as a scenario and plainly is something else.
pub fn not_a_scenario(file: &Path, bytes: &[u8]) -> Option<Error> {
    let shown = file.display();
    let is = |what: &str| Error::new(format!("{shown} is not a scenario: it holds {what}"));
    match Look::from_bytes(bytes) {
        Some(Look::Scenario) => None,
        Some(Look::Template(schema)) => Some(
            is(&format!("a template, {schema:?}"))
                .help(format!("`fbc template render {shown}` renders the catalog")),
        ),
        Some(Look::CompositeTemplate) => {
            Some(is("a composite template").help("`fbc template composite` builds the catalogs"))
        }
        Some(Look::Object(kind)) => Some(
            is(&format!("an object of Kubernetes, of the kind {kind}"))
                .help("name it below `objects:` of a scenario; `fbc cluster run -- kubectl apply -f FILE` tries it on a cluster"),
        ),
        None => {
            let document = stream::read_one(bytes).ok()?;
            let schema = document.root().get_str("schema")?;
            Some(is(&format!("a blob of a catalog, {schema:?}")).help(
                "`fbc simulate upgrade OLD NEW` says what a change of a catalog does to clusters, `fbc simulate install` tries a bundle; \
                 name a catalog below `catalogs:` of a scenario",
            ))
        }
    }
}

/// Whether a file may hold blobs: it says so, or cannot be read, of which findings speak.
fn may_be_blob(bytes: &[u8]) -> bool {
    stream::read_one(bytes).map_or(true, |document| document.root().get("schema").is_some())
}

/// What a document looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Look {
    /// A template, with its schema.
    Template(String),
    CompositeTemplate,
    /// An object of Kubernetes, with its kind.
    Object(String),
    Scenario,
}

impl Look {
    /// What the first document of a file looks like; nothing for what may be a blob.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let document = stream::read_one(bytes).ok()?;
        let text = |key| document.root().get_str(key);
        match (text("schema"), text("kind")) {
            (Some(schema), _) if schema.starts_with("olm.composite") => Some(Self::CompositeTemplate),
            (Some(schema), _) if fbc_template::detect(bytes).is_ok() => {
                Some(Self::Template(schema.to_owned()))
            }
            (None, Some(kind)) => Some(Self::Object(kind.to_owned())),
            (None, None) if document.root().get("steps").is_some() => Some(Self::Scenario),
            _ => None,
        }
    }

    fn failure(&self, reference: &Path, file: &Path) -> Error {
        let (shown, file) = (reference.display(), file.display());
        let place = if shown.to_string() == file.to_string() { String::new() } else { format!(" ({file})") };
        let is = |what: &str| Error::new(format!("{shown} is not a catalog: it holds {what}{place}"));
        match self {
            Self::Template(schema) => is(&format!("a template, {schema:?}"))
                .help(format!("`fbc template render {file}` renders the catalog; give that to this command")),
            Self::CompositeTemplate => {
                is("a composite template").help("`fbc template composite` builds the catalogs")
            }
            Self::Scenario => is("a scenario").help(format!("`fbc simulate {file}` runs it")),
            Self::Object(kind) => {
                let failure = is(&format!("an object of Kubernetes, of the kind {kind}"));
                match kind.as_str() {
                    "ImageSetConfiguration" => failure.help(format!("`fbc mirror --config {file}` takes it")),
                    "ClusterCatalog" | "ClusterExtension" => {
                        failure.help(format!("`fbc resolve {shown}` takes manifests of OLM v1"))
                    }
                    "ClusterServiceVersion" | "CustomResourceDefinition" => failure.help(
                        "manifests of a bundle lie in `manifests` of its directory, which `fbc bundle validate` takes",
                    ),
                    _ => failure.help("name the directory or file of a catalog"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, not_a_scenario};

    #[test]
    fn what_is_not_a_scenario() {
        let said =
            |text: &str| not_a_scenario("x.yaml".as_ref(), text.as_bytes()).map(|failure| failure.line());
        for (text, what) in [
            (
                "schema: olm.package\nname: x\n",
                "x.yaml is not a scenario: it holds a blob of a catalog, \"olm.package\"",
            ),
            ("kind: Pod\n", "x.yaml is not a scenario: it holds an object of Kubernetes, of the kind Pod"),
            (
                "schema: olm.semver\nstable: {}\n",
                "x.yaml is not a scenario: it holds a template, \"olm.semver\"",
            ),
        ] {
            assert!(said(text).is_some_and(|line| line.contains(what)), "{text}: {:?}", said(text));
        }
        for text in ["title: x\nsteps: []\n", "title: x\n", "- x\n", ""] {
            assert_eq!(said(text), None, "{text}");
        }
    }

    #[test]
    fn looks_of_documents() {
        let object = |kind: &str| Some(Look::Object(kind.to_owned()));
        for (text, look) in [
            ("schema: olm.semver\nstable: {}\n", Some(Look::Template("olm.semver".to_owned()))),
            ("schema: olm.template.basic\n", Some(Look::Template("olm.template.basic".to_owned()))),
            ("schema: olm.composite\n", Some(Look::CompositeTemplate)),
            ("apiVersion: v1\nkind: Pod\n", object("Pod")),
            ("{\"kind\": \"ImageSetConfiguration\"}", object("ImageSetConfiguration")),
            ("title: x\nsteps: []\n", Some(Look::Scenario)),
            ("schema: olm.package\nname: x\n", None),
            ("schema: my.own\n", None),
            ("- x\n", None),
            ("", None),
        ] {
            assert_eq!(Look::from_bytes(text.as_bytes()), look, "{text}");
        }
    }
}
