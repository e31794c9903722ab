//! What a path means.
//!
//! Source: `kubernetes/apiserver:pkg/endpoints/request/requestinfo.go`.

use super::unescape;

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Something of an API group.
    Resource(Resource),
    /// `/api`, `/apis`, or a group or version below them: the segments of the path.
    Discovery(Vec<String>),
    /// Everything else.
    Other(String),
}

/// A resource in a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resource {
    /// Empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// Empty for the whole cluster.
    pub namespace: String,
    /// The resource, such as `pods`.
    pub resource: String,
    /// Empty for a collection.
    pub name: String,
    /// Empty, or such as `status`.
    pub subresource: String,
    /// What follows a subresource, such as the path of a proxy.
    pub rest: Vec<String>,
    /// True for the old form of watches, with `watch` in the path.
    pub is_watch: bool,
}

/// Reads a path.
pub fn place(path: &str) -> Place {
    let mut segments: Vec<String> =
        path.split('/').filter(|segment| !segment.is_empty()).map(unescape).collect();
    let prefix = match segments.first().map(String::as_str) {
        Some("api") => 2,
        Some("apis") => 3,
        _ => return Place::Other(path.to_owned()),
    };
    if segments.len() <= prefix {
        return Place::Discovery(segments);
    }
    let ends_with_slash = path.ends_with('/') && segments.iter().any(|segment| segment == "proxy");
    let mut rest = segments.split_off(prefix);
    let mut segments = segments.into_iter().skip(1);
    let group = if prefix == 3 { segments.next().unwrap_or_default() } else { String::new() };
    let version = segments.next().unwrap_or_default();
    let mut found = Resource { group, version, ..Resource::default() };
    if rest.first().is_some_and(|first| first == "watch") && rest.len() > 1 {
        rest.remove(0);
        found.is_watch = true;
    }
    let is_subresource = |name: &str| ["status", "finalize"].contains(&name);
    let in_namespace = rest.first().is_some_and(|first| first == "namespaces")
        && rest.get(2).is_some_and(|third| !is_subresource(third));
    let mut rest = rest.into_iter();
    if in_namespace {
        found.namespace = rest.nth(1).unwrap_or_default();
    }
    found.resource = rest.next().unwrap_or_default();
    found.name = rest.next().unwrap_or_default();
    found.subresource = rest.next().unwrap_or_default();
    found.rest = rest.collect();
    if ends_with_slash {
        found.rest.push(String::new());
    }
    if found.group.is_empty() && found.resource == "namespaces" {
        found.namespace.clone_from(&found.name);
    }
    Place::Resource(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_what_they_mean() {
        for (path, expected) in [
            ("/api/v1/pods", ["", "v1", "", "pods", "", ""]),
            ("/api/v1/namespaces", ["", "v1", "", "namespaces", "", ""]),
            ("/api/v1/namespaces/a", ["", "v1", "a", "namespaces", "a", ""]),
            ("/api/v1/namespaces/a/finalize", ["", "v1", "a", "namespaces", "a", "finalize"]),
            ("/api/v1/namespaces/a/pods/b/log", ["", "v1", "a", "pods", "b", "log"]),
            ("/apis/apps/v1/namespaces/a/deployments/b", ["apps", "v1", "a", "deployments", "b", ""]),
            ("/apis/x/v1/nodes/a%2Fb/status", ["x", "v1", "", "nodes", "a/b", "status"]),
            ("/api/v1/watch/pods", ["", "v1", "", "pods", "", ""]),
        ] {
            let Place::Resource(found) = place(path) else { panic!("{path} is not a resource") };
            let parts = [
                found.group.as_str(),
                &found.version,
                &found.namespace,
                &found.resource,
                &found.name,
                &found.subresource,
            ];
            assert_eq!(parts, expected, "{path}");
        }
        assert_eq!(place("/apis/apps/v1"), Place::Discovery(vec!["apis".into(), "apps".into(), "v1".into()]));
        assert_eq!(place("/version"), Place::Other("/version".to_owned()));
    }
}
