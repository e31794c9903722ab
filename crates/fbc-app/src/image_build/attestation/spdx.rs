//! A bill of materials as SPDX 2.3: the image, the bundles that it lists, and the images that these need.

use std::collections::BTreeMap;

use fbc_registry::Reference;
use serde_json::{Value, json};

use super::Knowledge;

/// The identifier of the image that was built.
const IMAGE: &str = "SPDXRef-image";

/// The document.
pub(super) fn document(image: &Reference, known: &Knowledge<'_>) -> Value {
    let digest = known.root.digest().to_string();
    let hex = digest.split_once(':').map_or(digest.as_str(), |(_, hex)| hex);
    let own =
        package(IMAGE, &image.name(), image.tag(), Some(&image.with_digest(known.root.digest().clone())));
    let mut packages = vec![own];
    let mut relationships = vec![relation("SPDXRef-DOCUMENT", "DESCRIBES", IMAGE)];
    // Bundles of one image, such as those in several catalogs, are one package.
    let mut images: BTreeMap<&str, String> = BTreeMap::new();
    let mut bundles: Vec<_> = known.catalog.bundles.iter().collect();
    bundles.sort_by(|a, b| (&a.package, &a.name).cmp(&(&b.package, &b.name)));
    // The image of a bundle holds the one that it lists; a catalog says where its bundles are.
    let kind = if known.catalog.packages.is_empty() { "CONTAINS" } else { "DEPENDS_ON" };
    for (number, bundle) in bundles.iter().enumerate() {
        let id = format!("SPDXRef-bundle-{}", number + 1);
        let version = fbc_graph::bundle_version::find(bundle).map(|version| version.version.to_string());
        let reference = Reference::parse(&bundle.image).ok();
        packages.push(package(&id, &bundle.name, version.as_deref(), reference.as_ref()));
        relationships.push(relation(IMAGE, kind, &id));
        for related in bundle.related_images.iter().filter(|related| related.image != bundle.image) {
            let next = format!("SPDXRef-related-image-{}", images.len() + 1);
            let is_new = !images.contains_key(related.image.as_str());
            let related_id = images.entry(&related.image).or_insert(next).clone();
            if is_new {
                let reference = Reference::parse(&related.image).ok();
                let tag = reference.as_ref().and_then(Reference::tag).map(str::to_owned);
                packages.push(package(&related_id, &related.image, tag.as_deref(), reference.as_ref()));
            }
            let link = relation(&id, "DEPENDS_ON", &related_id);
            if !relationships.contains(&link) {
                relationships.push(link);
            }
        }
    }
    if let Some(base) = known.base {
        let reference = Reference::parse(&base.name).ok();
        let reference =
            reference.zip(base.digest.parse().ok()).map(|(base, digest)| base.with_digest(digest));
        packages.push(package("SPDXRef-base", &base.name, None, reference.as_ref()));
        relationships.push(relation(IMAGE, "DESCENDANT_OF", "SPDXRef-base"));
    }
    json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": image.name(),
        "documentNamespace": format!("https://spdx.org/spdxdocs/fbc-build-{hex}"),
        "creationInfo": {
            "created": known.created,
            "creators": [format!("Tool: fbc-{}", env!("CARGO_PKG_VERSION"))],
        },
        "packages": packages,
        "relationships": relationships,
    })
}

fn relation(from: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to})
}

fn package(id: &str, name: &str, version: Option<&str>, image: Option<&Reference>) -> Value {
    let mut package = json!({
        "SPDXID": id,
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": false,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    });
    if let Some(version) = version {
        package["versionInfo"] = version.into();
    }
    if let Some(image) = image {
        let digest = image.digest().map(ToString::to_string);
        if let Some(hex) = digest.as_deref().and_then(|digest| digest.strip_prefix("sha256:")) {
            package["checksums"] = json!([{"algorithm": "SHA256", "checksumValue": hex}]);
        }
        package["externalRefs"] = json!([{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": package_url(image),
        }]);
    }
    package
}

/// `pkg:oci/NAME@sha256:…?repository_url=HOST/PATH/NAME&tag=TAG`, as the type `oci` of package URLs wants it.
fn package_url(image: &Reference) -> String {
    let whole = image.name();
    let name = whole.rsplit('/').next().unwrap_or(&whole).to_lowercase();
    let digest = image.digest().map(|digest| format!("@{}", digest.to_string().replace(':', "%3A")));
    let tag = image.tag().map(|tag| format!("&tag={tag}"));
    format!("pkg:oci/{name}{}?repository_url={whole}{}", digest.unwrap_or_default(), tag.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_urls_of_images() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for (image, expected) in [
            (
                "quay.io/me/Catalog:v1".to_lowercase(),
                "pkg:oci/catalog?repository_url=quay.io/me/catalog&tag=v1".to_owned(),
            ),
            (
                format!("quay.io/me/c@{digest}"),
                format!("pkg:oci/c@sha256%3A{}?repository_url=quay.io/me/c", "a".repeat(64)),
            ),
        ] {
            assert_eq!(package_url(&Reference::parse(&image).unwrap()), expected);
        }
    }
}
