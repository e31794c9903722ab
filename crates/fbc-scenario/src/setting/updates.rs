//! The releases of a scenario and its update services, read once for any number of runs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::object::ObjectFields as _;
use fbc_kubectl::release::ReleaseImage;
use fbc_model::tree::{Subtree, Tree};
use fbc_openshift::cluster_update::cluster::{Parts, Release};
use fbc_openshift::cluster_version::{Answer, Outside, asks_store, has_keys};
use fbc_openshift::release::payload::missing_part;
use fbc_openshift::update_service::Facts;
use serde_json::Value;

use super::{Setting, StepError, alerts};
use crate::fault::{Place, ScenarioFault};
use crate::model::{
    Action, ClusterVersion, Graph, PayloadImage, Reference, Scenario, Signatures, UpdateService,
};
use crate::prepare::Prepared;

/// Where payloads and graphs stand.
const HELP: &str = "paths start from the directory of the scenario";

/// Where a node of a graph says in which channels it is.
const CHANNELS: &str = "/metadata/io.openshift.upgrades.graph.release.channels";

/// What the Cluster Version Operator applies and is told.
#[derive(Clone)]
pub(crate) struct Updates {
    pub(crate) parts: Parts,
    /// Answers by the address of the service.
    services: Vec<(String, Answer)>,
    pub(super) facts: Option<Facts>,
    /// Answers that steps bring, by the number of the step.
    of_steps: Vec<(usize, Answer)>,
    /// Payloads that cannot be loaded, by their pull specs.
    broken: Vec<(String, Arc<dyn Tree>)>,
    /// Who must sign releases, if anybody must.
    signatures: Option<Verification>,
}

/// How releases are verified.
#[derive(Clone, Default)]
struct Verification {
    /// Keys and stores in place of those of the payload that runs, if the scenario names keys.
    settings: Option<serde_json::Map<String, Value>>,
    /// Signatures by the address of the store and the digest of the release.
    stores: BTreeMap<String, BTreeMap<String, Vec<Vec<u8>>>>,
}

/// What the operator of a run reaches; steps change it.
pub(super) type SharedOutside = Rc<RefCell<Outside>>;

impl Updates {
    /// Reads payloads and graphs.
    pub(crate) fn new(
        scenario: &Scenario,
        files: &Arc<dyn Tree>,
        faults: &mut Vec<ScenarioFault>,
    ) -> Option<Self> {
        let mut reader = Reader { scenario, files, faults, broken: Vec::new() };
        let Some(setup) = &scenario.cluster_version else {
            reader.refuse_steps();
            return None;
        };
        let releases: Vec<Release> =
            setup.payloads.iter().filter_map(|payload| reader.release(payload)).collect();
        let present = reader.present(setup, &releases)?;
        let services = setup.services.iter();
        let services = services
            .filter_map(|service| Some((service.address.clone(), reader.answer(service, &releases)?)))
            .collect();
        let of_steps = scenario.steps.iter().filter_map(|step| match &step.action {
            Some(Action::UpdateService(service)) => Some((step.number, reader.answer(service, &releases)?)),
            _ => None,
        });
        let of_steps = of_steps.collect();
        let signatures =
            setup.signatures.as_ref().map(|signatures| reader.verification(signatures, &releases));
        let broken = reader.broken;
        let parts = Parts {
            present,
            releases,
            operators: setup.operators.clone(),
            nodes: scenario.openshift.machine_config.clone().unwrap_or_default(),
            pools: setup.pools.clone(),
        };
        Some(Self { parts, services, facts: setup.facts.clone(), of_steps, broken, signatures })
    }

    /// What the operator reaches when a run begins.
    pub(super) fn outside(&self) -> SharedOutside {
        let mut outside = self.parts.outside();
        for (image, tree) in &self.broken {
            outside.payloads.insert(image.clone(), Arc::clone(tree));
            outside.vouched.extend(image.rsplit('@').next().map(str::to_owned));
        }
        if let Some(Verification { settings, stores }) = &self.signatures {
            outside.vouched.clear();
            outside.verification.clone_from(settings);
            outside.signature_stores.clone_from(stores);
        }
        outside.update_services.extend(self.services.iter().cloned());
        outside.metrics = self.facts.clone().map(|facts| Box::new(facts) as _);
        Rc::new(RefCell::new(outside))
    }
}

/// Reads what a scenario names, and tells what is wrong with it.
struct Reader<'r> {
    scenario: &'r Scenario,
    files: &'r Arc<dyn Tree>,
    faults: &'r mut Vec<ScenarioFault>,
    /// Payloads that cannot be loaded, and are meant to be so.
    broken: Vec<(String, Arc<dyn Tree>)>,
}

impl Reader<'_> {
    fn fault(&mut self, place: Place, message: String, help: &str) {
        let help = Some(help.to_owned());
        self.faults.push(ScenarioFault { file: self.scenario.file.clone(), place, message, help });
    }

    /// Steps that need the operator, in a scenario that has none.
    fn refuse_steps(&mut self) {
        let needs =
            |action: &Option<Action>| matches!(action, Some(Action::UpdateService(_) | Action::Facts(_)));
        let steps: Vec<Place> =
            self.scenario.steps.iter().filter(|step| needs(&step.action)).map(|step| step.place).collect();
        for place in steps {
            let message = "nobody in this cluster asks an update service or metrics".to_owned();
            self.fault(
                place,
                message,
                "`openshift: {clusterVersion: {…}}` gives it the Cluster Version Operator",
            );
        }
    }

    fn release(&mut self, payload: &PayloadImage) -> Option<Release> {
        let Reference { text, place } = &payload.content;
        let tree: Arc<dyn Tree> =
            Arc::new(Subtree { tree: Arc::clone(self.files), folder: PathBuf::from(text) });
        if let Some(missing) = missing_part(tree.as_ref()).filter(|_| !payload.is_broken) {
            self.fault(*place, format!("{text} is not a payload: it has no {missing}"), HELP);
            return None;
        }
        let image = payload.image.clone().unwrap_or_else(|| Release::image_of(tree.as_ref(), ""));
        match Release::load(Arc::clone(&tree), image.clone()) {
            Ok(release) => Some(release),
            Err(_) if payload.is_broken => {
                self.broken.push((image, tree));
                None
            }
            Err(error) => {
                let help = format!(
                    "`fbc release verify {text}` reports everything that is wrong with it; `broken: true` lets the \
                     operator find out"
                );
                self.fault(*place, format!("{text} cannot be loaded: {}", error.text("")), &help);
                None
            }
        }
    }

    fn present(&mut self, setup: &ClusterVersion, releases: &[Release]) -> Option<Release> {
        if releases.is_empty() && !self.broken.is_empty() {
            let message = "no payload can be loaded, and the cluster starts with one".to_owned();
            self.fault(setup.place, message, "add the payload of the release that the cluster has at first");
        }
        let Some(wanted) = &setup.release else { return releases.first().cloned() };
        let found = releases.iter().find(|release| release.version() == wanted).cloned();
        if found.is_none() && releases.len() + self.broken.len() == setup.payloads.len() {
            let known: Vec<&str> = releases.iter().map(Release::version).collect();
            let help = format!("the payloads are those of {}", known.join(", "));
            self.fault(setup.place, format!("no payload is that of {wanted}"), &help);
        }
        found
    }

    /// Reads keys and signatures.
    fn verification(&mut self, signatures: &Signatures, releases: &[Release]) -> Verification {
        let mut settings = serde_json::Map::new();
        for (index, Reference { text, place }) in signatures.keys.iter().enumerate() {
            match self.files.read(Path::new(text)) {
                Ok(bytes) if has_keys(&String::from_utf8_lossy(&bytes)) => {
                    let key = String::from_utf8_lossy(&bytes).into_owned();
                    settings.insert(format!("verifier-public-key-{index}"), key.into());
                }
                Ok(_) => self.fault(
                    *place,
                    format!("{text} holds no key that signs releases"),
                    "`gpg --armor --export` writes such files; RSA and Ed25519 are known",
                ),
                Err(error) => self.fault(*place, format!("cannot read {text}: {error}"), HELP),
            }
        }
        let mut stores = BTreeMap::new();
        for (address, Reference { text, place }) in &signatures.stores {
            settings.insert(format!("store-{}", stores.len()), address.as_str().into());
            let is_asked = |release: &Release| asks_store(&release.payload, address);
            if signatures.keys.is_empty() && !releases.iter().any(is_asked) {
                let message = format!("nothing asks {address}: no payload names it as a store of signatures");
                self.fault(*place, message, "name `keys`, or use the address of the payload that runs");
            }
            match store(self.files.as_ref(), Path::new(text)) {
                Ok(store) => {
                    stores.insert(address.clone(), store);
                }
                Err(error) => self.fault(*place, format!("cannot read {text}: {error}"), HELP),
            }
        }
        Verification { settings: (!signatures.keys.is_empty()).then_some(settings), stores }
    }

    fn answer(&mut self, service: &UpdateService, releases: &[Release]) -> Option<Answer> {
        let value = match &service.graph {
            Graph::Empty => {
                return Some(Answer { status: service.status.clone(), body: Vec::new(), by_channel: true });
            }
            Graph::Inline(value) => value.clone(),
            Graph::File(Reference { text, place }) => {
                let bytes = match self.files.read(Path::new(text)) {
                    Ok(bytes) => bytes,
                    Err(error) => {
                        self.fault(*place, format!("cannot read {text}: {error}"), HELP);
                        return None;
                    }
                };
                match fbc_yaml::stream::read_one(&bytes) {
                    Ok(document) => document.root().to_json(),
                    // The operator tells what is wrong with it, as it would on a cluster.
                    Err(_) => {
                        return Some(Answer {
                            status: service.status.clone(),
                            body: bytes,
                            by_channel: true,
                        });
                    }
                }
            }
        };
        // A graph that knows no channels is meant for all.
        let by_channel = value.list(&["nodes"]).iter().any(|node| node.pointer(CHANNELS).is_some());
        let body = with_images(value, releases).to_string().into_bytes();
        Some(Answer { status: service.status.clone(), body, by_channel })
    }
}

/// The signatures in a directory: `ALGORITHM=HEX/signature-N`, from 1 without a gap, by digest.
fn store(files: &dyn Tree, directory: &Path) -> io::Result<BTreeMap<String, Vec<Vec<u8>>>> {
    let mut store = BTreeMap::new();
    for entry in files.list(directory)? {
        let name = entry.name.to_string_lossy().into_owned();
        let Some((algorithm, hex)) = name.split_once('=').filter(|_| entry.is_directory) else { continue };
        let signature = |number: usize| directory.join(&name).join(format!("signature-{number}"));
        let mut signatures = Vec::new();
        for number in 1.. {
            match files.read(&signature(number)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                read => signatures.push(read?),
            }
        }
        store.insert(format!("{algorithm}:{hex}"), signatures);
    }
    if store.is_empty() {
        return Err(io::Error::other("it holds no directory such as sha256=HEX"));
    }
    Ok(store)
}

/// Nodes without an image get that of the payload of their version.
fn with_images(mut graph: Value, releases: &[Release]) -> Value {
    for node in graph.get_mut("nodes").and_then(Value::as_array_mut).into_iter().flatten() {
        let known = releases.iter().find(|release| release.version() == node.text(&["version"]));
        if let Some(release) = known.filter(|_| node.text(&["payload"]).is_empty()) {
            node.set(&["payload"], release.image.as_str());
        }
    }
    graph
}

/// The images of the releases of a scenario, for command lines.
pub(super) fn release_images(prepared: &Prepared) -> Vec<ReleaseImage> {
    let releases = prepared.updates.iter().flat_map(|updates| &updates.parts.releases);
    let digest_of = |image: &str| image.rsplit_once('@').map(|(_, digest)| digest.to_owned());
    let image = |release: &Release| ReleaseImage {
        reference: release.image.clone(),
        digest: digest_of(&release.image)
            .or_else(|| digest_of(&Release::image_of(release.tree.as_ref(), "")))
            .unwrap_or_default(),
        created: None,
        platform: "linux/amd64".to_owned(),
        tree: Arc::clone(&release.tree),
        sizes: BTreeMap::new(),
    };
    releases.map(image).collect()
}

impl Setting<'_> {
    /// Lets an update service answer with what a step says.
    pub(crate) fn answer_updates(&mut self, service: &UpdateService, step: usize) -> Result<(), StepError> {
        let answer = self.prepared.updates.as_ref().and_then(|updates| {
            updates.of_steps.iter().find(|(number, _)| *number == step).map(|(_, answer)| answer.clone())
        });
        let (Some(answer), Some(outside)) = (answer, &self.outside) else {
            return Err(StepError::NobodyAsks);
        };
        outside.borrow_mut().update_services.insert(service.address.clone(), answer);
        Ok(())
    }

    /// Changes what the metrics of the cluster say.
    pub(crate) fn learn(&mut self, facts: Facts) -> Result<(), StepError> {
        let outside = self.outside.as_ref().ok_or(StepError::NobodyAsks)?;
        self.session.alerts = alerts::evaluate(Some(&facts), &self.session.alerts, self.cluster.now());
        outside.borrow_mut().metrics = Some(Box::new(facts));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::{MemoryTree, TreeEntry};

    use super::*;

    /// Files that may be listed, not read.
    struct Locked(MemoryTree);

    impl Tree for Locked {
        fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
            self.0.list(directory)
        }

        fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
            self.0.read(file).and(Err(io::ErrorKind::PermissionDenied.into()))
        }
    }

    #[test]
    fn signatures_end_where_there_are_no_more() {
        let files = MemoryTree::from_iter([("store/sha256=a1/signature-1", "x"), ("store/notes", "")]);
        let found = store(&files, Path::new("store")).unwrap();
        assert_eq!(found, BTreeMap::from([("sha256:a1".to_owned(), vec![b"x".to_vec()])]));
        let error = store(&Locked(files), Path::new("store")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }
}
