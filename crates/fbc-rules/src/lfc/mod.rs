//! Lifecycles of operators: until when each version is supported, as consoles show it.

use fbc_lint::rule::Rule;
use fbc_version::OpenShiftRelease;

mod blobs;

pub mod lost_by_dockerfile;
pub mod package;
pub mod phase_dates;
pub mod phase_name;
pub mod phase_order;
pub mod repeated;
pub mod version_name;

/// The first release whose console shows lifecycles, and for which pipelines put them beside catalogs.
///
/// Source: `konflux-ci/konflux-operator-tasks:task/fbc-inject-lifecycle-oci-ta/0.1/fbc-inject-lifecycle-oci-ta.yaml`.
pub const FIRST_RELEASE: OpenShiftRelease = OpenShiftRelease::new(5, 0);

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &package::RULE,
    &repeated::RULE,
    &version_name::RULE,
    &phase_name::RULE,
    &phase_dates::RULE,
    &phase_order::RULE,
    &lost_by_dockerfile::RULE,
];
