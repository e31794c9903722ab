//! ClusterCatalogs and ClusterExtensions, or what OLM v0 has in their place, from manifests, as a repository for GitOps keeps
//! them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::Range;
use std::path::PathBuf;

use fbc_graph::Semantics;
use fbc_resolve::{
    ClusterCatalog, Content, InstalledBundle, LabelSelector, Request, Requirement, UpgradePolicy,
};
use fbc_source::Error;
use fbc_version::Target;
use fbc_yaml::Document;
use fbc_yaml::json_writer;
use fbc_yaml::locate::{Lines, Locator};
use fbc_yaml::stream::{self, Fault as StreamFault};
use serde_json::Value;

use self::files::File;
use super::fields::{Fault, Field};
use crate::event::Event;
use crate::settings::Settings;

mod files;

/// The API group of both kinds.
const GROUP: &str = "olm.operatorframework.io";
/// Its version.
const API_VERSION: &str = "olm.operatorframework.io/v1";
/// The API group of OLM v0.
const GROUP_V0: &str = "operators.coreos.com";
/// The kinds of OLM v0 that a resolution depends on.
const KINDS_V0: [&str; 4] = ["CatalogSource", "ClusterServiceVersion", "OperatorGroup", "Subscription"];

/// A ClusterExtension.
#[derive(Debug)]
pub struct Extension {
    /// Its name.
    pub name: String,
    /// What it asks for.
    pub request: Request,
    /// Where its manifest stands, as `file:line`.
    pub place: Option<String>,
}

/// What the manifests hold.
#[derive(Default)]
pub struct Manifests {
    /// ClusterCatalogs.
    pub catalogs: Vec<ClusterCatalog>,
    /// The images of the catalogs, by their names.
    pub images: BTreeMap<String, String>,
    /// ClusterExtensions.
    pub extensions: Vec<Extension>,
    /// What OLM v0 has in their place: CatalogSources, Subscriptions, OperatorGroups and ClusterServiceVersions.
    pub objects: Vec<Manifest>,
}

/// An object of OLM v0.
#[derive(Debug)]
pub struct Manifest {
    /// `kind`
    pub kind: &'static str,
    /// The object.
    pub object: Value,
    /// Where its manifest stands, as `file:line`.
    pub place: String,
}

/// Where the values of a document stand.
struct Place<'f> {
    file: &'f File,
    lines: &'f Lines<'f>,
    /// The first byte of a value, by its JSON pointer.
    locate: &'f dyn Fn(&str) -> usize,
}

impl Place<'_> {
    /// `file:line`
    fn shown(&self, pointer: &str) -> String {
        let (line, _) = self.lines.line_and_column((self.locate)(pointer));
        format!("{}:{line}", self.file.shown)
    }
}

/// The first byte of a range that is neither white space nor in a comment.
fn first_visible(bytes: &[u8], range: Range<usize>) -> usize {
    let mut at = range.start;
    for line in bytes.get(range.clone()).unwrap_or_default().split_inclusive(|&byte| byte == b'\n') {
        let blank = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match line.get(blank) {
            None | Some(b'#') => at += line.len(),
            Some(_) => return at + blank,
        }
    }
    range.start
}

struct Collector<'s> {
    olm: Semantics,
    target: Target,
    settings: &'s Settings,
    found: Manifests,
    failures: Vec<Error>,
    /// The place of each kind and name.
    places: BTreeMap<(&'static str, String), String>,
    /// The files that are catalogs.
    catalogs: BTreeSet<String>,
}

fn holds_blob(root: &Field<'_>) -> bool {
    root.node.get_str("schema").is_some_and(|schema| schema.starts_with("olm."))
        && root.node.get("apiVersion").is_none()
}

/// Reads manifests for one of both generations. Everything that is wrong with any of them is told.
pub fn read(
    paths: &[PathBuf],
    olm: Semantics,
    target: Target,
    settings: &Settings,
) -> Result<Manifests, Error> {
    let mut collector = Collector {
        olm,
        target,
        settings,
        found: Manifests::default(),
        failures: Vec::new(),
        places: BTreeMap::new(),
        catalogs: BTreeSet::new(),
    };
    for path in paths {
        for file in files::of(path, settings)? {
            collector.read_file(&file);
        }
    }
    let Collector { found, mut failures, .. } = collector;
    if let Some(last) = failures.pop() {
        for failure in failures {
            settings.tell(Event::Refusal(failure));
        }
        return Err(last);
    }
    let (kind, api_version, is_there) = match olm {
        Semantics::V1 => ("ClusterExtension", API_VERSION, !found.extensions.is_empty()),
        Semantics::V0 => {
            let is_there = found.objects.iter().any(|manifest| manifest.kind == "Subscription");
            ("Subscription", "operators.coreos.com/v1alpha1", is_there)
        }
    };
    if is_there {
        return Ok(found);
    }
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let other = match olm {
        Semantics::V1 => "v0",
        Semantics::V0 => "v1",
    };
    Err(Error::new(format!("there is no {kind} in {}", shown.join(", ")))
        .help(format!("a manifest of one has `apiVersion: {api_version}` and `kind: {kind}`"))
        .help(format!("what OLM {other} has in its place is resolved with `--olm {other}`")))
}

impl Collector<'_> {
    fn note(&self, text: &str) {
        self.settings.tell(Event::Detail(text));
    }

    fn read_file(&mut self, file: &File) {
        let lines = Lines::new(&file.bytes);
        let take = |document: Document| Ok::<_, Infallible>(document);
        for decoded in stream::read(&file.bytes, &take) {
            match decoded.outcome {
                Ok(document) => {
                    // Of most documents only the start is asked for, which needs no second reading.
                    let locator = OnceCell::new();
                    let locate = |pointer: &str| {
                        if pointer.is_empty() {
                            return first_visible(&file.bytes, decoded.range.clone());
                        }
                        let read = || Locator::new(&file.bytes, decoded.range.clone(), decoded.syntax);
                        let found = locator.get_or_init(read).find(pointer);
                        found.key.unwrap_or(found.value).start
                    };
                    let place = Place { file, lines: &lines, locate: &locate };
                    self.read_document(&Field::root(document.root()), &place);
                }
                Err(StreamFault::Malformed { message, byte }) => self.refuse(file, &lines, byte, &message),
                Err(StreamFault::Separator { rest, byte }) => {
                    let message = format!("`---` must stand alone in its line, not before {rest:?}");
                    self.refuse(file, &lines, byte, &message);
                }
                Err(StreamFault::Rejected(never)) => match never {},
            }
        }
    }

    fn refuse(&mut self, file: &File, lines: &Lines<'_>, byte: usize, message: &str) {
        let (line, column) = lines.line_and_column(byte);
        self.failures.push(Error::new(format!("{}:{line}:{column}: {message}", file.shown)));
    }

    fn read_document(&mut self, root: &Field<'_>, place: &Place<'_>) {
        let is_list = root.node.get_str("kind").is_some_and(|kind| kind.ends_with("List"));
        let outcome = if root.node.is_null() {
            Ok(())
        } else if is_list && root.node.get("items").is_some() {
            root.list("items").map(|items| items.iter().for_each(|item| self.read_document(item, place)))
        } else if holds_blob(root) {
            self.refuse_blob(place);
            Ok(())
        } else {
            self.read_object(root, &place.shown(&root.pointer))
        };
        if let Err(fault) = outcome {
            self.refuse(place.file, place.lines, (place.locate)(&fault.pointer), &fault.message);
        }
    }

    fn read_object_v0(&mut self, root: &Field<'_>, place: &str) -> Result<(), Fault> {
        let kind = root.node.get_str("kind").unwrap_or_default();
        let group = root.node.get_str("apiVersion").and_then(|version| version.split('/').next());
        let known = KINDS_V0.into_iter().find(|known| *known == kind && group == Some(GROUP_V0));
        let Some(known) = known else {
            let what = if kind.is_empty() { "no kind" } else { kind };
            self.note(&format!("ignored: {place} ({what})"));
            return Ok(());
        };
        root.required_object("metadata")?.required_text("name")?;
        let spec = root.object("spec")?;
        if known == "Subscription" {
            let spec = spec.ok_or_else(|| root.missing("spec"))?;
            for name in ["name", "source", "sourceNamespace"] {
                spec.required_text(name)?;
            }
            for name in ["channel", "startingCSV", "installPlanApproval"] {
                spec.text(name)?;
            }
        }
        let object = fbc_go::json::read_value(&json_writer::compact(root.node))
            .map_err(|error| root.fault(format!("cannot be read: {error}")))?;
        self.found.objects.push(Manifest { kind: known, object, place: place.to_owned() });
        Ok(())
    }

    /// A blob of a catalog has a schema where an object of Kubernetes has a kind.
    fn refuse_blob(&mut self, place: &Place<'_>) {
        let shown = &place.file.shown;
        // Once a file is enough.
        if !self.catalogs.insert(shown.clone()) {
            return;
        }
        self.failures.push(
            Error::new(format!(
                "{shown} is a catalog, not manifests of ClusterExtensions and ClusterCatalogs"
            ))
            .help("resolve a package of a catalog with `fbc resolve PACKAGE CATALOG`")
            .help("resolve manifests from a catalog with `--catalog NAME=REF`"),
        );
    }

    fn read_object(&mut self, root: &Field<'_>, place: &str) -> Result<(), Fault> {
        if self.olm == Semantics::V0 {
            return self.read_object_v0(root, place);
        }
        let kind = root.node.get_str("kind").unwrap_or_default();
        let api_version = root.node.get_str("apiVersion").unwrap_or_default();
        let known = match kind {
            "ClusterCatalog" => "ClusterCatalog",
            "ClusterExtension" => "ClusterExtension",
            _ => "",
        };
        let group = api_version.split('/').next().unwrap_or_default();
        if known.is_empty() || !(group == GROUP || api_version.is_empty()) {
            let what = if kind.is_empty() { "no kind" } else { kind };
            self.note(&format!("ignored: {place} ({what})"));
            return Ok(());
        }
        if api_version != API_VERSION {
            let field = root.get("apiVersion").unwrap_or_else(|| root.clone());
            let found = if api_version.is_empty() {
                "but is missing".to_owned()
            } else {
                format!("not {api_version:?}")
            };
            return Err(field.fault(format!("of a {kind} must be {API_VERSION:?}, {found}")));
        }
        let metadata = root.required_object("metadata")?;
        let name = metadata.required_text("name")?.to_owned();
        if let Some(first) = self.places.insert((known, name.clone()), place.to_owned()) {
            let field = metadata.get("name").unwrap_or(metadata);
            return Err(
                field.fault(format!("{name:?}: there are two {known}s of this name, the other at {first}"))
            );
        }
        if known == "ClusterCatalog" {
            let (catalog, image) = catalog(root, &metadata, name)?;
            self.found.images.insert(catalog.name.clone(), image);
            self.found.catalogs.push(catalog);
        } else {
            let request = request(root, self.target)?;
            self.found.extensions.push(Extension { name, request, place: Some(place.to_owned()) });
        }
        Ok(())
    }
}

/// A ClusterCatalog and its image.
fn catalog(root: &Field<'_>, metadata: &Field<'_>, name: String) -> Result<(ClusterCatalog, String), Fault> {
    let spec = root.required_object("spec")?;
    let source = spec.required_object("source")?;
    source.one_of("type", &["Image"])?.ok_or_else(|| source.missing("type"))?;
    let image = source.required_object("image")?.required_text("ref")?.to_owned();
    let priority = match spec.get("priority") {
        None => 0,
        Some(field) => {
            let number = field.node.as_f64().filter(|number| {
                number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(number)
            });
            let range = format!("must be a whole number from {} to {}", i32::MIN, i32::MAX);
            number.ok_or_else(|| field.fault(range))? as i32
        }
    };
    let mode = spec.one_of("availabilityMode", &["Available", "Unavailable"])?;
    let catalog = ClusterCatalog {
        name,
        labels: metadata.text_map("labels")?,
        priority,
        is_available: mode != Some("Unavailable"),
        content: Content::Refused("its content was not given".to_owned()),
    };
    Ok((catalog, image))
}

fn request(root: &Field<'_>, target: Target) -> Result<Request, Fault> {
    let spec = root.required_object("spec")?;
    spec.required_text("namespace")?;
    if target == Target::Ocp419 {
        spec.required_object("serviceAccount")?.required_text("name")?;
    }
    let source = spec.required_object("source")?;
    source.one_of("sourceType", &["Catalog"])?.ok_or_else(|| source.missing("sourceType"))?;
    let catalog = source.required_object("catalog")?;
    let policies = UpgradePolicy::ALL.map(|(_, name)| name);
    let policy = catalog.one_of("upgradeConstraintPolicy", &policies)?;
    Ok(Request {
        package: catalog.required_text("packageName")?.to_owned(),
        version: catalog.text("version")?.unwrap_or_default().to_owned(),
        channels: catalog.texts("channels")?,
        selector: catalog.object("selector")?.map(|field| selector(&field)).transpose()?,
        policy: policy.and_then(UpgradePolicy::from_name).unwrap_or_default(),
        installed: installed(root)?,
    })
}

fn selector(field: &Field<'_>) -> Result<LabelSelector, Fault> {
    let requirement = |item: Field<'_>| {
        Ok(Requirement {
            key: item.required_text("key")?.to_owned(),
            operator: item.required_text("operator")?.to_owned(),
            values: item.texts("values")?,
        })
    };
    Ok(LabelSelector {
        match_labels: field.text_map("matchLabels")?,
        match_expressions: field
            .list("matchExpressions")?
            .into_iter()
            .map(requirement)
            .collect::<Result<_, _>>()?,
    })
}

fn installed(root: &Field<'_>) -> Result<Option<InstalledBundle>, Fault> {
    let Some(status) = root.object("status")? else { return Ok(None) };
    let Some(install) = status.object("install")? else { return Ok(None) };
    let bundle = install.required_object("bundle")?;
    Ok(Some(InstalledBundle {
        name: bundle.required_text("name")?.to_owned(),
        version: bundle.required_text("version")?.to_owned(),
        release: bundle.text("release")?.map(str::to_owned),
    }))
}

#[cfg(test)]
mod tests;
