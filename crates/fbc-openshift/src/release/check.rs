//! What makes a cluster refuse a payload or stumble over it, as findings with codes and places.

mod trial;

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;

use super::capabilities;
use super::file_name::runlevel_and_component;
use super::graph::{Mode, TaskGraph};
use super::inclusion::{Inclusion, capabilities_of, profiles_of};
use super::manifest::Manifest;
use super::payload::{LoadError, OWN, Payload, missing_part};

/// A rule of payloads.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The code, which never means anything else.
    pub code: &'static str,
    /// Whether a cluster refuses the payload or cannot get through it.
    pub is_error: bool,
    /// What the rule asks for.
    pub title: &'static str,
    /// What to do.
    pub help: &'static str,
}

const PART_MISSING: Rule = Rule {
    code: "PLD001",
    is_error: true,
    title: "a payload has manifests, release-manifests, release-metadata and image-references",
    help: "take the directory from a release image whole",
};
const UNREADABLE: Rule = Rule {
    code: "PLD002",
    is_error: true,
    title: "metadata and manifests can be read",
    help: "clusters refuse the release with ReleaseAccepted=False; correct the file",
};
const TWICE: Rule = Rule {
    code: "PLD003",
    is_error: false,
    title: "an object stands in one file",
    help: "a cluster applies both, one over the other, in every pass; leave one out",
};
const BEFORE_DEFINITION: Rule = Rule {
    code: "PLD004",
    is_error: true,
    title: "a definition comes before its custom resources",
    help: "put the definition into a lower runlevel, or before them in the same component",
};
const BESIDE_DEFINITION: Rule = Rule {
    code: "PLD013",
    is_error: false,
    title: "custom resources are not applied at the same time as their definition",
    help: "it works when the definition is faster, or after a retry; put the definition into a lower runlevel",
};
const WITHOUT_OPERATOR: Rule = Rule {
    code: "PLD005",
    is_error: false,
    title: "a component with a Deployment has a ClusterOperator",
    help: "without one, no update waits until the component runs the new version",
};
const WITHOUT_VERSIONS: Rule = Rule {
    code: "PLD006",
    is_error: true,
    title: "a ClusterOperator says which versions it is waited for",
    help: "list them in status.versions; without any the update fails with ClusterOperatorNoVersions",
};
const FILE_NAME: Rule = Rule {
    code: "PLD007",
    is_error: false,
    title: "a file name says runlevel and component",
    help: "name it 0000_RUNLEVEL_COMPONENT_NAME.yaml; other names are applied one after another",
};
const ANNOTATION: Rule = Rule {
    code: "PLD008",
    is_error: true,
    title: "annotations of manifests are understood",
    help: "a cluster leaves the manifest out, or fails on it; correct the annotation",
};
const NEVER_INCLUDED: Rule = Rule {
    code: "PLD009",
    is_error: false,
    title: "a manifest is included somewhere",
    help: "set include.release.openshift.io/PROFILE: \"true\" for the profiles that want it",
};
const REFUSED: Rule = Rule {
    code: "PLD010",
    is_error: true,
    title: "the API server takes every manifest",
    help: "the update stops there; correct the manifest",
};
const UNKNOWN_KIND: Rule = Rule {
    code: "PLD011",
    is_error: false,
    title: "every kind has a definition in the payload",
    help: "the update stops there unless the cluster has the definition from elsewhere",
};
const TEMPLATE: Rule = Rule {
    code: "PLD012",
    is_error: false,
    title: "templates of the operator's own manifests are understood",
    help: "an operator that does not know the expression skips the file with a warning",
};

/// All rules in the order of their codes.
pub const RULES: [&Rule; 13] = [
    &PART_MISSING,
    &UNREADABLE,
    &TWICE,
    &BEFORE_DEFINITION,
    &WITHOUT_OPERATOR,
    &WITHOUT_VERSIONS,
    &FILE_NAME,
    &ANNOTATION,
    &NEVER_INCLUDED,
    &REFUSED,
    &UNKNOWN_KIND,
    &TEMPLATE,
    &BESIDE_DEFINITION,
];

/// Something that is wrong with a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line, if there is one.
    pub line: Option<usize>,
}

/// Looks at a payload as a cluster would. The payload is there if it can be loaded.
pub fn check(tree: &dyn Tree, image: &str, inclusion: &Inclusion) -> (Vec<Finding>, Option<Payload>) {
    let mut findings = Vec::new();
    if let Some(part) = missing_part(tree) {
        let message = format!("the payload has no {part}");
        findings.push(Finding { rule: &PART_MISSING, message, file: part, line: None });
    }
    let payload = match Payload::load(tree, image, inclusion) {
        Ok(payload) => payload,
        Err(LoadError { faults, .. }) => {
            let missing = findings.first().map(|finding: &Finding| finding.file.clone());
            let faults = faults.into_iter().filter(|fault| Some(&fault.file) != missing.as_ref());
            findings.extend(faults.map(|fault| Finding {
                rule: &UNREADABLE,
                message: fault.message,
                file: fault.file,
                line: fault.line,
            }));
            return (findings, None);
        }
    };
    for (file, expression) in &payload.skipped {
        let message = format!("{expression} is an unknown expression");
        findings.push(Finding { rule: &TEMPLATE, message, file: format!("{OWN}/{file}"), line: None });
    }
    let mut add = |rule: &'static Rule, manifest: &Manifest, message: String| {
        findings.push(Finding { rule, message, file: manifest.path(), line: Some(manifest.line) });
    };
    for (manifest, reason) in &payload.excluded {
        // Payloads switch manifests off by another value of the annotation of a profile.
        let is_off = reason.starts_with("unrecognized value include.");
        if reason.starts_with("unrecognized") && !is_off
            || reason.starts_with("both ")
            || reason.contains(" major version") && !reason.contains("match")
        {
            add(&ANNOTATION, manifest, format!("{} is left out: {reason}", name(manifest)));
        } else if profiles_of(&manifest.object).next().is_none() {
            add(&NEVER_INCLUDED, manifest, format!("{} is included in no profile", name(manifest)));
        }
    }
    let graph = TaskGraph::new(&payload.manifests, Mode::Updating);
    each(&payload.manifests, &mut add);
    repeated(&payload.manifests, &mut add);
    order(&payload.manifests, &graph, &mut add);
    operators(&payload.manifests, &mut add);
    trial::run(&payload.manifests, &graph, &mut add);
    findings.sort_by(|one, other| {
        (&one.file, one.line, one.rule.code).cmp(&(&other.file, other.line, other.rule.code))
    });
    (findings, Some(payload))
}

type Add<'a> = dyn FnMut(&'static Rule, &Manifest, String) + 'a;

/// `Deployment openshift-a/b`
fn name(manifest: &Manifest) -> String {
    format!("{} {}", manifest.kind(), manifest.name())
}

/// What a manifest says by itself.
fn each(manifests: &[Manifest], add: &mut Add<'_>) {
    let known = capabilities::known(&BTreeSet::new());
    for manifest in manifests {
        if runlevel_and_component(&manifest.file).is_none() {
            add(&FILE_NAME, manifest, format!("{} says no runlevel and component", manifest.file));
        }
        let unknown: Vec<&str> =
            capabilities_of(&manifest.object).into_iter().filter(|name| !known.contains(*name)).collect();
        if !unknown.is_empty() {
            let message =
                format!("{} belongs to unknown capabilities: {}", name(manifest), unknown.join(", "));
            add(&ANNOTATION, manifest, message);
        }
        let delete = manifest.object.annotation("release.openshift.io/delete");
        if let Some(value) = delete.filter(|value| *value != "true") {
            let message = format!(
                "{}: invalid delete annotation value {value:?}; only \"true\" is one",
                name(manifest)
            );
            add(&ANNOTATION, manifest, message);
        }
        if manifest.is_cluster_operator() && manifest.object.list(&["status", "versions"]).is_empty() {
            add(&WITHOUT_VERSIONS, manifest, format!("{} lists no versions", name(manifest)));
        }
    }
}

fn repeated(manifests: &[Manifest], add: &mut Add<'_>) {
    let mut seen: BTreeMap<(&str, &str, _), &Manifest> = BTreeMap::new();
    for manifest in manifests {
        if let Some(first) = seen.insert((&manifest.group, manifest.kind(), manifest.name()), manifest) {
            add(&TWICE, manifest, format!("{} stands in {} too", name(manifest), first.file));
        }
    }
}

/// Custom resources that may come before their definition.
fn order(manifests: &[Manifest], graph: &TaskGraph, add: &mut Add<'_>) {
    let definitions: BTreeMap<(&str, &str), usize> = manifests
        .iter()
        .enumerate()
        .filter(|(_, manifest)| manifest.kind() == "CustomResourceDefinition")
        .map(|(index, manifest)| {
            let text = |path: &[&str]| manifest.object.text(path);
            ((text(&["spec", "group"]), text(&["spec", "names", "kind"])), index)
        })
        .collect();
    let mut node_of = vec![0; manifests.len()];
    for (index, node) in graph.nodes.iter().enumerate() {
        for task in &node.tasks {
            if let Some(place) = node_of.get_mut(*task) {
                *place = index;
            }
        }
    }
    for (index, manifest) in manifests.iter().enumerate() {
        let Some(definition) = definitions.get(&(manifest.group.as_str(), manifest.kind())) else { continue };
        let node = |task: usize| node_of.get(task).copied().unwrap_or_default();
        let Some(other) = manifests.get(*definition) else { continue };
        let name = name(manifest);
        if node(*definition) == node(index) {
            if *definition > index {
                add(
                    &BEFORE_DEFINITION,
                    manifest,
                    format!("the definition of {name} comes behind it, in {}", other.file),
                );
            }
        } else if is_before(graph, node(index), node(*definition)) {
            add(
                &BEFORE_DEFINITION,
                manifest,
                format!("the definition of {name} comes behind it, in {}", other.file),
            );
        } else if !is_before(graph, node(*definition), node(index)) {
            add(
                &BESIDE_DEFINITION,
                manifest,
                format!("the definition of {name} comes beside it, in {}", other.file),
            );
        }
    }
}

fn is_before(graph: &TaskGraph, first: usize, second: usize) -> bool {
    let mut seen = vec![false; graph.nodes.len()];
    let mut pending = vec![second];
    while let Some(node) = pending.pop() {
        if node == first {
            return true;
        }
        match seen.get_mut(node) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        pending.extend(graph.nodes.get(node).into_iter().flat_map(|node| &node.before));
    }
    false
}

fn operators(manifests: &[Manifest], add: &mut Add<'_>) {
    let component =
        |manifest: &Manifest| runlevel_and_component(&manifest.file).map(|(_, name)| name.to_owned());
    let with_operator: BTreeSet<String> =
        manifests.iter().filter(|manifest| manifest.is_cluster_operator()).filter_map(component).collect();
    let mut told = BTreeSet::from(["cluster-version-operator".to_owned()]);
    for manifest in
        manifests.iter().filter(|manifest| manifest.group == "apps" && manifest.kind() == "Deployment")
    {
        let Some(component) = component(manifest).filter(|component| !with_operator.contains(component))
        else {
            continue;
        };
        if told.insert(component.clone()) {
            add(
                &WITHOUT_OPERATOR,
                manifest,
                format!("the component {component} has a Deployment and no ClusterOperator"),
            );
        }
    }
}
