//! Whether a bundle directory installs on OLM v1: the rules about bundles in catalogs, over the blob that the directory
//! renders to.

use fbc_bundle::BundleFolder;
use fbc_model::Catalog;
use fbc_model::tree::MemoryTree;

use super::BundleContext;
use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::policy::Policy;
use crate::rule::Check;
use crate::rules::olm;

/// Where in the cluster service version stands what a rule is about.
const PLACES: [(&str, &str); 4] = [
    ("OLM002", "/spec/installModes"),
    ("OLM003", "/spec/apiservicedefinitions"),
    ("OLM004", "/spec/webhookdefinitions"),
    ("OLM005", "/metadata/name"),
];

/// What the rules say that the policy wants. A directory that does not render has other findings.
pub(super) fn findings(context: &BundleContext<'_>, policy: &Policy) -> Vec<Finding> {
    // A directory has no image yet; it is built from the directory.
    let rules = olm::RULES.iter().filter(|rule| !std::ptr::eq(**rule, &olm::bundle_image::RULE));
    let mut wanted = rules.filter(|rule| policy.level(rule).is_some()).peekable();
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
    for rule in wanted {
        if let Check::Catalog(check) = rule.check {
            check(&of_catalog, &mut found);
        }
    }
    let (mut findings, _) = found.into_kept();
    for finding in &mut findings {
        finding.place = match (finding.rule.code, context.dependencies, context.csv) {
            ("OLM001", Some(dependencies), _) => Some(context.value(dependencies.origin, "/dependencies")),
            (code, _, Some(csv)) => {
                let pointer = PLACES.iter().find(|(of, _)| *of == code).map_or("", |(_, pointer)| pointer);
                Some(context.value(csv.object.origin, pointer))
            }
            _ => None,
        };
    }
    findings
}
