//! Reading what happens in a step.

use fbc_cluster::api::Propagation;
use fbc_cluster::object::ObjectName;

use super::expectation::object_reference;
use super::field::Field;
use super::{objects, reference, updates};
use crate::model::{
    Action, Catalog, Command, Component, Disorder, Manifests, ObjectReference, PatchKind, Publication,
    Trouble,
};
use crate::pattern::Pattern;

/// What can break.
pub(crate) const TROUBLES: [&str; 5] = ["registry", "image", "serviceAccount", "catalog", "deployments"];
/// The fields of a patch.
pub(crate) const PATCH_FIELDS: [&str; 4] = ["object", "type", "patch", "subresource"];
/// The fields of an edit.
pub(crate) const EDIT_FIELDS: [&str; 2] = ["object", "set"];
/// The fields of a change of scale.
pub(crate) const SCALE_FIELDS: [&str; 2] = ["object", "replicas"];
/// The fields of a publication.
pub(crate) const PUBLISH_FIELDS: [&str; 4] = ["catalog", "image", "content", "bundle"];
/// The fields of a deletion that says more than names.
pub(crate) const DELETE_FIELDS: [&str; 2] = ["object", "propagation"];

/// Reads the action of a step by its name.
pub(super) fn action(name: &str, step: &Field<'_>, catalogs: &[Catalog]) -> Option<Action> {
    let field = step.get(name);
    let Some(field) = field else {
        step.member(name)?.fault("says nothing", None);
        return None;
    };
    match name {
        "apply" => some_objects(&field).map(Action::Apply),
        "create" => some_objects(&field).map(Action::Create),
        "delete" => delete(&field),
        "patch" => patch(&field),
        "edit" => edit(&field),
        "scale" => scale(&field),
        "publish" => publish(&field, catalogs).map(Action::Publish),
        "updateService" => updates::update_service(&field).map(Action::UpdateService),
        "facts" => updates::facts(&field).map(Action::Facts),
        "break" => trouble(&field).map(Action::Break),
        "fix" => trouble(&field).map(Action::Fix),
        "restart" => restart(&field),
        "jump" => field.duration().map(Action::Jump),
        "run" => command(step).map(Action::Run),
        _ => field.duration().map(Action::Wait),
    }
}

fn some_objects(field: &Field<'_>) -> Option<Vec<Manifests>> {
    let found = objects(field);
    (!found.is_empty()).then_some(found)
}

fn delete(field: &Field<'_>) -> Option<Action> {
    if !field.is_object() {
        let references: Vec<_> = field.one_or_more().iter().filter_map(object_reference).collect();
        return (!references.is_empty()).then_some(Action::Delete(references, Propagation::Background));
    }
    field.only(&DELETE_FIELDS)?;
    let references: Vec<_> =
        field.required("object")?.one_or_more().iter().filter_map(object_reference).collect();
    let propagation = field.get("propagation").and_then(|field| {
        Some(match field.one_of(&["background", "foreground", "orphan"])? {
            "foreground" => Propagation::Foreground,
            "orphan" => Propagation::Orphan,
            _ => Propagation::Background,
        })
    });
    Some(Action::Delete(references, propagation.unwrap_or_default()))
}

fn patch(field: &Field<'_>) -> Option<Action> {
    field.only(&PATCH_FIELDS)?;
    let object = object(field);
    let kind = field.get("type").and_then(|field| {
        Some(match field.one_of(&["merge", "json", "strategic"])? {
            "json" => PatchKind::Json,
            "strategic" => PatchKind::Strategic,
            _ => PatchKind::Merge,
        })
    });
    let kind = kind.unwrap_or(PatchKind::Merge);
    let patch = field.required("patch")?;
    let (is_fit, form) = match kind {
        PatchKind::Json => (patch.is_list(), "a list of operations"),
        PatchKind::Merge | PatchKind::Strategic => (patch.is_object(), "an object"),
    };
    if !is_fit {
        patch.fault(&format!("must be {form} for this type of patch"), None);
    }
    let subresource = field.get("subresource").and_then(|field| field.one_of(&["status"])).is_some();
    Some(Action::Patch(object?, kind, patch.value(), subresource))
}

fn edit(field: &Field<'_>) -> Option<Action> {
    field.only(&EDIT_FIELDS)?;
    let object = object(field);
    let set = field.required("set")?;
    set.is_object().then_some(()).or_else(|| {
        set.fault("must be an object", None);
        None
    })?;
    Some(Action::Patch(object?, PatchKind::Merge, set.value(), false))
}

fn scale(field: &Field<'_>) -> Option<Action> {
    field.only(&SCALE_FIELDS)?;
    let object = object(field);
    let replicas = field.required("replicas")?.natural();
    Some(Action::Scale(object?, replicas?))
}

fn restart(field: &Field<'_>) -> Option<Action> {
    let names = Component::ALL.map(|(_, name)| name);
    let name = field.one_of(&names)?;
    Component::ALL.iter().find(|(_, known)| *known == name).map(|(component, _)| Action::Restart(*component))
}

fn object(field: &Field<'_>) -> Option<ObjectReference> {
    object_reference(&field.required("object")?)
}

/// A tag that moves, named by the image or by a catalog of the scenario.
fn publish(field: &Field<'_>, catalogs: &[Catalog]) -> Option<Publication> {
    field.only(&PUBLISH_FIELDS)?;
    let content = field.required("content").and_then(|field| reference(&field));
    let is_bundle = field.get("bundle").and_then(|field| field.boolean()).unwrap_or_default();
    let image = match (field.get("catalog"), field.get("image")) {
        (Some(catalog), None) => {
            let name = catalog.text()?;
            let found = catalogs.iter().find(|catalog| catalog.name == name);
            if found.is_none() {
                let known: Vec<&str> = catalogs.iter().map(|catalog| catalog.name.as_str()).collect();
                let help = format!("the scenario has the catalogs [{}]", known.join(", "));
                catalog.fault(&format!("names no catalog of the scenario: {name:?}"), Some(help));
            }
            found?.image.clone()
        }
        (None, Some(image)) => image.text()?.to_owned(),
        _ => {
            field.fault("must have either catalog or image", None);
            return None;
        }
    };
    Some(Publication { image, content: content?, is_bundle })
}

fn trouble(field: &Field<'_>) -> Option<Trouble> {
    if field.is_text() && field.text() == Some("registry") {
        return Some(Trouble::Registry);
    }
    if field.is_text() {
        field.fault(
            "must be an object, or the word registry",
            Some(format!("what can break: {}", TROUBLES.join(", "))),
        );
        return None;
    }
    field.only(&TROUBLES)?;
    let keys = field.keys();
    let [key] = keys.as_slice() else {
        field.fault("must name one thing", Some(format!("what can break: {}", TROUBLES.join(", "))));
        return None;
    };
    let value = field.get(key)?;
    match key.as_str() {
        "registry" => value.one_of(&["down"]).map(|_| Trouble::Registry),
        "image" => value.text().map(|image| Trouble::Image(image.to_owned())),
        "catalog" => value.text().map(|name| Trouble::Catalog(name.to_owned())),
        "serviceAccount" => {
            let Some((namespace, name)) = value.text()?.split_once('/') else {
                value.fault("must be written as NAMESPACE/NAME", None);
                return None;
            };
            Some(Trouble::ServiceAccount(ObjectName::namespaced(namespace, name)))
        }
        "deployments" => Some(Trouble::Deployments(match value.one_of(&["pending", "flapping"])? {
            "flapping" => Disorder::Flapping,
            _ => Disorder::Pending,
        })),
        _ => None,
    }
}

/// A command line with what it must print.
pub(super) fn command(field: &Field<'_>) -> Option<Command> {
    let line = field.required("run")?;
    let text = line.text()?;
    let program = text.split_whitespace().next().unwrap_or_default();
    if !["oc", "kubectl"].contains(&program) {
        let help = "only oc and kubectl can be run".to_owned();
        line.fault(&format!("runs an unknown program, {program:?}"), Some(help));
        return None;
    }
    let exit = field.get("exit").and_then(|field| {
        let code = u8::try_from(field.natural()?).ok();
        if code.is_none() {
            field.fault("must be at most 255", None);
        }
        code
    });
    Some(Command {
        line: text.to_owned(),
        prints: field.get("prints").and_then(|field| field.any_text()).map(str::to_owned),
        matches: field.get("matches").and_then(|field| field.expression()).map(Pattern::Matching),
        exit,
    })
}

impl Action {
    /// What it does, in a few words.
    pub fn words(&self) -> String {
        let list = |manifests: &[Manifests]| {
            let names: Vec<String> = manifests.iter().map(Manifests::words).collect();
            names.join(", ")
        };
        match self {
            Self::Apply(manifests) => format!("apply {}", list(manifests)),
            Self::Create(manifests) => format!("create {}", list(manifests)),
            Self::Delete(references, _) => {
                let names: Vec<String> = references.iter().map(ToString::to_string).collect();
                format!("delete {}", names.join(", "))
            }
            Self::Patch(object, ..) => format!("patch {object}"),
            Self::Scale(object, replicas) => format!("scale {object} to {replicas}"),
            Self::Publish(publication) => {
                format!("publish {} as {}", publication.content.text, publication.image)
            }
            Self::UpdateService(service) if service.status.starts_with("200") => {
                format!("{} answers with another graph", service.address)
            }
            Self::UpdateService(service) => format!("{} answers {}", service.address, service.status),
            Self::Facts(facts) => format!("{} metrics are known", facts.series.len()),
            Self::Break(trouble) => format!("break {trouble}"),
            Self::Fix(trouble) => format!("fix {trouble}"),
            Self::Restart(component) => {
                let name = Component::ALL.iter().find(|(known, _)| known == component).map(|(_, name)| *name);
                format!("restart {}", name.unwrap_or_default())
            }
            Self::Jump(span) => format!("the clock jumps by {}", super::super::duration_text(*span)),
            Self::Run(command) => command.line.clone(),
            Self::Wait(span) => format!("wait {}", super::super::duration_text(*span)),
        }
    }
}

impl Manifests {
    fn words(&self) -> String {
        use fbc_cluster::object::ObjectFields as _;
        match self {
            Self::Path(path, _) => path.display().to_string(),
            Self::Inline(object, _) => format!("{}/{}", object.kind(), object.object_name()),
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Registry => formatter.write_str("the registry"),
            Self::Image(image) => write!(formatter, "image {image}"),
            Self::ServiceAccount(name) => write!(formatter, "service account {name}"),
            Self::Catalog(name) => write!(formatter, "catalog {name}"),
            Self::Deployments(Disorder::Pending) => formatter.write_str("deployments (pending)"),
            Self::Deployments(Disorder::Flapping) => formatter.write_str("deployments (flapping)"),
        }
    }
}
