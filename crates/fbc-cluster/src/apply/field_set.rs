//! Sets of fields, in the form in which `metadata.managedFields` holds them.

use serde_json::{Map, Value};

/// The member of an object of `fieldsV1` that says that the place itself belongs to the set.
const SELF: &str = ".";

/// A set of places in an object: `{"f:spec": {"f:replicas": {}}}`.
///
/// It is kept as the JSON of `fieldsV1`, so that an entry of `managedFields` is a set without any conversion. Steps
/// are `f:name`, `k:{"key":"value"}`, `v:"item"` and `i:0`; a place with no steps below it is a member, one with
/// steps below is a member if it has `"."`.
///
/// Sources: `kubernetes-sigs/structured-merge-diff:fieldpath/set.go`, `…/serialize.go`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSet(Map<String, Value>);

impl FieldSet {
    /// The set that `fieldsV1` holds; what is not an object holds none.
    pub fn from_json(fields: Value) -> Self {
        match fields {
            Value::Object(members) => Self(members),
            _ => Self::default(),
        }
    }

    /// The value of `fieldsV1`.
    pub fn into_json(self) -> Value {
        Value::Object(self.0)
    }

    /// The text of `fieldsV1`.
    pub(super) fn text(&self) -> String {
        // Writing texts and objects as JSON cannot fail.
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// True if no place belongs to the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a place.
    pub fn insert<S: AsRef<str>>(&mut self, path: &[S]) {
        let steps = path.iter().rev();
        self.add(&Self(steps.fold(Map::new(), |below, step| {
            Map::from_iter([(step.as_ref().to_owned(), Value::Object(below))])
        })));
    }

    /// True if a place belongs to the set.
    pub fn contains<S: AsRef<str>>(&self, path: &[S]) -> bool {
        let mut members = &self.0;
        for step in path {
            match members.get(step.as_ref()).and_then(Value::as_object) {
                Some(below) => members = below,
                None => return false,
            }
        }
        is_member(members)
    }

    /// Adds all places of another set.
    pub fn add(&mut self, other: &Self) {
        union(&mut self.0, &other.0);
    }

    /// Takes all places of another set away; places below them stay. True if any was there.
    pub fn subtract(&mut self, other: &Self) -> bool {
        subtract(&mut self.0, &other.0)
    }

    /// True if [`FieldSet::subtract`] would leave the set exactly as it is.
    pub(super) fn is_apart_from(&self, other: &Self) -> bool {
        is_apart(&self.0, &other.0)
    }

    /// Takes a place away, with everything below it.
    pub fn subtract_below(&mut self, path: &[&str]) {
        let place: Option<(&&str, &[&str])> = path.split_last();
        let Some((last, parents)) = place else { return self.0.clear() };
        let below = parents
            .iter()
            .try_fold(&mut self.0, |members, step| members.get_mut(*step).and_then(Value::as_object_mut));
        if below.is_some_and(|members| members.remove(*last).is_some()) {
            drop_empty(&mut self.0, parents);
        }
    }

    /// The places that belong to both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(intersection(&self.0, &other.0))
    }

    /// The steps of every place of the set, in order.
    pub fn paths(&self) -> Vec<Vec<&str>> {
        let mut paths = Vec::new();
        collect(&self.0, &mut Vec::new(), &mut paths);
        paths
    }

    /// The steps at the root with what lies below each.
    pub(super) fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The same, to be changed.
    pub(super) fn members_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.0
    }
}

/// Whether the place with these members belongs to the set itself.
pub(super) fn is_member(members: &Map<String, Value>) -> bool {
    members.is_empty() || members.contains_key(SELF)
}

/// The steps below a place.
pub(super) fn steps(members: &Map<String, Value>) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    members
        .iter()
        .filter(|(step, _)| *step != SELF)
        .filter_map(|(step, below)| Some((step, below.as_object()?)))
}

/// What lies below a step, if any place there or below it belongs to the set.
pub(super) fn below<'m>(members: &'m Map<String, Value>, step: &str) -> Option<&'m Map<String, Value>> {
    members.get(step).and_then(Value::as_object)
}

/// Whether any place strictly below belongs to the set.
pub(super) fn has_steps(members: &Map<String, Value>) -> bool {
    steps(members).next().is_some()
}

/// Says of a place with something below it whether it belongs to the set itself.
pub(super) fn mark(members: &mut Map<String, Value>, member: bool) {
    if member && has_steps(members) {
        members.insert(SELF.to_owned(), Value::Object(Map::new()));
    } else {
        members.remove(SELF);
    }
}

/// Adds a step with the places below it, which belongs to the set itself or not.
pub(super) fn add_place(
    members: &mut Map<String, Value>,
    step: String,
    mut below: Map<String, Value>,
    member: bool,
) {
    match members.get_mut(&step).and_then(Value::as_object_mut) {
        Some(ours) => {
            let member = member || is_member(ours);
            union(ours, &below);
            mark(ours, member);
        }
        None => {
            mark(&mut below, member);
            members.insert(step, Value::Object(below));
        }
    }
}

/// The steps below a place, to change what lies below them.
pub(super) fn steps_mut(
    members: &mut Map<String, Value>,
) -> impl Iterator<Item = (&String, &mut Map<String, Value>)> {
    members
        .iter_mut()
        .filter(|(step, _)| *step != SELF)
        .filter_map(|(step, below)| Some((step, below.as_object_mut()?)))
}

fn union(members: &mut Map<String, Value>, other: &Map<String, Value>) {
    for (step, theirs) in steps(other) {
        match members.get_mut(step).and_then(Value::as_object_mut) {
            Some(ours) => {
                let member = is_member(ours) || is_member(theirs);
                union(ours, theirs);
                mark(ours, member);
            }
            None => {
                members.insert(step.clone(), Value::Object(theirs.clone()));
            }
        }
    }
}

fn subtract(members: &mut Map<String, Value>, other: &Map<String, Value>) -> bool {
    let mut changed = false;
    for (step, theirs) in steps(other) {
        let Some(ours) = members.get_mut(step).and_then(Value::as_object_mut) else { continue };
        let (was_member, is_taken) = (is_member(ours), is_member(theirs));
        changed |= was_member && is_taken;
        changed |= subtract(ours, theirs);
        let stays = was_member && !is_taken;
        if stays || has_steps(ours) {
            mark(ours, stays);
        } else {
            members.remove(step);
        }
    }
    changed
}

/// Whether [`subtract`] would change nothing. A place that is written in another way than this program does would be
/// written anew, so that it is not apart from any other.
fn is_apart(members: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    steps(other).all(|(step, theirs)| {
        let Some(ours) = below(members, step) else { return true };
        let is_usual = ours.is_empty() || has_steps(ours);
        is_usual && !(is_member(ours) && is_member(theirs)) && is_apart(ours, theirs)
    })
}

fn intersection(members: &Map<String, Value>, other: &Map<String, Value>) -> Map<String, Value> {
    let mut both = Map::new();
    for (step, theirs) in steps(other) {
        let Some(ours) = below(members, step) else { continue };
        let mut place = intersection(ours, theirs);
        let member = is_member(ours) && is_member(theirs);
        if member || !place.is_empty() {
            mark(&mut place, member);
            both.insert(step.clone(), Value::Object(place));
        }
    }
    both
}

fn collect<'m>(members: &'m Map<String, Value>, path: &mut Vec<&'m str>, paths: &mut Vec<Vec<&'m str>>) {
    // All members of a place come before what lies below any of them.
    for (step, below) in steps(members).filter(|(_, below)| is_member(below)) {
        let _ = below;
        path.push(step);
        paths.push(path.clone());
        path.pop();
    }
    for (step, below) in steps(members) {
        path.push(step);
        collect(below, path, paths);
        path.pop();
    }
}

/// Removes places on a path that have become empty without being members.
fn drop_empty(members: &mut Map<String, Value>, path: &[&str]) {
    let Some((step, rest)) = path.split_first() else { return };
    let Some(below) = members.get_mut(*step).and_then(Value::as_object_mut) else { return };
    drop_empty(below, rest);
    let only_self = below.len() == 1 && below.contains_key(SELF);
    if below.is_empty() {
        members.remove(*step);
    } else if only_self {
        below.clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(fields: Value) -> FieldSet {
        FieldSet::from_json(fields)
    }

    #[test]
    fn places_come_and_go() {
        let mut fields = FieldSet::default();
        fields.add(&set(json!({"f:data": {"f:x": {}}})));
        assert_eq!(fields, set(json!({"f:data": {"f:x": {}}})));
        fields.add(&set(json!({"f:data": {}})));
        assert_eq!(fields, set(json!({"f:data": {".": {}, "f:x": {}}})));
        assert!(fields.contains(&["f:data"]) && fields.contains(&["f:data", "f:x"]));
        assert!(fields.subtract(&set(json!({"f:data": {}}))));
        assert_eq!(fields, set(json!({"f:data": {"f:x": {}}})));
        assert!(!fields.contains(&["f:data"]));
        assert!(!fields.subtract(&set(json!({"f:data": {}, "f:other": {}}))));
        assert!(fields.subtract(&set(json!({"f:data": {"f:x": {}}}))));
        assert!(fields.is_empty());
    }

    #[test]
    fn sets_are_apart_if_cutting_changes_nothing() {
        let sets = [
            json!({}),
            json!({"f:a": {}}),
            json!({"f:a": {".": {}}}),
            json!({"f:a": {"f:b": 1}}),
            json!({"f:a": {"f:b": {}}}),
            json!({"f:a": {".": {}, "f:b": {}}}),
            json!({"f:a": {".": {}, "f:c": {}}, "f:d": {}}),
            json!({"f:a": {"f:b": {"f:c": {}}}, "f:e": {"f:c": {}}}),
            json!({"f:e": {".": {}, "f:c": {}}}),
        ]
        .map(set);
        for (one, other) in sets.iter().flat_map(|one| sets.iter().map(move |other| (one, other))) {
            let mut left = one.clone();
            left.subtract(other);
            assert_eq!(one.is_apart_from(other), left == *one, "{one:?} without {other:?}");
        }
    }

    #[test]
    fn sets_are_joined_and_cut() {
        let mut one = set(json!({"f:a": {}, "f:b": {"f:c": {}}}));
        one.add(&set(json!({"f:a": {"f:d": {}}, "f:b": {}})));
        assert_eq!(one, set(json!({"f:a": {".": {}, "f:d": {}}, "f:b": {".": {}, "f:c": {}}})));
        let other = set(json!({"f:a": {"f:d": {}}, "f:b": {".": {}, "f:x": {}}}));
        assert_eq!(one.intersection(&other), set(json!({"f:a": {"f:d": {}}, "f:b": {}})));
        one.subtract_below(&["f:b", "f:c"]);
        assert_eq!(one, set(json!({"f:a": {".": {}, "f:d": {}}, "f:b": {}})));
        assert_eq!(one.paths(), [vec!["f:a"], vec!["f:b"], vec!["f:a", "f:d"]]);
    }
}
