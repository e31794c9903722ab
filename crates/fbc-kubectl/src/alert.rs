//! Alerts, as the monitoring of a cluster reports them.

use std::collections::BTreeMap;

use fbc_cluster::time::Moment;

/// An alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// Its labels, which tell it from others of its name.
    pub labels: BTreeMap<String, String>,
    /// Whether it fires. One that is pending may do so soon.
    pub is_firing: bool,
    /// Since when it is active.
    pub since: Moment,
}

impl Alert {
    /// Its name.
    pub fn name(&self) -> &str {
        self.label("alertname")
    }

    /// The namespace that it is about; empty if there is none.
    pub fn namespace(&self) -> &str {
        self.label("namespace")
    }

    /// `critical`, `warning` or `info`.
    pub fn severity(&self) -> &str {
        self.label("severity")
    }

    fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}
