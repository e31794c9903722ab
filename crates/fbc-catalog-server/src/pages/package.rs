//! The pages of a package: what there is to know at a glance, and its upgrade graph.

use std::collections::{BTreeMap, BTreeSet};

use fbc_graph::{ChannelAnalysis, PackageGraph, Semantics, page};
use fbc_model::blob::schema;
use fbc_model::{Bundle, Channel};
use maud::{Markup, html};

use super::descriptor::Descriptor;
use super::frame::{self, Page, count};
use super::site::{Site, Summary, version};
use super::{address, markdown};

/// Which page of a package is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Graph,
    Resolve,
}

/// The top of all pages of a package.
pub(super) fn heading(site: &Site, summary: &Summary, shown: Tab) -> Markup {
    let tabs = [
        (Tab::Overview, address::package(&site.name, &summary.name), "Overview"),
        (Tab::Graph, address::graph(&site.name, &summary.name, None), "Upgrade graph"),
        (Tab::Resolve, address::resolve(&site.name, &summary.name, None), "Which bundle?"),
    ];
    html! {
        (frame::breadcrumbs(&[(address::catalog(&site.name), "Packages")], &summary.name))
        div.hero {
            (frame::icon(site, summary, "huge"))
            div {
                h1 { (summary.title) }
                p.name {
                    code { (summary.name) }
                    @if !summary.provider.is_empty() { span.provider { "by " (summary.provider) } }
                    @if !summary.version.is_empty() { span.badge.version { (summary.version) } }
                }
            }
        }
        @if let Some(message) = &summary.deprecation { (frame::deprecated("This package", message)) }
        nav.tabs aria-label="Package" {
            @for (tab, address, title) in tabs {
                a href=(address) aria-current=[(tab == shown).then_some("page")] { (title) }
            }
        }
    }
}

/// The page of a package.
pub(super) fn overview(site: &Site, summary: &Summary) -> Page {
    let representative = site.representative(summary);
    let descriptor = representative.and_then(Descriptor::from_bundle);
    let own = site.blob(summary).map(|blob| blob.description.trim()).unwrap_or_default();
    let told =
        descriptor.as_ref().map(|descriptor| descriptor.text("description").trim()).unwrap_or_default();
    let description = if told.is_empty() { own } else { told };
    let body = html! {
        (heading(site, summary, Tab::Overview))
        div.columns {
            div.main {
                section aria-labelledby="channels" {
                    h2 #channels { "Channels" }
                    (channels(site, summary))
                }
                section aria-labelledby="bundles" {
                    h2 #bundles { (count(summary.bundle_count(), "bundle")) }
                    (bundles(site, summary))
                }
                @if !description.is_empty() {
                    section aria-labelledby="description" {
                        h2 #description { "Description" }
                        div.prose { (markdown::render(description)) }
                    }
                }
            }
            aside aria-label="Facts" {
                @if let (Some(bundle), Some(descriptor)) = (representative, &descriptor) {
                    (facts(site, summary, bundle, descriptor))
                } @else {
                    p.faint { "The bundles of this package do not describe themselves in the catalog." }
                }
            }
        }
    };
    Page { title: summary.title.clone(), body }
}

fn channels(site: &Site, summary: &Summary) -> Markup {
    if summary.channel_count() == 0 {
        return frame::nothing("This package has no channels.");
    }
    html! {
        div.scroll { table {
            thead { tr { th { "Channel" } th { "Head" } th.number { "Entries" } th { "" } } }
            tbody {
                @for channel in site.channels(summary) {
                    @let deprecation = site.deprecation(&summary.name, schema::CHANNEL, &channel.name);
                    tr {
                        td.keep { strong { (channel.name) } }
                        td.keep { (head(site, summary, channel)) }
                        td.number { (channel.entries().len()) }
                        td.badges {
                            @if channel.name == summary.default_channel { span.badge.good { "default" } }
                            @if let Some(message) = deprecation {
                                span.badge.warning { "deprecated" } " " span.faint { (message.trim()) }
                            }
                        }
                    }
                }
            }
        } }
    }
}

fn head(site: &Site, summary: &Summary, channel: &Channel) -> Markup {
    let analysis = ChannelAnalysis::from_entries(channel.entries());
    let Some(entry) = analysis.head().and_then(|head| channel.entries().get(head)) else {
        return html! { span.badge.alarm { (count(analysis.heads.len(), "head")) } };
    };
    match site.bundle(summary, &entry.name) {
        Some(bundle) => html! { (link(site, bundle)) },
        None => html! { (entry.name) " " span.faint { "not in the catalog" } },
    }
}

/// A link to a bundle, by its version.
pub(super) fn link(site: &Site, bundle: &Bundle) -> Markup {
    html! { a href=(address::bundle(&site.name, &bundle.package, &bundle.name)) { (version(bundle)) } }
}

/// So many bundles are shown at once; the others when somebody asks.
const SHOWN: usize = 20;

fn bundles(site: &Site, summary: &Summary) -> Markup {
    let mut channels_of: BTreeMap<&str, Vec<(&str, bool)>> = BTreeMap::new();
    for channel in site.channels(summary) {
        let head = ChannelAnalysis::from_entries(channel.entries()).head();
        for (place, entry) in channel.entries().iter().enumerate() {
            channels_of.entry(&entry.name).or_default().push((&channel.name, head == Some(place)));
        }
    }
    let row = |bundle: &Bundle| {
        let channels = channels_of.get(bundle.name.as_str()).map(Vec::as_slice).unwrap_or_default();
        let deprecation = site.deprecation(&summary.name, schema::BUNDLE, &bundle.name);
        html! {
            tr data-step {
                td.keep { strong { (link(site, bundle)) } }
                td.keep { code { (bundle.name) } }
                td.badges {
                    @for (channel, is_head) in channels {
                        span.badge.good[*is_head] title=[is_head.then_some("the head of this channel")] { (channel) }
                    }
                    @if channels.is_empty() { span.faint { "in no channel" } }
                    @if let Some(message) = deprecation {
                        span.badge.warning title=(message.trim()) { "deprecated" }
                    }
                }
            }
        }
    };
    let table = |rows: Markup| {
        html! {
            div.scroll { table {
                thead { tr { th { "Version" } th { "Name" } th { "Channels" } } }
                tbody { (rows) }
            } }
        }
    };
    let rest = summary.bundle_count().saturating_sub(SHOWN);
    html! {
        (table(html! { @for bundle in site.bundles(summary).take(SHOWN) { (row(bundle)) } }))
        @if rest > 0 {
            details {
                summary { (rest) " older" }
                (table(html! { @for bundle in site.bundles(summary).skip(SHOWN) { (row(bundle)) } }))
            }
        }
    }
}

fn facts(site: &Site, summary: &Summary, bundle: &Bundle, descriptor: &Descriptor) -> Markup {
    let list = |words: &[String]| words.join(", ");
    let capabilities = descriptor.annotation("capabilities");
    let features = descriptor.annotation_list("operators.openshift.io/infrastructure-features");
    let kinds: BTreeSet<&str> =
        bundle.property_values("olm.gvk").filter_map(|api| api.get_str("kind")).collect();
    html! {
        p.faint { "As " (link(site, bundle)) " says" }
        dl {
            @for (name, value) in [
                ("Default channel", summary.default_channel.as_str()),
                ("Categories", &list(&summary.categories)),
                ("Capability level", capabilities),
                ("Maturity", descriptor.text("maturity")),
                ("Supported features", &list(&features)),
                ("Support", descriptor.annotation("support")),
            ] {
                @if !value.is_empty() { dt { (name) } dd { (value) } }
            }
            @let repository = descriptor.annotation("repository");
            @if markdown::is_web(repository) { dt { "Repository" } dd { a href=(repository) { (repository) } } }
        }
        @if !kinds.is_empty() { h3 { "Provides" } p.kinds { @for kind in &kinds { span.badge { (kind) } } } }
        (links(descriptor))
    }
}

/// Links and maintainers.
pub(super) fn links(descriptor: &Descriptor) -> Markup {
    let links: Vec<(&str, &str)> = descriptor
        .list(&["links"])
        .filter_map(|link| Some((link.get_str("name")?, link.get_str("url")?)))
        .filter(|(_, address)| markdown::is_web(address))
        .collect();
    let maintainers: Vec<(&str, &str)> = descriptor
        .list(&["maintainers"])
        .map(|one| (one.get_str("name").unwrap_or_default(), one.get_str("email").unwrap_or_default()))
        .collect();
    html! {
        @if !links.is_empty() {
            h3 { "Links" }
            ul.plain { @for (name, address) in links { li { a href=(address) { (name) } } } }
        }
        @if !maintainers.is_empty() {
            h3 { "Maintainers" }
            ul.plain {
                @for (name, mail) in maintainers {
                    li { (name) @if !mail.is_empty() { " " a.faint href={ "mailto:" (mail) } { (mail) } } }
                }
            }
        }
    }
}

/// The page around the drawing of the upgrade graph. What is to be chosen in it comes with the query.
pub(super) fn graph(site: &Site, summary: &Summary, chosen: Option<&str>) -> Page {
    let drawing = |chosen| address::drawing(&site.name, &summary.name, chosen);
    let body = html! {
        (heading(site, summary, Tab::Graph))
        iframe.graph src=(drawing(chosen)) title={ "Upgrade graph of " (summary.name) } {}
        p.faint { a href=(drawing(None)) { "The graph alone" } }
    };
    Page { title: format!("Upgrade graph of {}", summary.title), body }
}

/// The drawing, as `fbc graph -o html` writes it.
pub(super) fn drawing(site: &Site, summary: &Summary) -> String {
    let graph = PackageGraph::from_catalog(&site.catalog, &summary.name);
    let channels = (0..graph.channels.len()).collect();
    frame::visible(&page::draw(&[(graph, channels)], Semantics::V1))
}
