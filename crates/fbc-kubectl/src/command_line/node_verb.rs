//! What verbs of nodes, and those that only `oc` has, say as data.

use fbc_cluster::time::Milliseconds;

use super::verb::Selection;
use super::writing::DryRun;

/// `oc adm policy`: a role for a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// True for `add-`, false for `remove-`.
    pub add: bool,
    /// True for a cluster role bound in the whole cluster.
    pub cluster: bool,
    /// The role.
    pub role: String,
    /// `User` or `Group`
    pub subject_kind: &'static str,
    /// The subjects.
    pub subjects: Vec<String>,
    /// `--rolebinding-name`
    pub binding: Option<String>,
}

/// `taint`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taint {
    /// Nodes.
    pub selection: Selection,
    /// Changes as given: `key=value:Effect`, `key-`.
    pub changes: Vec<String>,
    /// `--overwrite`
    pub overwrite: bool,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// `cordon` and `uncordon`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cordon {
    /// Nodes.
    pub nodes: Vec<String>,
    /// `-l`
    pub selector: Option<String>,
    /// False for `uncordon`.
    pub unschedulable: bool,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// `drain`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Drain {
    /// Nodes.
    pub nodes: Vec<String>,
    /// `-l`
    pub selector: Option<String>,
    /// `--pod-selector`
    pub pod_selector: Option<String>,
    /// `--ignore-daemonsets`
    pub ignore_daemon_sets: bool,
    /// `--delete-emptydir-data`
    pub delete_empty_dir_data: bool,
    /// `--force`
    pub force: bool,
    /// `--disable-eviction`
    pub disable_eviction: bool,
    /// `--grace-period` in seconds; that of each pod without.
    pub grace_period: Option<i64>,
    /// `--timeout`; for ever without.
    pub timeout: Option<Milliseconds>,
    /// `--skip-wait-for-delete-timeout` in seconds
    pub skip_wait_for_delete_timeout: Option<i64>,
    /// `--dry-run`
    pub dry_run: DryRun,
}
