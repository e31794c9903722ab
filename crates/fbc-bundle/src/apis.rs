//! The APIs that a bundle provides and requires, and whether its manifests fit the types that tell them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:pkg/registry/bundle.go` and `pkg/registry/csv.go`.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::named::{BETA_CUSTOM_RESOURCE_DEFINITION, CUSTOM_RESOURCE_DEFINITION};
use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING, TypeError};
use fbc_model::kubernetes_json::{self, Keys};
use fbc_model::marked_json::marked_with_integers;
use fbc_yaml::{Kind, Node};

use crate::folder::{BundleError, Manifest, cluster_service_version};

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
            kubernetes_json::check(version, of, Keys::Folded, "v1").map_err(|misfit| {
                let marked = || marked_with_integers(version, &misfit.message, &misfit.pointer);
                BundleError::Content(if misfit.has_offset { marked() } else { misfit.message.clone() })
            })?;
        }
    }
    manifests.iter().try_for_each(check_definition)?;
    let version = version.ok_or(BundleError::NoClusterServiceVersion)?;
    check_owned(manifests, version).map_err(|error| {
        BundleError::Content(format!("error checking provided apis in bundle {}: {error}", name(version)))
    })
}

/// The name of a cluster service version, and so of the bundle.
pub(crate) fn name(version: Node<'_>) -> String {
    go_type::field(version, "metadata").map(|metadata| go_type::text(metadata, "name")).unwrap_or_default()
}

fn check_definition(manifest: &Manifest) -> Result<(), BundleError> {
    let (group, version) = manifest.group_and_version();
    let (of, version) = match version {
        "v1" => (CUSTOM_RESOURCE_DEFINITION, "v1"),
        "v1beta1" => (BETA_CUSTOM_RESOURCE_DEFINITION, "v1beta1"),
        _ => return Ok(()),
    };
    if manifest.kind() != DEFINITION.0 {
        return Ok(());
    }
    let decoding = |error: String| BundleError::Content(format!("error decoding {version} CRD: {error}"));
    if group != DEFINITION.1 {
        let shown = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        return Err(decoding(format!(
            "no kind {} is registered for version {} in scheme {}",
            quote(DEFINITION.0),
            quote(&shown),
            quote(SCHEME)
        )));
    }
    kubernetes_json::check(manifest.root(), of, Keys::Exact, version)
        .map_err(|misfit| decoding(misfit.message))
}

/// What does not fit in the APIs of a bundle; the texts are the reference's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ApiFault {
    #[error("unexpected end of JSON input")]
    NoSpec,
    #[error("json: cannot unmarshal {} into Go value of type map[string]*json.RawMessage", .0.go_name())]
    Spec(Kind),
    #[error("error unmarshaling into object map: {0}")]
    ObjectMap(Box<Self>),
    #[error("error getting apiservice definitions: {0}")]
    Services(Box<Self>),
    #[error(transparent)]
    Type(#[from] TypeError),
    #[error("couldn't parse plural.group from crd name: {0}")]
    Name(String),
    #[error("couldn't find {missing} in bundle. found: map[{found}]")]
    NotProvided { missing: String, found: String },
}

/// The APIs of all custom resource definitions in the bundle, and the owned API services.
///
/// # Errors
/// [`ApiFault`] where the list of services does not fit.
pub(crate) fn provided(manifests: &[Manifest]) -> Result<BTreeSet<Api>, ApiFault> {
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
        .map_err(|fault| ApiFault::ObjectMap(Box::new(fault)))
        .and_then(|spec| definitions(spec, "apiservicedefinitions", "owned"))
        .map_err(|fault| ApiFault::Services(Box::new(fault)))?;
    provided.extend(services.into_iter().map(|(api, name)| Api { plural: name, ..api }));
    Ok(provided)
}

/// The APIs that the cluster service version asks for.
///
/// # Errors
/// [`ApiFault`] where they do not fit.
pub(crate) fn required(spec: Node<'_>) -> Result<BTreeSet<Api>, ApiFault> {
    let mut required = BTreeSet::new();
    for (api, name) in definitions(spec, "customresourcedefinitions", "required")? {
        required.insert(with_group_of_name(api, &name)?);
    }
    let services = definitions(spec, "apiservicedefinitions", "required")?;
    required.extend(services.into_iter().map(|(api, _)| api));
    Ok(required)
}

/// The spec as Go's map of raw values.
fn spec_object(spec: Option<Node<'_>>) -> Result<Node<'_>, ApiFault> {
    match spec.map(|spec| (spec, spec.kind())) {
        None => Err(ApiFault::NoSpec),
        Some((spec, Kind::Object | Kind::Null)) => Ok(spec),
        Some((_, kind)) => Err(ApiFault::Spec(kind)),
    }
}

/// The name of a custom resource definition is `plural.group`.
fn with_group_of_name(api: Api, name: &str) -> Result<Api, ApiFault> {
    match name.split_once('.') {
        Some((plural, group)) => Ok(Api { group: group.to_owned(), plural: plural.to_owned(), ..api }),
        None => Err(ApiFault::Name(name.to_owned())),
    }
}

fn definitions(spec: Node<'_>, section: &str, list: &str) -> Result<Vec<(Api, String)>, ApiFault> {
    let Some(section) = spec.get(section).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    go_type::check(section, &GoType::Struct(&DEFINITIONS))?;
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
fn check_owned(manifests: &[Manifest], version: Node<'_>) -> Result<(), ApiFault> {
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
            Err(ApiFault::NotProvided { missing: shown(missing), found: found.join(" ") })
        }
    }
}
