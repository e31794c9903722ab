//! A scenario as data: what the cluster is made of, what happens, and what is expected.

mod component;
mod expectation;
mod generations;
mod updates;

use std::collections::BTreeMap;
use std::path::PathBuf;

use fbc_version::Target;
use serde_json::Value;

pub use component::Component;
pub use expectation::*;
pub use generations::Generations;
pub use updates::*;

use fbc_cluster::add_ons::AddOn;
use fbc_cluster::admission::webhooks::stand_in::WebhookBehaviour;
use fbc_cluster::api::Propagation;
use fbc_cluster::controllers::behaviour::Behaviour;
use fbc_cluster::object::ObjectName;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment, SECOND};
use fbc_openshift::setup::Setup;
use fbc_openshift::update_service::Facts;

use super::fault::Place;
use super::pattern::Pattern;

/// How long nothing may change before a cluster counts as still, unless the scenario says otherwise.
pub const DEFAULT_QUIET: Milliseconds = 10 * SECOND;
/// How long a step may take to come to rest, unless the scenario says otherwise.
pub const DEFAULT_PATIENCE: Milliseconds = 30 * MINUTE;

/// A scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file, as users know it.
    pub file: String,
    /// What it is about, in a line.
    pub title: String,
    /// What all that looks random follows from.
    pub seed: u64,
    /// Whose behaviour counts.
    pub target: Target,
    /// Which generations of OLM the cluster runs; if it does not say so, its objects do.
    pub olm: Option<Generations>,
    /// Feature gates of OLM that differ from the defaults of the target.
    pub feature_gates: BTreeMap<String, bool>,
    /// Whether extensions are installed with the rights of their service accounts.
    pub uses_service_accounts: bool,
    /// Products that the cluster has besides.
    pub with: Vec<AddOn>,
    /// What the cluster has of OpenShift besides OLM.
    pub openshift: Setup,
    /// The Cluster Version Operator and what it needs, if the cluster has one.
    pub cluster_version: Option<ClusterVersion>,
    /// The moment at which it starts.
    pub start: Moment,
    /// The run ends after so much virtual time at the latest.
    pub until: Option<Milliseconds>,
    /// The cluster is still when nothing has changed for so long.
    pub quiet: Milliseconds,
    /// A step is given up as restless after so long.
    pub patience: Milliseconds,
    /// Statements of documents that it shows, such as `D-EXT-3`.
    pub shows: Vec<String>,
    /// Catalogs at the start.
    pub catalogs: Vec<Catalog>,
    /// Images of bundles at the start.
    pub bundles: Vec<BundleImage>,
    /// Bundle images without content install nothing but a record of their version, instead of being unknown to the
    /// registry.
    pub empty_bundles: bool,
    /// Objects at the start.
    pub objects: Vec<Manifests>,
    /// What becomes of pods.
    pub behaviours: Vec<Behaviour>,
    /// What webhooks answer.
    pub webhooks: Vec<WebhookBehaviour>,
    /// What happens.
    pub steps: Vec<Step>,
    /// What must hold at the end, or never.
    pub expectations: Vec<Expectation>,
}

impl Scenario {
    /// A scenario in which nothing happens, made by a program.
    pub fn new(file: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            title: title.into(),
            seed: 1,
            target: Target::default(),
            olm: None,
            feature_gates: BTreeMap::new(),
            uses_service_accounts: true,
            with: Vec::new(),
            openshift: Setup::default(),
            cluster_version: None,
            start: Moment::START,
            until: None,
            quiet: DEFAULT_QUIET,
            patience: DEFAULT_PATIENCE,
            shows: Vec::new(),
            catalogs: Vec::new(),
            bundles: Vec::new(),
            empty_bundles: false,
            objects: Vec::new(),
            behaviours: Vec::new(),
            webhooks: Vec::new(),
            steps: Vec::new(),
            expectations: Vec::new(),
        }
    }

    /// Adds a catalog with its ClusterCatalog, and answers with the reference of its image; `content` is a key of the
    /// contents that go with the scenario. A catalog is polled if there are minutes between polls.
    pub fn add_catalog(&mut self, name: &str, content: &str, poll_interval: Option<u64>) -> String {
        let image = Catalog::default_image(name);
        self.catalogs.push(Catalog {
            name: name.to_owned(),
            image: image.clone(),
            content: Reference { text: content.to_owned(), place: Place::default() },
            poll_interval,
            priority: 0,
            labels: BTreeMap::new(),
            has_object: true,
        });
        image
    }

    /// All statements that the scenario and its steps show, each once.
    pub fn all_shown(&self) -> Vec<String> {
        let all = self.shows.iter().chain(self.steps.iter().flat_map(|step| &step.shows));
        let mut shown: Vec<String> = Vec::new();
        for statement in all {
            if !shown.contains(statement) {
                shown.push(statement.clone());
            }
        }
        shown
    }

    /// Which generations of OLM the cluster runs.
    pub fn generations(&self) -> Generations {
        self.olm.unwrap_or_default()
    }

    /// Whether it says what must come of it: of the end, of a step, of a refusal or of what a command prints.
    pub fn expects_something(&self) -> bool {
        let is_checked = |step: &Step| !step.expectations.is_empty() || step.is_check();
        !self.expectations.is_empty() || self.steps.iter().any(is_checked)
    }

    /// Adds a step that begins when the cluster is still.
    pub fn add_step(&mut self, name: impl Into<String>, action: Action) {
        self.steps.push(Step {
            number: self.steps.len() + 1,
            name: name.into(),
            place: Place::default(),
            start: Start::Still,
            action: Some(action),
            refused: None,
            shows: Vec::new(),
            expectations: Vec::new(),
        });
    }
}

impl Catalog {
    /// The image of a catalog that names none.
    pub fn default_image(name: &str) -> String {
        format!("registry.example/catalogs/{name}:latest")
    }
}

/// A catalog: an image with content, and usually the object that names it: a ClusterCatalog of OLM v1, a CatalogSource of OLM v0.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// Its name in the scenario, and of the object.
    pub name: String,
    /// The reference of the image.
    pub image: String,
    /// Where the content lies.
    pub content: Reference,
    /// Minutes between looks at the tag.
    pub poll_interval: Option<u64>,
    /// Its priority.
    pub priority: i64,
    /// Labels of the object.
    pub labels: BTreeMap<String, String>,
    /// Whether the scenario starts with the object, or a step makes it.
    pub has_object: bool,
}

/// An image of a bundle.
#[derive(Debug, Clone)]
pub struct BundleImage {
    /// The reference of the image.
    pub image: String,
    /// Where the content lies.
    pub content: Reference,
}

/// Something outside of the scenario that the caller finds: a directory, a file or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// What the scenario says.
    pub text: String,
    /// Where it says so.
    pub place: Place,
}

/// Objects.
#[derive(Debug, Clone)]
pub enum Manifests {
    /// A file, or a directory with files.
    Path(PathBuf, Place),
    /// An object in the scenario itself.
    Inline(Value, Place),
}

/// Something that happens.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its number, from 1.
    pub number: usize,
    /// Its name, or what it does.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// When it happens.
    pub start: Start,
    /// What happens; nothing for a step that only expects.
    pub action: Option<Action>,
    /// The API server must refuse it with this text.
    pub refused: Option<Pattern>,
    /// Statements of documents that it shows.
    pub shows: Vec<String>,
    /// What must follow.
    pub expectations: Vec<Expectation>,
}

impl Step {
    /// Whether it fails if the answer to what it does is another one: a refusal, or what a command prints.
    pub(crate) fn is_check(&self) -> bool {
        let has_output = |command: &Command| {
            command.prints.is_some() || command.matches.is_some() || command.exit.is_some()
        };
        self.refused.is_some() || matches!(&self.action, Some(Action::Run(command)) if has_output(command))
    }
}

/// When a step happens.
#[derive(Debug, Clone)]
pub enum Start {
    /// When the cluster is still, and all that was expected so far has been seen.
    Still,
    /// So long after the start.
    At(Milliseconds),
    /// So long after the step before.
    After(Milliseconds),
    /// When this holds, at most so long after the step before.
    When(Box<Predicate>, Milliseconds),
}

/// What happens in a step.
#[derive(Debug, Clone)]
pub enum Action {
    /// `kubectl apply`
    Apply(Vec<Manifests>),
    /// `kubectl create`
    Create(Vec<Manifests>),
    /// `kubectl delete`
    Delete(Vec<ObjectReference>, Propagation),
    /// `kubectl patch`, and `kubectl edit` as one.
    Patch(ObjectReference, PatchKind, Value, bool),
    /// `kubectl scale`
    Scale(ObjectReference, u64),
    /// A tag moves to other content.
    Publish(Publication),
    /// An update service answers with something else.
    UpdateService(UpdateService),
    /// Something else is known of the cluster.
    Facts(Facts),
    /// Something breaks.
    Break(Trouble),
    /// Something is whole again.
    Fix(Trouble),
    /// A controller starts anew.
    Restart(Component),
    /// The clock jumps: nothing happens in between, and what was due is late.
    Jump(Milliseconds),
    /// A command line of `oc` or `kubectl`, and what it must print.
    Run(Command),
    /// Time goes by.
    Wait(Milliseconds),
}

/// A tag that moves.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The reference of the image.
    pub image: String,
    /// Its new content.
    pub content: Reference,
    /// Whether it holds a bundle; a catalog otherwise.
    pub is_bundle: bool,
}

/// The type of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchKind {
    /// RFC 7386.
    Merge,
    /// RFC 6902.
    Json,
    /// Merges that know the keys of lists.
    Strategic,
}

/// Something that can break and be fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The registry does not answer.
    Registry,
    /// An image is gone.
    Image(String),
    /// A service account is gone.
    ServiceAccount(ObjectName),
    /// The content of a ClusterCatalog is switched off.
    Catalog(String),
    /// Deployments do not become available.
    Deployments(Disorder),
}

/// How deployments misbehave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disorder {
    /// They never become available.
    Pending,
    /// They become available and lose it again.
    Flapping,
}

/// A command line.
#[derive(Debug, Clone)]
pub struct Command {
    /// The line, such as `oc get clusterextension`.
    pub line: String,
    /// What it must print on standard output and standard error, with gaps.
    pub prints: Option<String>,
    /// What must be found in that.
    pub matches: Option<Pattern>,
    /// Its exit code.
    pub exit: Option<u8>,
}

/// An object by kind and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectReference {
    /// The kind, or another name for it that command lines take, in any case of letters.
    pub kind: String,
    /// The group, if the scenario says one.
    pub group: Option<String>,
    /// Namespace and name.
    pub name: ObjectName,
    /// Where it stands.
    pub place: Place,
}

impl std::fmt::Display for ObjectReference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.kind, self.name)
    }
}
