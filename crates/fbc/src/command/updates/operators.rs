//! Operators that must move before a cluster does: `olm.maxOpenShiftVersion` of what is installed, and APIs that go.

use std::path::PathBuf;
use std::sync::Arc;

use fbc_bundle::readiness::{Limit, Release};
use fbc_openshift::release::difference::LostApi;
use fbc_openshift::update_service::route::Hop;
use fbc_resolve::{CatalogIndex, Rules};
use fbc_source::Session;
use fbc_version::{Target, Version};
use serde_json::{Value, json};

use super::known::Known;
use crate::failure::Failure;
use crate::loading;

/// The operators of a cluster, with what a catalog has of them.
pub(crate) struct Installed {
    operators: Vec<Operator>,
}

struct Operator {
    package: String,
    version: String,
    /// All bundles of the package, oldest first.
    bundles: Vec<Known>,
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
pub(crate) struct InstalledCatalog(Arc<CatalogIndex>);

impl InstalledCatalog {
    /// Opens a catalog.
    pub(crate) fn open(catalog: &PathBuf, session: &Session) -> Result<Self, Failure> {
        let loaded = loading::load(std::slice::from_ref(catalog), None, session)?;
        let Some(loaded) = loaded else {
            return Err(Failure::refusal(format!("{} has faults", catalog.display()))
                .help(format!("`fbc validate {}` shows them", catalog.display())));
        };
        Ok(Self(Arc::new(CatalogIndex::new(loaded, Rules::of(Target::default())))))
    }

    /// What it holds.
    pub(crate) fn index(&self) -> Arc<CatalogIndex> {
        Arc::clone(&self.0)
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
            let mut bundles: Vec<Known> = found.bundles().iter().filter_map(Known::of).collect();
            bundles.sort_by(|one, other| one.version.compare_precedence(&other.version));
            if !bundles.iter().any(|known| known.version.to_string() == version) {
                return Err(Failure::new(format!(
                    "--operator: the catalog has no version {version} of {package}"
                )));
            }
            Ok(Operator { package: package.to_owned(), version: version.to_owned(), bundles })
        });
        Ok(Self { operators: operators.collect::<Result<_, _>>()? })
    }
}

/// What operators do before each update of a route: they move to the oldest version that bears the last release of the
/// route, or else as far as they can.
pub(crate) fn moves(installed: &Installed, hops: &[Hop]) -> Vec<Moves> {
    let mut present: Vec<String> =
        installed.operators.iter().map(|operator| operator.version.clone()).collect();
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
                operator.bundles.iter().find(|one| one.version.to_string() == wanted).map(|one| &one.limit)
            };
            let Some(limit) = limit_of(version).filter(|limit| from != to && limit.blocks_update_from(from))
            else {
                continue;
            };
            let newer = || {
                let present = Version::parse(version).ok();
                operator.bundles.iter().filter(move |one| {
                    present.as_ref().is_some_and(|present| one.version.compare_precedence(present).is_gt())
                })
            };
            // Operators move while the cluster still has its present release.
            let oldest = |release: Release, runs: bool| {
                newer().find(|one| bears(&one.limit, release) && one.unmet(from).is_none() == runs)
            };
            match last.and_then(|last| oldest(last, true)).or_else(|| oldest(to, true)) {
                Some(target) => {
                    let target = target.version.to_string();
                    moves.first.push((operator.package.clone(), version.clone(), target.clone()));
                    *version = target;
                }
                None => {
                    let why = match (limit, oldest(to, false).and_then(|one| one.unmet(from))) {
                        (_, Some(unmet)) => unmet,
                        (Limit::Until(last), None) => format!(
                            "it allows OpenShift up to {last}, and the catalog has no newer version that allows {to}"
                        ),
                        (Limit::Invalid(text), None) => text.clone(),
                        (Limit::None, None) => String::new(),
                    };
                    moves.stuck.push((operator.package.clone(), version.clone(), why));
                }
            }
        }
        all.push(moves);
    }
    all
}

/// The release that a version is of.
fn release(version: &str) -> Option<Release> {
    let version = Version::parse(version).ok()?;
    Release::parse(&format!("{}.{}", version.major(), version.minor()))
}

/// Whether a bundle may be installed while the cluster is at a release.
fn bears(limit: &Limit, release: Release) -> bool {
    match limit {
        Limit::None => true,
        Limit::Until(last) => *last >= release,
        Limit::Invalid(_) => false,
    }
}

/// What must be done before an update, because of what installed bundles allow.
pub(crate) fn to_do_first(installed: &Installed, from: &str, to: &str) -> Vec<String> {
    let hop = Hop {
        from: from.to_owned(),
        to: to.to_owned(),
        image: String::new(),
        channels: Vec::new(),
        risks: Vec::new(),
    };
    let moves = moves(installed, &[hop]).into_iter().next().unwrap_or_default();
    let updates = moves.first.iter().map(|(package, at, to)| format!("update {package} from {at} to {to}"));
    let stuck = moves
        .stuck
        .iter()
        .map(|(package, at, why)| format!("remove {package} {at}, or wait for a newer one: {why}"));
    updates.chain(stuck).collect()
}

impl Installed {
    /// Packages with the installed versions.
    pub(crate) fn versions(&self) -> Vec<(String, String)> {
        self.operators.iter().map(|one| (one.package.clone(), one.version.clone())).collect()
    }

    /// Operators that stop working on a version of the cluster, since APIs go that they need, and what helps.
    pub(crate) fn stops_working(&self, lost: &[LostApi], from: &str, to: &str) -> Vec<String> {
        let runs_now = |bundle: &Known| release(from).is_none_or(|from| bundle.unmet(from).is_none());
        let mut texts = Vec::new();
        for operator in &self.operators {
            let gone = |bundle: &Known| bundle.gone_in(lost, to, release(to));
            let Some(present) =
                operator.bundles.iter().find(|one| one.version.to_string() == operator.version)
            else {
                continue;
            };
            let (package, at) = (&operator.package, &operator.version);
            let newer = operator.bundles.iter().find(|one| {
                one.version.compare_precedence(&present.version).is_gt()
                    && gone(one).is_none()
                    && runs_now(one)
            });
            texts.extend(gone(present).map(|api| match newer {
                Some(newer) => format!("update {package} from {at} to {}: it needs {api}", newer.version),
                None => format!("remove {package} {at}, or wait for a newer one: it needs {api}"),
            }));
        }
        texts
    }
}
