//! The cluster of a scenario, and the steps.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{Caller, WriteOptions};
use fbc_cluster::engine::{Cluster, Controller};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Milliseconds, SECOND};
use fbc_kubectl::command_line::parse;
use fbc_kubectl::run::{Session, run};
use fbc_model::Catalog;
use fbc_model::load::load_tree;
use fbc_model::tree::{Subtree, Tree};
use fbc_olm_v0::catalog_operator::content_changed;
use fbc_olm_v0::content::{Content, SharedContent};
use fbc_olm_v0::package_server::PackageServer;
use fbc_olm_v0::{Options, setting};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::events;
use super::objects::{self, Key, Objects};
use super::placeholders::Names;
use super::scenario::Step;
use super::stand_in::{self, Modes, SharedModes, Webhooks};
use super::transitions;
use super::watcher::{Seen, Watcher};
use crate::Difference;

/// A step is over when nothing has changed for so long.
const QUIET: Milliseconds = 7 * SECOND;
/// A step is over when nothing has changed for so long, where catalogs are polled.
const QUIET_BETWEEN_POLLS: Milliseconds = 20 * SECOND;
/// How long a request of kubectl takes.
const REQUEST: Milliseconds = 100;
/// A step is over after so long, whatever changes still.
const LONGEST: Milliseconds = 75 * SECOND;
/// Kinds whose states are told; OLMConfig only where it is the topic.
const STATES: [&str; 8] = [
    "CatalogSource",
    "ClusterServiceVersion",
    "InstallPlan",
    "OLMConfig",
    "Operator",
    "OperatorCondition",
    "OperatorGroup",
    "Subscription",
];

/// The cluster.
pub(super) struct World {
    cluster: Cluster,
    options: Options,
    content: SharedContent,
    modes: SharedModes,
    seen: Seen,
    names: Names,
    recordings: Arc<dyn Tree>,
    folder: PathBuf,
    tells_configuration: bool,
}

/// What was seen of a step.
#[derive(Default)]
pub(super) struct SeenStep {
    pub(super) settled: Vec<Object>,
    pub(super) objects: Vec<Value>,
    pub(super) transitions: Vec<Value>,
    pub(super) events: Vec<Value>,
    pub(super) stdout: String,
    pub(super) errors: String,
}

impl World {
    /// The base, and what a scenario brings along in a directory.
    pub(super) fn new(recordings: &Arc<dyn Tree>, folder: PathBuf, topic: &str) -> Result<Self, Difference> {
        let options = Options {
            config_map_server_image: "registry.example/configmap-server:v1".into(),
            opm_image: "registry.example/opm:v1".into(),
            util_image: "registry.example/olm:v1".into(),
            ..Options::default()
        };
        let content: SharedContent = Rc::new(RefCell::new(Content::default()));
        push_bundles(recordings, &folder.join("bundles"), &content);
        let modes: SharedModes = Rc::new(RefCell::new(Modes::default()));
        let seen = Seen::default();
        let mut stand_ins: Vec<Box<dyn Controller>> = vec![Box::new(Watcher { seen: Rc::clone(&seen) })];
        stand_ins.extend(stand_in::controllers(&modes, &content));
        let mut cluster = setting::cluster(&options, &content, stand_ins, 1)?;
        cluster.api.set_webhook_caller(Box::new(Webhooks));
        Ok(Self {
            cluster,
            options,
            content,
            modes,
            seen,
            names: Names::default(),
            recordings: Arc::clone(recordings),
            folder,
            tells_configuration: topic == "copied-csvs",
        })
    }

    /// Does a step, and waits until nothing changes.
    pub(super) fn step(&mut self, step: &Step) -> Result<SeenStep, Difference> {
        let before = self.objects();
        self.seen.borrow_mut().clear();
        let mut seen = SeenStep::default();
        self.act(step, &mut seen)?;
        let polls = self
            .cluster
            .api
            .all("operators.coreos.com", "CatalogSource")
            .any(|catalog| catalog.given(&["spec", "updateStrategy", "registryPoll"]).is_some());
        let quiet = if polls { QUIET_BETWEEN_POLLS } else { QUIET };
        let end = self.cluster.now() + LONGEST;
        while self.cluster.run_until_still(quiet, end)? && self.alternates() {
            self.cluster.run_until(end.min(self.cluster.now() + SECOND))?;
        }
        let changes = self.seen.take();
        for (_, change) in changes.iter().filter(|(_, change)| change.before.is_none()) {
            change.after.iter().for_each(|object| self.names.note(object));
        }
        let own: Vec<Key> = if step.verb == "create" {
            let made = changes.iter().filter(|(_, change)| change.before.is_none());
            made.filter_map(|(_, change)| change.after.as_deref())
                .filter(|one| is_by_hand(one))
                .map(objects::key)
                .collect()
        } else {
            Vec::new()
        };
        for (kind, change) in &changes {
            if kind == "Event" {
                let row = change.after.as_ref().map(|event| events::row(event, &self.names));
                seen.events.extend(row.filter(|row| !seen.events.contains(row)));
            }
            if change.latest().is_some_and(|object| !is_of_base(object)) {
                seen.transitions.extend(transitions::rows(kind, change, &self.names));
            }
        }
        seen.stdout = self.names.text(&seen.stdout);
        seen.errors = self.names.text(&seen.errors);
        seen.objects = objects::rows(&before, &self.objects(), &own, &self.names);
        seen.settled = self.settled();
        Ok(seen)
    }

    fn act(&mut self, step: &Step, seen: &mut SeenStep) -> Result<(), Difference> {
        let value = &step.value;
        match step.verb.as_str() {
            "create" => {
                // One request after another.
                for document in step.text.split("\n---\n") {
                    let mut one = SeenStep::default();
                    self.kubectl(&["create", "-f", "-"], document, &mut one);
                    seen.stdout.push_str(&one.stdout);
                    seen.errors.push_str(&one.errors);
                    self.cluster.run_until(self.cluster.now() + REQUEST)?;
                }
            }
            "patch" => {
                let patch = value["patch"].to_string();
                let mut words = vec!["patch".to_owned()];
                words.extend(self.target(&value["target"]));
                words.extend(["--type", value.text(&["type"]), "-p", &patch].map(str::to_owned));
                self.words(&words, seen);
            }
            "delete" => {
                let mut words = vec!["delete".to_owned()];
                words.extend(self.target(&value["target"]));
                words.push("--wait=false".to_owned());
                self.words(&words, seen);
            }
            "approve" => self.approve(value, seen),
            "kubectl" => {
                let words: Vec<String> =
                    value.list(&["args"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
                self.words(&words, seen);
            }
            "serve" => {
                let address = value.text(&["address"]);
                match value.given(&["content"]).and_then(Value::as_str) {
                    Some(name) => self.content.borrow_mut().serve(address, self.catalog(name)),
                    None => self.content.borrow_mut().stop(address),
                }
                content_changed(&mut self.cluster);
            }
            "image" => {
                let name = value.text(&["content"]);
                let digest =
                    Sha256::digest(name).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                let image = value.text(&["image"]);
                self.content.borrow_mut().push_catalog(image, format!("sha256:{digest}"), self.catalog(name));
            }
            "deployments" => {
                let is_for_existing = value.get("existing") != Some(&Value::Bool(false));
                self.modes.borrow_mut().deployments(value, is_for_existing);
                if is_for_existing {
                    self.poke("apps", "Deployment", "stand-in-deployments");
                }
            }
            "jobs" => self.modes.borrow_mut().jobs(value),
            "pods" => self.modes.borrow_mut().pods(value),
            "tls" => {
                self.modes.borrow_mut().serves = value.at(&["tls", "on"]) == Some(&Value::Bool(true));
                self.poke("", "Service", "stand-in-servers");
            }
            "packageserver" => {
                let server = PackageServer::new(&self.options, &self.content);
                self.cluster.add_controller(Box::new(server));
                self.create_package_service();
            }
            "wait" => {
                let seconds = value.number(&["seconds"]).unwrap_or_default().unsigned_abs();
                self.cluster.run_until(self.cluster.now() + seconds * SECOND)?;
            }
            "restart" if step.what == "catalog-operator" => {
                setting::start_catalog_operator(&mut self.cluster, &self.options, &self.content);
            }
            "restart" => setting::start_olm_operator(&mut self.cluster, &self.options),
            other => return Err(Difference::UnknownStep(other.to_owned())),
        }
        Ok(())
    }

    /// Whether a plan that is tried again wakes a namespace whose versions meet: then the real program says in turns what is wrong, and
    /// is never still.
    fn alternates(&self) -> bool {
        let all = |kind| self.cluster.api.all("operators.coreos.com", kind);
        all("InstallPlan").any(|plan| {
            let is_tried = plan.text(&["status", "phase"]) == "Installing"
                && !plan.text(&["status", "message"]).is_empty();
            let meets = |one: &Object| {
                let failed = one.condition("ResolutionFailed");
                failed.is_some_and(|failed| failed.text(&["message"]).contains("originate from package"))
            };
            is_tried && all("Subscription").any(|one| one.namespace() == plan.namespace() && meets(one))
        })
    }

    /// The service of package-server, and the API that it serves, as the recordings made them.
    fn create_package_service(&mut self) {
        let caller = Caller::administrator("stand-in");
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "packageserver-service", "namespace": "olm"},
            "spec": {"ports": [{"port": 5443, "targetPort": 5443}], "selector": {"app": "packageserver"}},
        });
        let api = json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": "v1.packages.operators.coreos.com"},
            "spec": {
                "group": "packages.operators.coreos.com", "version": "v1", "groupPriorityMinimum": 2000,
                "versionPriority": 15, "insecureSkipTLSVerify": true,
                "service": {"name": "packageserver-service", "namespace": "olm", "port": 5443},
            },
        });
        for object in [service, api] {
            // What is refused shows as a difference.
            let _ = self.cluster.api.create(&caller, object, WriteOptions::default());
        }
    }

    fn poke(&mut self, group: &str, kind: &str, controller: &str) {
        let all: Vec<_> = self.cluster.api.all(group, kind).map(|one| one.object_name()).collect();
        for name in all {
            self.cluster.poke(controller, name);
        }
    }

    /// The words that name an object.
    fn target(&self, target: &Value) -> Vec<String> {
        let kind = self.cluster.api.registry().of_object(target.api_version(), target.kind());
        let resource = kind.map_or_else(|| target.kind().to_owned(), |(_, kind)| kind.qualified_plural());
        let mut words = vec![resource, target.text(&["name"]).to_owned()];
        if !target.text(&["namespace"]).is_empty() {
            words.extend(["-n".to_owned(), target.text(&["namespace"]).to_owned()]);
        }
        words
    }

    /// Approves the newest plan that brings a version and is not approved.
    fn approve(&mut self, value: &Value, seen: &mut SeenStep) {
        let (namespace, version) = (value.text(&["namespace"]), value.text(&["csv"]));
        let plans = self.cluster.api.all("operators.coreos.com", "InstallPlan").filter(|plan| {
            let names = plan.list(&["spec", "clusterServiceVersionNames"]);
            plan.namespace() == namespace
                && plan.at(&["spec", "approved"]) == Some(&Value::Bool(false))
                && names.iter().any(|name| name == version)
        });
        let newest = plans.max_by_key(|plan| plan.number(&["spec", "generation"]));
        let Some(name) = newest.map(|plan| plan.name().to_owned()) else {
            seen.errors = "(no InstallPlan to approve)\n".to_owned();
            return;
        };
        let patch = r#"{"spec":{"approved":true}}"#;
        let words = ["patch", "installplan", &name, "-n", namespace, "--type", "merge", "-p", patch];
        self.words(&words.map(str::to_owned), seen);
    }

    fn words(&mut self, words: &[String], seen: &mut SeenStep) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.kubectl(&words, "", seen);
    }

    fn kubectl(&mut self, words: &[&str], stdin: &str, seen: &mut SeenStep) {
        let words: Vec<String> =
            std::iter::once("kubectl").chain(words.iter().copied()).map(str::to_owned).collect();
        let command = match parse(&words) {
            Ok(command) => command,
            Err(error) => {
                seen.errors = error.text;
                return;
            }
        };
        let read = |path: &str| (path == "-").then(|| stdin.as_bytes().to_vec());
        let outcome = run(&command, &mut Session::default(), &mut self.cluster.api, &read);
        seen.stdout = outcome.stdout;
        seen.errors = outcome.stderr;
    }

    fn catalog(&self, name: &str) -> Arc<Catalog> {
        let folder = self.folder.join(name);
        Arc::new(load_tree(&Subtree { tree: Arc::clone(&self.recordings), folder }))
    }

    fn is_told(&self, object: &Object) -> bool {
        !is_of_base(object) && (self.tells_configuration || object.kind() != "OLMConfig")
    }

    fn objects(&self) -> Objects {
        let all = self.cluster.api.store().iter().map(|(_, _, object)| object);
        all.filter(|object| objects::is_told(object))
            .map(|object| (objects::key(object), Object::clone(object)))
            .collect()
    }

    fn settled(&self) -> Vec<Object> {
        let of_kind = |kind: &&'static str| self.cluster.api.all("operators.coreos.com", kind);
        let all = STATES.iter().flat_map(of_kind);
        all.filter(|object| self.is_told(object)).map(|object| self.names.object(object)).collect()
    }
}

/// Whether an object is one of the two groups that every scenario begins with.
fn is_of_base(object: &Object) -> bool {
    let groups = [("operators", "global-operators"), ("olm", "olm-operators")];
    object.kind() == "OperatorGroup" && groups.contains(&(object.namespace(), object.name()))
}

/// Whether an object was made by kubectl.
fn is_by_hand(object: &Object) -> bool {
    fbc_cluster::apply::managers(object).iter().all(|manager| manager.starts_with("kubectl"))
}

/// Images of bundles: `registry.example/bundles/PACKAGE:vVERSION` for a directory `PACKAGE-VERSION`.
fn push_bundles(recordings: &Arc<dyn Tree>, folder: &Path, content: &SharedContent) {
    for entry in recordings.list(folder).unwrap_or_default() {
        let name = entry.name.to_string_lossy().into_owned();
        let Some((package, version)) = name.rsplit_once('-') else { continue };
        let files = Subtree { tree: Arc::clone(recordings), folder: folder.join(&entry.name) };
        let image = format!("registry.example/bundles/{package}:v{version}");
        content.borrow_mut().push_bundle(image, Arc::new(files));
    }
}
