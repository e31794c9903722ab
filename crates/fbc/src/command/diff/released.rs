//! `fbc diff --index`: which channels and bundles of a catalog a released index has.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fbc_go::text::padded;
use fbc_lint::comparison::Class;
use fbc_lint::policy::OcpVersion;
use fbc_model::Catalog;
use fbc_repository::matrix::Pattern;
use fbc_source::Session;
use fbc_source::image_source::is_image;
use fbc_source::needed_images;
use serde_json::{Value, json};

use super::{Arguments, DiffFormat, load};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output;
use crate::output::destination::Destination;
use crate::output::file::write_output;
use crate::settings::Settings;
use fbc_app::escape::Lines;
use fbc_app::layout::{self, Meant};
use fbc_app::loading::Loader;
use fbc_app::loading::open_as_one;

/// Where a channel or bundle stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Released,
    NotReleased,
    /// The index has a bundle of that name with this image.
    OtherImage(String),
}

impl State {
    fn words(&self) -> String {
        match self {
            Self::Released => "released".to_owned(),
            Self::NotReleased => "not released".to_owned(),
            Self::OtherImage(image) => format!("released with another image: {image}"),
        }
    }

    fn class(&self) -> Option<Class> {
        match self {
            Self::Released => None,
            Self::NotReleased => Some(Class::Harmless),
            Self::OtherImage(_) => Some(Class::Breaking),
        }
    }
}

/// A channel or bundle.
struct Row {
    kind: &'static str,
    package: String,
    name: String,
    state: State,
}

/// A catalog beside its index.
struct Standing {
    catalog: Meant,
    /// The reference of the index; nothing if it does not exist.
    index: (String, bool),
    rows: Vec<Row>,
}

pub(super) fn run(arguments: &Arguments, index: &str, settings: &Settings) -> Result<u8, Failure> {
    if arguments.new.is_some() {
        return Err(Failure::new("--index takes one catalog or repository")
            .help("leave the second one out; it is the index that the first is compared with"));
    }
    let destinations = arguments.destinations();
    if destinations.iter().any(|one| !matches!(one.format, DiffFormat::Text | DiffFormat::Json)) {
        return Err(Failure::new("--index writes text or JSON").help("give -o text or -o json"));
    }
    let pattern = Pattern::new(index).ok_or_else(|| {
        Failure::new(format!("{index:?} is not an index"))
            .help("only {ocp}, {major} and {minor} may be in braces")
    })?;
    let session = arguments.images.session([&arguments.old, &PathBuf::from(index)], settings);
    let catalogs = layout::select(&arguments.old, &arguments.ocp, &settings.reading())?;
    // Many releases may have one index.
    let mut indexes: BTreeMap<String, Option<Catalog>> = BTreeMap::new();
    let mut standings = Vec::new();
    for meant in catalogs {
        let source = open_as_one(&meant.path, &session, settings)?;
        let Some((catalog, _)) = load(&meant.path, source, settings)? else { return Ok(FINDINGS) };
        for release in releases(&pattern, &meant)? {
            let reference = pattern.fill(release);
            if !indexes.contains_key(&reference) {
                let known = index_catalog(&reference, pattern.is_open(), &session, settings)?;
                indexes.insert(reference.clone(), known);
            }
            let released = indexes.get(&reference).and_then(Option::as_ref);
            let rows = rows(&catalog, released, &arguments.packages);
            let catalog = Meant { path: meant.path.clone(), releases: release.into_iter().collect() };
            standings.push(Standing { catalog, index: (reference, released.is_some()), rows });
        }
    }
    let worst = standings.iter().flat_map(|one| &one.rows).filter_map(|row| row.state.class()).min();
    for Destination { format, file } in destinations {
        write_output(settings, file, |out| match format {
            DiffFormat::Json => Ok(fbc_app::output::json_document::write(out, &document(&standings))?),
            _ => {
                let mut text = Vec::new();
                tell(&standings, &mut Lines::new(&mut text, false))?;
                Ok(out.write_all(&text)?)
            }
        })?;
    }
    Ok(if arguments.fail_on.applies(worst) { FINDINGS } else { CLEAN })
}

/// The releases whose index is asked about a catalog.
fn releases(pattern: &Pattern, meant: &Meant) -> Result<Vec<Option<OcpVersion>>, Failure> {
    match (pattern.is_open(), meant.releases.as_slice()) {
        (false, _) => Ok(vec![None]),
        (true, []) => Err(Failure::new(format!(
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
) -> Result<Option<Catalog>, Failure> {
    let path = PathBuf::from(reference);
    if may_be_absent && is_absent(&path, reference, session)? {
        return Ok(None);
    }
    match Loader::new(session, settings).all(&[path])? {
        Some(catalog) => Ok(Some(catalog)),
        None => Err(Failure::new(format!("the index {reference} cannot be read; see above"))),
    }
}

fn is_absent(path: &Path, reference: &str, session: &Session) -> Result<bool, Failure> {
    if path.exists() {
        return Ok(false);
    }
    if !is_image(path) {
        return Ok(true);
    }
    if session.open()?.is_offline() {
        return Ok(false);
    }
    let answers =
        needed_images::find_all([reference.strip_prefix("docker://").unwrap_or(reference)], session)?;
    Ok(answers.into_values().any(|answer| answer.is_err_and(|error| needed_images::is_absent(&error))))
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

fn tell(standings: &[Standing], out: &mut Lines<&mut Vec<u8>>) -> Result<(), Failure> {
    for (number, Standing { catalog, index: (index, exists), rows }) in standings.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        let note = if *exists { "" } else { ", which does not exist yet" };
        writeln!(out, "{} in {index}{note}", catalog.title())?;
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
        let mut package = None;
        for row in rows {
            if package != Some(&row.package) {
                writeln!(out, "  package {}", row.package)?;
                package = Some(&row.package);
            }
            writeln!(out, "    {:<7}  {}  {}", row.kind, padded(&row.name, width), row.state.words())?;
        }
        let counts: Vec<String> = ["channel", "bundle"].iter().map(|kind| count(rows, kind)).collect();
        writeln!(out, "  {}", counts.join(", "))?;
    }
    Ok(())
}

fn count(rows: &[Row], kind: &str) -> String {
    let of_kind: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
    let released = of_kind.iter().filter(|row| row.state != State::NotReleased).count();
    format!("{released} of {} {kind}s are released", of_kind.len())
}

fn document(standings: &[Standing]) -> Value {
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
