//! Which failure domain the machines of an index belong to.
//!
//! Source: `openshift/cluster-control-plane-machine-set-operator:pkg/machineproviders/providers/openshift/machine/v1beta1/mapping.go`
//! (MA-22).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::index_of;

/// Where a part of a failure domain lies in the domain, and where in the specification for the provider.
type Part = (&'static [&'static str], &'static [&'static str]);

/// The platforms, with the field that holds their domains and the parts of one. The first part is the one that domains
/// are sorted by.
const PLATFORMS: [(&str, &str, &[Part]); 5] = [
    (
        "AWS",
        "aws",
        &[
            (&["placement", "availabilityZone"], &["placement", "availabilityZone"]),
            (&["subnet"], &["subnet"]),
        ],
    ),
    ("Azure", "azure", &[(&["zone"], &["zone"]), (&["subnet"], &["subnet"])]),
    ("GCP", "gcp", &[(&["zone"], &["zone"])]),
    (
        "OpenStack",
        "openstack",
        &[
            (&["availabilityZone"], &["availabilityZone"]),
            (&["rootVolume", "availabilityZone"], &["rootVolume", "availabilityZone"]),
            (&["rootVolume", "volumeType"], &["rootVolume", "volumeType"]),
        ],
    ),
    ("Nutanix", "nutanix", &[(&["name"], &["failureDomain", "name"])]),
];

/// The values of the parts of a domain; nothing where a part is not given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Domain(Vec<Option<String>>);

/// Failure domains by index.
type Mapping = BTreeMap<i64, Domain>;

/// The failure domains of a set, and which index has which.
#[derive(Debug, Clone)]
pub(super) struct FailureDomains {
    parts: &'static [Part],
    mapping: Mapping,
}

impl FailureDomains {
    /// What a template says of failure domains, for the machines that there are. Nothing if it names none.
    pub(super) fn from_template(template: &Value, replicas: usize, machines: &[Arc<Object>]) -> Option<Self> {
        let platform = template.text(&["failureDomains", "platform"]);
        let (_, field, parts) = PLATFORMS.iter().find(|(name, ..)| *name == platform)?;
        let specification = template.at(&["spec", "providerSpec", "value"]).unwrap_or(&Value::Null);
        let inherited = extract(specification, parts);
        let domains: BTreeSet<Domain> = template
            .list(&["failureDomains", field])
            .iter()
            .map(|domain| completed(domain, parts, &inherited))
            .collect();
        if domains.is_empty() || replicas == 0 {
            return None;
        }
        let of_machines = of_machines(machines, parts);
        let base = base(replicas, domains, &of_machines);
        Some(Self { parts, mapping: reconciled(&base, &of_machines, &only_deleting(machines)) })
    }

    /// Puts the failure domain of an index into a specification for the provider.
    pub(super) fn inject(&self, index: i64, specification: &mut Value) {
        let Some(domain) = self.mapping.get(&index) else { return };
        for ((_, path), value) in self.parts.iter().zip(&domain.0) {
            if let Some(value) = value {
                specification.set(path, part_value(value));
            }
        }
    }

    /// The index that a machine belongs to by its failure domain.
    pub(super) fn index_of(&self, machine: &Object) -> Option<i64> {
        let domain = of_machine(machine, self.parts);
        self.mapping.iter().find(|(_, one)| **one == domain).map(|(index, _)| *index)
    }
}

/// The failure domains of machines as a set on this platform writes them, taken out of a specification for the provider.
/// Nothing on a platform without domains, or if no machine is in one.
pub(super) fn taken_out(
    platform: &str,
    machines: &[Arc<Object>],
    specification: &mut Value,
) -> Option<Value> {
    let (_, field, parts) = PLATFORMS.iter().find(|(name, ..)| *name == platform)?;
    let domains: BTreeSet<Domain> = machines.iter().map(|machine| of_machine(machine, parts)).collect();
    if domains.iter().all(|domain| domain.0.iter().all(Option::is_none)) {
        return None;
    }
    let written = |domain: &Domain| {
        let mut value = json!({});
        for ((path, _), part) in parts.iter().zip(&domain.0) {
            if let Some(part) = part {
                value.set(path, part_value(part));
            }
        }
        value
    };
    let domains: Vec<Value> = domains.iter().map(written).collect();
    for (_, path) in *parts {
        specification.remove(path);
    }
    Some(json!({"platform": platform, *field: domains}))
}

/// Parts that are not texts, such as subnets with filters, are kept as JSON.
fn part_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn part_value(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => value,
        _ => Value::String(text.to_owned()),
    }
}

fn extract(specification: &Value, parts: &[Part]) -> Domain {
    Domain(parts.iter().map(|(_, path)| specification.at(path).map(part_text)).collect())
}

fn of_machine(machine: &Object, parts: &[Part]) -> Domain {
    extract(machine.at(&["spec", "providerSpec", "value"]).unwrap_or(&Value::Null), parts)
}

/// A domain with what it inherits from the template.
fn completed(domain: &Value, parts: &[Part], inherited: &Domain) -> Domain {
    let own = parts.iter().map(|(path, _)| domain.at(path).map(part_text));
    Domain(own.zip(&inherited.0).map(|(own, inherited)| own.or_else(|| inherited.clone())).collect())
}

/// The domain of the newest machine of each index.
fn of_machines(machines: &[Arc<Object>], parts: &[Part]) -> Mapping {
    let mut newest: BTreeMap<i64, &Object> = BTreeMap::new();
    let created = |machine: &Object| machine.text(&["metadata", "creationTimestamp"]).to_owned();
    for machine in machines {
        let Some(index) = index_of(machine.name()) else { continue };
        let is_older = newest.get(&index).is_some_and(|one| created(one) > created(machine));
        if !is_older {
            newest.insert(index, machine);
        }
    }
    newest.into_iter().map(|(index, machine)| (index, of_machine(machine, parts))).collect()
}

/// Indexes all of whose machines are being deleted.
fn only_deleting(machines: &[Arc<Object>]) -> BTreeSet<i64> {
    let indexes = |is_deleting: bool| -> BTreeSet<i64> {
        let machines = machines.iter().filter(|machine| machine.is_terminating() == is_deleting);
        machines.filter_map(|machine| index_of(machine.name())).collect()
    };
    &indexes(true) - &indexes(false)
}

/// Domains spread over indexes from zero; those that no machine is in come last.
fn base(replicas: usize, domains: BTreeSet<Domain>, machines: &Mapping) -> Mapping {
    let mut domains: Vec<Domain> = domains.into_iter().collect();
    domains.sort_by_key(|domain| !machines.values().any(|one| one == domain));
    let count = replicas.max(machines.len());
    (0..).zip(domains.iter().cycle().take(count).cloned()).collect()
}

/// The domains that machines are in stay, unless they are gone from the template or hold too many indexes.
fn reconciled(base: &Mapping, machines: &Mapping, only_deleting: &BTreeSet<i64>) -> Mapping {
    let mut mapping = machines.clone();
    let mut candidates = with_indexes(base, machines);
    let mut unmatched: BTreeSet<i64> = candidates.keys().copied().collect();
    for (index, domain) in &mapping {
        if only_deleting.contains(index) {
            continue;
        }
        let same = candidates.iter().find(|(_, candidate)| *candidate == domain).map(|(index, _)| *index);
        let Some(same) = same else { continue };
        if same != *index {
            swap(&mut candidates, same, *index);
        }
        candidates.remove(index);
        unmatched.remove(index);
    }
    let distinct: BTreeSet<&Domain> = base.values().collect();
    let most = base.len().div_ceil(distinct.len().max(1));
    for index in unmatched {
        let keeps = mapping.get(&index).is_some_and(|domain| {
            distinct.contains(domain) && mapping.values().filter(|one| *one == domain).count() <= most
        });
        let candidate = candidates.remove(&index);
        if let Some(candidate) = candidate.filter(|_| !keeps) {
            mapping.insert(index, candidate);
        }
    }
    mapping
}

/// Indexes of the base that no machine has make room for those that machines have.
fn with_indexes(base: &Mapping, machines: &Mapping) -> Mapping {
    let mut mapping = base.clone();
    let free: Vec<i64> = base.keys().filter(|index| !machines.contains_key(index)).copied().collect();
    let wanted = machines.keys().filter(|index| !base.contains_key(index));
    for (index, wanted) in free.into_iter().zip(wanted) {
        if let Some(domain) = mapping.remove(&index) {
            mapping.insert(*wanted, domain);
        }
    }
    mapping
}

fn swap(mapping: &mut Mapping, one: i64, other: i64) {
    let (first, second) = (mapping.remove(&one), mapping.remove(&other));
    mapping.extend(second.map(|domain| (one, domain)));
    mapping.extend(first.map(|domain| (other, domain)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn machine(name: &str, zone: &str) -> Arc<Object> {
        Arc::new(json!({
            "metadata": {"name": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"providerSpec": {"value": {"placement": {"availabilityZone": zone}}}},
        }))
    }

    #[test]
    fn indexes_keep_the_domains_of_their_machines_unless_these_are_too_many() {
        for (zones, machines, expected) in [
            ("abc", "", "abc"),
            ("abc", "abc", "abc"),
            ("abc", "cab", "cab"),
            // Two in one zone: the higher index moves.
            ("abc", "aab", "acb"),
            ("ab", "aab", "aab"),
            ("ab", "aaa", "aab"),
            // A zone that the template does not name any more.
            ("ab", "abc", "aba"),
        ] {
            let domains: Vec<Value> = zones
                .chars()
                .map(|zone| json!({"placement": {"availabilityZone": zone.to_string()}}))
                .collect();
            let template = json!({"failureDomains": {"platform": "AWS", "aws": domains}});
            let machines: Vec<Arc<Object>> = machines
                .char_indices()
                .map(|(index, zone)| machine(&format!("m-{index}"), &zone.to_string()))
                .collect();
            let found = FailureDomains::from_template(&template, 3, &machines).unwrap();
            let zones: String = (0..3)
                .map(|index| {
                    let mut specification = json!({});
                    found.inject(index, &mut specification);
                    specification.text(&["placement", "availabilityZone"]).to_owned()
                })
                .collect();
            assert_eq!(zones, expected);
        }
    }
}
