//! Who makes a request.

use crate::access::User;

/// A user, and the name under which its writes are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user.
    pub user: User,
    /// The field manager of its writes.
    pub manager: String,
    /// Who acts in the name of the user, and needs the right to.
    pub impersonator: Option<User>,
}

impl Caller {
    /// Somebody who may do everything.
    pub fn administrator(manager: impl Into<String>) -> Self {
        Self { user: User::administrator(), manager: manager.into(), impersonator: None }
    }

    /// A service account.
    pub fn service_account(namespace: &str, name: &str, manager: impl Into<String>) -> Self {
        Self { user: User::service_account(namespace, name), manager: manager.into(), impersonator: None }
    }

    /// A user with these groups.
    pub fn user(name: impl Into<String>, groups: &[&str], manager: impl Into<String>) -> Self {
        Self { user: User::new(name, groups), manager: manager.into(), impersonator: None }
    }
}
