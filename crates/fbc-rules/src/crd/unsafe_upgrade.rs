//! Upgrades that OLM v1 refuses because of their custom resource definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fbc_bundle::crd_upgrade::{Definition, Enforcement, Target, compare};
use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::{Bundle, ChannelEntry, bundle_object};
use fbc_version::OpenShiftRelease;
use fbc_yaml::{Document, json_writer};
use rayon::prelude::*;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "CRD001",
    name: "unsafe-crd-upgrade",
    since: "0.1.0",
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
    sources: &[
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/preflights/crdupgradesafety/crdupgradesafety.go",
            "runPreflight",
        ),
        Source::Statement("D-CRD-1", "5.4"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("unsafe_upgrade.cases"),
};

/// The last version of OpenShift that was released with the older checks.
const LAST_WITH_OLD_CHECKS: OpenShiftRelease = OpenShiftRelease::new(4, 19);
/// A finding names no more messages, and no more bundles, than this.
const MAX_NAMED: usize = 3;
/// Updates between definitions that are looked at in a package.
pub const MAX_UPDATES: usize = 100_000;

fn check(context: &Context<'_>, findings: &mut Findings) {
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
    fn from_view(view: &PackageView<'_>) -> Self {
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
    let definitions = Definitions::from_view(view);
    if definitions.of_bundle.len() < 2 {
        return Vec::new();
    }
    let mut known: HashMap<(usize, usize), Vec<String>> = HashMap::new();
    let mut findings = Vec::new();
    let mut updates_left = MAX_UPDATES;
    for (new, entries) in entries_by_bundle(view, &definitions) {
        let (Some(bundle), Some(now)) = (view.bundle_by_name.get(new), definitions.of_bundle.get(new)) else {
            continue;
        };
        let froms = updated_from(view, &definitions, new, &entries);
        let Some(left) = updates_left.checked_sub(froms.len() * now.len()) else {
            findings.push(unchecked(context, view, bundle));
            break;
        };
        updates_left = left;
        for (name, place) in now {
            let mut from_names = Vec::new();
            let mut messages: BTreeMap<&str, usize> = BTreeMap::new();
            let others = froms.iter().filter_map(|from| {
                let before = definitions.of_bundle.get(*from).and_then(|before| before.get(name))?;
                (before.number != place.number).then_some((*from, before.number))
            });
            let others: Vec<(&str, usize)> = others.collect();
            for (_, before) in &others {
                known
                    .entry((*before, place.number))
                    .or_insert_with(|| definitions.refusal(*before, place.number, target));
            }
            for (from, before) in others {
                let refusal = known.get(&(before, place.number)).map(Vec::as_slice).unwrap_or_default();
                if !refusal.is_empty() {
                    from_names.push(from);
                }
                for line in refusal {
                    let next = messages.len();
                    messages.entry(line).or_insert(next);
                }
            }
            if !from_names.is_empty() {
                let mut messages: Vec<(usize, &str)> =
                    messages.into_iter().map(|(line, place)| (place, line)).collect();
                messages.sort_unstable();
                let messages: Vec<&str> = messages.into_iter().map(|(_, line)| line).collect();
                findings.push(finding(context, view, bundle, name, place.property, &from_names, &messages));
            }
        }
        // What is known of a pair serves one bundle; later ones have other definitions or the same answers.
        if known.len() > MAX_UPDATES {
            known.clear();
        }
    }
    findings
}

/// The entries of each bundle that has definitions.
fn entries_by_bundle<'v>(
    view: &'v PackageView<'_>,
    definitions: &Definitions,
) -> BTreeMap<&'v str, Vec<&'v ChannelEntry>> {
    let mut by_bundle: BTreeMap<&str, Vec<&ChannelEntry>> = BTreeMap::new();
    for entry in view.channels.iter().flat_map(|channel| channel.entries()) {
        if definitions.of_bundle.contains_key(&entry.name) {
            by_bundle.entry(entry.name.as_str()).or_default().push(entry);
        }
    }
    by_bundle
}

/// The bundles with definitions that update to a bundle in one step, the newest first.
fn updated_from<'v>(
    view: &'v PackageView<'_>,
    definitions: &'v Definitions,
    new: &str,
    entries: &[&'v ChannelEntry],
) -> Vec<&'v str> {
    let graph = view.graph();
    let mut froms: BTreeSet<&str> = BTreeSet::new();
    let mut ranges: BTreeSet<&str> = BTreeSet::new();
    for entry in entries {
        let named = std::iter::once(&entry.replaces).chain(&entry.skips).map(String::as_str);
        froms.extend(named.filter(|name| definitions.of_bundle.contains_key(*name)));
        // Channels repeat the ranges of each other.
        if let Some(range) = graph.readable_skip_range(entry).filter(|_| ranges.insert(&entry.skip_range)) {
            let names = definitions.of_bundle.keys().map(String::as_str);
            froms.extend(
                names.filter(|name| graph.version(name).is_some_and(|version| range.matches(version))),
            );
        }
    }
    froms.remove(new);
    let mut froms: Vec<&str> = froms.into_iter().collect();
    froms.sort_by(|a, b| graph.order(b, a));
    froms
}

/// There are more updates than anybody needs: the others are not looked at.
fn unchecked(context: &Context<'_>, view: &PackageView<'_>, bundle: &Bundle) -> Finding {
    let (package, name) = (quote(&view.package.name), quote(&bundle.name));
    let message = format!(
        "package {package} has more than {MAX_UPDATES} updates between definitions; those to {name} and all behind \
         it by name are not checked"
    );
    Finding::new(&RULE, message)
        .at(context.value(bundle.origin, "/name"))
        .about(Subject::bundle(&view.package.name, &bundle.name))
        .label("the first that is not checked")
        .help("narrow the ranges, or remove old entries")
}

fn finding(
    context: &Context<'_>,
    view: &PackageView<'_>,
    bundle: &Bundle,
    definition: &str,
    property: usize,
    from: &[&str],
    messages: &[&str],
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
        finding = finding.note(*line);
    }
    match messages.len().saturating_sub(MAX_NAMED) {
        0 => finding,
        more => finding.note(format!("and {more} more")),
    }
}
