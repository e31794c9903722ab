//! Rules that lead from the sources to the copies, as mirror sets hold them.

use std::collections::{BTreeMap, BTreeSet};

use fbc_registry::Reference;
use fbc_yaml::{YamlError, stream};
use serde_json::{Value, json};

use super::Prefix;
use super::record::Copied;

/// Sources with their mirrors, in the order in which these are tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rules(BTreeMap<String, Vec<String>>);

/// A kind of manifest that holds rules.
pub(super) struct SetKind {
    pub(super) version: &'static str,
    pub(super) kind: &'static str,
    /// Where its rules are.
    pub(super) field: &'static str,
    /// What its name and its file begin with.
    pub(super) short: &'static str,
}

pub(super) const DIGESTS: SetKind = SetKind {
    version: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    field: "imageDigestMirrors",
    short: "idms",
};
pub(super) const TAGS: SetKind = SetKind {
    version: "config.openshift.io/v1",
    kind: "ImageTagMirrorSet",
    field: "imageTagMirrors",
    short: "itms",
};
pub(super) const POLICY: SetKind = SetKind {
    version: "operator.openshift.io/v1alpha1",
    kind: "ImageContentSourcePolicy",
    field: "repositoryDigestMirrors",
    short: "icsp",
};

/// Why a file is not a manifest with rules.
#[derive(Debug, thiserror::Error)]
pub(super) enum RulesError {
    #[error(transparent)]
    Yaml(#[from] YamlError),
    #[error("its kind is not {0}")]
    Kind(&'static str),
    #[error("an entry of {0} is not a source with mirrors")]
    Entry(&'static str),
}

impl SetKind {
    /// The name of its file, as oc-mirror names it.
    pub(super) fn file(&self) -> String {
        format!("{}-oc-mirror.yaml", self.short)
    }

    /// The manifest; nothing without rules.
    pub(super) fn manifest(&self, rules: &Rules) -> Option<Value> {
        let Rules(rules) = rules;
        let entries: Vec<Value> =
            rules.iter().map(|(source, mirrors)| json!({"source": source, "mirrors": mirrors})).collect();
        let manifest = json!({
            "apiVersion": self.version,
            "kind": self.kind,
            "metadata": {"name": format!("{}-operator-0", self.short)},
            "spec": {self.field: entries},
        });
        (!rules.is_empty()).then_some(manifest)
    }

    /// The rules of a manifest.
    ///
    /// # Errors
    /// [`RulesError`], if it is another one.
    pub(super) fn read(&self, bytes: &[u8]) -> Result<Rules, RulesError> {
        let document = stream::read_one(bytes)?;
        let manifest = document.root().to_json();
        if manifest["kind"] != self.kind {
            return Err(RulesError::Kind(self.kind));
        }
        let mut rules = BTreeMap::new();
        for entry in manifest["spec"][self.field].as_array().into_iter().flatten() {
            let mirrors = entry["mirrors"].as_array().into_iter().flatten();
            let mirrors: Option<Vec<String>> =
                mirrors.map(|mirror| mirror.as_str().map(str::to_owned)).collect();
            match (entry["source"].as_str(), mirrors) {
                (Some(source), Some(mirrors)) => rules.insert(source.to_owned(), mirrors),
                _ => return Err(RulesError::Entry(self.field)),
            };
        }
        Ok(Rules(rules))
    }
}

/// Where the copies of a repository are.
struct Places<'c> {
    source: Reference,
    /// Whether the name is another one, and the name: that of the source comes first.
    repositories: BTreeSet<(bool, &'c str)>,
}

impl Rules {
    /// The rules for copies of sources that fit.
    pub(super) fn from_copied(copied: &[Copied], prefix: &Prefix, fits: impl Fn(&Reference) -> bool) -> Self {
        let mut sources: BTreeMap<String, Places<'_>> = BTreeMap::new();
        for one in copied {
            let Some(source) = one.source().filter(&fits).filter(|source| keeps_tag(source, one)) else {
                continue;
            };
            let is_renamed = prefix.shortens() || source.repository() != one.repository;
            let places = sources.entry(source.name());
            let places = places.or_insert_with(|| Places { source, repositories: BTreeSet::new() });
            places.repositories.insert((is_renamed, &one.repository));
        }
        let mut rules = Self::default();
        for (name, Places { source, repositories }) in sources {
            // A rule for the namespace covers its repositories, unless this one changed its name.
            let namespace = source.repository().rsplit_once('/').map(|(namespace, _)| namespace);
            let (scope, mirrors) = match (namespace, repositories.iter().any(|(is_renamed, _)| *is_renamed)) {
                (Some(namespace), false) => {
                    (format!("{}/{namespace}", source.registry()), vec![prefix.below(namespace)])
                }
                _ => (name, repositories.iter().map(|(_, repository)| prefix.below(repository)).collect()),
            };
            // The namespace of one repository may be the name of another.
            rules.add(scope, &mirrors);
        }
        rules
    }

    /// Adds mirrors behind those that a source has.
    fn add(&mut self, source: String, mirrors: &[String]) {
        let known = self.0.entry(source).or_default();
        for mirror in mirrors {
            if !known.contains(mirror) {
                known.push(mirror.clone());
            }
        }
    }

    /// Rules with those of an earlier run behind them.
    pub(super) fn with_earlier(mut self, earlier: &Self) -> Self {
        for (source, mirrors) in &earlier.0 {
            self.add(source.clone(), mirrors);
        }
        self
    }

    /// Rules with those of the other set that lie within them. A node goes by the longest source alone, whatever set it is
    /// from, so that a rule for tags would hide one for digests of the namespace around it.
    pub(super) fn completed(&self, other: &Self) -> Self {
        let mut completed = self.clone();
        for (source, mirrors) in &other.0 {
            // A rule of this set has its own mirrors first.
            let Some((rest, around)) = self.around(source) else { continue };
            let around: Vec<String> = around.iter().map(|mirror| format!("{mirror}{rest}")).collect();
            completed.add(source.clone(), &around);
            completed.add(source.clone(), mirrors);
        }
        // Rules within rules of one set hide these as well.
        let nested: Vec<(String, Vec<String>)> = completed
            .0
            .keys()
            .filter_map(|source| {
                let (rest, around) = completed.around(source)?;
                Some((source.clone(), around.iter().map(|mirror| format!("{mirror}{rest}")).collect()))
            })
            .collect();
        for (source, around) in nested {
            completed.add(source, &around);
        }
        completed
    }

    /// The mirrors of the longest rule around a source, and what of the source lies behind it.
    fn around<'s>(&self, source: &'s str) -> Option<(&'s str, &[String])> {
        let within = |rule: &String| source.strip_prefix(rule.as_str()).filter(|rest| rest.starts_with('/'));
        let found = self.0.iter().filter_map(|(rule, mirrors)| Some((rule, within(rule)?, mirrors)));
        found.max_by_key(|(rule, ..)| rule.len()).map(|(_, rest, mirrors)| (rest, mirrors.as_slice()))
    }
}

/// Whether the copy is found by the reference of its source: sets replace repositories, and no tags.
pub(super) fn keeps_tag(source: &Reference, copied: &Copied) -> bool {
    source.digest().is_some() || source.tag().unwrap_or("latest") == copied.tag
}
