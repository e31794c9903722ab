//! A bundle under another name: everything in its package that names it.

use fbc_model::blob::schema;

use super::Fix;
use crate::context::PackageView;

/// Adds the edits that give a bundle another name: in its blobs, in entries and their edges, and in deprecations.
#[must_use]
pub fn bundle(mut fix: Fix, view: &PackageView<'_>, name: &str, to: &str) -> Fix {
    for bundle in view.bundles.iter().filter(|bundle| bundle.name == name) {
        fix = fix.set(bundle.origin, "/name", to);
    }
    for channel in &view.channels {
        for (number, entry) in channel.entries().iter().enumerate() {
            let start = format!("/entries/{number}");
            if entry.name == name {
                fix = fix.set(channel.origin, format!("{start}/name"), to);
            }
            if entry.replaces == name {
                fix = fix.set(channel.origin, format!("{start}/replaces"), to);
            }
            for (index, _) in entry.skips.iter().enumerate().filter(|(_, skip)| *skip == name) {
                fix = fix.set(channel.origin, format!("{start}/skips/{index}"), to);
            }
        }
    }
    deprecations(fix, view, schema::BUNDLE, name, to)
}

/// Adds the edits that give a channel another name: in its blobs, as the default channel, and in deprecations.
#[must_use]
pub fn channel(mut fix: Fix, view: &PackageView<'_>, name: &str, to: &str) -> Fix {
    for channel in view.channels.iter().filter(|channel| channel.name == name) {
        fix = fix.set(channel.origin, "/name", to);
    }
    if view.package.default_channel == name {
        fix = fix.set(view.package.origin, "/defaultChannel", to);
    }
    deprecations(fix, view, schema::CHANNEL, name, to)
}

fn deprecations(mut fix: Fix, view: &PackageView<'_>, kind: &str, name: &str, to: &str) -> Fix {
    for blob in &view.deprecations {
        for (number, entry) in blob.entries().iter().enumerate() {
            if entry.schema == kind && entry.name == name {
                fix = fix.set(blob.origin, format!("/entries/{number}/reference/name"), to);
            }
        }
    }
    fix
}
