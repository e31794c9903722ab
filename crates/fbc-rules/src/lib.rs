//! The rules, one file each, by family, and runs of all of them.
//!
//! A rule is its documentation and its check, with its cases in a file beside it. Rules that look at more than one catalog or bundle
//! directory have their finder beside them: [`rep`] for changes, [`tpl`] for templates, [`cfg`](mod@cfg) for the configuration.

use std::sync::LazyLock;

use fbc_bundle::BundleContents;
use fbc_lint::registry::Registry;
use fbc_lint::{ImageFacts, Policy, Profile, Report, Rule, Targets};
use fbc_model::Catalog;
use fbc_model::tree::Tree;

pub mod bnd;
pub mod cfg;
pub mod crd;
pub mod dep;
pub mod example;
pub mod fbc;
pub mod grf;
pub mod idx;
pub mod img;
pub mod lfc;
pub mod olm;
pub mod rep;
pub mod tpl;

pub use tpl::lint_template;

/// All rules.
pub static RULES: LazyLock<Registry> = LazyLock::new(|| {
    let mut rules: Vec<&'static Rule> = [
        bnd::RULES,
        cfg::RULES,
        crd::RULES,
        dep::RULES,
        fbc::RULES,
        grf::RULES,
        idx::RULES,
        img::RULES,
        lfc::RULES,
        olm::RULES,
        rep::RULES,
        tpl::RULES,
    ]
    .concat();
    rules.sort_by_key(|rule| rule.code);
    Registry {
        rules,
        documented_form: &fbc::documented_form::RULE,
        unrenderable: &bnd::unrenderable::RULE,
        of_directories: olm::OF_DIRECTORIES,
    }
});

/// Runs the rules of a profile over a catalog; see [`lint_under`].
#[must_use]
pub fn lint(catalog: &Catalog, tree: &dyn Tree, profile: Profile) -> Report {
    lint_under(catalog, tree, &Policy::from(profile))
}

/// Runs all rules that a policy wants over a catalog of whose images nothing is known; see [`lint_with`].
#[must_use]
pub fn lint_under(catalog: &Catalog, tree: &dyn Tree, policy: &Policy) -> Report {
    lint_with(catalog, tree, policy, ImageFacts::default())
}

/// Runs all rules that a policy wants over a catalog. The tree must be the one that the catalog was loaded
/// from: it is read again for places.
#[must_use]
pub fn lint_with(catalog: &Catalog, tree: &dyn Tree, policy: &Policy, images: ImageFacts) -> Report {
    fbc_lint::report::lint_catalog(&RULES, catalog, tree, policy, images)
}

/// Runs all rules about bundles over a bundle directory. The contents must be those of the tree, which is read
/// again for places.
#[must_use]
pub fn lint_bundle(contents: &BundleContents, tree: &dyn Tree, targets: &Targets, policy: &Policy) -> Report {
    fbc_lint::bundle::lint_bundle(&RULES, contents, tree, targets, policy)
}

#[cfg(test)]
mod tests {
    use fbc_lint::policy::selector::{Precision, select};

    use super::RULES;

    #[test]
    fn codes_names_and_families() {
        let codes = |word: &str| {
            select(&RULES, word).map(|(precision, rules)| {
                (precision, rules.into_iter().map(|rule| rule.code).collect::<Vec<_>>())
            })
        };
        assert_eq!(codes("grf003"), Ok((Precision::Rule, vec!["GRF003"])));
        assert_eq!(codes("package-name"), Ok((Precision::Rule, vec!["FBC012"])));
        let (precision, of_family) = codes("dep").unwrap();
        assert_eq!(precision, Precision::Family);
        assert!(of_family.len() > 10 && of_family.iter().all(|code| code.starts_with("DEP")));
        assert_eq!(codes("pakage-name"), Err(Some("package-name")));
        assert_eq!(codes(""), Err(None));
    }
}
