//! Images that cannot be pulled because they name no registry.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::image_reference;

use super::reference;
use crate::fbc::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG204",
    name: "short-image",
    since: "0.1.0",
    summary: "An image names no registry",
    explanation: "\
`foo` and `foo/bar` are short names: which registry they mean depends on the machine. opm cannot pull
them (`repository name must be canonical`), and clusters may refuse them.

Write the registry, for instance `docker.io/library/foo` or `quay.io/foo/bar`.",
    sources: &[
        Source::Advice("which registry a short name means depends on the machine"),
        Source::Code(
            "operator-framework/operator-registry:pkg/image/containersimageregistry/registry.go",
            "Registry.Pull",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("short_image.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let image = item.bundle.image.as_str();
        let related = &item.bundle.related_images;
        let short = if reference::is_short(image) {
            Some((image, "/image".to_owned()))
        } else {
            let found = related.iter().position(|related| reference::is_short(&related.image));
            found
                .and_then(|index| Some((related.get(index)?, index)))
                .map(|(related, index)| (related.image.as_str(), format!("/relatedImages/{index}/image")))
        };
        let Some((image, pointer)) = short else { continue };
        let Ok(parsed) = image_reference::parse(image) else { continue };
        let rest = image.strip_prefix("library/").unwrap_or(image);
        let help = format!(
            "write {}, if that is what you mean",
            quote(&format!(
                "{}/{}{rest}",
                parsed.domain,
                if parsed.path.starts_with("library/") { "library/" } else { "" }
            ))
        );
        findings.push(
            Finding::new(
                &RULE,
                format!("image {} of bundle {} names no registry", quote(image), quote(&item.bundle.name)),
            )
            .at(context.value(item.bundle.origin, pointer))
            .about(item.subject())
            .label("no registry")
            .help(help),
        );
    }
}
