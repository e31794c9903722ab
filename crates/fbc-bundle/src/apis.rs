//! The APIs that a bundle provides and requires, and whether its manifests fit the types that tell them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:pkg/registry/bundle.go` and `pkg/registry/csv.go`.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_model::kubernetes_json::{self, Keys};
use fbc_model::marked_json::marked;
use fbc_yaml::{Kind, Node};

use crate::folder::{BundleError, Manifest, cluster_service_version};
use crate::kubernetes::Named;
use crate::kubernetes::types::{BETA_CUSTOM_RESOURCE_DEFINITION, CUSTOM_RESOURCE_DEFINITION};

/// An API that a bundle provides or requires.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Api {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
}

static DEFINITION_KEY: GoStruct = GoStruct {
    name: "registry.DefinitionKey",
    fields: &[
        GoField { name: "group", kind: STRING, omit_empty: false },
        GoField { name: "kind", kind: STRING, omit_empty: false },
        GoField { name: "name", kind: STRING, omit_empty: false },
        GoField { name: "version", kind: STRING, omit_empty: false },
    ],
};

const DEFINITION_KEYS: GoType = GoType::List("[]*registry.DefinitionKey", &GoType::Struct(&DEFINITION_KEY));

/// Go has no name for it, and prints it whole.
static DEFINITIONS: GoStruct = GoStruct {
    name: "struct { Owned []*registry.DefinitionKey \"json:\\\"owned\\\"\"; Required []*registry.DefinitionKey \"json:\\\"required\\\"\" }",
    fields: &[
        GoField { name: "owned", kind: DEFINITION_KEYS, omit_empty: false },
        GoField { name: "required", kind: DEFINITION_KEYS, omit_empty: false },
    ],
};

const TYPE_META: Named = Named::new("meta", "TypeMeta");

/// Go has no name for the struct around it.
const WITH_METADATA: Named = Named::new("registry", "(metadata)");

/// The kind of custom resource definitions, and their group.
const DEFINITION: (&str, &str) = ("CustomResourceDefinition", "apiextensions.k8s.io");

/// The name that the reference gives to its table of types.
const SCHEME: &str = "github.com/operator-framework/operator-registry/pkg/registry/bundle.go:24";

/// Checks the manifests of a bundle as the reference does when it reads them.
///
/// # Errors
/// The first thing that it refuses.
pub(crate) fn check(manifests: &[Manifest]) -> Result<(), BundleError> {
    let version = cluster_service_version(manifests);
    if let Some(version) = version {
        for of in [TYPE_META, WITH_METADATA] {
            kubernetes_json::check(version, of.id(), Keys::Folded, "v1").map_err(|misfit| {
                let marked = || marked(version, &misfit.message, &misfit.pointer);
                BundleError::Content(if misfit.has_offset { marked() } else { misfit.message.clone() })
            })?;
        }
    }
    manifests.iter().try_for_each(check_definition).map_err(BundleError::Content)?;
    let version = version.ok_or(BundleError::NoClusterServiceVersion)?;
    check_owned(manifests, version).map_err(|error| {
        BundleError::Content(format!("error checking provided apis in bundle {}: {error}", name(version)))
    })
}

/// The name of a cluster service version, and so of the bundle.
pub(crate) fn name(version: Node<'_>) -> String {
    go_type::field(version, "metadata").map(|metadata| go_type::text(metadata, "name")).unwrap_or_default()
}

fn check_definition(manifest: &Manifest) -> Result<(), String> {
    let (group, version) = manifest.group_and_version();
    let (of, version) = match version {
        "v1" => (CUSTOM_RESOURCE_DEFINITION, "v1"),
        "v1beta1" => (BETA_CUSTOM_RESOURCE_DEFINITION, "v1beta1"),
        _ => return Ok(()),
    };
    if manifest.kind() != DEFINITION.0 {
        return Ok(());
    }
    let decoding = |error: String| format!("error decoding {version} CRD: {error}");
    if group != DEFINITION.1 {
        let shown = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        return Err(decoding(format!(
            "no kind {} is registered for version {} in scheme {}",
            quote(DEFINITION.0),
            quote(&shown),
            quote(SCHEME)
        )));
    }
    kubernetes_json::check(manifest.root(), of.id(), Keys::Exact, version)
        .map_err(|misfit| decoding(misfit.message))
}

/// The APIs of all custom resource definitions in the bundle, and the owned API services.
///
/// # Errors
/// The text of the reference where the list of services does not fit.
pub(crate) fn provided(manifests: &[Manifest]) -> Result<BTreeSet<Api>, String> {
    let mut provided = BTreeSet::new();
    for manifest in manifests.iter().filter(|manifest| manifest.kind() == DEFINITION.0) {
        let (_, version) = manifest.group_and_version();
        let (true, Some(crd)) = (matches!(version, "v1" | "v1beta1"), manifest.root().get("spec")) else {
            continue;
        };
        let names = crd.get("names");
        let name = |key: &str| names.and_then(|names| names.get_str(key)).unwrap_or_default().to_owned();
        let mut add = |version: &str| {
            provided.insert(Api {
                group: crd.get_str("group").unwrap_or_default().to_owned(),
                version: version.to_owned(),
                kind: name("kind"),
                plural: name("plural"),
            });
        };
        for served in crd.get("versions").into_iter().flat_map(Node::items) {
            add(served.get_str("name").unwrap_or_default());
        }
        if let ("v1beta1", Some(single)) = (version, crd.get_str("version").filter(|text| !text.is_empty())) {
            add(single);
        }
    }
    let spec = cluster_service_version(manifests).and_then(|version| version.get("spec"));
    let services = spec_object(spec)
        .map_err(|error| format!("error unmarshaling into object map: {error}"))
        .and_then(|spec| definitions(spec, "apiservicedefinitions", "owned"))
        .map_err(|error| format!("error getting apiservice definitions: {error}"))?;
    provided.extend(services.into_iter().map(|(api, name)| Api { plural: name, ..api }));
    Ok(provided)
}

/// The APIs that the cluster service version asks for.
///
/// # Errors
/// The text of the reference where they do not fit.
pub(crate) fn required(spec: Node<'_>) -> Result<BTreeSet<Api>, String> {
    let mut required = BTreeSet::new();
    for (api, name) in definitions(spec, "customresourcedefinitions", "required")? {
        required.insert(with_group_of_name(api, &name)?);
    }
    let services = definitions(spec, "apiservicedefinitions", "required")?;
    required.extend(services.into_iter().map(|(api, _)| api));
    Ok(required)
}

/// The spec as Go's map of raw values.
fn spec_object(spec: Option<Node<'_>>) -> Result<Node<'_>, String> {
    match spec.map(|spec| (spec, spec.kind())) {
        None => Err("unexpected end of JSON input".to_owned()),
        Some((spec, Kind::Object | Kind::Null)) => Ok(spec),
        Some((_, kind)) => Err(format!(
            "json: cannot unmarshal {} into Go value of type map[string]*json.RawMessage",
            kind.go_name()
        )),
    }
}

/// The name of a custom resource definition is `plural.group`.
fn with_group_of_name(api: Api, name: &str) -> Result<Api, String> {
    match name.split_once('.') {
        Some((plural, group)) => Ok(Api { group: group.to_owned(), plural: plural.to_owned(), ..api }),
        None => Err(format!("couldn't parse plural.group from crd name: {name}")),
    }
}

fn definitions(spec: Node<'_>, section: &str, list: &str) -> Result<Vec<(Api, String)>, String> {
    let Some(section) = spec.get(section).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    go_type::check(section, &GoType::Struct(&DEFINITIONS)).map_err(|error| error.message)?;
    let items = go_type::field(section, list).into_iter().flat_map(Node::items);
    Ok(items
        .map(|item| {
            let text = |name| go_type::text(item, name);
            let api = Api {
                group: text("group"),
                version: text("version"),
                kind: text("kind"),
                plural: String::new(),
            };
            (api, text("name"))
        })
        .collect())
}

/// Every custom resource definition that the cluster service version owns must be in the bundle.
fn check_owned(manifests: &[Manifest], version: Node<'_>) -> Result<(), String> {
    let provided = provided(manifests)?;
    let spec = spec_object(version.get("spec"))?;
    let mut owned = BTreeSet::new();
    for (api, crd) in definitions(spec, "customresourcedefinitions", "owned")? {
        owned.insert(with_group_of_name(api, &crd)?);
    }
    let shown = |api: &Api| format!("{}/{}/{} ({})", api.group, api.version, api.kind, api.plural);
    match owned.iter().find(|api| !provided.contains(api)) {
        None => Ok(()),
        Some(missing) => {
            let found: Vec<String> = provided.iter().map(|api| format!("{}:{{}}", shown(api))).collect();
            Err(format!("couldn't find {} in bundle. found: map[{}]", shown(missing), found.join(" ")))
        }
    }
}
