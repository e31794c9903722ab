//! Releases of OpenShift in the names of directories, files and tags.

use std::path::Path;

use fbc_version::OpenShiftRelease;

/// Whether OpenShift has such a release, or may get one. Other numbers are versions of something else: an operator for
/// Windows machines calls its directories `v10.16`.
#[must_use]
pub fn is_release(version: OpenShiftRelease) -> bool {
    (4..=5).contains(&version.major)
}

/// The release that a directory is named after: `v4.18`, `4.18`.
#[must_use]
pub fn of_directory(name: &str) -> Option<OpenShiftRelease> {
    OpenShiftRelease::parse(name).filter(|version| is_release(*version))
}

/// The release that is a part of a name: `catalog-4-18`, `product-v4.18`, `Dockerfile-v4-18.catalog`.
#[must_use]
pub fn in_name(name: &str) -> Option<OpenShiftRelease> {
    let bytes = name.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..bytes.len()).find_map(|start| {
        let is_first = start == 0 || matches!(bytes[start - 1], b'-' | b'_' | b'.');
        if !is_first || start >= 2 && is_digit(start - 2) {
            return None;
        }
        let rest = &name[start..];
        let rest = rest.strip_prefix('v').unwrap_or(rest);
        let (major, rest) = digits(rest)?;
        let (minor, rest) = digits(rest.strip_prefix(['.', '-', '_'])?)?;
        let mut after = rest.chars();
        let ends = match after.next() {
            None => true,
            Some('.' | '-' | '_') => !after.next().is_some_and(|next| next.is_ascii_digit()),
            Some(_) => false,
        };
        let version = OpenShiftRelease::parse(&format!("{major}.{minor}"))?;
        (ends && is_release(version)).then_some(version)
    })
}

/// The release that a path names, the last part first.
#[must_use]
pub fn of_path(path: &Path) -> Option<OpenShiftRelease> {
    path.components().rev().find_map(|part| in_name(part.as_os_str().to_str()?))
}

/// The release that a tag begins with: `v4.18`, `v4.18.0-202501`.
#[must_use]
pub fn of_tag(tag: &str) -> Option<OpenShiftRelease> {
    let (major, rest) = digits(tag.strip_prefix('v').unwrap_or(tag))?;
    let (minor, rest) = digits(rest.strip_prefix('.')?)?;
    let ends = rest.is_empty() || rest.starts_with(['.', '-', '_']);
    let version = OpenShiftRelease::parse(&format!("{major}.{minor}"))?;
    (ends && is_release(version)).then_some(version)
}

/// The release in the tag of an image reference. The registry of OpenShift 5 may say it in the repository as well.
#[must_use]
pub fn of_image(reference: &str) -> Option<OpenShiftRelease> {
    let name = reference.split('@').next().unwrap_or(reference);
    let last = name.rsplit('/').next().unwrap_or(name);
    of_tag(last.split_once(':')?.1)
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories_and_files() {
        for (name, expected) in [
            ("v4.18", Some((4, 18))),
            ("4.18", Some((4, 18))),
            ("catalog-4-14", Some((4, 14))),
            ("catalog-v4.9", Some((4, 9))),
            ("product-v5.0", Some((5, 0))),
            ("Dockerfile-v4-18.catalog", Some((4, 18))),
            ("Dockerfile-4.18.catalog", Some((4, 18))),
            ("Dockerfile.v4-12", Some((4, 12))),
            ("product-4.17", Some((4, 17))),
            ("v10.16", None),
            ("4.4.1", None),
            ("v1.4.18", None),
            ("catalog", None),
            ("catalog-14", None),
            ("rhel9-4", None),
            ("é4.18", None),
        ] {
            assert_eq!(in_name(name), expected.map(|(a, b)| OpenShiftRelease::new(a, b)), "{name}");
        }
        assert_eq!(of_directory("v10.16"), None);
        assert_eq!(of_directory("v4.16"), Some(OpenShiftRelease::new(4, 16)));
    }

    #[test]
    fn tags_of_images() {
        for (image, expected) in [
            ("registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.18", Some((4, 18))),
            ("registry.redhat.io/openshift4/ose-operator-registry:v4.18.0-2025@sha256:ab", Some((4, 18))),
            ("localhost:5000/opm", None),
            ("quay.io/operator-framework/opm:v1.47.0", None),
            ("quay.io/operator-framework/opm:latest", None),
            ("registry.access.redhat.com/ubi9:9.4", None),
        ] {
            assert_eq!(of_image(image), expected.map(|(a, b)| OpenShiftRelease::new(a, b)), "{image}");
        }
    }
}
