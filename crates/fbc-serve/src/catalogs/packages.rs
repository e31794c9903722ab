//! The packages of a catalog at a glance: a line for each, so that nobody has to read bundles for a list of packages.
//!
//! catalogd has nothing of the kind; see `operator-framework/operator-controller#1853`.

use std::collections::BTreeMap;

use fbc_graph::bundle_version;
use fbc_model::render::CSV_METADATA;
use fbc_model::{Bundle, Catalog, bundle_object};
use fbc_yaml::{Node, json_writer};

use crate::registry::index::{self, Channel, Package};

/// A line of JSON for each package, in the order of their names.
#[must_use]
pub fn summaries(catalog: &Catalog) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for bundle in &catalog.bundles {
        *counts.entry(&bundle.package).or_default() += 1;
    }
    let mut lines = String::new();
    for (name, package) in &index::packages(catalog) {
        let head = package.channels.get(&package.default_channel).and_then(|channel| head(catalog, channel));
        let mut line = Line::default();
        line.number("bundles", counts.get(name.as_str()).copied().unwrap_or_default());
        line.raw("channels", &channels(catalog, package));
        line.text("defaultChannel", &package.default_channel);
        line.option("deprecation", package.deprecation.as_deref());
        let about = head.map(About::of).unwrap_or_default();
        line.option("displayName", about.title.as_deref());
        line.text("name", name);
        line.option("provider", about.provider.as_deref());
        line.option("version", head.and_then(version).as_deref());
        lines.push_str(&line.end());
        lines.push('\n');
    }
    lines
}

fn channels(catalog: &Catalog, package: &Package) -> String {
    let channel = |(name, channel): (&String, &Channel)| {
        let mut line = Line::default();
        line.option("deprecation", channel.deprecation.as_deref());
        line.text("head", &channel.head);
        line.text("name", name);
        line.option("version", head(catalog, channel).and_then(version).as_deref());
        line.end()
    };
    let channels: Vec<String> = package.channels.iter().map(channel).collect();
    format!("[{}]", channels.join(","))
}

fn head<'c>(catalog: &'c Catalog, channel: &Channel) -> Option<&'c Bundle> {
    catalog.bundles.get(channel.entries.get(&channel.head)?.bundle)
}

fn version(bundle: &Bundle) -> Option<String> {
    bundle_version::find(bundle).map(|version| version.to_string())
}

/// What a bundle says of itself to people.
#[derive(Default)]
struct About {
    title: Option<String>,
    provider: Option<String>,
}

impl About {
    fn of(bundle: &Bundle) -> Self {
        let read = |spec: Node<'_>| {
            let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let provider = spec.get("provider").and_then(|provider| provider.get_str("name"));
            Self { title: spec.get_str("displayName").and_then(text), provider: provider.and_then(text) }
        };
        if let Some(metadata) = bundle.property_values(CSV_METADATA).next() {
            return read(metadata);
        }
        let manifest = bundle_object::cluster_service_version(bundle);
        manifest.and_then(|manifest| manifest.root().get("spec").map(read)).unwrap_or_default()
    }
}

/// An object that is written member by member.
#[derive(Default)]
struct Line(String);

impl Line {
    fn raw(&mut self, key: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        json_writer::write_string(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(value);
    }

    fn text(&mut self, key: &str, value: &str) {
        let mut quoted = String::new();
        json_writer::write_string(&mut quoted, value);
        self.raw(key, &quoted);
    }

    fn option(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    fn number(&mut self, key: &str, value: usize) {
        self.raw(key, &value.to_string());
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
