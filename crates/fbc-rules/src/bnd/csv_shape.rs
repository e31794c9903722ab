//! The fields of a cluster service version with their types, and what departs from them.
//!
//! Source: `operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion_types.go`.

use fbc_lint::bundle::pointer;
use fbc_yaml::{Kind, Node};

/// What a value must look like. `null` is as good as an absent value.
enum Shape {
    /// Whatever it is, it is not looked at.
    Any,
    Text,
    Bool,
    Number,
    List(&'static Shape),
    /// A mapping of any keys.
    Map(&'static Shape),
    /// A mapping of these keys and no other.
    Object(&'static [(&'static str, Shape)]),
    /// A mapping of these keys, and others that are not looked at.
    Open(&'static [(&'static str, Shape)]),
}

use Shape::{Any, Bool, List, Map, Number, Object, Open, Text};

const TEXTS: Shape = List(&Text);
const LINK: Shape = Object(&[("name", Text), ("url", Text)]);
const RESOURCES: Shape = List(&Object(&[("name", Text), ("kind", Text), ("version", Text)]));
const DESCRIPTORS: Shape = List(&Object(&[
    ("path", Text),
    ("displayName", Text),
    ("description", Text),
    ("x-descriptors", TEXTS),
    ("value", Any),
]));
const CRD_DESCRIPTIONS: Shape = List(&Object(&[
    ("name", Text),
    ("version", Text),
    ("kind", Text),
    ("displayName", Text),
    ("description", Text),
    ("resources", RESOURCES),
    ("statusDescriptors", DESCRIPTORS),
    ("specDescriptors", DESCRIPTORS),
    ("actionDescriptors", DESCRIPTORS),
]));
const API_DESCRIPTIONS: Shape = List(&Object(&[
    ("name", Text),
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("deploymentName", Text),
    ("containerPort", Number),
    ("displayName", Text),
    ("description", Text),
    ("resources", RESOURCES),
    ("statusDescriptors", DESCRIPTORS),
    ("specDescriptors", DESCRIPTORS),
    ("actionDescriptors", DESCRIPTORS),
]));
const PERMISSIONS: Shape = List(&Object(&[
    ("serviceAccountName", Text),
    (
        "rules",
        List(&Object(&[
            ("verbs", TEXTS),
            ("apiGroups", TEXTS),
            ("resources", TEXTS),
            ("resourceNames", TEXTS),
            ("nonResourceURLs", TEXTS),
        ])),
    ),
]));
const DEPLOYMENTS: Shape = List(&Object(&[
    ("name", Text),
    ("label", Map(&Text)),
    (
        "spec",
        Object(&[
            ("replicas", Number),
            ("selector", Object(&[("matchLabels", Map(&Text)), ("matchExpressions", List(&Open(&[])))])),
            (
                "template",
                Open(&[
                    ("metadata", Open(&[("labels", Map(&Text)), ("annotations", Map(&Text))])),
                    ("spec", Open(&[("containers", List(&Open(&[("name", Text), ("image", Text)])))])),
                ]),
            ),
            ("strategy", Open(&[])),
            ("minReadySeconds", Number),
            ("revisionHistoryLimit", Number),
            ("paused", Bool),
            ("progressDeadlineSeconds", Number),
        ]),
    ),
]));
const WEBHOOKS: Shape = List(&Object(&[
    ("generateName", Text),
    ("type", Text),
    ("deploymentName", Text),
    ("containerPort", Number),
    ("targetPort", Any),
    (
        "rules",
        List(&Object(&[
            ("operations", TEXTS),
            ("apiGroups", TEXTS),
            ("apiVersions", TEXTS),
            ("resources", TEXTS),
            ("scope", Text),
        ])),
    ),
    ("failurePolicy", Text),
    ("matchPolicy", Text),
    ("objectSelector", Open(&[])),
    ("sideEffects", Text),
    ("timeoutSeconds", Number),
    ("admissionReviewVersions", TEXTS),
    ("reinvocationPolicy", Text),
    ("webhookPath", Text),
    ("conversionCRDs", TEXTS),
]));
static CLUSTER_SERVICE_VERSION: Shape = Object(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", Open(&[("name", Text), ("annotations", Map(&Text)), ("labels", Map(&Text))])),
    ("status", Any),
    (
        "spec",
        Object(&[
            (
                "install",
                Object(&[
                    ("strategy", Text),
                    (
                        "spec",
                        Object(&[
                            ("deployments", DEPLOYMENTS),
                            ("permissions", PERMISSIONS),
                            ("clusterPermissions", PERMISSIONS),
                        ]),
                    ),
                ]),
            ),
            ("version", Text),
            ("release", Any),
            ("maturity", Text),
            (
                "customresourcedefinitions",
                Object(&[("owned", CRD_DESCRIPTIONS), ("required", CRD_DESCRIPTIONS)]),
            ),
            ("apiservicedefinitions", Object(&[("owned", API_DESCRIPTIONS), ("required", API_DESCRIPTIONS)])),
            ("webhookdefinitions", WEBHOOKS),
            ("nativeAPIs", List(&Object(&[("group", Text), ("version", Text), ("kind", Text)]))),
            ("minKubeVersion", Text),
            ("displayName", Text),
            ("description", Text),
            ("keywords", TEXTS),
            ("maintainers", List(&Object(&[("name", Text), ("email", Text)]))),
            ("provider", LINK),
            ("links", List(&LINK)),
            ("icon", List(&Object(&[("base64data", Text), ("mediatype", Text)]))),
            ("installModes", List(&Object(&[("type", Text), ("supported", Bool)]))),
            ("replaces", Text),
            ("labels", Map(&Text)),
            ("annotations", Map(&Text)),
            ("selector", Open(&[("matchLabels", Map(&Text))])),
            ("cleanup", Object(&[("enabled", Bool)])),
            ("skips", TEXTS),
            ("relatedImages", List(&Object(&[("name", Text), ("image", Text)]))),
        ]),
    ),
]);

/// What departs from the types.
pub(super) enum Departure<'d> {
    /// A key that means nothing there, and those that would.
    Unknown { key: &'d str, known: Vec<&'static str> },
    /// A value of another kind than this.
    Kind { expected: &'static str, found: Kind },
}

/// All departures of a cluster service version from its types, each with the JSON pointer of its value.
pub(super) fn departures(csv: Node<'_>) -> Vec<(String, Departure<'_>)> {
    let mut found = Vec::new();
    look(&CLUSTER_SERVICE_VERSION, csv, "", &mut found);
    found
}

fn look<'d>(shape: &'static Shape, node: Node<'d>, path: &str, found: &mut Vec<(String, Departure<'d>)>) {
    let expected = match shape {
        Any => return,
        _ if node.is_null() => return,
        Text => (Kind::String, "text"),
        Bool => (Kind::Bool, "true or false"),
        Number => (Kind::Number, "a number"),
        List(_) => (Kind::Array, "a list"),
        Map(_) | Object(_) | Open(_) => (Kind::Object, "a mapping"),
    };
    if node.kind() != expected.0 {
        found.push((path.to_owned(), Departure::Kind { expected: expected.1, found: node.kind() }));
        return;
    }
    match shape {
        List(item) => {
            for (number, value) in node.items().enumerate() {
                look(item, value, &format!("{path}/{number}"), found);
            }
        }
        Map(value_shape) => {
            for (key, value) in node.members() {
                look(value_shape, value, &pointer(path, key), found);
            }
        }
        Object(fields) | Open(fields) => {
            for (key, value) in node.members() {
                match fields.iter().find(|(known, _)| *known == key) {
                    Some((_, field)) => look(field, value, &pointer(path, key), found),
                    None if matches!(shape, Object(_)) => {
                        let known = fields.iter().map(|(known, _)| *known).collect();
                        found.push((pointer(path, key), Departure::Unknown { key, known }));
                    }
                    None => {}
                }
            }
        }
        Any | Text | Bool | Number => {}
    }
}
