//! Cluster service versions without a version.

use fbc_go::text::quote;
use fbc_lint::bundle::{BundleContext, ClusterServiceVersion};
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::bundle_name;
use fbc_version::{Release, Version};

use crate::fbc::bundle_release;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND010",
    name: "csv-version",
    since: "0.1.0",
    summary: "The version of a ClusterServiceVersion is missing or not a semantic version, or its release not valid",
    explanation: "\
`spec.version` is the version of the bundle in every catalog. It must be a semantic version with three numbers,
such as `1.4.0` or `1.4.0-rc.1`, without a `v` before it. Some tools read more than that; opm puts the text into
the property `olm.package`, and refuses the catalog that holds it. `spec.release`, where there is one, goes there as well: FBC027
says what it may be.",
    sources: &[
        Source::Code("operator-framework/api:pkg/lib/version/version.go", "OperatorVersion"),
        Source::Code(
            "operator-framework/operator-registry:alpha/model/versionrelease.go",
            "NewRelease",
        ),
        Source::Code("operator-framework/api:pkg/validation/internal/operatorhub.go", "checkSpecVersion"),
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("csv_version.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    release(context, csv, findings);
    let Some(value) = csv.spec("version") else {
        let of_name = bundle_name::version_in(csv.object.name).map(|found| found.version.to_string());
        findings.push(
            context
                .finding(&RULE, csv.origin(), "/spec/version", "the ClusterServiceVersion has no version")
                .help("write the version as three numbers: `version: 1.0.0`")
                .fix_if(of_name.map(|version| {
                    Fix::risky(format!("add `version: {version}`, as the name says")).set(
                        csv.origin(),
                        "/spec/version",
                        &version,
                    )
                })),
        );
        return;
    };
    // Another kind is another rule's.
    let Some(text) = value.as_str() else { return };
    let Err(error) = Version::parse(text) else { return };
    let stripped = text.trim().trim_start_matches(['v', 'V']);
    let help = if Version::parse(stripped).is_ok() {
        format!("write `{stripped}`")
    } else {
        "write three numbers, such as `1.4.0`".to_owned()
    };
    let fix = Version::parse(stripped)
        .is_ok()
        .then(|| Fix::safe(format!("write `{stripped}`")).set(csv.origin(), "/spec/version", stripped));
    findings.push(
        context
            .finding(
                &RULE,
                csv.origin(),
                "/spec/version",
                format!("the version {} is not a semantic version", quote(text)),
            )
            .label("no version")
            .note(error.to_string())
            .fix_if(fix)
            .help(help),
    );
}

/// Reports a release that the catalog with this bundle cannot have.
fn release(context: &BundleContext<'_>, csv: ClusterServiceVersion<'_>, findings: &mut Findings) {
    let release = csv.release();
    let Err(error) = Release::parse(&release) else { return };
    let fix = bundle_release::without_zeros(&release).map(|meant| {
        Fix::safe(format!("write {}", quote(&meant))).set(csv.origin(), "/spec/release", &meant)
    });
    let message = format!("{} is not a valid release: {}", quote(&release), bundle_release::reason(&error));
    findings.push(
        context
            .finding(&RULE, csv.origin(), "/spec/release", message)
            .label("no valid release")
            .fix_if(fix)
            .help("use a number that grows by one, such as \"1\""),
    );
}
