//! Alerts, as the monitoring of a cluster reports them.

use fbc_cluster::time::Moment;

/// An alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// Its name.
    pub name: String,
    /// The namespace that it is about; empty if there is none.
    pub namespace: String,
    /// `critical`, `warning` or `info`.
    pub severity: String,
    /// Whether it fires. One that is pending may do so soon.
    pub is_firing: bool,
    /// Since when it is active.
    pub since: Moment,
}
