//! Reading scenario files: every fault at once, each with its line and column and with what is allowed.

mod action;
mod behaviour;
mod expectation;
pub(crate) mod field;
pub(crate) mod manifests;
mod step;
#[cfg(test)]
mod tests;
pub(crate) mod updates;

use std::collections::BTreeMap;

use fbc_cluster::add_ons::AddOn;
use fbc_cluster::schema::check::dns_1123_subdomain;
use fbc_cluster::time::Moment;
use fbc_olm::FeatureGates;
use fbc_openshift::setup::Setup;
use fbc_version::Target;
use fbc_yaml::Document;
use fbc_yaml::locate::{Lines, Locator, line_and_column};
use fbc_yaml::stream::{self, Fault};

use self::field::{Field, Source};
use super::fault::{Place, ScenarioFault, meant};
use super::model::{
    BundleImage, Catalog, DEFAULT_PATIENCE, DEFAULT_QUIET, Generations, Manifests, Reference, Scenario,
};

/// The fields of a scenario.
pub(crate) const SCENARIO_FIELDS: [&str; 21] = [
    "title",
    "seed",
    "target",
    "olm",
    "featureGates",
    "usesServiceAccounts",
    "with",
    "openshift",
    "start",
    "until",
    "quiet",
    "patience",
    "shows",
    "catalogs",
    "bundles",
    "emptyBundles",
    "objects",
    "behaviours",
    "webhooks",
    "steps",
    "expect",
];
/// The fields of a catalog.
pub(crate) const CATALOG_FIELDS: [&str; 7] =
    ["name", "image", "content", "pollIntervalMinutes", "priority", "labels", "object"];
/// The fields of a bundle.
pub(crate) const BUNDLE_FIELDS: [&str; 2] = ["image", "content"];

impl Scenario {
    /// Reads a scenario from its text; `file` is its name in messages.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(file: &str, text: &[u8]) -> Result<Self, Vec<ScenarioFault>> {
        let take = |document: Document| Ok::<_, std::convert::Infallible>(document);
        let mut documents = stream::read(text, &take).into_iter();
        let fault = |byte: usize, message: String| {
            let (line, column) = line_and_column(text, byte);
            let place = Place { line, column };
            vec![ScenarioFault { file: file.to_owned(), place, message, help: None }]
        };
        let Some(first) = documents.next() else {
            return Err(fault(0, "there is no scenario in the file".to_owned()));
        };
        let document = first.outcome.map_err(|error| match error {
            Fault::Malformed { message, byte } => fault(byte, message),
            Fault::Separator { byte, .. } => {
                fault(byte, "a line that begins with --- must end there".to_owned())
            }
            Fault::Rejected(never) => match never {},
        })?;
        if let Some(second) = documents.next() {
            return Err(fault(
                second.range.start,
                "a file holds one scenario, and here begins another document".to_owned(),
            ));
        }
        let source = Source {
            file,
            lines: Lines::new(text),
            locator: Locator::new(text, first.range, first.syntax),
            faults: Default::default(),
        };
        source.locator.duplicate_keys(|duplicate| {
            let (line, column) = source.lines.line_and_column(duplicate.last.start);
            let message = format!("{} is given twice", duplicate.key);
            source.faults.borrow_mut().push(ScenarioFault {
                file: file.to_owned(),
                place: Place { line, column },
                message,
                help: None,
            });
        });
        let scenario = scenario(file, &Field::root(&source, document.root()));
        let mut faults = source.faults.into_inner();
        faults.sort_by_key(|fault| fault.place);
        match scenario {
            Some(scenario) if faults.is_empty() => Ok(scenario),
            _ => Err(faults),
        }
    }
}

fn scenario(file: &str, root: &Field<'_>) -> Option<Scenario> {
    root.only(&SCENARIO_FIELDS)?;
    let target = root
        .get("target")
        .and_then(|field| field.one_of(&Target::NAMES).and_then(|name| name.parse::<Target>().ok()));
    let start = root.get("start").and_then(|field| {
        let moment = Moment::parse(field.text()?);
        if moment.is_none() {
            field.fault("is not a moment", Some("write it like \"2026-01-01T00:00:00Z\"".to_owned()));
        }
        moment
    });
    let duration = |key: &str| root.get(key).and_then(|field| field.duration());
    let items = |key: &str| root.get(key).map(|field| field.items()).unwrap_or_default();
    let catalogs = catalogs(&items("catalogs"));
    let steps = step::steps(&items("steps"), &catalogs);
    let openshift_section = root.get("openshift").filter(|field| field.is_object());
    let cluster_version = openshift_section.as_ref().and_then(|field| field.get("clusterVersion"));
    let cluster_version = cluster_version.and_then(|field| updates::cluster_version(&field));
    let expectations = items("expect").iter().filter_map(expectation::expectation).collect();
    Some(Scenario {
        file: file.to_owned(),
        title: root.required("title").and_then(|field| field.text()).unwrap_or_default().to_owned(),
        seed: root.get("seed").and_then(|field| field.natural()).unwrap_or(1),
        target: target.unwrap_or_default(),
        olm: root.get("olm").and_then(|field| generations(&field)),
        with: items("with").iter().filter_map(add_on).collect(),
        feature_gates: root.get("featureGates").map(|field| gates(&field)).unwrap_or_default(),
        uses_service_accounts: uses_service_accounts(root, target.unwrap_or_default()),
        openshift: root.get("openshift").map(|field| openshift(&field)).unwrap_or_default(),
        cluster_version,
        start: start.unwrap_or(Moment::START),
        until: duration("until"),
        quiet: duration("quiet").unwrap_or(DEFAULT_QUIET),
        patience: duration("patience").unwrap_or(DEFAULT_PATIENCE),
        shows: root.get("shows").map(|field| statements(&field)).unwrap_or_default(),
        catalogs,
        bundles: items("bundles").iter().filter_map(bundle).collect(),
        empty_bundles: root.get("emptyBundles").and_then(|field| field.boolean()).unwrap_or_default(),
        objects: root.get("objects").map(|field| objects(&field)).unwrap_or_default(),
        webhooks: items("webhooks").iter().filter_map(behaviour::webhook).collect(),
        behaviours: items("behaviours").iter().flat_map(behaviour::behaviours).collect(),
        steps,
        expectations,
    })
}

/// Which of OpenShift's controllers the cluster runs, and how what they depend on behaves.
fn openshift(field: &Field<'_>) -> Setup {
    let mut sections = field.value();
    // It names files, which have places.
    if let Some(sections) = sections.as_object_mut() {
        sections.remove("clusterVersion");
    }
    Setup::read(&sections).unwrap_or_else(|error| {
        field.fault(&format!("is not a setup: {error}"), None);
        Setup::default()
    })
}

/// Which generations of OLM the cluster runs.
fn generations(field: &Field<'_>) -> Option<Generations> {
    Generations::of_name(field.one_of(&Generations::NAMES)?)
}

/// A product that the cluster has besides.
fn add_on(field: &Field<'_>) -> Option<AddOn> {
    field.one_of(&AddOn::NAMES)?.parse().ok()
}

fn gates(field: &Field<'_>) -> BTreeMap<String, bool> {
    let mut gates = BTreeMap::new();
    for key in field.keys() {
        let Some(member) = field.member(&key) else { continue };
        if !FeatureGates::NAMES.contains(&key.as_str()) {
            let help = format!("gates are {}", FeatureGates::NAMES.join(", "));
            let guess = meant(&key, &FeatureGates::NAMES).map(|known| format!("did you mean {known:?}?"));
            member.fault("is not a feature gate of operator-controller", Some(guess.unwrap_or(help)));
        }
        if let Some(value) = member.boolean() {
            gates.insert(key, value);
        }
    }
    gates
}

/// Whether the rights of service accounts count: as the target has it, unless the scenario says otherwise; releases up to 4.21
/// know nothing else.
fn uses_service_accounts(root: &Field<'_>, target: Target) -> bool {
    let usual = target.facts().uses_service_accounts;
    let Some(field) = root.get("usesServiceAccounts") else { return usual };
    let uses = field.boolean().unwrap_or(usual);
    if !uses && target <= Target::Ocp421 {
        let help = "leave it out, or choose the target latest or ocp-5.0".to_owned();
        field.fault(&format!("cannot be false: {target} installs with service accounts"), Some(help));
    }
    uses
}

/// Ids of statements.
fn statements(field: &Field<'_>) -> Vec<String> {
    field.items().iter().filter_map(statement).collect()
}

/// The id of a statement, such as `D-EXT-3`, `D-UPD-9a` or `X-13`.
fn statement(field: &Field<'_>) -> Option<String> {
    let text = field.text()?;
    if !is_statement_id(text) {
        field.fault("is not an id of a statement", Some("ids look like D-EXT-3 or X-13".to_owned()));
        return None;
    }
    Some(text.to_owned())
}

/// True for ids of statements: `D-` and a capital word, `X` or `V0`, then a number, then perhaps a letter.
pub fn is_statement_id(text: &str) -> bool {
    let Some((words, number)) = text.rsplit_once('-') else { return false };
    if !["X", "V0"].contains(&words) && !words.starts_with("D-") {
        return false;
    }
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let digits = number.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    (words == "V0" || words.split('-').all(is_word))
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && number.len() - digits.len() <= 1
}

fn catalogs(items: &[Field<'_>]) -> Vec<Catalog> {
    let mut catalogs: Vec<Catalog> = Vec::new();
    for item in items {
        let Some(catalog) = catalog(item) else { continue };
        if catalogs.iter().any(|other| other.name == catalog.name) {
            item.fault(&format!("has the name {:?} of another catalog", catalog.name), None);
        }
        catalogs.push(catalog);
    }
    catalogs
}

fn catalog(field: &Field<'_>) -> Option<Catalog> {
    field.only(&CATALOG_FIELDS)?;
    let name = field.required("name").and_then(object_name);
    let content = field.required("content").and_then(|field| reference(&field));
    let image = field.get("image").and_then(|field| field.text()).map(str::to_owned);
    let mut labels = BTreeMap::new();
    if let Some(given) = field.get("labels") {
        for key in given.keys() {
            if let Some(value) = given.member(&key).and_then(|member| member.any_text()) {
                labels.insert(key, value.to_owned());
            }
        }
    }
    let name = name?;
    Some(Catalog {
        image: image.unwrap_or_else(|| Catalog::default_image(&name)),
        content: content?,
        poll_interval: field.get("pollIntervalMinutes").and_then(|field| field.natural()),
        priority: field.get("priority").and_then(|field| field.integer()).unwrap_or_default(),
        labels,
        has_object: field.get("object").and_then(|field| field.boolean()).unwrap_or(true),
        name,
    })
}

/// A text that can be the name of an object.
fn object_name(field: Field<'_>) -> Option<String> {
    let text = field.text()?;
    if !dns_1123_subdomain(text).is_empty() {
        let help =
            "lower case letters, digits, '-' and '.' make a name; it starts and ends with a letter or digit";
        field.fault(&format!("cannot be {text:?}: a ClusterCatalog has this name"), Some(help.to_owned()));
        return None;
    }
    Some(text.to_owned())
}

fn bundle(field: &Field<'_>) -> Option<BundleImage> {
    field.only(&BUNDLE_FIELDS)?;
    let image = field.required("image").and_then(|field| field.text());
    let content = field.required("content").and_then(|field| reference(&field));
    Some(BundleImage { image: image?.to_owned(), content: content? })
}

fn reference(field: &Field<'_>) -> Option<Reference> {
    Some(Reference { text: field.text()?.to_owned(), place: field.place() })
}

/// Files, directories and objects, in a list or alone.
fn objects(field: &Field<'_>) -> Vec<Manifests> {
    field.one_or_more().iter().filter_map(manifest).collect()
}

fn manifest(field: &Field<'_>) -> Option<Manifests> {
    if field.is_text() {
        return Some(Manifests::Path(field.text()?.into(), field.place()));
    }
    if !field.is_object() {
        field.fault("must be the path of a file or directory, or an object", None);
        return None;
    }
    let api_version = field.required("apiVersion").and_then(|field| field.text());
    let kind = field.required("kind").and_then(|field| field.text());
    api_version?;
    kind?;
    Some(Manifests::Inline(field.value(), field.place()))
}
