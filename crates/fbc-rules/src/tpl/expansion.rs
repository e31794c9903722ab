//! A look at what a template expands to.

use std::ops::Range;
use std::path::Path;

use fbc_lint::finding::{Finding, Place, Spot, Subject};
use fbc_lint::fix::Source;
use fbc_lint::policy::Policy;
use fbc_lint::report::{Report, judged};
use fbc_lint::rule::Rule;
use fbc_model::tree::Tree;
use fbc_model::{Catalog, Origin};
use fbc_template::{Advice, TemplateKind, lint_expansion};
use fbc_yaml::stream::Syntax;

use super::{chance_default, dropped_edge, same_version};

/// Says what in the expansion of a template its author may not have meant, with places in the template: the
/// file of that path in the tree.
#[must_use]
pub fn lint_template(
    kind: TemplateKind,
    (tree, path): (&dyn Tree, &Path),
    text: &[u8],
    expansion: &Catalog,
    policy: &Policy,
) -> Report {
    let advice = lint_expansion(kind, text, expansion);
    let findings = advice.iter().map(|advice| finding(advice, kind, path, text, expansion)).collect();
    judged(&NoDocuments, tree, findings, policy)
}

/// Places of findings are bytes; no document is looked up.
struct NoDocuments;

impl Source for NoDocuments {
    fn path(&self, _: u32) -> Option<&Path> {
        None
    }

    fn document(&self, _: Origin) -> Option<(Range<usize>, Syntax)> {
        None
    }
}

fn finding(advice: &Advice, kind: TemplateKind, path: &Path, text: &[u8], expansion: &Catalog) -> Finding {
    let (rule, subject): (&'static Rule, Subject) = match advice {
        Advice::DroppedEdges { package, channel, .. } => {
            (&dropped_edge::RULE, Subject::channel(package, channel))
        }
        Advice::DefaultChannel { package, chosen, .. } => {
            (&chance_default::RULE, Subject::channel(package, chosen))
        }
        Advice::SameVersion { package, .. } => (&same_version::RULE, Subject::package(package)),
    };
    let place = advice.place(kind, text, expansion);
    let spot = place.map_or(Spot::File, |place| Spot::Bytes(place.bytes));
    let place = Place { path: path.to_path_buf(), origin: None, spot };
    Finding::new(rule, advice.message()).at(place).about(subject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fbc_model::load::load_bytes;
    use fbc_model::tree::MemoryTree;

    #[test]
    fn advice_becomes_findings_with_places() {
        // A raw template is its own expansion.
        let text = b"schema: olm.channel\npackage: a\nname: c\nentries:\n- {name: a.v3, replaces: a.v2, skips: [a.v1, a.v2]}\n\
            - {name: a.v2, replaces: a.v1}\n- {name: a.v1}\n";
        let tree: MemoryTree = [("t.yaml", text.to_vec())].into_iter().collect();
        let expansion = load_bytes(Path::new("t.yaml"), text);
        let look = |policy: &Policy| {
            let report =
                lint_template(TemplateKind::Raw, (&tree, Path::new("t.yaml")), text, &expansion, policy);
            let shown = report.findings.iter().map(|located| {
                let start = located.span.as_ref().map(|span| span.start);
                (located.finding.rule.code, start)
            });
            shown.collect::<Vec<_>>()
        };
        assert_eq!(look(&Policy::default()), [("TPL001", Some((1, 1)))]);
        assert_eq!(look(&Policy::from(fbc_lint::Profile::Opm)), []);
    }
}
