//! Groups, versions and kinds as data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The name of a kind in a version of its group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionKind {
    /// Empty for the core group.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
}

impl GroupVersionKind {
    /// From `apiVersion` (`apps/v1`, `v1`) and `kind` of an object.
    pub fn of(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// `apps/v1`, or `v1` in the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

impl fmt::Display for GroupVersionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, Kind={}", self.api_version(), self.kind)
    }
}

/// A kind that the API server serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// Empty for the core group.
    pub group: String,
    /// The versions that are served, the preferred one first.
    pub versions: Vec<String>,
    /// The kind, such as `Deployment`.
    pub kind: String,
    /// The resource, such as `deployments`.
    pub plural: String,
    /// The resource for one object, such as `deployment`.
    pub singular: String,
    /// Further names for command lines, such as `deploy`.
    pub short_names: Vec<String>,
    /// Names of sets of kinds, such as `all`.
    pub categories: Vec<String>,
    /// True if objects live in namespaces.
    pub namespaced: bool,
    /// True if `status` is written apart from the rest.
    pub has_status: bool,
    /// True if the API server counts changes of the wanted state in `metadata.generation`.
    pub has_generation: bool,
}

impl Kind {
    /// The name of the kind in its preferred version.
    pub fn preferred(&self) -> GroupVersionKind {
        GroupVersionKind {
            group: self.group.clone(),
            version: self.versions.first().cloned().unwrap_or_default(),
            kind: self.kind.clone(),
        }
    }

    /// `deployments.apps`, or `pods` in the core group.
    pub fn qualified_plural(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }
}

/// Reads a table of kinds: a line each, with group (`-` for the core group), versions, kind, resource, flags and short
/// names. Flags: n in namespaces, s has a status, g has a generation, a in the category `all`. `#` begins a comment.
pub fn read_table(table: &str) -> Vec<Kind> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(read_line).collect()
}

fn read_line(line: &str) -> Kind {
    let mut columns = line.split(' ');
    let mut next = || columns.next().unwrap_or_default();
    let texts = |list: &str| -> Vec<String> {
        list.split(',').filter(|text| !text.is_empty()).map(str::to_owned).collect()
    };
    let (group, versions, kind, plural, flags, short_names) =
        (next(), next(), next(), next(), next(), next());
    Kind {
        group: group.trim_start_matches('-').to_owned(),
        versions: texts(versions),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        singular: kind.to_lowercase(),
        short_names: texts(short_names),
        categories: if flags.contains('a') { vec!["all".to_owned()] } else { Vec::new() },
        namespaced: flags.contains('n'),
        has_status: flags.contains('s'),
        has_generation: flags.contains('g'),
    }
}

/// A kind in a [`Registry`]; small, so that stores and queues can hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(u32);

/// All kinds that the API server serves. Built-in ones are never removed; those of definitions come and go.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    kinds: Vec<Option<Arc<Kind>>>,
    /// By group, then by kind.
    by_name: BTreeMap<String, BTreeMap<String, KindId>>,
}

impl Registry {
    /// Adds a kind, or replaces the one of the same group and kind; its id stays the same for ever.
    pub fn register(&mut self, kind: Kind) -> KindId {
        let next = KindId(u32::try_from(self.kinds.len()).unwrap_or(u32::MAX));
        let group = self.by_name.entry(kind.group.clone()).or_default();
        let id = *group.entry(kind.kind.clone()).or_insert(next);
        let kind = Some(Arc::new(kind));
        match self.kinds.get_mut(id.0 as usize) {
            Some(place) => *place = kind,
            None => self.kinds.push(kind),
        }
        id
    }

    /// Takes a kind away.
    pub fn remove(&mut self, id: KindId) {
        if let Some(place) = self.kinds.get_mut(id.0 as usize) {
            *place = None;
        }
    }

    /// The kind with this id, unless it was taken away.
    pub fn get(&self, id: KindId) -> Option<&Kind> {
        self.kinds.get(id.0 as usize)?.as_deref()
    }

    /// As [`Registry::get`], to be kept while the registry changes.
    pub fn shared(&self, id: KindId) -> Option<Arc<Kind>> {
        self.kinds.get(id.0 as usize)?.clone()
    }

    /// The kind of this group and name, if it is served in any version.
    pub fn find(&self, group: &str, kind: &str) -> Option<(KindId, &Kind)> {
        let id = *self.by_name.get(group)?.get(kind)?;
        Some((id, self.get(id)?))
    }

    /// The kind of an object, if that version of it is served.
    pub fn served(&self, name: &GroupVersionKind) -> Option<(KindId, &Kind)> {
        self.in_version(&name.group, &name.version, &name.kind)
    }

    /// The kind of an object with this `apiVersion` and `kind`, if that version of it is served.
    pub fn of_object(&self, api_version: &str, kind: &str) -> Option<(KindId, &Kind)> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.in_version(group, version, kind)
    }

    fn in_version(&self, group: &str, version: &str, kind: &str) -> Option<(KindId, &Kind)> {
        self.find(group, kind).filter(|(_, kind)| kind.versions.iter().any(|served| served == version))
    }

    /// All kinds in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (KindId, &Kind)> {
        self.kinds
            .iter()
            .enumerate()
            .filter_map(|(index, kind)| Some((KindId(u32::try_from(index).ok()?), kind.as_deref()?)))
    }
}
