//! ImageSetConfiguration: what to mirror, as the second version of the oc-mirror plugin reads it.
//!
//! Source: `openshift/oc-mirror:internal/pkg/api/v2alpha1/type_config.go` (fields), `internal/pkg/config/validate.go`
//! (what is refused), `internal/pkg/operator/catalog_handler.go` with
//! `sherine-k/catalog-filter:pkg/filter/mirror-config/v1alpha1/mirror-filter.go` (which bundles are selected).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fbc_go::allowance::Allowance;
use fbc_go::regexp::{InvalidExpression, Pattern, weight};
use fbc_source::Error;
use fbc_source::document_reader::{DocumentReader, Fault, failure, member};
use fbc_version::{Grammar, Range, Target};
use fbc_yaml::stream;
use fbc_yaml::{Kind, Node};

use super::order::{ExtraImage, Order, Packages, Versions, WantedChannel, WantedPackage};

/// The limits of versions, with the operators of ranges.
const LIMITS: [(&str, &str); 2] = [("minVersion", ">="), ("maxVersion", "<=")];
/// About what a state of a regular expression takes.
const STATE_BYTES: usize = 64;
const API_VERSION: &str = "mirror.openshift.io/v2alpha1";
const SHAPE: &str =
    "fbc follows `mirror.operators`, `mirror.additionalImages` and `mirror.blockedImages` of oc-mirror v2";
/// Keys of `mirror` that are not about operators and images.
const OTHER_SECTIONS: [&str; 4] = ["platform", "helm", "samples", "kubeVirtContainer"];
/// Keys of a catalog or image that say how oc-mirror goes about it, and not what is copied.
const OTHER_SETTINGS: [&str; 2] = ["platforms", "targetCatalogSourceTemplate"];

/// What a file orders.
#[derive(Debug, Default)]
pub struct ImageSet {
    /// The catalogs, in their order.
    pub orders: Vec<Order>,
    /// Images besides those of the catalogs.
    pub additional: Vec<ExtraImage>,
    /// Patterns of images that are left out.
    pub blocked: Vec<Pattern>,
    /// What the file says and nobody here follows, as paths of keys.
    pub passed_over: BTreeSet<String>,
}

/// Reads a file.
pub fn read(path: &Path) -> Result<ImageSet, Error> {
    let bytes = fbc_model::tree::read_file(path).map_err(|error| Error::io("read", path, &error))?;
    parse(&bytes).map_err(|fault| fault.failure(path))
}

/// What is wrong with the text of a file.
#[derive(Debug)]
pub enum ImageSetFault {
    /// It is not YAML.
    Unreadable(String),
    /// It says something else than an ImageSetConfiguration; the faults are in the order of the text.
    Faults(Vec<Fault>),
}

impl ImageSetFault {
    fn failure(&self, path: &Path) -> Error {
        let failure = match self {
            Self::Unreadable(error) => Error::new(format!("{}: {error}", path.display())),
            Self::Faults(faults) => {
                Error::of_reasons(faults.iter().map(|fault| failure(path, fault).message().to_owned()))
            }
        };
        failure.help(SHAPE)
    }
}

/// Reads the text of a file.
pub fn parse(bytes: &[u8]) -> Result<ImageSet, ImageSetFault> {
    let document = stream::read_one(bytes).map_err(|error| ImageSetFault::Unreadable(error.to_string()))?;
    let document_reader = DocumentReader::new(bytes);
    let mut reader =
        Reader { document: document_reader, set: ImageSet::default(), allowance: Allowance::default() };
    reader.image_set(document.root());
    match reader.document.faults() {
        None => Ok(reader.set),
        Some(faults) => Err(ImageSetFault::Faults(faults)),
    }
}

/// The path or reference of a catalog, which may stand behind a transport.
pub fn catalog_path(text: &str) -> PathBuf {
    match text.split_once("://") {
        Some(("docker", reference)) => PathBuf::from(reference),
        Some(("oci", path)) => PathBuf::from(format!("oci:{path}")),
        _ => PathBuf::from(text),
    }
}

struct Reader<'t> {
    document: DocumentReader<'t>,
    set: ImageSet,
    /// What the patterns of images may become.
    allowance: Allowance,
}

impl Reader<'_> {
    fn image_set(&mut self, root: Node<'_>) {
        if !self.document.mapping(root, "") {
            return;
        }
        self.document.keys(root, "", &["kind", "apiVersion", "metadata", "mirror", "archiveSize"]);
        self.pass_over(root, "", &["archiveSize"]);
        let kind = self.document.text(root, "", "kind");
        if !["", "ImageSetConfiguration"].contains(&kind.as_str()) {
            self.document.fault("/kind", "`kind` is not ImageSetConfiguration");
        }
        let version = self.document.text(root, "", "apiVersion");
        if !["", API_VERSION].contains(&version.as_str()) {
            // Older versions select other bundles by the same words.
            self.document.fault("/apiVersion", format!("`apiVersion` is not {API_VERSION}"));
        }
        let Some(mirror) = root.get("mirror") else {
            return self.document.fault("", "`mirror` is missing");
        };
        if !self.document.mapping(mirror, "/mirror") {
            return;
        }
        let known = ["operators", "additionalImages", "blockedImages"];
        self.document.keys(mirror, "/mirror", &[&known[..], &OTHER_SECTIONS].concat());
        self.pass_over(mirror, "/mirror", &OTHER_SECTIONS);
        for (node, at) in self.document.list(mirror, "/mirror", "operators") {
            let order = self.order(node, &at);
            self.set.orders.push(order);
        }
        for (node, at) in self.document.list(mirror, "/mirror", "additionalImages") {
            self.document.keys(node, &at, &["name", "targetRepo", "targetTag", "platforms"]);
            self.pass_over(node, &at, &OTHER_SETTINGS);
            let image = ExtraImage {
                name: self.document.text(node, &at, "name"),
                target_repository: self.document.optional_text(node, &at, "targetRepo"),
                target_tag: self.document.optional_text(node, &at, "targetTag"),
            };
            self.set.additional.push(image);
        }
        for (node, at) in self.document.list(mirror, "/mirror", "blockedImages") {
            self.document.keys(node, &at, &["name"]);
            let expression = self.document.text(node, &at, "name");
            let states = usize::try_from(weight(&expression).unwrap_or_default()).unwrap_or(usize::MAX);
            if let Err(exceeded) = self.allowance.bytes(states.saturating_mul(STATE_BYTES)) {
                let name = exceeded.name();
                self.document.fault(&member(&at, "name"), format!("`name` {exceeded} (limit {name})"));
                break;
            }
            let pattern = Pattern::new(expression);
            match pattern.fault() {
                None => self.set.blocked.push(pattern),
                Some(InvalidExpression::Syntax(_)) => {
                    self.document.fault(&member(&at, "name"), "`name` is not a regular expression");
                }
                Some(too_large) => self.document.fault(&member(&at, "name"), too_large.to_string()),
            }
        }
    }

    fn order(&mut self, node: Node<'_>, at: &str) -> Order {
        let known = ["catalog", "full", "packages", "targetCatalog", "targetTag", "skipDependencies"];
        self.document.keys(node, at, &[&known[..], &OTHER_SETTINGS].concat());
        self.pass_over(node, at, &OTHER_SETTINGS);
        // Dependencies are never added, so there is nothing to skip.
        self.document.switch(node, at, "skipDependencies");
        let full = self.document.switch(node, at, "full");
        let mut packages: Vec<WantedPackage> = Vec::new();
        let mut names = BTreeSet::new();
        for (node, at) in self.document.list(node, at, "packages") {
            let package = self.package(node, &at, full);
            if !package.name.is_empty() && !names.insert(package.name.clone()) {
                let name = &package.name;
                self.document.fault(&member(&at, "name"), format!("package {name:?} is named twice"));
            }
            packages.push(package);
        }
        let packages = match (packages.is_empty(), full) {
            (true, true) => Packages::All,
            (true, false) => Packages::Heads,
            (false, _) => Packages::These(packages),
        };
        let catalog = self.document.text(node, at, "catalog");
        Order {
            catalog: catalog_path(&catalog),
            packages,
            target_repository: self.document.optional_text(node, at, "targetCatalog"),
            target_tag: self.document.optional_text(node, at, "targetTag"),
        }
    }

    fn package(&mut self, node: Node<'_>, at: &str, full: bool) -> WantedPackage {
        self.document.keys(node, at, &["name", "channels", "defaultChannel", "minVersion", "maxVersion"]);
        let of_package = self.versions(node, at);
        self.contradiction(node, at, full);
        let mut channels: Vec<WantedChannel> = Vec::new();
        let mut names = BTreeSet::new();
        for (node, at) in self.document.list(node, at, "channels") {
            self.document.keys(node, &at, &["name", "minVersion", "maxVersion"]);
            self.contradiction(node, &at, full);
            let name = self.document.text(node, &at, "name");
            if !name.is_empty() && !names.insert(name.clone()) {
                self.document.fault(&member(&at, "name"), format!("channel {name:?} is named twice"));
            }
            let own = self.versions(node, &at);
            if own.is_some() && of_package.is_some() {
                self.document.fault(
                    &at,
                    "the package has `minVersion` or `maxVersion`, which are for all its channels; leave them out there or \
                     here",
                );
            }
            channels.push(WantedChannel { name, versions: own });
        }
        let without_limits = if full { Versions::All } else { Versions::Head };
        WantedPackage {
            name: self.document.text(node, at, "name"),
            channels,
            versions: of_package.unwrap_or(without_limits),
            default_channel: self.document.optional_text(node, at, "defaultChannel"),
        }
    }

    /// Refuses limits of versions beside `full`. What is not a text is a fault already.
    fn contradiction(&mut self, node: Node<'_>, at: &str, full: bool) {
        let says = |key: &&str| full && node.get(key).is_some_and(|limit| limit.as_str().is_some());
        for key in LIMITS.iter().map(|(key, _)| *key).filter(says) {
            self.document.key_fault(&member(at, key), format!("`{key}` contradicts `full: true`"));
        }
    }

    /// The limits of versions, if there are any.
    fn versions(&mut self, node: Node<'_>, at: &str) -> Option<Versions> {
        let mut limits = Vec::new();
        for (key, sign) in LIMITS {
            let Some(text) = self.document.optional_text(node, at, key) else { continue };
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
            let limit = format!("{sign}{text}");
            if !text.bytes().all(is_plain)
                || Range::parse(Grammar::Masterminds, Target::Latest, &limit).is_err()
            {
                self.document.fault(&member(at, key), format!("`{key}` is not a version: {text:?}"));
            } else {
                limits.push(limit);
            }
        }
        let range = Range::parse(Grammar::Masterminds, Target::Latest, &limits.join(" "));
        range.ok().filter(|_| !limits.is_empty()).map(Versions::Range)
    }

    /// Notes keys that say something and are not followed.
    fn pass_over(&mut self, object: Node<'_>, at: &str, keys: &[&str]) {
        let says = |key: &&&str| match object.get(key) {
            Some(value) if matches!(value.kind(), Kind::Array | Kind::Object) => !value.is_empty(),
            Some(value) => !value.is_null() && value.as_bool() != Some(false),
            None => false,
        };
        // One word for all catalogs that say it.
        let steps = at.split('/').skip(1).filter(|step| step.parse::<usize>().is_err());
        let above: String = steps.map(|step| format!("{step}.")).collect();
        self.set.passed_over.extend(keys.iter().filter(says).map(|key| format!("{above}{key}")));
    }
}

#[cfg(test)]
mod tests;
