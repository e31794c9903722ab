//! Releases of the operator that behave alike.
//!
//! | release | what stands against updates |
//! |---|---|
//! | 4.14 | `Upgradeable=False` keeps a cluster from every other minor version, older ones too; the version that counts is the last that was completed |
//! | 4.15, 4.16 | from newer minor versions only |
//! | 4.17, 4.18 | the version that counts is the one that is wanted now |
//! | 4.19 to 4.21 | updates over several minor versions are refused; an update of a minor version that is under way is told |
//! | 4.22 | overrides no longer keep a cluster from patches; texts speak of major versions |
//! | 4.23, 5.0 and later | what stands against updates are risks, which administrators can accept by name |
//!
//! The precondition `EtcdRecentBackup` of 4.14 is left out: the operator of etcd makes the backup as soon as the check
//! fails, so that it delays an update and stops none.
//!
//! Source: the branches `release-4.14` to `release-5.0` of `openshift/cluster-version-operator`, `pkg/cvo/upgradeable.go`,
//! `pkg/payload/precondition/clusterversion` and `pkg/risk`.

use fbc_version::Version;

/// The operators of releases that behave alike, by the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// 4.14, and what came before.
    V4_14,
    /// 4.15 and 4.16.
    V4_15,
    /// 4.17 and 4.18.
    V4_17,
    /// 4.19 to 4.21.
    V4_19,
    /// 4.22.
    V4_22,
    /// 4.23, 5.0 and what comes after.
    V4_23,
}

/// The first release of each generation but the oldest, newest first.
const FIRST: [((u64, u64), Generation); 5] = [
    ((4, 23), Generation::V4_23),
    ((4, 22), Generation::V4_22),
    ((4, 19), Generation::V4_19),
    ((4, 17), Generation::V4_17),
    ((4, 15), Generation::V4_15),
];

impl Generation {
    /// The operator of a release. What is no version gets the newest.
    #[must_use]
    pub fn of(release: &str) -> Self {
        let Ok(version) = Version::parse(release) else { return Self::V4_23 };
        let release = (version.major(), version.minor());
        FIRST.iter().find(|(first, _)| release >= *first).map_or(Self::V4_14, |(_, generation)| *generation)
    }

    /// Whether what stands against updates are risks.
    pub(super) fn has_risks(self) -> bool {
        self >= Self::V4_23
    }

    /// Whether overrides keep a cluster from patches, too.
    pub(super) fn overrides_block_patches(self) -> bool {
        self < Self::V4_22
    }

    /// Whether updates over several minor versions, or to another major version, are refused.
    pub(super) fn refuses_giant_hops(self) -> bool {
        self >= Self::V4_19
    }

    /// Whether 5.0 follows the last 4.
    pub(super) fn leads_to_5(self) -> bool {
        self >= Self::V4_22
    }

    /// Whether an update that is under way counts among what stands against the next.
    pub(super) fn tells_updates_under_way(self) -> bool {
        self >= Self::V4_19
    }

    /// Whether the last completed version counts, and not the one that is wanted now.
    pub(super) fn counts_from_completed(self) -> bool {
        self < Self::V4_17
    }

    /// What other versions are called that are not patches.
    pub(super) fn far_versions(self) -> &'static str {
        if self >= Self::V4_22 { "minor or major versions" } else { "minor versions" }
    }
}

#[cfg(test)]
mod tests {
    use super::Generation;

    #[test]
    fn releases_belong_to_generations() {
        for (release, generation) in [
            ("4.12.3", Generation::V4_14),
            ("4.14.0", Generation::V4_14),
            ("4.15.0-rc.1", Generation::V4_15),
            ("4.16.40", Generation::V4_15),
            ("4.18.8", Generation::V4_17),
            ("4.19.0", Generation::V4_19),
            ("4.21.7", Generation::V4_19),
            ("4.22.0-ec.3", Generation::V4_22),
            ("4.23.0", Generation::V4_23),
            ("5.0.0", Generation::V4_23),
            ("nightly", Generation::V4_23),
        ] {
            assert_eq!(Generation::of(release), generation, "{release}");
        }
    }
}
