//! Icons that consoles cannot show.

use fbc_go::base64;
use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Icon;

use super::size;
use crate::img::icon::{self, Fault};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND218",
    name: "csv-icon",
    since: "0.1.0",
    summary: "The icon of a ClusterServiceVersion cannot be shown",
    explanation: "\
`spec.icon` is a list with one icon: `base64data`, the file of a picture in base64, and `mediatype`, one of
`image/svg+xml`, `image/png`, `image/jpeg`, `image/gif`. Data that is not a picture, or of another type, leaves a broken
picture in every console. Large pictures make every catalog large: 100 KiB is more than any console shows.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/operatorhub.go",
        "checkSpecIcon",
    )],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("csv_icon.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut report = |pointer: &str, message: String, help: String| {
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    };
    let count = csv.list("icon").count();
    let Some((_, icon)) = csv.list("icon").next() else {
        let help = "add the logo of the operator: `base64data` and `mediatype`";
        report("/spec/icon", "the ClusterServiceVersion has no icon".to_owned(), help.to_owned());
        return;
    };
    if count > 1 {
        let message = format!("there are {count} icons, and only the first is shown");
        report("/spec/icon", message, "keep one".to_owned());
    }
    let data = match base64::decode(icon.get_str("base64data").unwrap_or_default()) {
        Ok(data) => data,
        Err(error) => {
            let help = "encode the file with `base64 -w0`".to_owned();
            report("/spec/icon/0/base64data", format!("the icon is not base64: {error}"), help);
            return;
        }
    };
    let size = data.len() as u64;
    let media_type = icon.get_str("mediatype").unwrap_or_default().to_owned();
    match icon::fault(&Icon { data: Some(data), media_type: media_type.clone() }) {
        Some(Fault::NoData) => {
            report("/spec/icon/0", "the icon has no data".to_owned(), "add `base64data`".to_owned());
        }
        Some(Fault::NoImage) => report(
            "/spec/icon/0/base64data",
            "the icon is not a PNG, JPEG, GIF, WebP or SVG image".to_owned(),
            "encode the file of the image itself in base64".to_owned(),
        ),
        Some(Fault::OtherType(actual)) => report(
            "/spec/icon/0/mediatype",
            format!("the icon says that it is {}, but it is {}", quote(&media_type), quote(actual)),
            format!("set `mediatype` to `{actual}`"),
        ),
        None if !MEDIA_TYPES.contains(&media_type.as_str()) => report(
            "/spec/icon/0/mediatype",
            format!("{} is not a type of icon that operator-sdk accepts", quote(&media_type)),
            format!("use one of {}", MEDIA_TYPES.join(", ")),
        ),
        None => {}
    }
    if size > MAX_BYTES {
        let message =
            format!("the icon has {} bytes, more than {}", size::grouped(size), size::grouped(MAX_BYTES));
        report("/spec/icon/0/base64data", message, "use a smaller picture, best an SVG".to_owned());
    }
}

const MEDIA_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];
const MAX_BYTES: u64 = 100 << 10;
