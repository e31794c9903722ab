//! A catalog straight from bundles, as `opm index add` put them into an index: channels from their annotations, edges
//! from their manifests or their versions.
//!
//! Source: `operator-framework/operator-registry:pkg/registry/populator.go` (`SemverPackageManifest`),
//! `bundlegraphloader.go`, `pkg/sqlite/load.go` (`addPackageChannels`) before #1986 removed them.

use std::collections::{BTreeMap, BTreeSet};

use fbc_graph::bundle_version;
use fbc_model::{Bundle, Catalog, Channel, ChannelEntry, Origin, Package, bundle_object};
use fbc_version::VersionRelease;
use fbc_yaml::Node;

use crate::semver::describe;

/// Where the edges of channels come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeMode {
    /// From `replaces`, `skips` and `olm.skipRange` of the manifests.
    #[default]
    Replaces,
    /// From the versions: each bundle replaces the next lower one of its channel.
    Semver,
}

/// A bundle with what its annotations say.
#[derive(Clone, Debug)]
pub struct AnnotatedBundle {
    /// How it was named.
    pub reference: String,
    /// The bundle, with its manifests.
    pub bundle: Bundle,
    /// The channels that list it.
    pub channels: Vec<String>,
    /// The default channel; empty if it names none.
    pub default_channel: String,
}

/// Bundles that make no catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FromBundlesError {
    /// A bundle has no version that can be compared.
    #[error("bundle {bundle:?}: {message}")]
    Version {
        /// The bundle.
        bundle: String,
        /// Why.
        message: String,
    },
    /// One bundle is given twice.
    #[error("bundle {0} is given twice")]
    Twice(String),
    /// Two bundles have one name.
    #[error("{} are both named {name:?}", .references.join(" and "))]
    Duplicate {
        /// The name.
        name: String,
        /// How the two were named.
        references: [String; 2],
    },
    /// No channel is listed.
    #[error("bundle {0:?} lists no channel in its annotations")]
    NoChannel(String),
    /// Two bundles of a channel have the highest version.
    #[error(
        "more than one potential channel head for {channel:?} of package {package:?}: {}",
        .heads.join(" and ")
    )]
    SeveralHeads {
        /// The bundles of equal version, each with how it was named.
        heads: [String; 2],
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
    /// What is replaced is not among the bundles.
    #[error("invalid bundle {bundle:?}, replaces nonexistent bundle {replaces:?}")]
    Nonexistent {
        /// The bundle.
        bundle: String,
        /// What it replaces.
        replaces: String,
    },
    /// Bundles replace each other.
    #[error("cycle detected, {bundle:?} replaces {replaces:?}")]
    Cycle {
        /// The bundle.
        bundle: String,
        /// What it replaces.
        replaces: String,
    },
    /// No bundle says which channel is the default.
    #[error("unable to determine the default channel of package {package:?} among {channels}")]
    NoDefault {
        /// The package.
        package: String,
        /// Its channels.
        channels: String,
    },
}

impl FromBundlesError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self, mode: EdgeMode) -> String {
        match (self, mode) {
            (Self::Twice(_), _) => "give it once".to_owned(),
            (Self::Duplicate { .. }, _) => {
                "each version needs a name of its own: change `metadata.name` in the ClusterServiceVersion of the newer one"
                    .to_owned()
            }
            (Self::SeveralHeads { .. }, _) => {
                "their versions are equal but for build metadata, which orders nothing: give one of them, or raise the \
                 version of the newer"
                    .to_owned()
            }
            (Self::Nonexistent { .. }, EdgeMode::Replaces) => {
                "give all bundles that the channels need, or try --mode semver".to_owned()
            }
            (Self::Nonexistent { .. }, EdgeMode::Semver) => {
                "give all bundles that the channels need".to_owned()
            }
            (Self::Cycle { .. }, _) => "correct `spec.replaces` in one of the bundles".to_owned(),
            (Self::Version { .. }, _) => "write three numbers into `spec.version`".to_owned(),
            (Self::NoChannel(_), _) => {
                "name them in the annotation `operators.operatorframework.io.bundle.channels.v1`".to_owned()
            }
            (Self::NoDefault { .. }, _) => {
                "name one of them in the annotation `operators.operatorframework.io.bundle.channel.default.v1` of the newest \
                 bundle"
                    .to_owned()
            }
        }
    }
}

/// What comes of bundles.
#[derive(Debug)]
pub struct FromBundles {
    /// The catalog. Its bundles are as they were given.
    pub catalog: Catalog,
    /// The names of bundles that no channel leads to; the catalog does not have them.
    pub left_out: Vec<String>,
}

/// A bundle with all that its place in the graph follows from.
struct Member<'b> {
    given: &'b AnnotatedBundle,
    version: VersionRelease,
    entry: ChannelEntry,
}

/// Puts bundles together to a catalog.
///
/// # Errors
/// The first thing that opm would refuse.
pub fn from_bundles(bundles: &[AnnotatedBundle], mode: EdgeMode) -> Result<FromBundles, FromBundlesError> {
    let mut packages: BTreeMap<&str, Vec<Member<'_>>> = BTreeMap::new();
    for given in bundles {
        let member = Member::of(given)?;
        let members = packages.entry(&given.bundle.package).or_default();
        if let Some(other) = members.iter().find(|other| other.entry.name == member.entry.name) {
            let references = [other.given.reference.clone(), given.reference.clone()];
            return Err(match references[0] == references[1] {
                true => FromBundlesError::Twice(given.reference.clone()),
                false => FromBundlesError::Duplicate { name: member.entry.name, references },
            });
        }
        members.push(member);
    }
    let mut catalog = Catalog::default();
    let mut left_out = Vec::new();
    for (package, members) in packages {
        let channels = channels(package, &members, mode)?;
        let mut blob = Package {
            origin: Origin::default(),
            name: package.to_owned(),
            default_channel: default_channel(package, &members, &channels)?,
            icon: None,
            description: String::new(),
            properties: Vec::new(),
        };
        let head = channels.get(blob.default_channel.as_str()).and_then(|entries| entries.last());
        if let Some(head) =
            members.iter().find(|member| head.is_some_and(|head| head.name == member.entry.name))
        {
            describe(&mut blob, &head.given.bundle);
        }
        catalog.packages.push(blob);
        let listed: BTreeSet<&str> = channels.values().flatten().map(|entry| entry.name.as_str()).collect();
        for member in &members {
            match listed.contains(member.entry.name.as_str()) {
                true => catalog.bundles.push(member.given.bundle.clone()),
                false => left_out.push(member.entry.name.clone()),
            }
        }
        catalog.channels.extend(channels.iter().map(|(name, entries)| Channel {
            origin: Origin::default(),
            name: (*name).to_owned(),
            package: package.to_owned(),
            entries: Some(entries.clone()),
            properties: Vec::new(),
        }));
    }
    Ok(FromBundles { catalog, left_out })
}

impl<'b> Member<'b> {
    fn of(given: &'b AnnotatedBundle) -> Result<Self, FromBundlesError> {
        let bundle = &given.bundle;
        let version = bundle_version::require(bundle).map_err(|error| FromBundlesError::Version {
            bundle: bundle.name.clone(),
            message: error.to_string(),
        })?;
        let release = bundle_version::find(bundle).map(|found| found.release).unwrap_or_default();
        let version = VersionRelease::new(version, release);
        if given.channels.is_empty() {
            return Err(FromBundlesError::NoChannel(bundle.name.clone()));
        }
        let mut entry = ChannelEntry { name: bundle.name.clone(), ..ChannelEntry::default() };
        if let Some(manifest) = bundle_object::cluster_service_version(bundle) {
            let spec = manifest.root().get("spec");
            let text = |node: Option<Node<'_>>, key: &str| {
                node.and_then(|node| node.get_str(key)).unwrap_or_default().to_owned()
            };
            entry.replaces = text(spec, "replaces");
            let skips = spec.and_then(|spec| spec.get("skips")).into_iter().flat_map(Node::items);
            entry.skips = skips.filter_map(Node::as_str).map(str::to_owned).collect();
            let metadata = manifest.root().get("metadata");
            entry.skip_range =
                text(metadata.and_then(|metadata| metadata.get("annotations")), "olm.skipRange");
        }
        Ok(Self { given, version, entry })
    }
}

/// The entries of each channel, from the lowest version to the highest.
fn channels<'b>(
    package: &str,
    members: &[Member<'b>],
    mode: EdgeMode,
) -> Result<BTreeMap<&'b str, Vec<ChannelEntry>>, FromBundlesError> {
    let names: BTreeSet<&'b str> =
        members.iter().flat_map(|member| member.given.channels.iter().map(String::as_str)).collect();
    let mut channels = BTreeMap::new();
    for name in names {
        let lists = |member: &&Member<'b>| member.given.channels.iter().any(|channel| channel == name);
        let mut listed: Vec<&Member<'b>> = members.iter().filter(lists).collect();
        listed.sort_by(|a, b| a.version.compare_precedence(&b.version));
        let is_tie = |a: &Member<'_>, b: &Member<'_>| a.version.compare_precedence(&b.version).is_eq();
        let several = |pair: [&Member<'_>; 2]| FromBundlesError::SeveralHeads {
            package: package.to_owned(),
            channel: name.to_owned(),
            heads: pair.map(|member| format!("{} ({})", member.entry.name, member.given.reference)),
        };
        let entries = match mode {
            EdgeMode::Semver => {
                let pairs = listed.iter().copied().zip(listed.iter().copied().skip(1));
                if let Some((a, b)) = pairs.into_iter().find(|(a, b)| is_tie(a, b)) {
                    return Err(several([a, b]));
                }
                let mut before = String::new();
                let chain = listed.iter().map(|member| {
                    let name = member.entry.name.clone();
                    let replaces = std::mem::replace(&mut before, name.clone());
                    ChannelEntry { name, replaces, ..ChannelEntry::default() }
                });
                chain.collect()
            }
            EdgeMode::Replaces => {
                let Some((head, others)) = listed.split_last() else { continue };
                if let Some(other) = others.last().filter(|other| is_tie(head, other)) {
                    return Err(several([other, head]));
                }
                reached(head, members)?
            }
        };
        channels.insert(name, entries);
    }
    Ok(channels)
}

/// The entries that one comes to from a head by what bundles replace, and those that they skip.
fn reached(head: &Member<'_>, members: &[Member<'_>]) -> Result<Vec<ChannelEntry>, FromBundlesError> {
    let find = |name: &str| members.iter().find(|member| member.entry.name == name);
    let mut reached: Vec<&Member<'_>> = Vec::new();
    let mut chain = BTreeSet::new();
    let mut next = Some(head);
    while let Some(member) = next {
        chain.insert(member.entry.name.as_str());
        reached.push(member);
        reached.extend(member.entry.skips.iter().filter_map(|name| find(name)));
        let (bundle, replaces) = (member.entry.name.clone(), member.entry.replaces.clone());
        if replaces.is_empty() {
            break;
        }
        if chain.contains(replaces.as_str()) {
            return Err(FromBundlesError::Cycle { bundle, replaces });
        }
        next = Some(find(&replaces).ok_or(FromBundlesError::Nonexistent { bundle, replaces })?);
    }
    reached.sort_by(|a, b| {
        let order = a.version.compare_precedence(&b.version);
        order.then_with(|| a.entry.name.cmp(&b.entry.name))
    });
    reached.dedup_by(|a, b| a.entry.name == b.entry.name);
    Ok(reached.into_iter().map(|member| member.entry.clone()).collect())
}

/// The default channel that the highest version names, as far as one does; the only channel of a package with one.
fn default_channel(
    package: &str,
    members: &[Member<'_>],
    channels: &BTreeMap<&str, Vec<ChannelEntry>>,
) -> Result<String, FromBundlesError> {
    if let (1, Some(only)) = (channels.len(), channels.keys().next()) {
        return Ok((*only).to_owned());
    }
    let named = members.iter().filter(|member| !member.given.default_channel.is_empty());
    let highest = named.max_by(|a, b| a.version.compare_precedence(&b.version));
    let named = highest.map(|member| member.given.default_channel.clone());
    named.filter(|name| channels.contains_key(name.as_str())).ok_or_else(|| FromBundlesError::NoDefault {
        package: package.to_owned(),
        channels: channels.keys().copied().collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use fbc_go::base64;

    use super::*;
    use crate::testing::property;

    /// Version, channels, default channel, and the edges of the manifest as JSON members.
    fn bundle(version: &str, channels: &str, default_channel: &str, edges: &str) -> AnnotatedBundle {
        let name = format!("a.v{version}");
        let manifest = format!(
            "{{\"kind\":\"ClusterServiceVersion\",\"metadata\":{{\"name\":\"{name}\"}},\"spec\":{{{edges}}}}}"
        );
        let mut bundle = crate::testing::bundle("image", "a", version, "");
        bundle.properties.retain(|property| property.kind != "olm.bundle.object");
        let data = format!("{{\"data\":\"{}\"}}", base64::encode(manifest.as_bytes()));
        bundle.properties.push(property("olm.bundle.object", &data));
        let channels = channels.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let reference = format!("bundles/{version}");
        AnnotatedBundle { reference, bundle, channels, default_channel: default_channel.to_owned() }
    }

    fn shown(bundles: &[AnnotatedBundle], mode: EdgeMode) -> Result<String, String> {
        let made = from_bundles(bundles, mode).map_err(|error| error.to_string())?;
        let short = |name: &str| name.trim_start_matches("a.v").to_owned();
        let mut lines: Vec<String> = vec![made.catalog.packages[0].default_channel.clone()];
        for channel in &made.catalog.channels {
            let entries = channel.entries().iter().map(|entry| {
                let replaces = if entry.replaces.is_empty() { "" } else { "<" };
                let skips: String = entry.skips.iter().map(|name| format!("-{}", short(name))).collect();
                format!(" {}{replaces}{}{skips}", short(&entry.name), short(&entry.replaces))
            });
            lines.push(format!("{}:{}", channel.name, entries.collect::<String>()));
        }
        lines.extend(made.left_out.iter().map(|name| format!("left out {}", short(name))));
        Ok(lines.join("; "))
    }

    #[test]
    fn channels_follow_what_is_replaced() {
        let bundles = [
            bundle("1.0.0", "stable", "stable", ""),
            bundle("1.1.0", "stable,fast", "", r#""replaces":"a.v1.0.0","skips":["a.v1.0.1","a.v0.9.0"]"#),
            bundle("1.0.1", "stable", "", r#""replaces":"a.v1.0.0""#),
            bundle("0.5.0", "stable", "", ""),
        ];
        assert_eq!(
            shown(&bundles, EdgeMode::Replaces).unwrap(),
            "stable; fast: 1.0.0 1.0.1<1.0.0 1.1.0<1.0.0-1.0.1-0.9.0; \
             stable: 1.0.0 1.0.1<1.0.0 1.1.0<1.0.0-1.0.1-0.9.0; left out 0.5.0"
        );
        assert_eq!(
            shown(&bundles, EdgeMode::Semver).unwrap(),
            "stable; fast: 1.1.0; stable: 0.5.0 1.0.0<0.5.0 1.0.1<1.0.0 1.1.0<1.0.1"
        );
    }

    #[test]
    fn what_opm_refuses() {
        let one = |edges| bundle("1.0.0", "stable", "", edges);
        for (bundles, expected) in [
            (vec![one(r#""replaces":"a.v0.1.0""#)], "replaces nonexistent bundle \"a.v0.1.0\""),
            (vec![one(r#""replaces":"a.v1.0.0""#)], "cycle detected"),
            (vec![one(""), one("")], "bundle bundles/1.0.0 is given twice"),
            (
                vec![one(""), AnnotatedBundle { reference: "other".to_owned(), ..one("") }],
                "bundles/1.0.0 and other are both named \"a.v1.0.0\"",
            ),
            (vec![bundle("1.0.0", "", "", "")], "lists no channel"),
            (
                vec![bundle("1.0.0", "a,b", "", "")],
                "unable to determine the default channel of package \"a\" among a, b",
            ),
            (vec![bundle("1.0.0", "a,b", "c", "")], "unable to determine"),
            (
                vec![one(""), bundle("1.0.0+1", "stable", "", "")],
                "head for \"stable\" of package \"a\": a.v1.0.0 (bundles/1.0.0) and a.v1.0.0+1 (bundles/1.0.0+1)",
            ),
        ] {
            let error = shown(&bundles, EdgeMode::Replaces).unwrap_err();
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
}
