//! Walks two schemas side by side, place by place.
//!
//! Both generations flatten schemas to a map from path to sub-schema and compare the maps. Their paths differ:
//! `kubernetes-sigs/crdify:pkg/validations/util.go` names every step, `openshift/crd-schema-checker:pkg/
//! manifestcomparators/schema_has.go` leaves out `allOf` and the like, so that several sub-schemas share a path, of
//! which the last visited counts. The walk keeps the sub-schemas of a path together; it does not recurse over places.
//! A property whose name has a dot is taken for itself, not for the nested property that would have the same path.

use std::collections::BTreeMap;

use fbc_yaml::{Kind, Node};

/// How a generation writes paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// Every step has its name.
    Named,
    /// Items and additional properties are `[*]`, alternatives have no step of their own.
    Starred,
}

/// A path, and what is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'p, 'd> {
    /// `^` is the root.
    pub(super) path: &'p str,
    /// The old schema; nothing where only the new one has the path.
    pub(super) old: Option<Node<'d>>,
    /// The new schema; nothing where it is removed.
    pub(super) new: Option<Node<'d>>,
}

/// Visits all paths of the old schema, and of the new one those paths that are new, without what is below them.
pub(super) fn walk<'d>(
    old: Option<Node<'d>>,
    new: Option<Node<'d>>,
    notation: Notation,
    visit: &mut dyn FnMut(Place<'_, 'd>),
) {
    let mut pending = vec![("^".to_owned(), Vec::from_iter(old), Vec::from_iter(new))];
    while let Some((path, old, new)) = pending.pop() {
        let (old_here, old_below) = gather(old, notation);
        let (new_here, mut new_below) = gather(new, notation);
        visit(Place { path: &path, old: old_here, new: new_here });
        if old_here.is_none() {
            continue;
        }
        // The stack turns the order round.
        let begin = pending.len();
        for (step, old) in old_below {
            let new = new_below.remove(&step).unwrap_or_default();
            pending.push((format!("{path}{step}"), old, new));
        }
        pending.extend(new_below.into_iter().map(|(step, new)| (format!("{path}{step}"), Vec::new(), new)));
        if let Some(added) = pending.get_mut(begin..) {
            added.sort_by(|(left, ..), (right, ..)| right.cmp(left));
        }
    }
}

type Below<'d> = BTreeMap<String, Vec<Node<'d>>>;

/// The schema that counts of those that share a path, and the schemas one step below.
fn gather<'d>(schemas: Vec<Node<'d>>, notation: Notation) -> (Option<Node<'d>>, Below<'d>) {
    let mut below = Below::new();
    let mut last = None;
    let mut pending: Vec<Pending<'d>> = schemas.into_iter().rev().map(Pending::Schema).collect();
    while let Some(next) = pending.pop() {
        match next {
            Pending::Step(step, schema) => below.entry(step).or_default().push(schema),
            Pending::Schema(schema) => {
                last = Some(schema);
                let steps = steps(schema, notation).into_iter().rev();
                pending.extend(steps.map(|(step, child)| {
                    if step.is_empty() { Pending::Schema(child) } else { Pending::Step(step, child) }
                }));
            }
        }
    }
    (last, below)
}

enum Pending<'d> {
    Schema(Node<'d>),
    Step(String, Node<'d>),
}

/// The sub-schemas of a schema in the order of the reference, each with its step; an empty step is none.
fn steps<'d>(schema: Node<'d>, notation: Notation) -> Vec<(String, Node<'d>)> {
    let mut steps = Vec::new();
    let is_named = notation == Notation::Named;
    let in_brackets = |name: &str, key: &dyn std::fmt::Display| {
        if is_named { format!(".{name}[{key}]") } else { String::new() }
    };
    let star = |name: &str| if is_named { format!(".{name}") } else { "[*]".to_owned() };
    let plain = |name: &str| if is_named { format!(".{name}") } else { String::new() };
    if let Some(items) = schema.get("items") {
        match items.kind() {
            Kind::Object => steps.push((star("items"), items)),
            _ => steps.extend(items.items().enumerate().map(|(index, item)| {
                (if is_named { format!(".items[{index}]") } else { format!("[{index}]") }, item)
            })),
        }
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        let list = schema.get(name).into_iter().flat_map(Node::items).enumerate();
        steps.extend(list.map(|(index, item)| (in_brackets(name, &index), item)));
    }
    let object = |name: &str| schema.get(name).filter(|child| child.kind() == Kind::Object);
    steps.extend(object("not").map(|not| (plain("not"), not)));
    if let Some(properties) = object("properties") {
        steps.extend(properties.members().map(|(name, child)| (format!(".{name}"), child)));
    }
    steps.extend(object("additionalProperties").map(|child| (star("additionalProperties"), child)));
    let members = |name: &'static str| {
        let members = object(name).into_iter().flat_map(Node::members);
        members.map(move |(key, child)| (in_brackets(name, &key), child))
    };
    steps.extend(members("patternProperties"));
    steps.extend(object("additionalItems").map(|child| (plain("additionalItems"), child)));
    steps.extend(members("definitions"));
    steps.extend(members("dependencies").filter(|(_, child)| child.kind() == Kind::Object));
    // A property that is null is an empty schema in Go, one in a list as well.
    steps
}
