//! Bundles tried out: each installed on a cluster of its own, and the versions of a package one after another.
//!
//! A trial answers whether a bundle installs on a platform with an engine of OLM, and if not, who refuses it: OLM by its
//! own rules, the API server, or a platform that lacks kinds; and whether what was installed can run.

mod bundle;
mod needs;
#[cfg(test)]
mod tests;
mod verdict;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use fbc_cluster::add_ons::AddOn;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{MINUTE, Milliseconds, SECOND};
use fbc_olm::names::{CLUSTER_EXTENSION, GROUP, OPERATOR_CONTROLLER};
use fbc_olm::operator_controller::rendering::Renderings;
use fbc_version::Target;
use serde_json::{Value, json};

pub use self::bundle::{TrialBundle, UnreadableBundle, by_package};
pub use self::needs::Need;
pub use self::verdict::Verdict;
use crate::extension::{extension, surroundings, watch_namespace};
use crate::fault::Place;
use crate::model::{BundleImage, ObjectReference, PatchKind, Reference, Scenario};
use crate::obstacles::{Obstacle, obstacles};
use crate::prepare::Prepared;
use crate::setting::{Content, Servers, Setting, StepError, options};

/// The name of the extension and of the catalog.
const EXTENSION: &str = "trial";
const CATALOG: &str = "trial";
/// Nothing may change for so long before a cluster is looked at: longer than pods take to end.
const QUIET: Milliseconds = 100 * SECOND;
/// The longest that an installation may take.
const PATIENCE: Milliseconds = 15 * MINUTE;

/// What applies bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Engine {
    /// Helm releases.
    #[default]
    Helm,
    /// Revisions, behind the feature gate `BoxcutterRuntime`.
    Boxcutter,
}

/// A name that is that of no engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown engine {0:?}, expected helm or boxcutter")]
pub struct UnknownEngine(pub String);

impl Engine {
    /// The names, as command lines write them.
    pub const NAMES: [&'static str; 2] = ["helm", "boxcutter"];
    /// Both engines.
    pub const ALL: [Self; 2] = [Self::Helm, Self::Boxcutter];

    /// Whether a release has the engine.
    pub fn is_in(self, target: Target) -> bool {
        self == Self::Helm || target >= Target::Ocp421
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Helm => "helm",
            Self::Boxcutter => "boxcutter",
        })
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|engine| engine.to_string() == name);
        found.ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// Where bundles are tried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// Whose release.
    pub target: Target,
    /// What applies bundles.
    pub engine: Engine,
    /// Products that the cluster has besides.
    pub with: Vec<AddOn>,
    /// What all that looks random follows from.
    pub seed: u64,
}

/// What became of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The version that was installed before; none for a first installation.
    pub from: Option<String>,
    /// What became of it.
    pub verdict: Verdict,
    /// The namespace that it was told to watch (`watchNamespace`), because it cannot watch all of them.
    pub watch_namespace: Option<String>,
    /// What it needs and the cluster does not have, by group.
    pub needs: Vec<Need>,
    /// Workloads whose pods do not run.
    pub obstacles: Vec<Obstacle>,
}

/// Installs a bundle on a new cluster.
pub fn install(bundle: &TrialBundle, platform: &Platform) -> Trial {
    let mut trials = upgrade(std::slice::from_ref(bundle), platform, &Servers::default());
    // A trial for each bundle: one.
    trials.pop().unwrap_or_else(|| Trial {
        package: bundle.package.clone(),
        bundle: bundle.name.clone(),
        version: bundle.version.clone(),
        from: None,
        verdict: Verdict::Unsettled("nothing was tried".to_owned()),
        watch_namespace: None,
        needs: Vec::new(),
        obstacles: Vec::new(),
    })
}

/// Installs the first bundle of a package on a new cluster, and then every further one over the one before. A bundle
/// that does not install is passed over: the next one comes over what is installed. Trials that share `servers` make
/// each of them, and read each definition, once.
pub fn upgrade(bundles: &[TrialBundle], platform: &Platform, servers: &Servers) -> Vec<Trial> {
    let Some(first) = bundles.first() else { return Vec::new() };
    let scenario = scenario(bundles, platform);
    let options = options(&scenario);
    let rules = options.resolution_rules();
    let mut content = Content::default();
    content.add_catalog(CATALOG, bundle::catalog(bundles, rules));
    for bundle in bundles {
        content.add_bundle(&bundle.image_reference(), Arc::clone(&bundle.image));
    }
    let prepared = Prepared::of_content(scenario, content, servers.clone());
    let mut setting = Setting::new(&prepared, platform.seed);
    let mut faults: Vec<String> = setting.set_up(&[]).into_iter().map(|(_, fault)| fault).collect();
    for object in surroundings(&first.namespace) {
        // What every cluster has, such as the namespace `default`, is there already.
        if setting.cluster.api.find("", object.kind(), &object.object_name()).is_none() {
            faults.extend(setting.create_one(&object).err().map(|error| error.to_string()));
        }
    }
    let mut installed: Option<String> = None;
    let mut trials = Vec::new();
    for bundle in bundles {
        let watched = watch_namespace(|mode| bundle.supports(mode), &first.namespace, &options.gates);
        // In the namespace of the first one: it cannot be changed.
        let wanted = extension(EXTENSION, &first.namespace, &bundle.package, &bundle.version, watched);
        let refused = apply_extension(&mut setting, &wanted, !trials.is_empty()).err();
        let refused = refused.map(|error| error.to_string());
        let rendered = Renderings::default().render(&bundle.image, &wanted, &options);
        let needs = match &rendered {
            Ok(rendered) => needs::needs(&rendered.objects, setting.cluster.api.registry()),
            Err(_) => Vec::new(),
        };
        let stopped = {
            let end = setting.cluster.now() + PATIENCE;
            setting.cluster.run_until_still(QUIET, end).err().map(|error| error.to_string())
        };
        let objects: Vec<Arc<Object>> =
            setting.cluster.api.store().iter().map(|(_, _, object)| object.clone()).collect();
        let obstacles = obstacles(&objects);
        let fault = refused.or(stopped).or_else(|| faults.first().cloned());
        let refusal = rendered.err().map(|failure| failure.message);
        let failure = setting.cluster.failure(OPERATOR_CONTROLLER, &ObjectName::cluster(EXTENSION));
        let seen = setting.cluster.api.find(GROUP, CLUSTER_EXTENSION, &ObjectName::cluster(EXTENSION));
        let verdict = verdict::judge(
            seen.map(|object| &**object),
            &bundle.version,
            fault,
            refusal,
            failure,
            &needs,
            &obstacles,
        );
        let is_installed =
            seen.is_some_and(|object| object.text(&["status", "install", "bundle", "name"]) == bundle.name);
        trials.push(Trial {
            package: bundle.package.clone(),
            bundle: bundle.name.clone(),
            version: bundle.version.clone(),
            from: installed.clone(),
            verdict,
            watch_namespace: watched.map(str::to_owned),
            needs,
            obstacles,
        });
        if is_installed {
            installed = Some(bundle.version.clone());
        }
    }
    trials
}

fn scenario(bundles: &[TrialBundle], platform: &Platform) -> Scenario {
    let mut scenario = Scenario::new("trial", "bundles tried out");
    scenario.target = platform.target;
    scenario.uses_service_accounts = platform.target.facts().uses_service_accounts;
    scenario.seed = platform.seed;
    scenario.with.clone_from(&platform.with);
    if platform.engine == Engine::Boxcutter {
        scenario.feature_gates = BTreeMap::from([("BoxcutterRuntime".to_owned(), true)]);
    }
    scenario.add_catalog(CATALOG, CATALOG, None);
    scenario.bundles = bundles
        .iter()
        .map(|bundle| {
            let image = bundle.image_reference();
            BundleImage { content: Reference { text: image.clone(), place: Place::default() }, image }
        })
        .collect();
    scenario
}

/// Creates the extension, or changes what it wants.
fn apply_extension(setting: &mut Setting<'_>, wanted: &Value, exists: bool) -> Result<(), StepError> {
    if !exists {
        return setting.create_one(wanted).map(drop);
    }
    let reference = ObjectReference {
        kind: CLUSTER_EXTENSION.to_owned(),
        group: None,
        name: ObjectName::cluster(EXTENSION),
        place: Place::default(),
    };
    let config = wanted.at(&["spec", "config"]).cloned().unwrap_or_default();
    let patch = json!({"spec": {"source": wanted["spec"]["source"], "config": config}});
    setting.patch(&reference, PatchKind::Merge, &patch, false)
}
