//! What is configured for registries, for a report.

use super::{Mirror, PullFrom, Registries, Rule};

/// What is configured for the images whose names begin with a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryOverview<'r> {
    /// `host[:port][/path]` or `*.domain[/path]`.
    pub prefix: &'r str,
    /// What is asked instead of the prefix, if it is another place.
    pub location: Option<&'r str>,
    /// Whether a certificate that does not convince, or HTTP, is enough.
    pub is_insecure: bool,
    /// What blocks it, if something does.
    pub blocked_by: Option<&'r str>,
    /// Where images are looked for first, in this order.
    pub mirrors: Vec<MirrorOverview<'r>>,
}

/// A mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorOverview<'r> {
    /// `host[:port][/path]`.
    pub location: &'r str,
    /// Whether a certificate that does not convince, or HTTP, is enough.
    pub is_insecure: bool,
    /// `digests` or `tags` where it is asked for such references only.
    pub only: Option<&'static str>,
}

impl Registries {
    /// What is configured, by prefix.
    #[must_use]
    pub fn overview(&self) -> Vec<RegistryOverview<'_>> {
        self.rules.values().map(registry).collect()
    }
}

fn registry(rule: &Rule) -> RegistryOverview<'_> {
    RegistryOverview {
        prefix: &rule.prefix,
        location: Some(rule.location.as_str())
            .filter(|location| !location.is_empty() && *location != rule.prefix),
        is_insecure: rule.insecure,
        blocked_by: rule.blocked.as_deref(),
        mirrors: rule.mirrors.iter().map(mirror).collect(),
    }
}

fn mirror(mirror: &Mirror) -> MirrorOverview<'_> {
    let only = match mirror.pull {
        PullFrom::All => None,
        PullFrom::DigestOnly => Some("digests"),
        PullFrom::TagOnly => Some("tags"),
    };
    MirrorOverview { location: &mirror.location, is_insecure: mirror.insecure, only }
}
