//! What command lines say, as data.

use fbc_cluster::time::Milliseconds;

use super::create::Creation;
use super::node_verb::{Cordon, Drain, Policy, Taint};
use super::read::{ApiResources, CanI, Logs};
use super::release::ReleaseVerb;
use super::upgrade::UpgradeVerb;
use super::writing::{DryRun, Validation};
use crate::jsonpath::Template;
use crate::print::Output;

/// A command line that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// On whose behalf, and where.
    pub context: Context,
    /// `-o`
    pub output: Output,
    /// What to do.
    pub verb: Verb,
}

/// On whose behalf a command runs, and in which namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// `-n`
    pub namespace: Option<String>,
    /// `--as`
    pub user: Option<String>,
    /// `--as-group`
    pub groups: Vec<String>,
    /// `--validate`
    pub validation: Validation,
    /// What the reader should know about flags that do nothing here.
    pub notes: Vec<String>,
}

/// What a command does.
#[derive(Debug, Clone, PartialEq)]
pub enum Verb {
    /// `get`
    Get(Get),
    /// `describe`
    Describe(Describe),
    /// `events`
    Events(Events),
    /// `logs`
    Logs(Logs),
    /// `apply`
    Apply(Apply),
    /// `create`, with files or as one of its sub-commands
    Create(Creation),
    /// `replace`
    Replace(Replace),
    /// `delete`
    Delete(Delete),
    /// `patch`, and `edit` with the change as a patch
    Patch(Patch),
    /// `label` and `annotate`
    Metadata(MetadataChange),
    /// `scale`
    Scale(Scale),
    /// `rollout`
    Rollout(Rollout),
    /// `wait`
    Wait(Wait),
    /// `auth can-i`
    CanI(CanI),
    /// `api-resources`
    ApiResources(ApiResources),
    /// `auth whoami` and `oc whoami`
    WhoAmI {
        /// With the groups, as kubectl says it; oc says the name alone.
        with_groups: bool,
    },
    /// `oc project`
    Project {
        /// The namespace to switch to; the current one is shown without.
        name: Option<String>,
    },
    /// `oc adm policy add-…-role-to-…` and its opposite
    Policy(Policy),
    /// `oc adm upgrade`
    Upgrade(UpgradeVerb),
    /// `oc adm release`
    Release(ReleaseVerb),
    /// `taint`
    Taint(Taint),
    /// `cordon` and `uncordon`
    Cordon(Cordon),
    /// `drain`
    Drain(Drain),
}

/// Which objects a command is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Resource arguments as given: `pods`, `pods a b`, `deploy/web svc/web`, `roles,rolebindings`.
    pub arguments: Vec<String>,
    /// `-f`; `-` is standard input.
    pub files: Vec<String>,
    /// `-l`
    pub selector: Option<String>,
    /// `--field-selector`
    pub field_selector: Option<String>,
    /// `--all`
    pub all: bool,
    /// `-A`
    pub all_namespaces: bool,
}

/// `get`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Get {
    /// What to get.
    pub selection: Selection,
    /// `--show-labels`
    pub show_labels: bool,
    /// `-L`
    pub label_columns: Vec<String>,
    /// `--no-headers`
    pub no_headers: bool,
    /// `--ignore-not-found`
    pub ignore_not_found: bool,
    /// `--show-kind`
    pub show_kind: bool,
    /// `--show-managed-fields`
    pub show_managed_fields: bool,
    /// `--sort-by`
    pub sort_by: Option<String>,
}

/// `describe`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Describe {
    /// What to describe.
    pub selection: Selection,
    /// `--show-events`
    pub show_events: bool,
}

/// `events`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Events {
    /// `--for`: one resource argument.
    pub involved: Option<String>,
    /// `--types`
    pub types: Vec<String>,
    /// `-A`
    pub all_namespaces: bool,
    /// `--no-headers`
    pub no_headers: bool,
}

/// `apply`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Apply {
    /// Files, and a selector for what is in them.
    pub selection: Selection,
    /// `--server-side`
    pub server_side: bool,
    /// `--force-conflicts`
    pub force_conflicts: bool,
    /// `--field-manager`, or what kubectl takes without.
    pub field_manager: String,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// `replace`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replace {
    /// Files.
    pub selection: Selection,
    /// `--force`: delete and create again.
    pub force: bool,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// `delete`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// What to delete.
    pub selection: Selection,
    /// `--cascade`
    pub cascade: Cascade,
    /// `--grace-period` in seconds; the server decides without.
    pub grace_period: Option<i64>,
    /// `--force`
    pub force: bool,
    /// `--ignore-not-found`
    pub ignore_not_found: bool,
    /// `--wait`
    pub wait: bool,
    /// `--timeout`; for ever without.
    pub timeout: Option<Milliseconds>,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// What happens to objects that a deleted object owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cascade {
    /// They are deleted afterwards.
    #[default]
    Background,
    /// They are deleted before.
    Foreground,
    /// They stay.
    Orphan,
}

/// How a patch is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PatchType {
    /// Lists merge by their keys; built-in kinds only.
    #[default]
    Strategic,
    /// RFC 7386
    Merge,
    /// RFC 6902
    Json,
}

/// Where the text of a patch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchSource {
    /// On the command line.
    Text(String),
    /// In a file.
    File(String),
}

/// `patch`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// What to patch.
    pub selection: Selection,
    /// `--type`; `edit` takes what fits the kind.
    pub patch_type: Option<PatchType>,
    /// `-p` or `--patch-file`
    pub source: PatchSource,
    /// `--subresource`
    pub subresource: Option<String>,
    /// `--dry-run`
    pub dry_run: DryRun,
    /// True for `edit`, which says `edited`.
    pub edit: bool,
}

/// `label` and `annotate`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataChange {
    /// What to change.
    pub selection: Selection,
    /// True for `annotate`.
    pub annotations: bool,
    /// Keys and values to set.
    pub set: Vec<(String, String)>,
    /// Keys to remove.
    pub remove: Vec<String>,
    /// `--overwrite`
    pub overwrite: bool,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// `scale`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// What to scale.
    pub selection: Selection,
    /// `--replicas`
    pub replicas: i64,
    /// `--current-replicas`
    pub current_replicas: Option<i64>,
    /// `--dry-run`
    pub dry_run: DryRun,
}

/// `rollout`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rollout {
    /// Which workloads.
    pub selection: Selection,
    /// What to do with them.
    pub action: RolloutAction,
}

/// The sub-commands of `rollout`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolloutAction {
    /// Waits until the rollout is complete.
    Status {
        /// `--watch`
        watch: bool,
        /// `--timeout`; for ever without.
        timeout: Option<Milliseconds>,
        /// `--revision`
        revision: Option<i64>,
    },
    /// Changes an annotation of the template.
    Restart,
}

/// `wait`
#[derive(Debug, Clone, PartialEq)]
pub struct Wait {
    /// For which objects.
    pub selection: Selection,
    /// For what.
    pub condition: WaitFor,
    /// `--timeout`
    pub timeout: Milliseconds,
}

/// What `wait` waits for.
#[derive(Debug, Clone, PartialEq)]
pub enum WaitFor {
    /// The object exists.
    Create,
    /// The object is gone.
    Delete,
    /// A condition has a status.
    Condition {
        /// Its type, in any letters.
        name: String,
        /// Its status, `true` without.
        status: String,
    },
    /// A path has a value.
    JsonPath {
        /// The path as given.
        path: String,
        /// The path, compiled.
        template: Template,
        /// The value; any will do without.
        value: Option<String>,
    },
}
