//! Bundles: what is in the package, and what they hold.
//!
//! A published bundle counts as immutable (statement D-FBC-37 of the product documents): whoever has it
//! installed keeps the old contents, because OLM does not install the same bundle again.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_graph::bundle_version;
use fbc_model::{Bundle, image_reference};
use fbc_version::Version;
use fbc_yaml::Node;

use super::change::{Change, ChangeKind, Class, Effect};
use super::content::{self, Content};
use super::sides::Side;
use crate::finding::Subject;
use crate::names::name_list;

/// Compares the bundles of a package.
pub(super) fn compare(package: &str, old: &Side<'_>, new: &Side<'_>, changes: &mut Vec<Change>) {
    for (name, bundle) in &old.bundles {
        let subject = Subject::bundle(package, name);
        match new.bundles.get(name) {
            Some(other) => same_name(&subject, bundle, other, changes),
            None => changes.push(
                Change::new(ChangeKind::BundleRemoved, subject, format!("bundle {} is removed", quote(name)))
                    .from_to(&bundle.image, "")
                    .because(
                        "it may be installed: it cannot be installed again, a ClusterExtension pinned to its \
                         version no longer resolves, and mirrors drop its images",
                    )
                    .affects(Effect::Follows, &[], vec![(*name).to_owned()]),
            ),
        }
    }
    for (name, bundle) in new.bundles.iter().filter(|(name, _)| !old.bundles.contains_key(*name)) {
        changes.push(
            Change::new(
                ChangeKind::BundleAdded,
                Subject::bundle(package, name),
                format!("bundle {} is added", quote(name)),
            )
            .from_to("", &bundle.image)
            .at(bundle.origin, ""),
        );
    }
}

/// What a bundle holds in either catalog, under one name.
fn same_name(subject: &Subject, old: &Bundle, new: &Bundle, changes: &mut Vec<Change>) {
    if content::is_same(old, new) {
        return;
    }
    let name = quote(&new.name);
    if old.image != new.image {
        changes.push(image(subject, old, new));
    }
    let versions = [old, new].map(|bundle| {
        let texts = bundle.property_values(bundle_version::PROPERTY_TYPE);
        let text = |value: Node<'_>| {
            let version = value.get_str("version")?;
            let release = value.get_str("release").filter(|release| !release.is_empty());
            Some(release.map_or_else(|| version.to_owned(), |release| format!("{version}-{release}")))
        };
        texts.filter_map(text).collect::<Vec<_>>().join(", ")
    });
    if bundle_version::find(old) != bundle_version::find(new) || versions[0] != versions[1] {
        let [before, after] = versions;
        let (from, to) = (or_none(&before).to_owned(), or_none(&after).to_owned());
        changes.push(
            Change::new(
                ChangeKind::BundleVersionChanged,
                subject.clone(),
                format!("published bundle {name} changes its version from {from} to {to}"),
            )
            .from_to(before, after)
            .because("whoever has it installed keeps the old version, and ranges and order count on it")
            .at(new.origin, property_pointer(new, bundle_version::PROPERTY_TYPE)),
        );
    }
    let (before, after) = (Content::from_bundle(old), Content::from_bundle(new));
    let published = Circumstance::Published;
    capabilities(&published, subject, new, &before, &after, changes);
    contents(subject, new, &before, &after, changes);
}

/// Under which name two contents are compared, which decides how bad a loss is.
pub(super) enum Circumstance<'c> {
    /// One published bundle, before and after.
    Published,
    /// The heads of a channel, before and after.
    Heads {
        /// The channel.
        channel: &'c str,
        /// The old head.
        old: &'c str,
    },
}

impl Circumstance<'_> {
    /// `published bundle "foo.v1" ` or `the new head of channel "stable", "foo.v2",`
    fn who(&self, new: &str) -> String {
        match self {
            Self::Published => format!("published bundle {}", quote(new)),
            Self::Heads { channel, .. } => {
                format!("{}, the new head of channel {},", quote(new), quote(channel))
            }
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Published => Class::Breaking,
            Self::Heads { .. } => Class::Risky,
        }
    }

    fn reason(&self, otherwise: &str) -> String {
        match self {
            Self::Published => {
                "published bundles are immutable: ship a new bundle with an update from this one".to_owned()
            }
            Self::Heads { old, .. } => format!("{otherwise}; the old head is {}", quote(old)),
        }
    }
}

/// What users can do with a bundle: APIs, dependencies, platforms, install modes.
pub(super) fn capabilities(
    circumstance: &Circumstance<'_>,
    subject: &Subject,
    bundle: &Bundle,
    old: &Content<'_>,
    new: &Content<'_>,
    changes: &mut Vec<Change>,
) {
    let who = circumstance.who(&bundle.name);
    let mut add = |kind,
                   verb: &str,
                   items: Vec<&str>,
                   (before, after): (String, String),
                   reason: &str,
                   property: &str| {
        let change =
            Change::new(kind, subject.clone(), format!("{who} {verb} {}", name_list(items.into_iter())))
                .from_to(before, after)
                .at(bundle.origin, property_pointer(bundle, property));
        let is_loss = change.class != Class::Harmless;
        changes.push(match is_loss {
            true => change.class(circumstance.class()).because(circumstance.reason(reason)),
            false => change,
        });
    };
    let mut sets = |(gone, come): (ChangeKind, ChangeKind),
                    (loses, gains): (&str, &str),
                    (before, after): (&BTreeSet<String>, &BTreeSet<String>),
                    reason: &str,
                    property: &str| {
        let removed: Vec<&str> = before.difference(after).map(String::as_str).collect();
        let added: Vec<&str> = after.difference(before).map(String::as_str).collect();
        if !removed.is_empty() {
            let texts = (removed.join(", "), String::new());
            add(gone, loses, removed, texts, reason, property);
        }
        if !added.is_empty() {
            let texts = (String::new(), added.join(", "));
            add(come, gains, added, texts, reason, property);
        }
    };
    sets(
        (ChangeKind::ApiRemoved, ChangeKind::ApiAdded),
        ("no longer provides", "now provides"),
        (&old.apis, &new.apis),
        "custom resources of these APIs lose their operator with the update",
        "olm.gvk",
    );
    sets(
        (ChangeKind::DependencyRemoved, ChangeKind::DependencyAdded),
        ("no longer requires", "now requires"),
        (&old.dependencies, &new.dependencies),
        "the update waits until this is there, and OLM v1 installs no bundle with dependencies",
        "olm.package.required",
    );
    if let (Some(before), Some(after)) = (&old.install_modes, &new.install_modes) {
        let owned = |modes: &BTreeSet<&str>| modes.iter().map(|mode| (*mode).to_owned()).collect();
        sets(
            (ChangeKind::InstallModeRemoved, ChangeKind::InstallModeAdded),
            ("no longer supports the install mode", "now supports the install mode"),
            (&owned(before), &owned(after)),
            "installations in this mode fail after the update",
            "olm.csv.metadata",
        );
    }
    platform_limit(circumstance, subject, bundle, (old, new), changes);
}

/// The highest OpenShift version; its meaning is `major.minor` (D-UPD-17).
fn platform_limit(
    circumstance: &Circumstance<'_>,
    subject: &Subject,
    bundle: &Bundle,
    (old, new): (&Content<'_>, &Content<'_>),
    changes: &mut Vec<Change>,
) {
    let (before, after) = (old.platform_limit.as_deref(), new.platform_limit.as_deref());
    if before == after {
        return;
    }
    let who = circumstance.who(&bundle.name);
    // What cannot be read blocks all updates of the platform.
    let rank =
        |limit: Option<&str>| limit.map_or((2, None), |text| (1, Some(minor(text)).filter(Option::is_some)));
    let is_lower = match (before.map(minor), after.map(minor)) {
        (Some(Some(before)), Some(Some(after))) => after < before,
        _ => rank(after) < rank(before),
    };
    let (kind, message) = match after {
        Some(after) if is_lower => (
            ChangeKind::PlatformLimitLowered,
            format!("{who} blocks updates of OpenShift beyond {after}{}", instead(before)),
        ),
        Some(after) => (
            ChangeKind::PlatformLimitRaised,
            format!("{who} allows updates of OpenShift up to {after}{}", instead(before)),
        ),
        None => (ChangeKind::PlatformLimitRaised, format!("{who} no longer blocks updates of OpenShift")),
    };
    let change = Change::new(kind, subject.clone(), message)
        .from_to(before.unwrap_or_default(), after.unwrap_or_default())
        .at(bundle.origin, property_pointer(bundle, "olm.maxOpenShiftVersion"));
    changes.push(match kind {
        ChangeKind::PlatformLimitLowered => change.class(circumstance.class()).because(
            circumstance.reason("clusters with this bundle cannot move to a later OpenShift minor version"),
        ),
        _ => change,
    });
}

fn instead(before: Option<&str>) -> String {
    before.map(|before| format!(", was {before}")).unwrap_or_default()
}

/// `4.19` and `4.19.0` mean the same.
fn minor(text: &str) -> Option<(u64, u64)> {
    let text = text.trim_start_matches('v');
    let version = Version::parse(text).or_else(|_| Version::parse(&format!("{text}.0"))).ok()?;
    Some((version.major(), version.minor()))
}

/// Related images, manifests and properties that have no kind of change to themselves.
fn contents(
    subject: &Subject,
    bundle: &Bundle,
    old: &Content<'_>,
    new: &Content<'_>,
    changes: &mut Vec<Change>,
) {
    let name = quote(&bundle.name);
    if old.manifests.is_other_form_of(&new.manifests) {
        changes.push(
            Change::new(
                ChangeKind::ManifestFormChanged,
                subject.clone(),
                format!("bundle {name} gives its manifests in the other form (olm.bundle.object, olm.csv.metadata)"),
            )
            .at(bundle.origin, ""),
        );
    }
    let mut parts = Vec::new();
    let differing = |what: &str, removed: usize, added: usize| {
        (removed + added > 0).then(|| format!("{what} ({removed} removed, {added} added)"))
    };
    let (before, after) = (&old.related_images, &new.related_images);
    parts.extend(differing(
        "related images",
        before.difference(after).count(),
        after.difference(before).count(),
    ));
    if old.manifests != new.manifests && !old.manifests.is_other_form_of(&new.manifests) {
        let keys = old.manifests.differing_keys(&new.manifests);
        if !keys.is_empty() {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            parts.push(format!("olm.csv.metadata ({})", keys.join(", ")));
        }
        let (before, after) = (&old.manifests.objects, &new.manifests.objects);
        parts.extend(differing(
            "manifests",
            before.difference(after).count(),
            after.difference(before).count(),
        ));
    }
    let kinds: BTreeSet<&str> =
        old.properties.symmetric_difference(&new.properties).map(|(kind, _)| *kind).collect();
    parts.extend(kinds.into_iter().map(|kind| format!("property {kind}")));
    if !parts.is_empty() {
        changes.push(
            Change::new(
                ChangeKind::BundleContentChanged,
                subject.clone(),
                format!("published bundle {name} changes: {}", parts.join("; ")),
            )
            .because("published bundles are immutable: whoever has it installed keeps what it was")
            .at(bundle.origin, ""),
        );
    }
}

fn image(subject: &Subject, old: &Bundle, new: &Bundle) -> Change {
    let name = quote(&new.name);
    let digest = |image: &str| image.rsplit_once('@').map(|(_, digest)| digest.to_owned());
    let is_same_content = digest(&old.image).is_some() && digest(&old.image) == digest(&new.image);
    let change = Change::new(
        ChangeKind::BundleImageChanged,
        subject.clone(),
        format!("published bundle {name} changes its image"),
    )
    .from_to(&old.image, &new.image)
    .at(new.origin, "/image");
    if is_same_content {
        change.class(Class::Risky).because(
            "the digest is the same, so is the content; clusters with mirror rules for the old place may not find it",
        )
    } else if image_reference::parse(&new.image).is_err() {
        change.because("the new image is not a reference that can be pulled")
    } else {
        change.because(
            "published bundles are immutable: whoever has it installed keeps the old content, because OLM does \
             not install the same bundle again; ship a new bundle with an update from this one",
        )
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// The first property of a type, as a JSON pointer; the list where there is none.
fn property_pointer(bundle: &Bundle, kind: &str) -> String {
    match bundle.properties.iter().position(|property| property.kind == kind) {
        Some(index) => format!("/properties/{index}"),
        None => "/properties".to_owned(),
    }
}
