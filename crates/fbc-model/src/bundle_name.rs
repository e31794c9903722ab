//! Names of bundles: by custom the package, `.v` and the version.

use fbc_version::Version;

/// The version in a name such as `beacon.v1.2.0`. The name of a package may have `.v` in it too.
#[must_use]
pub fn version_in(name: &str) -> Option<Version> {
    let mut rests = name.match_indices(".v").filter_map(|(at, mark)| name.get(at + mark.len()..));
    rests.find_map(|rest| Version::parse(rest).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_stand_behind_the_package() {
        for (name, expected) in [
            ("beacon.v1.2.0", Some("1.2.0")),
            ("my.lamp.v1.0.0-rc.1", Some("1.0.0-rc.1")),
            ("lamp.video.v2.0.0", Some("2.0.0")),
            ("beacon.1.2.0", None),
            ("beacon.v2", None),
            ("v1.0.0", None),
        ] {
            assert_eq!(version_in(name).map(|version| version.to_string()).as_deref(), expected, "{name}");
        }
    }
}
