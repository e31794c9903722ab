//! Operators that must move before a cluster does: `olm.maxOpenShiftVersion` of what is installed.

use std::path::PathBuf;

use fbc_bundle::readiness::{Limit, Release, limit_of};
use fbc_openshift::update_service::route::Hop;
use fbc_resolve::{CatalogIndex, IndexedBundle, Rules};
use fbc_version::{Target, Version};
use serde_json::{Value, json};

use crate::command::render;
use crate::failure::Failure;
use crate::registry::Session;

/// The operators of a cluster, with what a catalog has of them.
pub(crate) struct Installed {
    operators: Vec<Operator>,
}

struct Operator {
    package: String,
    version: String,
    /// All bundles of the package: version and limit, oldest first.
    bundles: Vec<(Version, Limit)>,
}

/// What operators do before an update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Moves {
    /// Package, present version and next version.
    pub(crate) first: Vec<(String, String, String)>,
    /// Package, version, and why it cannot move.
    pub(crate) stuck: Vec<(String, String, String)>,
}

impl Moves {
    pub(crate) fn to_value(&self) -> Value {
        let first =
            self.first.iter().map(|(package, from, to)| json!({"package": package, "from": from, "to": to}));
        let stuck = self
            .stuck
            .iter()
            .map(|(package, at, why)| json!({"package": package, "version": at, "reason": why}));
        json!({"move": first.collect::<Vec<_>>(), "block": stuck.collect::<Vec<_>>()})
    }
}

/// A catalog by package.
pub(crate) struct InstalledCatalog(CatalogIndex);

impl InstalledCatalog {
    /// Opens a catalog.
    pub(crate) fn open(catalog: &PathBuf, session: &Session) -> Result<Self, Failure> {
        let loaded = render::load(std::slice::from_ref(catalog), None, session)?;
        let Some(loaded) = loaded else {
            return Err(Failure::refusal(format!("{} has faults", catalog.display()))
                .help(format!("`fbc validate {}` shows them", catalog.display())));
        };
        Ok(Self(CatalogIndex::new(loaded, Rules::of(Target::default()))))
    }
}

impl Installed {
    /// Reads `PACKAGE=VERSION` and looks them up.
    pub(crate) fn of(flags: &[String], catalog: &InstalledCatalog) -> Result<Self, Failure> {
        let index = &catalog.0;
        let operators = flags.iter().map(|flag| {
            let Some((package, version)) = flag.split_once('=') else {
                return Err(Failure::new(format!("--operator: {flag:?} is not PACKAGE=VERSION")));
            };
            let Some(found) = index.package(package) else {
                let failure = Failure::new(format!("--operator: the catalog has no package {package:?}"));
                return Err(match crate::failure::closest(package, index.package_names()) {
                    Some(name) => failure.help(format!("there is {name:?}")),
                    None => failure,
                });
            };
            let mut bundles: Vec<(Version, Limit)> = found.bundles().iter().filter_map(versioned).collect();
            bundles.sort_by(|one, other| one.0.compare_precedence(&other.0));
            if !bundles.iter().any(|(known, _)| known.to_string() == version) {
                return Err(Failure::new(format!(
                    "--operator: the catalog has no version {version} of {package}"
                )));
            }
            Ok(Operator { package: package.to_owned(), version: version.to_owned(), bundles })
        });
        Ok(Self { operators: operators.collect::<Result<_, _>>()? })
    }
}

fn versioned(bundle: &IndexedBundle) -> Option<(Version, Limit)> {
    let version = bundle.version.as_ref().ok()?.version.clone();
    let properties: Vec<Value> = bundle
        .blob
        .properties
        .iter()
        .map(|property| {
            let value = property.value.as_ref().map(|value| value.node().to_json());
            json!({"type": property.kind, "value": value})
        })
        .collect();
    Some((version, limit_of(Some(&Value::Array(properties).to_string()))))
}

/// What operators do before each update of a route: they move to the oldest version that bears the last release of the
/// route, or else as far as they can.
pub(crate) fn moves(installed: &Installed, hops: &[Hop]) -> Vec<Moves> {
    let mut present: Vec<String> =
        installed.operators.iter().map(|operator| operator.version.clone()).collect();
    let release = |text: &str| {
        let version = Version::parse(text).ok()?;
        Release::parse(&format!("{}.{}", version.major(), version.minor()))
    };
    let last = hops.last().and_then(|hop| release(&hop.to));
    let mut all = Vec::new();
    for hop in hops {
        let mut moves = Moves::default();
        let (Some(from), Some(to)) = (release(&hop.from), release(&hop.to)) else {
            // One for each hop, also for those whose versions say nothing.
            all.push(moves);
            continue;
        };
        for (operator, version) in installed.operators.iter().zip(&mut present) {
            let limit_of = |wanted: &str| {
                operator.bundles.iter().find(|(known, _)| known.to_string() == wanted).map(|(_, limit)| limit)
            };
            let Some(limit) = limit_of(version).filter(|limit| from != to && limit.blocks_update_from(from))
            else {
                continue;
            };
            let newer = || {
                let present = Version::parse(version).ok();
                operator.bundles.iter().filter(move |(known, _)| {
                    present.as_ref().is_some_and(|present| known.compare_precedence(present).is_gt())
                })
            };
            let bears = |release: Release| {
                newer().find(|(_, limit)| bears(limit, release)).map(|(known, _)| known.to_string())
            };
            match last.and_then(bears).or_else(|| bears(to)) {
                Some(target) => {
                    moves.first.push((operator.package.clone(), version.clone(), target.clone()));
                    *version = target;
                }
                None => {
                    let why = match limit {
                        Limit::Until(last) => format!(
                            "it allows OpenShift up to {last}, and the catalog has no newer version that allows {to}"
                        ),
                        Limit::Invalid(text) => text.clone(),
                        Limit::None => String::new(),
                    };
                    moves.stuck.push((operator.package.clone(), version.clone(), why));
                }
            }
        }
        all.push(moves);
    }
    all
}

/// Whether a bundle may be installed while the cluster is at a release.
fn bears(limit: &Limit, release: Release) -> bool {
    match limit {
        Limit::None => true,
        Limit::Until(last) => *last >= release,
        Limit::Invalid(_) => false,
    }
}

/// What installed operators say against an update, and what to do about it.
pub(crate) struct Blocked {
    /// The message of `Upgradeable` of the ClusterOperator `olm`.
    pub(crate) message: String,
    /// What must be done first.
    pub(crate) first: Vec<String>,
}

/// What keeps a cluster with these operators from another minor version; nothing if all bear it.
pub(crate) fn blocked_message(installed: &Installed, from: &str, to: &str) -> Option<Blocked> {
    let hop = Hop {
        from: from.to_owned(),
        to: to.to_owned(),
        image: String::new(),
        channels: Vec::new(),
        risks: Vec::new(),
    };
    let moves = moves(installed, &[hop]).into_iter().next()?;
    let blocking = |(package, version, _): &(String, String, String)| {
        format!("bundle \"{package}.v{version}\" for ClusterExtension \"{package}\"")
    };
    let mut bundles: Vec<String> = moves.first.iter().chain(&moves.stuck).map(blocking).collect();
    if bundles.is_empty() {
        return None;
    }
    bundles.sort();
    let next = Version::parse(from).ok()?;
    let message = format!(
        "InstalledOLMOperatorsUpgradeable: Found ClusterExtensions that require upgrades prior to upgrading cluster to version {}.{}: {}.",
        next.major(),
        next.minor() + 1,
        bundles.join(",")
    );
    let mut first: Vec<String> =
        moves.first.iter().map(|(package, at, to)| format!("update {package} from {at} to {to}")).collect();
    first.extend(
        moves
            .stuck
            .iter()
            .map(|(package, at, why)| format!("remove {package} {at}, or wait for a newer one: {why}")),
    );
    Some(Blocked { message, first })
}
