//! What the rules about image references share.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::fix::Fix;
use fbc_model::{Bundle, Origin, image_reference};

use crate::fbc::opm::{self, BundleInCatalog};

/// What to do about a text that is not an image reference.
pub(crate) fn help(image: &str) -> String {
    for scheme in ["docker://", "http://", "https://", "oci://"] {
        if let Some(rest) = image.strip_prefix(scheme) {
            return format!("write it without {}: {}", quote(scheme), quote(rest));
        }
    }
    let repository = image.split('@').next().unwrap_or_default();
    let (path, tag) = match repository.rsplit_once(':') {
        Some((path, tag)) if !tag.contains('/') => (path, tag),
        _ => (repository, ""),
    };
    if image.trim() != image || image.contains(char::is_whitespace) {
        "remove the spaces".to_owned()
    } else if tag.contains('+') {
        "a tag cannot contain `+`; image names use `-` or `_` in its place".to_owned()
    } else if path.split_once('/').is_some_and(|(_, path)| path.bytes().any(|byte| byte.is_ascii_uppercase()))
    {
        "write the repository in lower case".to_owned()
    } else if image.contains("@sha256:") {
        "a sha256 digest has 64 lower-case hexadecimal digits".to_owned()
    } else {
        "write `registry/path:tag` or `registry/path@sha256:digest`".to_owned()
    }
}

/// Takes out what cannot be part of a reference, where the rest is one.
pub(crate) fn fix(origin: Origin, pointer: &str, image: &str) -> Option<Fix> {
    let trimmed = image.trim();
    let schemes = ["docker://", "http://", "https://", "oci://"];
    let meant = schemes.iter().find_map(|scheme| trimmed.strip_prefix(scheme)).unwrap_or(trimmed);
    let is_better = meant != image && image_reference::parse(meant).is_ok();
    is_better.then(|| Fix::safe(format!("write {}", quote(meant))).set(origin, pointer, meant))
}

/// Whether a reference names no registry. A port or dot in the first component, or `localhost`, makes
/// it one.
pub(crate) fn is_short(image: &str) -> bool {
    match image.split_once('/') {
        Some((first, _)) => {
            !first.contains(['.', ':'])
                && first != "localhost"
                && !first.bytes().any(|byte| byte.is_ascii_uppercase())
        }
        None => !image.is_empty(),
    }
}

/// Whether a reference has both a tag and a digest.
pub(crate) fn has_tag_and_digest(image: &str) -> bool {
    let Some((repository, _)) = image.split_once('@') else { return false };
    repository.rsplit('/').next().is_some_and(|last| last.contains(':')) && repository.contains('/')
}

/// Whether a reference ends in `@sha256:` and 64 hexadecimal digits.
pub(crate) fn ends_in_sha256(image: &str) -> bool {
    let digest = image.rsplit_once("@sha256:").map(|(_, digest)| digest);
    digest.is_some_and(|digest| digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_deprecated(bundle: &Bundle) -> bool {
    bundle.properties.iter().any(|property| property.kind == "olm.deprecated")
}

/// The related images that release policies look at, with their numbers: none of a bundle with the property
/// `olm.deprecated`, and not the bundle image itself.
pub(crate) fn related_images(bundle: &Bundle) -> impl Iterator<Item = (usize, &str)> {
    let is_deprecated = is_deprecated(bundle);
    let images = bundle.related_images.iter().map(|related| related.image.as_str()).enumerate();
    images.filter(move |(_, image)| !is_deprecated && !image.is_empty() && *image != bundle.image)
}

/// An image where a catalog names it first.
pub(crate) struct Mention<'a, 'c> {
    /// The bundle.
    pub(crate) item: BundleInCatalog<'a, 'c>,
    /// The image.
    pub(crate) image: &'a str,
    /// Its place in the bundle as a JSON pointer.
    pub(crate) pointer: String,
}

/// The images of all bundles that are asked for, each once, since many bundles share an image: their own, their related
/// ones, and those that their manifests run without listing them.
pub(crate) fn first_mentions<'a, 'c>(
    context: &'a Context<'c>,
    is_asked_for: impl Fn(&str) -> bool,
) -> Vec<Mention<'a, 'c>> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut mentions = Vec::new();
    for item in opm::bundles(context) {
        let own = (item.bundle.image.as_str(), "/image".to_owned());
        let related = related_images(item.bundle)
            .map(|(index, image)| (image, format!("/relatedImages/{index}/image")));
        let manifests = (!is_deprecated(item.bundle)).then(|| context.manifests(item.number)).flatten();
        let manifests = manifests.and_then(|facts| facts.description.as_ref());
        let inside = manifests.into_iter().flat_map(|description| &description.images);
        let inside =
            inside.filter(|used| used.runs()).map(|used| (used.image.as_str(), used.pointer.clone()));
        for (image, pointer) in std::iter::once(own).chain(related).chain(inside) {
            if is_asked_for(image) && known.insert(image) {
                mentions.push(Mention { item, image, pointer });
            }
        }
    }
    mentions
}
