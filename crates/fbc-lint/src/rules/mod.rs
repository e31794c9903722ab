//! All rules, one file each, by family.

use std::sync::LazyLock;

use crate::rule::Rule;

pub mod bnd;
pub mod cfg;
pub mod crd;
pub mod dep;
pub mod fbc;
pub mod grf;
pub mod idx;
pub mod img;
pub mod lfc;
pub mod olm;
pub mod rep;
pub mod tpl;

/// All rules in the order of their codes.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
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
    rules
});

/// The rule of a code or name, whatever the case.
#[must_use]
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| {
        rule.code.eq_ignore_ascii_case(code_or_name) || rule.name.eq_ignore_ascii_case(code_or_name)
    })
}
