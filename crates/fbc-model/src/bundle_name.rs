//! Names of bundles: by custom the package, `.v` and the version; with a release `<package>-v<version>-<release>`.

use fbc_version::{Release, Version, VersionRelease};

/// What a name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleName<'n> {
    /// The package.
    pub package: &'n str,
    /// The version, and the release where there is one.
    pub version: VersionRelease,
}

/// What a name such as `beacon.v1.2.0` or `beacon-v1.2.0-1` says. The name of a package may have `.v` in it too.
#[must_use]
pub fn parse(name: &str) -> Option<BundleName<'_>> {
    let split = |mark: &'static str| {
        name.match_indices(mark)
            .filter_map(move |(at, mark)| Some((name.get(..at)?, name.get(at + mark.len()..)?)))
    };
    let plain = split(".v").find_map(|(package, rest)| {
        let version = VersionRelease::new(Version::parse(rest).ok()?, Release::default());
        Some(BundleName { package, version })
    });
    plain.or_else(|| {
        split("-v").find_map(|(package, rest)| {
            let (version, release) = rest.rsplit_once('-')?;
            let release = Release::parse(release).ok().filter(|release| !release.is_empty())?;
            let version = VersionRelease::new(Version::parse(version).ok()?, release);
            Some(BundleName { package, version })
        })
    })
}

/// Version and release in a name.
#[must_use]
pub fn version_in(name: &str) -> Option<VersionRelease> {
    parse(name).map(|found| found.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_stand_behind_the_package() {
        for (name, expected) in [
            ("beacon.v1.2.0", Some(("beacon", "1.2.0", ""))),
            ("my.lamp.v1.0.0-rc.1", Some(("my.lamp", "1.0.0-rc.1", ""))),
            ("lamp.video.v2.0.0", Some(("lamp.video", "2.0.0", ""))),
            ("lamp-v1.2.0-1", Some(("lamp", "1.2.0", "1"))),
            ("lamp-viewer-v1.2.0-rc.1-2", Some(("lamp-viewer", "1.2.0-rc.1", "2"))),
            ("lamp-v1.2.0", None),
            ("lamp-v1.2.0-01", None),
            ("beacon.1.2.0", None),
            ("beacon.v2", None),
            ("v1.0.0", None),
        ] {
            let found = parse(name);
            let shown = found.as_ref().map(|found| {
                (found.package, found.version.version.to_string(), found.version.release.to_string())
            });
            let expected =
                expected.map(|(package, version, release)| (package, version.to_owned(), release.to_owned()));
            assert_eq!(shown, expected, "{name}");
        }
    }
}
