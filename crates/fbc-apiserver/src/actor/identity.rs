//! Who asks, and as whom.
//!
//! Sources: `kubernetes/apiserver:pkg/endpoints/filters/{authentication,impersonation}.go`.

use fbc_cluster::access::{Attributes, User};
use fbc_cluster::error::{ApiError, Reason};

use super::Actor;
use crate::request::{Credential, Impersonation, Request};

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// In whose name.
    pub(crate) user: User,
    /// Who acts in the name of the user, and needs the right to.
    pub(crate) impersonator: Option<User>,
}

/// The refusal of a client that is not known.
fn unauthorized() -> ApiError {
    ApiError::other(Reason::Unauthorized, "Unauthorized")
}

impl Actor<'_> {
    pub(crate) fn identify(&self, request: &Request) -> Result<Identity, ApiError> {
        let user = match &request.credential {
            Credential::Certificate(user) => user.clone(),
            Credential::Token(token) => {
                self.settings.tokens.user_of(token, &[], &self.cluster.api).map_err(|_| unauthorized())?.user
            }
            Credential::None if self.settings.anonymous => anonymous(),
            Credential::None | Credential::Invalid => return Err(unauthorized()),
        };
        match &request.impersonation {
            None => Ok(Identity { user, impersonator: None }),
            Some(wanted) => self.impersonate(user, wanted),
        }
    }

    fn impersonate(&self, user: User, wanted: &Impersonation) -> Result<Identity, ApiError> {
        let authorizer = self.cluster.api.authorizer();
        for group in &wanted.groups {
            let attributes = Attributes::Resource {
                verb: "impersonate",
                group: "",
                resource: "groups",
                subresource: "",
                namespace: "",
                name: group,
            };
            authorizer.check(&user, attributes)?;
        }
        let account =
            wanted.user.strip_prefix("system:serviceaccount:").and_then(|name| name.split_once(':'));
        let groups: Vec<&str> = wanted.groups.iter().map(String::as_str).collect();
        let other = match account {
            Some((namespace, name)) => {
                let attributes = Attributes::Resource {
                    verb: "impersonate",
                    group: "",
                    resource: "serviceaccounts",
                    subresource: "",
                    namespace,
                    name,
                };
                authorizer.check(&user, attributes)?;
                let account = User::service_account(namespace, name);
                let user = if groups.is_empty() { account } else { User::new(account.name, &groups) };
                return Ok(Identity { user, impersonator: None });
            }
            None if wanted.user == "system:anonymous" => anonymous(),
            None => User::new(wanted.user.as_str(), &groups),
        };
        Ok(Identity { user: other, impersonator: Some(user) })
    }

    /// Refuses what a client has no right to, for paths that are not resources.
    pub(crate) fn check_path(&self, identity: &Identity, verb: &str, path: &str) -> Result<(), ApiError> {
        let attributes = Attributes::Path { verb, path };
        let authorizer = self.cluster.api.authorizer();
        if let Some(impersonator) = &identity.impersonator {
            authorizer.check_impersonation(impersonator, &identity.user, attributes)?;
        }
        authorizer.check(&identity.user, attributes)
    }
}

fn anonymous() -> User {
    User { name: "system:anonymous".to_owned(), groups: vec!["system:unauthenticated".to_owned()] }
}
