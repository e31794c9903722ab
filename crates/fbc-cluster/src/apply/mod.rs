//! Who owns which field, server-side apply, and patches.
//!
//! * [`apply`] is the API server's answer to a patch of type `application/apply-patch+yaml`.
//! * [`record_update`] brings `metadata.managedFields` up to date for every other write.
//! * [`Shape`] says how the lists and maps of a kind merge; there is one for each built-in kind, and one can be made
//!   of a schema of a custom resource definition.
//! * Stored objects keep `metadata.managedFields` as a text; [`unpacked`] ones are what clients see.
//! * [`patch`] holds JSON patches, merge patches and strategic merge patches, and what `kubectl apply` makes of a
//!   manifest.
//!
//! A write goes: patch, decode, default, validate, then [`record_update`] with the object before and after. What
//! [`apply`] returns goes the same way, and needs no [`record_update`].
//!
//! Sources: `kubernetes-sigs/structured-merge-diff`,
//! `kubernetes/apimachinery:pkg/util/managedfields/internal`.

mod apply_configuration;
mod compare;
mod conflict;
mod field_set;
mod fields;
mod fields_writer;
mod managed;
mod merge;
mod packed;
pub mod patch;
mod path_element;
mod prune;
mod shape;
mod shape_of_schema;
mod typed;

#[cfg(test)]
mod tests;

pub use apply_configuration::{LAST_APPLIED, apply, check_request};
pub use compare::{Comparison, compare};
pub use conflict::{ApplyError, Conflict};
pub use field_set::FieldSet;
pub use managed::{Manager, Operation, Write, ignored_fields, record_update};
pub(crate) use merge::merge;
pub use packed::{Shown, ShownMetadata, managers, unpack, unpacked};
pub(crate) use packed::{restore as restore_owners, same_owners, take as take_owners};
pub use path_element::display_path;
pub use shape::{ListKind, MapKey, Node, NodeId, Patching, Scalar, Shape, ShapeBuilder, StructField};
pub use typed::field_set;
