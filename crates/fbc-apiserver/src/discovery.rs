//! What is served: groups, versions and resources, in the old form and in the aggregated one.
//!
//! Sources: `kubernetes/apiserver:pkg/endpoints/discovery`, `kubernetes/api:apidiscovery/v2/types.go`.

use fbc_cluster::error::ApiError;
use fbc_cluster::kind::{Kind, KindId};
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::answer::{Answer, Content};
use crate::present::{Accepted, accepted};
use crate::request::Request;
use crate::resources::{Subresources, not_found};

const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// Questions that are posted: group, resource, kind, whether they belong to a namespace.
pub(crate) const REVIEWS: [(&str, &str, &str, bool); 6] = [
    ("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview", false),
    ("authentication.k8s.io", "tokenreviews", "TokenReview", false),
    ("authorization.k8s.io", "localsubjectaccessreviews", "LocalSubjectAccessReview", true),
    ("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false),
    ("authorization.k8s.io", "selfsubjectrulesreviews", "SelfSubjectRulesReview", false),
    ("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", false),
];

/// A group with its versions, the preferred one first.
struct Group {
    name: String,
    versions: Vec<String>,
}

impl Actor<'_> {
    pub(crate) fn discover(&self, request: &Request, segments: &[String]) -> Result<Answer, ApiError> {
        if request.method != http::Method::GET && request.method != http::Method::HEAD {
            return Err(crate::resources::method_not_allowed());
        }
        let form = accepted(&request.accept)?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        Ok(match (segments.as_slice(), form) {
            (["api" | "apis"], Accepted::Discovery(version)) => self.aggregated(version, segments == ["api"]),
            (["api"], _) => Answer::json(json!({
                "kind": "APIVersions", "versions": ["v1"],
                "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": self.settings.address}],
            })),
            (["apis"], _) => {
                let groups: Vec<Value> = self.groups().iter().map(Group::to_json).collect();
                Answer::json(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
            }
            (["apis", name], _) => match self.groups().iter().find(|group| group.name == *name) {
                Some(group) => {
                    let mut value = group.to_json();
                    value["kind"] = "APIGroup".into();
                    value["apiVersion"] = "v1".into();
                    Answer::json(value)
                }
                None => not_found(),
            },
            (["api", version], _) => self.resource_list("", version),
            (["apis", group, version], _) => self.resource_list(group, version),
            _ => not_found(),
        })
    }

    /// The kinds of a version of a group, in the order of their names.
    pub(crate) fn kinds_of(&self, group: &str, version: &str) -> Vec<(KindId, &Kind)> {
        let registry = self.cluster.api.registry();
        let mut kinds: Vec<(KindId, &Kind)> = registry
            .iter()
            .filter(|(id, kind)| {
                kind.group == group
                    && kind.versions.iter().any(|served| served == version)
                    && self.is_served(*id, kind)
            })
            .collect();
        kinds.sort_by(|one, other| one.1.plural.cmp(&other.1.plural));
        kinds
    }

    /// Every version of every group with kinds, the core group first.
    pub(crate) fn group_versions(&self) -> Vec<(String, String)> {
        let core = ("".to_owned(), "v1".to_owned());
        let others = self.groups().into_iter().flat_map(|group| {
            group.versions.into_iter().map(move |version| (group.name.clone(), version)).collect::<Vec<_>>()
        });
        std::iter::once(core).chain(others).collect()
    }

    fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut add = |name: &str, versions: &[String]| {
            let group = match groups.iter_mut().position(|group| group.name == name) {
                Some(index) => groups.get_mut(index),
                None => {
                    groups.push(Group { name: name.to_owned(), versions: Vec::new() });
                    groups.last_mut()
                }
            };
            let Some(group) = group else { return };
            for version in versions {
                if !group.versions.contains(version) {
                    group.versions.push(version.clone());
                }
            }
        };
        let api = &self.cluster.api;
        for (id, kind) in api.registry().iter().filter(|(_, kind)| !kind.group.is_empty()) {
            if self.is_served(id, kind) {
                add(&kind.group, &kind.versions);
            }
        }
        for (group, ..) in REVIEWS {
            add(group, &["v1".to_owned()]);
        }
        for group in &mut groups {
            group.versions.sort_by(|one, other| fbc_cluster::schema::compare_versions(one, other));
        }
        groups
    }

    fn resource_list(&self, group: &str, version: &str) -> Answer {
        let mut resources = Vec::new();
        for (id, kind) in self.kinds_of(group, version) {
            let mut resource = json!({
                "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced, "kind": kind.kind,
                "verbs": verbs(kind),
            });
            if !kind.short_names.is_empty() {
                resource["shortNames"] = json!(kind.short_names);
            }
            if !kind.categories.is_empty() {
                resource["categories"] = json!(kind.categories);
            }
            resources.push(resource);
            for sub in Subresources::of(&self.cluster.api, id, kind, version) {
                let mut resource = json!({
                    "name": format!("{}/{}", kind.plural, sub.name), "singularName": "", "namespaced": kind.namespaced,
                    "kind": if sub.kind.2.is_empty() { kind.kind.as_str() } else { sub.kind.2 }, "verbs": sub.verbs,
                });
                if !sub.kind.1.is_empty() && (sub.kind.0, sub.kind.1) != (group, version) {
                    resource["group"] = sub.kind.0.into();
                    resource["version"] = sub.kind.1.into();
                }
                resources.push(resource);
            }
        }
        for (_, name, kind, namespaced) in reviews_of(group, version) {
            resources.push(json!({
                "name": name, "singularName": kind.to_lowercase(), "namespaced": namespaced, "kind": kind,
                "verbs": ["create"],
            }));
        }
        if resources.is_empty() {
            return not_found();
        }
        let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        Answer::json(json!({
            "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources,
        }))
    }

    fn aggregated(&self, form: &'static str, of_core: bool) -> Answer {
        let groups = if of_core {
            vec![Group { name: String::new(), versions: vec!["v1".to_owned()] }]
        } else {
            self.groups()
        };
        let items: Vec<Value> = groups
            .iter()
            .map(|group| {
                let versions: Vec<Value> = group
                    .versions
                    .iter()
                    .map(|version| {
                        let resources = self.aggregated_resources(&group.name, version);
                        json!({"version": version, "resources": resources, "freshness": "Current"})
                    })
                    .collect();
                json!({"metadata": {"name": group.name, "creationTimestamp": null}, "versions": versions})
            })
            .collect();
        let value = json!({
            "kind": "APIGroupDiscoveryList", "apiVersion": format!("apidiscovery.k8s.io/{form}"), "metadata": {},
            "items": items,
        });
        let media_type = match form {
            "v2" => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            _ => "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        };
        Answer::new(200, Content::Bytes(media_type, value.to_string().into()))
    }

    fn aggregated_resources(&self, group: &str, version: &str) -> Vec<Value> {
        let scope = |namespaced: bool| if namespaced { "Namespaced" } else { "Cluster" };
        let mut resources = Vec::new();
        for (id, kind) in self.kinds_of(group, version) {
            let own = json!({"group": group, "version": version, "kind": kind.kind});
            let subresources: Vec<Value> = Subresources::of(&self.cluster.api, id, kind, version)
                .iter()
                .map(|sub| {
                    let kind = match sub.kind {
                        (_, "", _) => own.clone(),
                        (group, version, kind) => json!({"group": group, "version": version, "kind": kind}),
                    };
                    json!({"subresource": sub.name, "responseKind": kind, "verbs": sub.verbs})
                })
                .collect();
            let mut resource = json!({
                "resource": kind.plural, "responseKind": own, "scope": scope(kind.namespaced),
                "singularResource": kind.singular, "verbs": verbs(kind),
            });
            for (name, list) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
                if !list.is_empty() {
                    resource[name] = json!(list);
                }
            }
            if !subresources.is_empty() {
                resource["subresources"] = subresources.into();
            }
            resources.push(resource);
        }
        for (_, name, kind, namespaced) in reviews_of(group, version) {
            resources.push(json!({
                "resource": name, "responseKind": {"group": group, "version": version, "kind": kind},
                "scope": scope(*namespaced), "singularResource": kind.to_lowercase(), "verbs": ["create"],
            }));
        }
        resources
    }
}

/// Everything can be done with objects of most kinds; of bindings there are none, they are only posted.
pub(crate) fn verbs(kind: &Kind) -> &'static [&'static str] {
    if kind.group.is_empty() && kind.kind == "Binding" { &["create"] } else { &VERBS }
}

pub(crate) fn reviews_of(
    group: &str,
    version: &str,
) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str, bool)> {
    let is_served = version == "v1";
    REVIEWS.iter().filter(move |(of, ..)| is_served && *of == group)
}

impl Group {
    fn to_json(&self) -> Value {
        let version = |version: &String| json!({"groupVersion": format!("{}/{version}", self.name), "version": version});
        let versions: Vec<Value> = self.versions.iter().map(version).collect();
        let preferred = versions.first().cloned().unwrap_or_default();
        json!({"name": self.name, "versions": versions, "preferredVersion": preferred})
    }
}
