//! Reads what a scenario names, and finds what could never work before anything runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use fbc_cluster::object::Object;
use fbc_model::tree::{MemoryTree, Tree};
use fbc_resolve::CatalogIndex;
use fbc_yaml::limits::Meter;

use super::fault::{ScenarioFault, meant};
use super::kinds::KnownKinds;
use super::model::{Action, Check, Generations, ObjectReference, Reference, Scenario, Start, Trouble};
use super::read::manifests::{Manifest, load, read_path, read_text};
use super::setting;

/// What catalogs and bundles of a scenario hold, by the text of the reference in the scenario.
#[derive(Clone, Default)]
pub struct Contents {
    /// Directories of catalogs.
    pub catalogs: BTreeMap<String, Arc<dyn Tree>>,
    /// Those of them that were loaded without a fault, which are not loaded again. Their rules of resolution are those
    /// of the scenario.
    pub loaded: BTreeMap<String, Arc<CatalogIndex>>,
    /// Directories of bundles.
    pub bundles: BTreeMap<String, Arc<dyn Tree>>,
    /// Directories that take the place of what catalogs hold at the start, by the name of the catalog.
    pub replaced: BTreeMap<String, Arc<dyn Tree>>,
}

/// A scenario with all that it needs, ready to be played any number of times.
#[derive(Clone)]
pub struct Prepared {
    /// The scenario.
    pub scenario: Scenario,
    /// Files beside the scenario, for command lines that name some.
    pub files: Arc<dyn Tree>,
    /// Releases and update services, if the cluster has the Cluster Version Operator.
    pub(super) updates: Option<setting::Updates>,
    /// What images hold.
    pub(super) content: Arc<setting::Content>,
    pub(super) objects: Vec<Manifest>,
    /// The objects of each step.
    pub(super) of_steps: Vec<Vec<Manifest>>,
    /// What all clusters of these images begin with.
    pub(super) servers: setting::Servers,
}

impl Scenario {
    /// The catalogs that the scenario names, and the bundles: what the caller has to find.
    pub fn references(&self) -> (Vec<&Reference>, Vec<&Reference>) {
        let mut catalogs: Vec<&Reference> = self.catalogs.iter().map(|catalog| &catalog.content).collect();
        let mut bundles: Vec<&Reference> = self.bundles.iter().map(|bundle| &bundle.content).collect();
        for step in &self.steps {
            if let Some(Action::Publish(publication)) = &step.action {
                let list = if publication.is_bundle { &mut bundles } else { &mut catalogs };
                list.push(&publication.content);
            }
        }
        (catalogs, bundles)
    }
}

impl Prepared {
    /// Reads the manifests of a scenario and checks what it speaks of. `files` has the directory of the scenario as
    /// its root.
    ///
    /// # Errors
    /// Everything that is wrong: files that cannot be read, kinds that nothing defines.
    pub fn new(
        mut scenario: Scenario,
        contents: Contents,
        files: Arc<dyn Tree>,
    ) -> Result<Self, Vec<ScenarioFault>> {
        let mut faults = Vec::new();
        let objects = load(files.as_ref(), &scenario.file, &scenario.objects, &mut faults);
        let of_steps = of_steps(&scenario, files.as_ref(), &mut faults);
        scenario.olm.get_or_insert_with(|| generations(&objects, &of_steps));
        let content = setting::Content::new(&scenario, &contents, &mut faults);
        let updates = setting::Updates::new(&scenario, &files, &mut faults);
        let references = references(&scenario);
        let servers = setting::Servers::default();
        // A server is much work for a scenario that speaks of no object.
        if !references.is_empty() {
            let mut kinds = KnownKinds::from_registry(servers.server(&scenario, scenario.seed).registry());
            let mut learn = |object: &Object| kinds.learn(object);
            objects.iter().chain(of_steps.iter().flatten()).for_each(|manifest| learn(&manifest.object));
            for bundle in contents.bundles.values() {
                manifests_of(bundle.as_ref()).iter().for_each(|manifest| learn(&manifest.object));
            }
            for release in updates.iter().flat_map(|updates| &updates.parts.releases) {
                release.payload.manifests.iter().for_each(|manifest| learn(&manifest.object));
            }
            check_kinds(&scenario, &references, &kinds, &mut faults);
        }
        check_images(&scenario, &content, &mut faults);
        faults.sort_by(|a, b| (&a.file, a.place).cmp(&(&b.file, b.place)));
        faults.dedup();
        if faults.is_empty() {
            let content = Arc::new(content);
            Ok(Self { scenario, updates, content, files, objects, of_steps, servers })
        } else {
            Err(faults)
        }
    }
}

impl Prepared {
    /// Another scenario with the same catalogs and bundles, which are not read again.
    ///
    /// # Errors
    /// Manifests that cannot be read.
    pub fn with_scenario(&self, mut scenario: Scenario) -> Result<Self, Vec<ScenarioFault>> {
        let mut faults = Vec::new();
        let files = Arc::clone(&self.files);
        let objects = load(files.as_ref(), &scenario.file, &scenario.objects, &mut faults);
        let of_steps = of_steps(&scenario, files.as_ref(), &mut faults);
        scenario.olm.get_or_insert_with(|| generations(&objects, &of_steps));
        let updates = setting::Updates::new(&scenario, &files, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let (content, servers) = (Arc::clone(&self.content), self.servers.clone());
        Ok(Self { scenario, updates, files, content, objects, of_steps, servers })
    }

    /// A scenario made by a program, whose images are at hand and whose steps are not read from files.
    pub(crate) fn of_content(
        scenario: Scenario,
        content: setting::Content,
        servers: setting::Servers,
    ) -> Self {
        let of_steps = scenario.steps.iter().map(|_| Vec::new()).collect();
        let (content, files) = (Arc::new(content), Arc::new(MemoryTree::default()));
        Self { scenario, updates: None, files, content, objects: Vec::new(), of_steps, servers }
    }
}

/// Which generations of OLM a cluster needs that gets these objects.
fn generations(objects: &[Manifest], of_steps: &[Vec<Manifest>]) -> Generations {
    let all = objects.iter().chain(of_steps.iter().flatten());
    Generations::for_objects(all.map(|manifest| &manifest.object))
}

/// The objects of each step.
fn of_steps(scenario: &Scenario, files: &dyn Tree, faults: &mut Vec<ScenarioFault>) -> Vec<Vec<Manifest>> {
    let of_step = |step: &super::model::Step| match &step.action {
        Some(Action::Apply(manifests) | Action::Create(manifests)) => {
            load(files, &scenario.file, manifests, faults)
        }
        _ => Vec::new(),
    };
    scenario.steps.iter().map(of_step).collect()
}

/// What bundles define may be spoken of; what is wrong with a bundle is told by what installs it.
fn manifests_of(bundle: &dyn Tree) -> Vec<Manifest> {
    let (meter, mut manifests) = (Meter::default(), Vec::new());
    for (path, bytes) in read_path(bundle, Path::new("")).unwrap_or_default() {
        read_text(&path.to_string_lossy(), &bytes, &meter, &mut manifests, &mut Vec::new());
    }
    manifests
}

/// What breaks or is whole again must be an image that there is at some time.
fn check_images(scenario: &Scenario, content: &setting::Content, faults: &mut Vec<ScenarioFault>) {
    let catalogs = scenario.catalogs.iter().map(|catalog| &catalog.image);
    let bundles = scenario.bundles.iter().map(|bundle| &bundle.image);
    let published = scenario.steps.iter().filter_map(|step| match &step.action {
        Some(Action::Publish(publication)) => Some(&publication.image),
        _ => None,
    });
    let written: BTreeSet<&str> = catalogs.chain(bundles).chain(published).map(String::as_str).collect();
    for step in &scenario.steps {
        let Some(Action::Break(Trouble::Image(image)) | Action::Fix(Trouble::Image(image))) = &step.action
        else {
            continue;
        };
        if written.contains(image.as_str()) || content.has_empty(image) {
            continue;
        }
        let known: Vec<&str> = written.iter().copied().collect();
        faults.push(ScenarioFault {
            file: scenario.file.clone(),
            place: step.place,
            message: format!("there is no image {image:?}"),
            help: Some(format!("the images of the scenario are [{}]", known.join(", "))),
        });
    }
}

fn check_kinds(
    scenario: &Scenario,
    references: &[&ObjectReference],
    kinds: &KnownKinds,
    faults: &mut Vec<ScenarioFault>,
) {
    for reference in references {
        let mut fault = |message: String, help: String| {
            let (file, place) = (scenario.file.clone(), reference.place);
            faults.push(ScenarioFault { file, place, message, help: Some(help) });
        };
        let Some(kind) = kinds.find(reference) else {
            let names = kinds.names();
            let help = match meant(&reference.kind, &names) {
                Some(known) => format!("did you mean {known}?"),
                None => "neither the cluster nor a definition in the files of the scenario has it".to_owned(),
            };
            fault(format!("there is no kind {:?}", reference.kind), help);
            continue;
        };
        let has_namespace = !reference.name.namespace.is_empty();
        if kind.namespaced && !has_namespace {
            let help = format!("write {}/NAMESPACE/{}", kind.kind, reference.name.name);
            fault(format!("objects of kind {} have a namespace", kind.kind), help);
        } else if !kind.namespaced && has_namespace {
            let help = format!("write {}/{}", kind.kind, reference.name.name);
            fault(format!("objects of kind {} have no namespace", kind.kind), help);
        }
    }
}

/// The objects that steps and expectations are about.
fn references(scenario: &Scenario) -> Vec<&ObjectReference> {
    let mut found = Vec::new();
    let steps = &scenario.steps;
    let expectations = steps.iter().flat_map(|step| &step.expectations).chain(&scenario.expectations);
    for step in steps {
        match &step.action {
            Some(Action::Delete(references, _)) => found.extend(references),
            Some(Action::Patch(reference, ..) | Action::Scale(reference, _)) => found.push(reference),
            _ => {}
        }
        if let Start::When(predicate, _) = &step.start {
            found.push(&predicate.object);
        }
    }
    for expectation in expectations {
        match &expectation.check {
            Check::State(predicate) => found.push(&predicate.object),
            Check::Order(states) => found.extend(states.iter().map(|state| &state.object)),
            Check::Output(_) => {}
        }
    }
    found
}
