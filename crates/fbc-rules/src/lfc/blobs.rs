//! The blobs that say until when versions are supported.
//!
//! Source: `release-engineering/fbc-update-planner:docs/FBC_SCHEMA.md`.

use fbc_lint::context::Context;
use fbc_lint::policy::Date;
use fbc_lint::schema::LIFECYCLE;
use fbc_model::Other;
use fbc_yaml::Node;

/// The lifecycle blobs of a catalog.
pub(super) fn all<'c>(context: &Context<'c>) -> impl Iterator<Item = &'c Other> {
    context.catalog.others.iter().filter(|other| other.meta.schema == LIFECYCLE)
}

/// The items of a list in an object, with their JSON pointers; what is no list has none.
pub(super) fn items<'d>(
    node: Node<'d>,
    at: &str,
    key: &'static str,
) -> impl Iterator<Item = (Node<'d>, String)> + use<'d> {
    let at = format!("{at}/{key}");
    node.get(key)
        .into_iter()
        .flat_map(Node::items)
        .enumerate()
        .map(move |(index, item)| (item, format!("{at}/{index}")))
}

/// The first and the last day of a phase, as far as they are days.
pub(super) fn days(phase: Node<'_>) -> [Option<Date>; 2] {
    ["startDate", "endDate"].map(|key| phase.get_str(key).and_then(Date::parse))
}
