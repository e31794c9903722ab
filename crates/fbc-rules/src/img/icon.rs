//! Icons that are not images.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Icon;
use fbc_model::icon::media_type;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG201",
    name: "icon",
    since: "0.1.0",
    summary: "The icon of a package is not an image of the type that it says",
    explanation: "\
Consoles show the icon of a package from `base64data`, and believe `mediatype`. Data that is not an image, or
an image of another type, leaves a broken picture. opm does not look at icons.

Types that browsers show: `image/svg+xml`, `image/png`, `image/jpeg`, `image/gif`, `image/webp`.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/model/model.go",
        "Icon.validateData",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("icon.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for package in &context.catalog.packages {
        let Some(icon) = &package.icon else { continue };
        let Some(fault) = fault(icon) else { continue };
        let name = quote(&package.name);
        let (message, pointer, label, help) = match fault {
            Fault::NoData => (
                format!("the icon of package {name} has no data"),
                "/icon",
                "no data",
                "add `base64data`, or remove the icon".to_owned(),
            ),
            Fault::NoImage => (
                format!("the icon of package {name} is not a PNG, JPEG, GIF, WebP or SVG image"),
                "/icon/base64data",
                "no image",
                "encode the file of the image itself in base64".to_owned(),
            ),
            Fault::OtherType(actual) => (
                format!(
                    "the icon of package {name} says that it is {}, but it is {}",
                    quote(&icon.media_type),
                    quote(actual)
                ),
                "/icon/mediatype",
                "another type",
                format!("set `mediatype` to {}", quote(actual)),
            ),
        };
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(package.origin, pointer))
                .about(Subject::package(&package.name))
                .label(label)
                .help(help),
        );
    }
}

/// The media types of images that browsers show.
const SHOWN_BY_BROWSERS: [&str; 5] = ["image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"];

pub(crate) enum Fault {
    NoData,
    NoImage,
    OtherType(&'static str),
}

pub(crate) fn fault(icon: &Icon) -> Option<Fault> {
    let data = icon.data.as_deref().unwrap_or_default();
    if data.is_empty() {
        return Some(Fault::NoData);
    }
    let shown = media_type(data).filter(|found| SHOWN_BY_BROWSERS.contains(found));
    let Some(actual) = shown else { return Some(Fault::NoImage) };
    // A parameter such as `; charset=utf-8` does no harm; browsers take `image/jpg`.
    let said = icon.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_same = said == actual || (said == "image/jpg" && actual == "image/jpeg");
    (!is_same).then_some(Fault::OtherType(actual))
}
