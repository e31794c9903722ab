//! Why an installed version stays where it is although the catalog has a newer one.

use fbc_resolve::{CatalogIndex, IndexedBundle, PackageIndex};
use fbc_version::Version;

/// Where an installed version ended, beside the newest that it could have come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranded {
    /// The newest version of the channels; nothing if the package is gone.
    pub newest: Option<String>,
    /// The missing edge, the deprecation or the limit that keeps it there.
    pub reason: String,
}

/// Says why a version of a package is not the newest of these channels (all without any); nothing if it is.
pub(super) fn stranded(
    index: &CatalogIndex,
    package: &str,
    channels: &[String],
    version: &str,
) -> Option<Stranded> {
    let Some(package) = index.package(package) else {
        return Some(Stranded {
            newest: None,
            reason: format!("the new catalog has no package {package:?}"),
        });
    };
    let version = Version::parse(version).ok()?;
    let view = View { package, channels };
    let newest = view.members().filter(|bundle| is_newer(bundle, &version)).max_by(|a, b| {
        let versions = (a.semantic_version(), b.semantic_version());
        versions.0.zip(versions.1).map_or(std::cmp::Ordering::Equal, |(a, b)| a.compare_precedence(b))
    })?;
    Some(Stranded { newest: Some(shown(newest)), reason: view.reason(&version, newest) })
}

struct View<'p> {
    package: &'p PackageIndex,
    channels: &'p [String],
}

impl<'p> View<'p> {
    fn is_meant(&self, channel: &str) -> bool {
        self.channels.is_empty() || self.channels.iter().any(|wanted| wanted == channel)
    }

    /// The bundles of the channels.
    fn members(&self) -> impl Iterator<Item = &'p IndexedBundle> {
        self.package
            .bundles()
            .iter()
            .filter(|bundle| self.package.channels_of(bundle).iter().any(|channel| self.is_meant(channel)))
    }

    fn reason(&self, version: &Version, newest: &IndexedBundle) -> String {
        let own = self.package.bundles().iter().find(|bundle| {
            bundle.semantic_version().is_some_and(|one| one.compare_precedence(version).is_eq())
        });
        let name = own.map_or_else(|| version.to_string(), |bundle| bundle.blob.name.clone());
        let next: Vec<&IndexedBundle> = self
            .members()
            .filter(|bundle| is_newer(bundle, version) && self.has_edge(bundle, &name, version))
            .collect();
        if let Some(refused) = next.iter().find(|bundle| bundle.dependency().is_some()) {
            let dependency = refused.dependency().unwrap_or_default();
            return format!(
                "{} has a dependency ({dependency}), which OLM v1 does not support",
                refused.blob.name
            );
        }
        if let Some(deprecated) = next.iter().find(|bundle| bundle.is_deprecated) {
            return format!("{} is deprecated, and OLM prefers what is not", deprecated.blob.name);
        }
        if let Some(next) = next.first() {
            return format!("an edge leads to {}, which was not installed", next.blob.name);
        }
        let channels = self.package.channels_of(newest).join(", ");
        let gone = if own.is_none() { ", which the new catalog does not have" } else { "" };
        format!("no edge leads on from {name}{gone}; {} is in {channels}", newest.blob.name)
    }

    /// Whether an entry of a bundle in the channels replaces or skips an installed one, or covers its version.
    fn has_edge(&self, bundle: &IndexedBundle, name: &str, version: &Version) -> bool {
        self.package.entries_of(bundle).filter(|entry| self.is_meant(self.package.channel_of(entry))).any(
            |entry| {
                entry.blob.replaces == name
                    || entry.blob.skips.iter().any(|skipped| skipped == name)
                    || matches!(&entry.skip_range, Some(Ok(range)) if range.matches(version))
            },
        )
    }
}

fn is_newer(bundle: &IndexedBundle, version: &Version) -> bool {
    bundle.semantic_version().is_some_and(|one| one.compare_precedence(version).is_gt())
}

fn shown(bundle: &IndexedBundle) -> String {
    bundle.semantic_version().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;
    use fbc_resolve::Rules;

    use super::*;

    fn index(entries: &str) -> CatalogIndex {
        let mut text =
            String::from("{\"schema\": \"olm.package\", \"name\": \"a\", \"defaultChannel\": \"s\"}\n");
        for version in ["1.0.0", "1.1.0", "2.0.0"] {
            text.push_str(&format!(
                "{{\"schema\": \"olm.bundle\", \"name\": \"a.v{version}\", \"package\": \"a\", \"image\": \"i\", \
                 \"properties\": [{{\"type\": \"olm.package\", \"value\": {{\"packageName\": \"a\", \"version\": \
                 \"{version}\"}}}}]}}\n"
            ));
        }
        text.push_str(&format!(
            "{{\"schema\": \"olm.channel\", \"name\": \"s\", \"package\": \"a\", \"entries\": {entries}}}"
        ));
        let mut tree = MemoryTree::default();
        tree.insert("catalog.json", text);
        CatalogIndex::new(fbc_model::load::load_tree(&tree), Rules::default())
    }

    #[test]
    fn the_missing_edge_is_named() {
        let without = index(
            r#"[{"name": "a.v1.0.0"}, {"name": "a.v1.1.0", "replaces": "a.v1.0.0"}, {"name": "a.v2.0.0"}]"#,
        );
        let with = index(r#"[{"name": "a.v1.1.0"}, {"name": "a.v2.0.0", "skipRange": "<2.0.0"}]"#);
        let reason = |index: &CatalogIndex, version: &str| {
            stranded(index, "a", &[], version)
                .map(|found| format!("{}: {}", found.newest.unwrap_or_default(), found.reason))
        };
        assert_eq!(reason(&without, "2.0.0"), None);
        assert_eq!(
            reason(&without, "1.1.0").as_deref(),
            Some("2.0.0: no edge leads on from a.v1.1.0; a.v2.0.0 is in s")
        );
        assert_eq!(
            reason(&without, "1.0.5").as_deref(),
            Some("2.0.0: no edge leads on from 1.0.5, which the new catalog does not have; a.v2.0.0 is in s")
        );
        assert_eq!(
            reason(&with, "1.1.0").as_deref(),
            Some("2.0.0: an edge leads to a.v2.0.0, which was not installed")
        );
    }
}
