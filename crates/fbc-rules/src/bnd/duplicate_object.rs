//! Objects that are there twice.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND214",
    name: "duplicate-object",
    since: "0.1.0",
    summary: "A bundle holds an object twice",
    explanation: "\
Two objects of the same group, kind, namespace and name are one object on a cluster: the file that is applied last
wins. Keep one of them.",
    sources: &[Source::Advice("a cluster knows an object by its group, kind, namespace and name")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("duplicate_object.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let mut first_files = BTreeMap::new();
    for object in context.objects.iter().filter(|object| !object.name.is_empty()) {
        let file = context.contents.files.get(object.origin.file as usize);
        let path = file.map(|file| file.path.to_string_lossy()).unwrap_or_default();
        let key = (object.group, object.kind, object.namespace, object.name);
        match first_files.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert((path, object.origin))),
            Entry::Occupied(entry) => {
                let (first, origin) = entry.get();
                let message = format!(
                    "{} {} is in the bundle a second time: it is in {} too",
                    quote(object.kind),
                    quote(object.name),
                    quote(first)
                );
                findings.push(
                    context
                        .finding(&RULE, object.origin, "/metadata/name", message)
                        .related(context.value(*origin, "/metadata/name"), "the first object")
                        .help("remove one of the two files"),
                );
            }
        }
    }
}
