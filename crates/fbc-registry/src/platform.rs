//! Which manifest of an index is for a platform.

use oci_spec::image::{Descriptor, ImageIndex, Platform};

/// The manifest for a platform. The variant must be equal where the wish has one; where it has none, a manifest
/// without a variant wins over one with, and `v8` is what `arm64` means. Of equals the first one is taken.
///
/// Source: `containers/image:internal/pkg/platform/platform_matcher.go`.
#[must_use]
pub fn choose<'i>(index: &'i ImageIndex, wanted: &Platform) -> Option<&'i Descriptor> {
    let candidates = || {
        index.manifests().iter().filter(|descriptor| {
            descriptor.platform().as_ref().is_some_and(|platform| {
                platform.os() == wanted.os()
                    && platform.architecture() == wanted.architecture()
                    && (wanted.os_version().is_none() || wanted.os_version() == platform.os_version())
            })
        })
    };
    let variant_of = |descriptor: &Descriptor| -> String {
        normal_variant(descriptor.platform().as_ref().unwrap_or(&Platform::default()))
    };
    let wish = normal_variant(wanted);
    candidates()
        .find(|descriptor| variant_of(descriptor) == wish)
        .or_else(|| if wanted.variant().is_none() { candidates().next() } else { None })
}

/// The variant, where `v8` of `arm64` and `v7` of `arm` say what the architecture alone says.
fn normal_variant(platform: &Platform) -> String {
    let architecture = platform.architecture().to_string();
    match (architecture.as_str(), platform.variant().as_deref()) {
        ("arm64", None | Some("v8" | "8")) => "v8".to_owned(),
        ("arm", None | Some("v7" | "7")) => "v7".to_owned(),
        (_, variant) => variant.unwrap_or_default().to_owned(),
    }
}

/// `os/architecture[/variant]`, as in `linux/arm64/v8`.
#[must_use]
pub fn show(platform: &Platform) -> String {
    let variant = platform.variant().as_ref().map(|variant| format!("/{variant}")).unwrap_or_default();
    format!("{}/{}{variant}", platform.os(), platform.architecture())
}

/// Reads `os/architecture[/variant]`; none if it has another form.
#[must_use]
pub fn parse(text: &str) -> Option<Platform> {
    let mut parts = text.split('/');
    let (os, architecture) = (parts.next()?, parts.next()?);
    let variant = parts.next();
    let is_part = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    if parts.next().is_some() || ![os, architecture, variant.unwrap_or("-")].into_iter().all(is_part) {
        return None;
    }
    let mut platform = Platform::default();
    platform.set_os(os.into());
    platform.set_architecture(architecture.into());
    platform.set_variant(variant.map(str::to_owned));
    Some(platform)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(platforms: &[&str]) -> ImageIndex {
        let manifests: Vec<_> = platforms
            .iter()
            .enumerate()
            .map(|(number, platform)| {
                let (os, rest) = platform.split_once('/').unwrap();
                let (architecture, variant) = rest.split_once('/').unwrap_or((rest, ""));
                let mut value = serde_json::json!({
                    "mediaType": "application/vnd.oci.image.manifest.v1+json", "size": number,
                    "digest": format!("sha256:{}", "a".repeat(64)),
                    "platform": {"os": os, "architecture": architecture},
                });
                if !variant.is_empty() {
                    value["platform"]["variant"] = variant.into();
                }
                value
            })
            .collect();
        serde_json::from_value(serde_json::json!({"schemaVersion": 2, "manifests": manifests})).unwrap()
    }

    #[test]
    fn platforms_of_an_index() {
        let index = index(&[
            "linux/arm/v6",
            "linux/arm",
            "linux/amd64/v3",
            "linux/amd64",
            "linux/arm64/v8",
            "linux/s390x",
        ]);
        for (wanted, expected) in [
            ("linux/amd64", Some(3)),
            ("linux/amd64/v3", Some(2)),
            ("linux/arm64", Some(4)),
            ("linux/arm", Some(1)),
            ("linux/arm/v7", Some(1)),
            ("linux/arm/v6", Some(0)),
            ("linux/arm/v5", None),
            ("linux/s390x", Some(5)),
            ("windows/amd64", None),
        ] {
            let chosen = choose(&index, &parse(wanted).unwrap()).map(Descriptor::size);
            assert_eq!(chosen, expected, "{wanted}");
        }
        for text in ["linux", "linux/", "/amd64", "a/b/c/d", "linux/amd 64"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(show(&parse("linux/arm/v7").unwrap()), "linux/arm/v7");
    }
}
