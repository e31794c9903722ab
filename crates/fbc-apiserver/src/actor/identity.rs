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
        const OF_USERS: &str = "authentication.k8s.io";
        let authorizer = self.cluster.api.authorizer();
        let check = |group, resource, subresource, namespace, name| {
            let verb = "impersonate";
            authorizer
                .check(&user, Attributes::Resource { verb, group, resource, subresource, namespace, name })
        };
        for group in &wanted.groups {
            check("", "groups", "", "", group)?;
        }
        if !wanted.uid.is_empty() {
            check(OF_USERS, "uids", "", "", &wanted.uid)?;
        }
        for (key, values) in &wanted.extra {
            for value in values {
                check(OF_USERS, "userextras", key, "", value)?;
            }
        }
        let account =
            wanted.user.strip_prefix("system:serviceaccount:").and_then(|name| name.split_once(':'));
        let groups: Vec<&str> = wanted.groups.iter().map(String::as_str).collect();
        let other = match account {
            Some((namespace, name)) => {
                check("", "serviceaccounts", "", namespace, name)?;
                let account = User::service_account(namespace, name);
                if groups.is_empty() { account } else { User::new(account.name, &groups) }
            }
            None if wanted.user == "system:anonymous" => anonymous(),
            None => User::new(wanted.user.as_str(), &groups),
        };
        let other = User { uid: wanted.uid.clone(), extra: wanted.extra.clone(), ..other };
        // The right to act as a user is asked for along with the request; that to act as an account was.
        Ok(Identity { user: other, impersonator: account.is_none().then_some(user) })
    }

    /// Refuses what a client has no right to, for paths that are not resources.
    pub(crate) fn check_path(&self, identity: &Identity, verb: &str, path: &str) -> Result<(), ApiError> {
        self.check(identity, Attributes::Path { verb, path })
    }

    /// Refuses what a client has no right to, or no right to do in the name of somebody else.
    pub(crate) fn check(&self, identity: &Identity, attributes: Attributes<'_>) -> Result<(), ApiError> {
        let authorizer = self.cluster.api.authorizer();
        if let Some(impersonator) = &identity.impersonator {
            authorizer.check_impersonation(impersonator, &identity.user, attributes)?;
        }
        authorizer.check(&identity.user, attributes)
    }
}

fn anonymous() -> User {
    let groups = vec!["system:unauthenticated".to_owned()];
    User { name: "system:anonymous".to_owned(), groups, ..User::default() }
}
