//! Users, and what they ask for.

use std::fmt;

use crate::error::{ApiError, Reason};

/// The group whose members may do everything.
pub(super) const MASTERS: &str = "system:masters";

/// Somebody who sends requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    /// The name.
    pub name: String,
    /// The groups, in the order in which refusals name them.
    pub groups: Vec<String>,
}

impl User {
    /// A user with groups; everybody who is known is a member of `system:authenticated`.
    pub fn new(name: impl Into<String>, groups: &[&str]) -> Self {
        let mut groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        let authenticated = "system:authenticated";
        if !groups.iter().any(|group| group == authenticated) {
            groups.push(authenticated.to_owned());
        }
        Self { name: name.into(), groups }
    }

    /// The user that a service account is.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        let of_namespace = format!("system:serviceaccounts:{namespace}");
        let user = format!("system:serviceaccount:{namespace}:{name}");
        Self::new(user, &["system:serviceaccounts", &of_namespace])
    }

    /// Somebody who may do everything.
    pub fn administrator() -> Self {
        Self::new("kubernetes-admin", &[MASTERS])
    }

    /// True if nothing is forbidden to the user.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == MASTERS)
    }
}

/// `user "bob" (groups=["ops" "system:authenticated"])`, as refusals of grants name a user.
impl fmt::Display for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<String> = self.groups.iter().map(|group| format!("{group:?}")).collect();
        write!(formatter, "user {:?} (groups=[{}])", self.name, groups.join(" "))
    }
}

/// What a request wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attributes<'r> {
    /// To do something with objects.
    Resource {
        /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection` and others.
        verb: &'r str,
        /// The API group.
        group: &'r str,
        /// The resource, such as `pods`.
        resource: &'r str,
        /// Empty, or such as `status`.
        subresource: &'r str,
        /// Empty for the whole cluster.
        namespace: &'r str,
        /// Empty where no object is named.
        name: &'r str,
    },
    /// To do something with a path, such as `/metrics`.
    Path {
        /// The verb.
        verb: &'r str,
        /// The path.
        path: &'r str,
    },
}

impl Attributes<'_> {
    /// The namespace that the request is about, empty for the whole cluster.
    pub(super) fn namespace(&self) -> &str {
        match self {
            Self::Resource { namespace, .. } => namespace,
            Self::Path { .. } => "",
        }
    }

    /// The refusal of the request.
    ///
    /// Source: `kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/errors.go`.
    pub fn refusal(&self, user: &User, reason: &str) -> ApiError {
        let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let user = &user.name;
        match self {
            Self::Path { verb, path } => ApiError::other(
                Reason::Forbidden,
                format!("forbidden: User {user:?} cannot {verb} path {path:?}{because}"),
            ),
            Self::Resource { verb, group, resource, subresource, namespace, name } => {
                let whole = if subresource.is_empty() {
                    (*resource).to_owned()
                } else {
                    format!("{resource}/{subresource}")
                };
                let place = if namespace.is_empty() {
                    "at the cluster scope".to_owned()
                } else {
                    format!("in the namespace {namespace:?}")
                };
                let text = format!(
                    "User {user:?} cannot {verb} resource {whole:?} in API group {group:?} {place}{because}"
                );
                ApiError::forbidden(group, resource, name, &text)
            }
        }
    }
}
