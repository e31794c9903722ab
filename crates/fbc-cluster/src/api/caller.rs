//! Who makes a request.

/// A user or a service account, and the name under which its writes are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The name of the user.
    pub user: String,
    /// The groups of the user.
    pub groups: Vec<String>,
    /// The field manager of its writes.
    pub manager: String,
}

impl Caller {
    /// Somebody who may do everything.
    pub fn administrator(manager: impl Into<String>) -> Self {
        let groups = vec!["system:masters".into(), "system:authenticated".into()];
        Self { user: "system:admin".into(), groups, manager: manager.into() }
    }

    /// A service account.
    pub fn service_account(namespace: &str, name: &str, manager: impl Into<String>) -> Self {
        let groups = vec![
            "system:serviceaccounts".into(),
            format!("system:serviceaccounts:{namespace}"),
            "system:authenticated".into(),
        ];
        Self { user: format!("system:serviceaccount:{namespace}:{name}"), groups, manager: manager.into() }
    }

    /// A user with these groups.
    pub fn user(name: impl Into<String>, groups: &[&str], manager: impl Into<String>) -> Self {
        let mut groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        groups.push("system:authenticated".into());
        Self { user: name.into(), groups, manager: manager.into() }
    }

    /// True for members of the group that is never asked for rights.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == "system:masters")
    }
}
