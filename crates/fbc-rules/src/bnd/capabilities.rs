//! Capability levels and categories that nobody knows.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::Findings;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND225",
    name: "capabilities",
    since: "0.1.0",
    summary: "The capability level or a category of the operator is not a known one",
    explanation: "\
The annotation `capabilities` is one of `Basic Install`, `Seamless Upgrades`, `Full Lifecycle`, `Deep Insights`,
`Auto Pilot`. The annotation `categories` is a list of known categories with commas between them. Consoles filter by
them, and show an operator with another word under none.",
    sources: &[
        Source::Code(
            "operator-framework/api:pkg/validation/internal/standardcapabilities.go",
            "checkCapabilities",
        ),
        Source::Code(
            "operator-framework/api:pkg/validation/internal/standardcategories.go",
            "checkCategories",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("capabilities.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut report = |key: &str, message: String, text: &str, known: &'static [&'static str]| {
        let help = match names::meant(text, known.iter().copied()) {
            Some(close) => format!("did you mean {}?", quote(close)),
            None => format!("known are {}", known.join(", ")),
        };
        let pointer = pointer("/metadata/annotations", key);
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    };
    if let Some(level) = csv.annotation("capabilities").filter(|level| !LEVELS.contains(level)) {
        report("capabilities", format!("{} is not a capability level", quote(level)), level, &LEVELS);
    }
    let categories = csv.annotation("categories").into_iter().flat_map(|list| list.split(',')).map(str::trim);
    for category in categories.filter(|category| !CATEGORIES.contains(category)) {
        report("categories", format!("{} is not a known category", quote(category)), category, &CATEGORIES);
    }
}

static LEVELS: [&str; 5] =
    ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];
static CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Developer Tools",
    "Database",
    "Integration & Delivery",
    "Logging & Tracing",
    "Monitoring",
    "Modernization & Migration",
    "Networking",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
    "Observability",
];
