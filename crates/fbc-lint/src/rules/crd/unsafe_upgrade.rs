//! Upgrades that OLM v1 refuses because of their custom resource definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fbc_bundle::crd_upgrade::{Definition, Enforcement, Target, compare};
use fbc_model::{Bundle, bundle_object};
use fbc_yaml::go_text::quote;
use fbc_yaml::{Document, json_writer};
use rayon::prelude::*;

use crate::context::{Context, PackageView};
use crate::finding::{Finding, Subject};
use crate::policy::OcpVersion;
use crate::rule::{Basis, Case, Check, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CRD001",
    name: "unsafe-crd-upgrade",
    summary: "OLM v1 refuses an upgrade, because the new definition of a custom resource breaks the old one",
    explanation: "\
Before OLM v1 upgrades, it compares the CustomResourceDefinitions of the new bundle with those on the
cluster. Fields that are gone, types, enums, defaults and limits that got narrower, and new required fields
stop the upgrade, and users stay where they are.

The rule compares the bundles at both ends of every edge of the catalog (`replaces`, `skips`, `skipRange`),
as far as the catalog holds their manifests (`olm.bundle.object`). `fbc crd diff` shows the whole difference
of two bundles.

Add a new version of the API instead of changing the old one, or keep the old fields. A user can switch the
check off with `spec.install.preflight.crdUpgradeSafety.enforcement: None`.",
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a field is added",
            files: "\
schema: olm.package
name: foo
defaultChannel: c
---
schema: olm.channel
package: foo
name: c
entries:
- {name: foo.v1}
- {name: foo.v2, replaces: foo.v1}
---
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoiYXBpZXh0ZW5zaW9ucy5rOHMuaW8vdjEiLCJraW5kIjoiQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uIiwibWV0YWRhdGEiOnsibmFtZSI6ImxhbXBzLmZvby5pbyJ9LCJzcGVjIjp7Imdyb3VwIjoiZm9vLmlvIiwibmFtZXMiOnsia2luZCI6IkxhbXAiLCJwbHVyYWwiOiJsYW1wcyJ9LCJzY29wZSI6Ik5hbWVzcGFjZWQiLCJ2ZXJzaW9ucyI6W3sibmFtZSI6InYxIiwic2VydmVkIjp0cnVlLCJzdG9yYWdlIjp0cnVlLCJzY2hlbWEiOnsib3BlbkFQSVYzU2NoZW1hIjp7InR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7ImNvbG91ciI6eyJ0eXBlIjoic3RyaW5nIn19fX19XX19}}
---
schema: olm.bundle
name: foo.v2
package: foo
properties:
- {type: olm.package, value: {packageName: foo, version: 2.0.0}}
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoiYXBpZXh0ZW5zaW9ucy5rOHMuaW8vdjEiLCJraW5kIjoiQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uIiwibWV0YWRhdGEiOnsibmFtZSI6ImxhbXBzLmZvby5pbyJ9LCJzcGVjIjp7Imdyb3VwIjoiZm9vLmlvIiwibmFtZXMiOnsia2luZCI6IkxhbXAiLCJwbHVyYWwiOiJsYW1wcyJ9LCJzY29wZSI6Ik5hbWVzcGFjZWQiLCJ2ZXJzaW9ucyI6W3sibmFtZSI6InYxIiwic2VydmVkIjp0cnVlLCJzdG9yYWdlIjp0cnVlLCJzY2hlbWEiOnsib3BlbkFQSVYzU2NoZW1hIjp7InR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7ImNvbG91ciI6eyJ0eXBlIjoic3RyaW5nIn0sInBvd2VyIjp7InR5cGUiOiJpbnRlZ2VyIn19fX19XX19}}
",
            findings: &[],
        },
        Case {
            title: "a field is removed",
            files: "\
schema: olm.package
name: foo
defaultChannel: c
---
schema: olm.channel
package: foo
name: c
entries:
- {name: foo.v1}
- {name: foo.v2, replaces: foo.v1}
---
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoiYXBpZXh0ZW5zaW9ucy5rOHMuaW8vdjEiLCJraW5kIjoiQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uIiwibWV0YWRhdGEiOnsibmFtZSI6ImxhbXBzLmZvby5pbyJ9LCJzcGVjIjp7Imdyb3VwIjoiZm9vLmlvIiwibmFtZXMiOnsia2luZCI6IkxhbXAiLCJwbHVyYWwiOiJsYW1wcyJ9LCJzY29wZSI6Ik5hbWVzcGFjZWQiLCJ2ZXJzaW9ucyI6W3sibmFtZSI6InYxIiwic2VydmVkIjp0cnVlLCJzdG9yYWdlIjp0cnVlLCJzY2hlbWEiOnsib3BlbkFQSVYzU2NoZW1hIjp7InR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7ImNvbG91ciI6eyJ0eXBlIjoic3RyaW5nIn19fX19XX19}}
---
schema: olm.bundle
name: foo.v2
package: foo
properties:
- {type: olm.package, value: {packageName: foo, version: 2.0.0}}
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoiYXBpZXh0ZW5zaW9ucy5rOHMuaW8vdjEiLCJraW5kIjoiQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uIiwibWV0YWRhdGEiOnsibmFtZSI6ImxhbXBzLmZvby5pbyJ9LCJzcGVjIjp7Imdyb3VwIjoiZm9vLmlvIiwibmFtZXMiOnsia2luZCI6IkxhbXAiLCJwbHVyYWwiOiJsYW1wcyJ9LCJzY29wZSI6Ik5hbWVzcGFjZWQiLCJ2ZXJzaW9ucyI6W3sibmFtZSI6InYxIiwic2VydmVkIjp0cnVlLCJzdG9yYWdlIjp0cnVlLCJzY2hlbWEiOnsib3BlbkFQSVYzU2NoZW1hIjp7InR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7InBvd2VyIjp7InR5cGUiOiJpbnRlZ2VyIn19fX19XX19}}
",
            findings: &[
                "24:43 OLM v1 refuses the upgrade to \"foo.v2\" from \"foo.v1\": its definition \"lamps.foo.io\" is not \
                 compatible",
            ],
        },
        Case {
            title: "a range covers the old version",
            files: "\
schema: olm.package
name: foo
defaultChannel: c
---
schema: olm.channel
package: foo
name: c
entries:
- {name: foo.v1}
- {name: foo.v2, skipRange: \"<2.0.0\"}
---
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoiYXBpZXh0ZW5zaW9ucy5rOHMuaW8vdjEiLCJraW5kIjoiQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uIiwibWV0YWRhdGEiOnsibmFtZSI6ImxhbXBzLmZvby5pbyJ9LCJzcGVjIjp7Imdyb3VwIjoiZm9vLmlvIiwibmFtZXMiOnsia2luZCI6IkxhbXAiLCJwbHVyYWwiOiJsYW1wcyJ9LCJzY29wZSI6Ik5hbWVzcGFjZWQiLCJ2ZXJzaW9ucyI6W3sibmFtZSI6InYxIiwic2VydmVkIjp0cnVlLCJzdG9yYWdlIjp0cnVlLCJzY2hlbWEiOnsib3BlbkFQSVYzU2NoZW1hIjp7InR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7ImNvbG91ciI6eyJ0eXBlIjoic3RyaW5nIn19fX19XX19}}
---
schema: olm.bundle
name: foo.v2
package: foo
properties:
- {type: olm.package, value: {packageName: foo, version: 2.0.0}}
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoiYXBpZXh0ZW5zaW9ucy5rOHMuaW8vdjEiLCJraW5kIjoiQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uIiwibWV0YWRhdGEiOnsibmFtZSI6ImxhbXBzLmZvby5pbyJ9LCJzcGVjIjp7Imdyb3VwIjoiZm9vLmlvIiwibmFtZXMiOnsia2luZCI6IkxhbXAiLCJwbHVyYWwiOiJsYW1wcyJ9LCJzY29wZSI6Ik5hbWVzcGFjZWQiLCJ2ZXJzaW9ucyI6W3sibmFtZSI6InYxIiwic2VydmVkIjp0cnVlLCJzdG9yYWdlIjp0cnVlLCJzY2hlbWEiOnsib3BlbkFQSVYzU2NoZW1hIjp7InR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7InBvd2VyIjp7InR5cGUiOiJpbnRlZ2VyIn19fX19XX19}}
",
            findings: &[
                "24:43 OLM v1 refuses the upgrade to \"foo.v2\" from \"foo.v1\": its definition \"lamps.foo.io\" is not \
                 compatible",
            ],
        },
    ],
};

/// The last version of OpenShift that was released with the older checks.
const LAST_WITH_OLD_CHECKS: OcpVersion = OcpVersion::new(4, 19);
/// A finding names no more messages, and no more bundles, than this.
const MAX_NAMED: usize = 3;

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let targets = &context.parameters.targets;
    let is_old = !targets.is_empty() && targets.iter().all(|target| *target <= LAST_WITH_OLD_CHECKS);
    let target = if is_old { Target::Ocp419 } else { Target::Latest };
    let views: Vec<&PackageView<'_>> = context.packages.values().collect();
    let found: Vec<Vec<Finding>> = views.par_iter().map(|view| in_package(context, view, target)).collect();
    findings.extend(found.into_iter().flatten());
}

/// A definition in a bundle.
#[derive(Clone, Copy)]
struct Place {
    /// Its number among the different definitions of the package.
    number: usize,
    /// The number of the property that holds it.
    property: usize,
}

/// The definitions of a package: every content once.
#[derive(Default)]
struct Definitions {
    documents: Vec<Document>,
    /// By bundle and name of the definition.
    of_bundle: BTreeMap<String, BTreeMap<String, Place>>,
}

impl Definitions {
    fn of(view: &PackageView<'_>) -> Self {
        let mut definitions = Self::default();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for (name, bundle) in &view.bundle_by_name {
            let found = definitions.read(bundle, &mut numbers);
            if !found.is_empty() {
                definitions.of_bundle.insert((*name).to_owned(), found);
            }
        }
        definitions
    }

    fn read(&mut self, bundle: &Bundle, numbers: &mut HashMap<String, usize>) -> BTreeMap<String, Place> {
        let mut found = BTreeMap::new();
        for (property, document) in bundle_object::numbered_manifests(bundle) {
            let root = document.root();
            if !Definition::is_one(root) {
                continue;
            }
            let Some(name) = root.get("metadata").and_then(|metadata| metadata.get_str("name")) else {
                continue;
            };
            let name = name.to_owned();
            let next = self.documents.len();
            let number = *numbers.entry(json_writer::compact(root)).or_insert(next);
            if number == next {
                self.documents.push(document);
            }
            found.insert(name, Place { number, property });
        }
        found
    }

    /// What stops the upgrade from one definition to another; nothing if it goes through.
    fn refusal(&self, old: usize, new: usize, target: Target) -> Vec<String> {
        let read = |number: usize| Definition::read(self.documents.get(number)?.root()).ok();
        let (Some(old), Some(new)) = (read(old), read(new)) else { return Vec::new() };
        compare(&old, &new, target, Enforcement::Strict).messages
    }
}

fn in_package(context: &Context<'_>, view: &PackageView<'_>, target: Target) -> Vec<Finding> {
    let definitions = Definitions::of(view);
    if definitions.of_bundle.len() < 2 {
        return Vec::new();
    }
    let mut known: HashMap<(usize, usize), Vec<String>> = HashMap::new();
    let mut findings = Vec::new();
    for (new, froms) in edges(view, &definitions) {
        let (Some(bundle), Some(now)) = (view.bundle_by_name.get(new), definitions.of_bundle.get(new)) else {
            continue;
        };
        for (name, place) in now {
            let mut from_names = Vec::new();
            let mut messages: Vec<String> = Vec::new();
            for from in &froms {
                let before = definitions.of_bundle.get(*from).and_then(|before| before.get(name));
                let Some(before) = before.filter(|before| before.number != place.number) else { continue };
                let refusal = known
                    .entry((before.number, place.number))
                    .or_insert_with(|| definitions.refusal(before.number, place.number, target));
                if refusal.is_empty() {
                    continue;
                }
                from_names.push(*from);
                messages.extend(
                    refusal.iter().filter(|line| !messages.contains(line)).cloned().collect::<Vec<_>>(),
                );
            }
            if !from_names.is_empty() {
                findings.push(finding(context, view, bundle, name, place.property, &from_names, &messages));
            }
        }
    }
    findings
}

/// The bundles with definitions that update to each bundle in one step, in the order of their versions.
fn edges<'v>(view: &'v PackageView<'_>, definitions: &Definitions) -> BTreeMap<&'v str, Vec<&'v str>> {
    let graph = view.graph();
    let mut froms: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let has_any = |name: &str| definitions.of_bundle.contains_key(name);
    for entry in
        view.channels.iter().flat_map(|channel| channel.entries()).filter(|entry| has_any(&entry.name))
    {
        let from = froms.entry(entry.name.as_str()).or_default();
        let named = std::iter::once(&entry.replaces).chain(&entry.skips).map(String::as_str);
        from.extend(named.filter(|name| has_any(name)));
        if let Some(range) = graph.readable_skip_range(entry) {
            let covered = view.bundle_by_name.keys().copied().filter(|name| has_any(name));
            from.extend(
                covered.filter(|name| graph.version(name).is_some_and(|version| range.matches(version))),
            );
        }
        from.remove(entry.name.as_str());
    }
    let sorted = |from: BTreeSet<&'v str>| {
        let mut from: Vec<&str> = from.into_iter().collect();
        from.sort_by(|a, b| graph.order(b, a));
        from
    };
    froms.into_iter().map(|(new, from)| (new, sorted(from))).collect()
}

fn finding(
    context: &Context<'_>,
    view: &PackageView<'_>,
    bundle: &Bundle,
    definition: &str,
    property: usize,
    from: &[&str],
    messages: &[String],
) -> Finding {
    let named: Vec<String> = from.iter().take(MAX_NAMED).map(|name| quote(name)).collect();
    let more = from.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "OLM v1 refuses the upgrade to {} from {}{more}: its definition {} is not compatible",
        quote(&bundle.name),
        named.join(", "),
        quote(definition)
    );
    let mut finding = Finding::new(&RULE, message)
        .at(context.value(bundle.origin, format!("/properties/{property}/value/data")))
        .about(Subject::bundle(&view.package.name, &bundle.name))
        .label("in this manifest")
        .help(
            "keep what the old definition has, in a new version of the API; `fbc crd diff` shows all changes",
        );
    for line in messages.iter().take(MAX_NAMED) {
        finding = finding.note(line.as_str());
    }
    match messages.len().saturating_sub(MAX_NAMED) {
        0 => finding,
        more => finding.note(format!("and {more} more")),
    }
}
