//! Whether a bundle directory installs on OLM v1: the rules about bundles in catalogs, over the blob that the directory
//! renders to.

use fbc_bundle::BundleFolder;
use fbc_model::Catalog;
use fbc_model::tree::MemoryTree;

use super::BundleContext;
use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::policy::Policy;
use crate::registry::{DirectoryPlace, Registry};
use crate::rule::Check;

/// What the rules say that the policy wants. A directory that does not render has other findings.
pub(super) fn findings(registry: &Registry, context: &BundleContext<'_>, policy: &Policy) -> Vec<Finding> {
    let rules = registry.of_directories.iter();
    let mut wanted = rules.filter(|(rule, _)| policy.level(rule).is_some()).peekable();
    if wanted.peek().is_none() {
        return Vec::new();
    }
    let rendered =
        BundleFolder::read(context.tree).and_then(|folder| fbc_bundle::render::render(&folder, None));
    let Ok(bundle) = rendered else { return Vec::new() };
    let catalog = Catalog { bundles: vec![bundle], ..Catalog::default() };
    let files = MemoryTree::default();
    let of_catalog = Context::with(&catalog, &files, policy.parameters.clone());
    let mut found = Findings::with_room(policy.most_findings);
    for (rule, _) in wanted {
        if let Check::Catalog(check) = rule.check {
            check(&of_catalog, &mut found);
        }
    }
    let of_csv = |pointer: &str| context.csv.map(|csv| context.value(csv.object.origin, pointer));
    let (mut findings, _) = found.into_kept();
    for finding in &mut findings {
        let place = registry.of_directories.iter().find(|(rule, _)| *rule == finding.rule);
        finding.place = match (place, context.dependencies) {
            (Some((_, DirectoryPlace::Dependencies)), Some(dependencies)) => {
                Some(context.value(dependencies.origin, "/dependencies"))
            }
            (Some((_, DirectoryPlace::ClusterServiceVersion(pointer))), _) => of_csv(pointer),
            _ => of_csv(""),
        };
    }
    findings
}
