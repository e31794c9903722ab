//! Users, and what they ask for.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use crate::error::{ApiError, Reason};

/// The group whose members may do everything.
pub(super) const MASTERS: &str = "system:masters";

/// Somebody who sends requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    /// The name.
    pub name: String,
    /// The groups, in the order in which refusals name them.
    pub groups: Vec<String>,
    /// The uid; empty for users that have none.
    pub uid: String,
    /// What else whoever knows the user says of it, by lower-case keys.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// A user with groups; everybody who is known is a member of `system:authenticated`.
    pub fn new(name: impl Into<String>, groups: &[&str]) -> Self {
        let mut groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        let authenticated = "system:authenticated";
        if !groups.iter().any(|group| group == authenticated) {
            groups.push(authenticated.to_owned());
        }
        Self { name: name.into(), groups, ..Self::default() }
    }

    /// The same user with a uid.
    #[must_use]
    pub fn with_uid(self, uid: impl Into<String>) -> Self {
        Self { uid: uid.into(), ..self }
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

    /// The user as Go prints a pointer to its `user.DefaultInfo`, which some refusals show: `&{bob  [ops] map[]}`.
    pub(super) fn as_go_prints(&self) -> String {
        let extra = self.extra.iter().map(|(key, values)| format!("{key}:[{}]", values.join(" ")));
        let extra = extra.collect::<Vec<_>>().join(" ");
        format!("&{{{} {} [{}] map[{extra}]}}", self.name, self.uid, self.groups.join(" "))
    }

    /// `UserInfo` of `authentication.k8s.io/v1`, without what is empty.
    pub fn to_json(&self) -> Value {
        let mut info = json!({"username": self.name, "groups": self.groups});
        if !self.uid.is_empty() {
            info["uid"] = self.uid.as_str().into();
        }
        if !self.extra.is_empty() {
            info["extra"] = json!(self.extra);
        }
        info
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
