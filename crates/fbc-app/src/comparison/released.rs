//! Which channels and bundles of a catalog a released index has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_lint::comparison::Class;
use fbc_model::Catalog;
use fbc_repository::matrix::Pattern;
use fbc_source::image_source::is_image;
use fbc_source::{CatalogSource, Error, Session, needed_images};
use fbc_version::OpenShiftRelease;
use serde_json::{Value, json};

use crate::layout::{self, Meant};
use crate::loading::{Loader, open_as_one};
use crate::settings::Settings;

/// Where a channel or bundle stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is released.
    Released,
    /// It is not.
    NotReleased,
    /// The index has a bundle of that name with this image.
    OtherImage(String),
}

impl State {
    /// The state in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Released => "released".to_owned(),
            Self::NotReleased => "not released".to_owned(),
            Self::OtherImage(image) => format!("released with another image: {image}"),
        }
    }

    /// What a change to it would mean.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        match self {
            Self::Released => None,
            Self::NotReleased => Some(Class::Harmless),
            Self::OtherImage(_) => Some(Class::Breaking),
        }
    }
}

/// A channel or bundle.
pub struct Row {
    /// Its kind.
    pub kind: &'static str,
    /// Its package.
    pub package: String,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: State,
}

/// A catalog beside its index.
pub struct Standing {
    /// Its catalog.
    pub catalog: Meant,
    /// The reference of the index; nothing if it does not exist.
    pub index: (String, bool),
    /// Its rows.
    pub rows: Vec<Row>,
}

/// What is asked about.
pub struct Wanted<'w> {
    /// Of a repository the catalogs for these releases; none are all.
    pub releases: &'w [OpenShiftRelease],
    /// These packages; none are all.
    pub packages: &'w [String],
}

/// Loads a catalog that was opened; nothing if it has faults, which are told.
pub type Load<'l, E> = &'l dyn Fn(&Path, CatalogSource) -> Result<Option<Catalog>, E>;

/// Every catalog of a reference beside its index; nothing after faults that were told.
///
/// # Errors
/// If a reference cannot be opened, or the index of a catalog is not known.
pub fn standings<E: From<Error>>(
    reference: &Path,
    pattern: &Pattern,
    wanted: &Wanted<'_>,
    session: &Session,
    settings: &Settings,
    load: Load<'_, E>,
) -> Result<Option<Vec<Standing>>, E> {
    let catalogs = layout::select(reference, wanted.releases, &settings.reading())?;
    // Many releases may have one index.
    let mut indexes: BTreeMap<String, Option<Catalog>> = BTreeMap::new();
    let mut standings = Vec::new();
    for meant in catalogs {
        let source = open_as_one(&meant.path, session, settings)?;
        let Some(catalog) = load(&meant.path, source)? else { return Ok(None) };
        for release in releases(pattern, &meant)? {
            let reference = pattern.fill(release);
            if !indexes.contains_key(&reference) {
                let known = index_catalog(&reference, pattern.is_open(), session, settings)?;
                indexes.insert(reference.clone(), known);
            }
            let released = indexes.get(&reference).and_then(Option::as_ref);
            let rows = rows(&catalog, released, wanted.packages);
            let catalog = Meant { releases: release.into_iter().collect(), ..meant.clone() };
            standings.push(Standing { catalog, index: (reference, released.is_some()), rows });
        }
    }
    Ok(Some(standings))
}

/// The releases whose index is asked about a catalog.
fn releases(pattern: &Pattern, meant: &Meant) -> Result<Vec<Option<OpenShiftRelease>>, Error> {
    match (pattern.is_open(), meant.releases.as_slice()) {
        (false, _) => Ok(vec![None]),
        (true, []) => Err(Error::new(format!(
            "{} is for no OpenShift release in particular, and the index depends on it",
            meant.path.display()
        ))
        .help("write the version in place of {ocp}, or name the root of the repository")),
        (true, releases) => Ok(releases.iter().copied().map(Some).collect()),
    }
}

/// Loads an index; nothing if it does not exist and need not.
fn index_catalog(
    reference: &str,
    may_be_absent: bool,
    session: &Session,
    settings: &Settings,
) -> Result<Option<Catalog>, Error> {
    let path = PathBuf::from(reference);
    if may_be_absent && is_absent(&path, reference, session)? {
        return Ok(None);
    }
    match Loader::new(session, settings).all(&[path])? {
        Some(catalog) => Ok(Some(catalog)),
        None => Err(Error::new(format!("the index {reference} cannot be read; see above"))),
    }
}

fn is_absent(path: &Path, reference: &str, session: &Session) -> Result<bool, Error> {
    if path.exists() {
        return Ok(false);
    }
    if !is_image(path) {
        return Ok(true);
    }
    needed_images::is_known_absent(reference.strip_prefix("docker://").unwrap_or(reference), session)
}

fn rows(catalog: &Catalog, index: Option<&Catalog>, packages: &[String]) -> Vec<Row> {
    let wants = |package: &str| packages.is_empty() || packages.iter().any(|wanted| wanted == package);
    let channels = catalog.channels.iter().map(|channel| {
        let is_released = index.is_some_and(|index| {
            index.channels.iter().any(|known| known.package == channel.package && known.name == channel.name)
        });
        let state = if is_released { State::Released } else { State::NotReleased };
        Row { kind: "channel", package: channel.package.clone(), name: channel.name.clone(), state }
    });
    let bundles = catalog.bundles.iter().map(|bundle| {
        let known = index.and_then(|index| {
            index.bundles.iter().find(|known| known.package == bundle.package && known.name == bundle.name)
        });
        let state = match known {
            None => State::NotReleased,
            Some(known) if same_image(&known.image, &bundle.image) => State::Released,
            Some(known) => State::OtherImage(known.image.clone()),
        };
        Row { kind: "bundle", package: bundle.package.clone(), name: bundle.name.clone(), state }
    });
    let mut rows: Vec<Row> = channels.chain(bundles).filter(|row| wants(&row.package)).collect();
    rows.sort_by(|a, b| a.package.cmp(&b.package));
    rows
}

/// Whether two references name one image: stage and production have one digest in different places.
fn same_image(a: &str, b: &str) -> bool {
    let digest = |text: &str| text.rsplit_once('@').map(|(_, digest)| digest.to_owned());
    a == b || digest(a).is_some() && digest(a) == digest(b)
}

/// All of it as a JSON object.
#[must_use]
pub fn document(standings: &[Standing]) -> Value {
    let catalogs = standings.iter().map(|Standing { catalog, index: (index, exists), rows }| {
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| {
                let mut value = json!({"kind": row.kind, "package": row.package, "name": row.name,
                    "released": row.state != State::NotReleased});
                if let (State::OtherImage(image), Some(value)) = (&row.state, value.as_object_mut()) {
                    value.insert("releasedImage".to_owned(), json!(image));
                }
                value
            })
            .collect();
        let releases: Vec<String> = catalog.releases.iter().map(ToString::to_string).collect();
        json!({"catalog": catalog.path.display().to_string(), "releases": releases, "index": index,
            "indexExists": exists, "rows": rows})
    });
    json!({"catalogs": catalogs.collect::<Vec<_>>()})
}
