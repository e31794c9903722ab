//! The page of a bundle: what it says of itself, what it may do, which images it needs, and where it runs.

use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_model::Bundle;
use fbc_model::blob::schema;
use fbc_yaml::{Node, json_writer};
use maud::{Markup, html};

use super::descriptor::{Descriptor, Right};
use super::frame::{self, Page, count};
use super::site::{Site, Summary, version};
use super::{address, markdown, package, releases};

/// Properties that carry manifests; they are shown as what they hold.
const CONTENT: [&str; 2] = [fbc_model::bundle_object::PROPERTY_TYPE, fbc_model::render::CSV_METADATA];

pub(super) fn page(site: &Site, summary: &Summary, bundle: &Bundle) -> Page {
    let descriptor = Descriptor::from_bundle(bundle);
    let shown = version(bundle);
    let address = address::package(&site.name, &summary.name);
    let deprecation = site.deprecation(&summary.name, schema::BUNDLE, &bundle.name);
    let title = descriptor.as_ref().map(|descriptor| descriptor.text("displayName").trim());
    let title = title.filter(|title| !title.is_empty()).unwrap_or(&summary.title);
    let body = html! {
        (frame::breadcrumbs(&[(address::catalog(&site.name), "Packages"), (address.clone(), &summary.name)], &shown))
        div.hero {
            (frame::icon(site, summary, "huge"))
            div {
                h1 { (title) " " span.badge.version { (shown) } }
                p.name { code { (bundle.name) } }
            }
        }
        @if let Some(message) = deprecation { (frame::deprecated("This bundle", message)) }
        @if let Some(message) = &summary.deprecation { (frame::deprecated("Its package", message)) }
        div.columns {
            div.main {
                section aria-labelledby="updates" { h2 #updates { "Updates" } (updates(site, summary, bundle)) }
                section aria-labelledby="releases" {
                    h2 #releases { "Where it runs" }
                    (releases::section(bundle, descriptor.as_ref()))
                }
                section aria-labelledby="apis" { h2 #apis { "APIs" } (apis(bundle, descriptor.as_ref())) }
                section aria-labelledby="permissions" {
                    h2 #permissions { "Permissions" }
                    (permissions(bundle, descriptor.as_ref()))
                }
                section aria-labelledby="images" { h2 #images { "Images" } (images(bundle)) }
                @if let Some(text) = descriptor.as_ref().map(|descriptor| descriptor.text("description").trim())
                    && !text.is_empty() {
                    section aria-labelledby="description" {
                        h2 #description { "Description" }
                        div.prose { (markdown::render(text)) }
                    }
                }
                section aria-labelledby="raw" { h2 #raw { "As the catalog has it" } (raw(bundle, descriptor.as_ref())) }
            }
            aside aria-label="Facts" { (facts(site, summary, bundle, descriptor.as_ref())) }
        }
    };
    Page { title: format!("{title} {shown}"), body }
}

fn facts(site: &Site, summary: &Summary, bundle: &Bundle, descriptor: Option<&Descriptor>) -> Markup {
    let address = address::package(&site.name, &summary.name);
    html! {
        p { a.button href=(address::graph(&site.name, &summary.name, Some(&bundle.name))) { "Show in the upgrade graph" } }
        p {
            a.button href=(address::resolve(&site.name, &summary.name, Some(&bundle.name))) {
                "What would I get from here?"
            }
        }
        dl {
            dt { "Package" } dd { a href=(address) { (summary.name) } }
            @if let Some(descriptor) = descriptor {
                @let modes = descriptor.install_modes();
                @let created = descriptor.annotation("createdAt");
                @let keywords: Vec<&str> = descriptor.list(&["keywords"]).filter_map(Node::as_str).collect();
                @for (name, value) in [
                    ("Provider", descriptor.provider()),
                    ("Maturity", descriptor.text("maturity")),
                    ("Capability level", descriptor.annotation("capabilities")),
                    ("Install modes", &modes.join(", ")),
                    ("Least Kubernetes", descriptor.text("minKubeVersion")),
                    ("Created", created),
                    ("Keywords", &keywords.join(", ")),
                ] {
                    @if !value.is_empty() { dt { (name) } dd { (value) } }
                }
            }
        }
        @if let Some(descriptor) = descriptor { (package::links(descriptor)) }
    }
}

fn updates(site: &Site, summary: &Summary, bundle: &Bundle) -> Markup {
    let graph = PackageGraph::from_catalog(&site.catalog, &summary.name);
    let Some(node) = graph.node_by_name(&bundle.name) else {
        return frame::nothing("The graph of the package does not have this bundle.");
    };
    let to = |moves: &Moves| {
        let step = moves.next.get(node).copied().flatten();
        step.map(|step| (graph.node_name(step.to).to_owned(), step.edge.name()))
    };
    let next = |found: Option<(String, &'static str)>, is_head: bool| match found {
        Some((name, edge)) => html! {
            (named(site, summary, &name)) " " span.faint { "by " (edge) }
        },
        None if is_head => html! { span.badge.good { "head" } },
        None => html! { span.faint { "none" } },
    };
    let all: Vec<_> = graph.channels.iter().collect();
    let any = Moves::new(&graph, &all, Semantics::V1);
    let places = graph.channels.iter().filter_map(|channel| {
        let entry = channel.entries.iter().find(|entry| entry.name == bundle.name)?;
        Some((channel, entry, Moves::new(&graph, &[channel], Semantics::V0)))
    });
    let places: Vec<_> = places.collect();
    if places.is_empty() {
        return frame::nothing(
            "This bundle is in no channel, so no update leads to it or from it in OLM v0.",
        );
    }
    html! {
        p {
            "Next in OLM v1, following any channel: "
            (next(to(&any), any.head == Some(node)))
        }
        div.scroll { table {
            thead { tr { th { "Channel" } th { "Next in OLM v0" } th { "Comes after" } } }
            tbody {
                @for (channel, entry, moves) in places {
                    tr {
                        td.keep { strong { (channel.name) } }
                        td {
                            @if moves.refusal.is_some() { span.badge.alarm { "OLM v0 refuses this channel" } }
                            @else { (next(to(&moves), moves.head == Some(node))) }
                        }
                        td {
                            @if !entry.replaces.is_empty() {
                                p { span.faint { "replaces " } (named(site, summary, &entry.replaces)) }
                            }
                            @if !entry.skips.is_empty() {
                                p { span.faint { "skips " } @for (number, name) in entry.skips.iter().enumerate() {
                                    @if number > 0 { ", " } (named(site, summary, name))
                                } }
                            }
                            @if !entry.skip_range.is_empty() {
                                p { span.faint { "skipRange " } code { (entry.skip_range) } }
                            }
                            @if entry.replaces.is_empty() && entry.skips.is_empty() && entry.skip_range.is_empty() {
                                span.faint { "nothing" }
                            }
                        }
                    }
                }
            }
        } }
    }
}

/// A bundle by its name: a link where the catalog has it.
fn named(site: &Site, summary: &Summary, name: &str) -> Markup {
    match site.bundle(summary, name) {
        Some(bundle) => package::link(site, bundle),
        None => html! { span title="not in the catalog" { (name) } },
    }
}

fn apis(bundle: &Bundle, descriptor: Option<&Descriptor>) -> Markup {
    let described = |kind: &str, group: &str| {
        let lists = [["customresourcedefinitions", "owned"], ["apiservicedefinitions", "owned"]];
        let mut all = lists.into_iter().flat_map(|path| {
            descriptor.into_iter().flat_map(move |descriptor| descriptor.list(&path).collect::<Vec<_>>())
        });
        let of_group = |api: &Node<'_>| {
            api.get_str("group") == Some(group)
                || api.get_str("name").is_some_and(|name| name.ends_with(group))
        };
        let found = all.find(|api| api.get_str("kind") == Some(kind) && of_group(api));
        found.and_then(|api| api.get_str("description")).unwrap_or_default().trim().to_owned()
    };
    let of = |kind: &'static str| bundle.property_values(kind).collect::<Vec<_>>();
    let (provided, required) = (of("olm.gvk"), of("olm.gvk.required"));
    let (packages, constraints) = (of("olm.package.required"), of("olm.constraint"));
    let text = |node: Node<'_>, key: &str| node.get_str(key).unwrap_or_default().to_owned();
    html! {
        @if provided.is_empty() { (frame::nothing("It provides no APIs.")) }
        @else {
            div.scroll { table.stack {
                thead { tr { th { "Provides" } th { "Group and version" } th { "" } } }
                tbody { @for api in provided {
                    @let (kind, group) = (text(api, "kind"), text(api, "group"));
                    tr {
                        td.keep { strong { (kind) } }
                        td.keep { code { (group) "/" (text(api, "version")) } }
                        td { (described(&kind, &group)) }
                    }
                } }
            } }
        }
        @if !(required.is_empty() && packages.is_empty() && constraints.is_empty()) {
            h3 { "Dependencies" }
            ul.plain {
                @for api in required {
                    li { "the API " strong { (text(api, "kind")) } " " code { (text(api, "group")) "/" (text(api, "version")) } }
                }
                @for package in packages {
                    li { "the package " strong { (text(package, "packageName")) } " " code { (text(package, "versionRange")) } }
                }
                @for constraint in constraints { li { "the constraint " code { (json_writer::compact(constraint)) } } }
            }
        }
    }
}

fn permissions(bundle: &Bundle, descriptor: Option<&Descriptor>) -> Markup {
    let Some(descriptor) = descriptor.filter(|descriptor| descriptor.is_whole) else {
        return html! {
            p {
                "The catalog does not have the manifests of this bundle, only what describes them. They are in its image: "
                (frame::copyable(&format!("fbc bundle rbac {}", bundle.image)))
            }
        };
    };
    let rights = descriptor.rights();
    if rights.is_empty() {
        return frame::nothing("It asks for no permissions.");
    }
    html! {
        @for (is_cluster_wide, title) in [(true, "In the whole cluster"), (false, "In the namespaces that it watches")] {
            @let of: Vec<&Right> = rights.iter().filter(|right| right.is_cluster_wide == is_cluster_wide).collect();
            @if !of.is_empty() {
                details open[of.len() <= 12] {
                    summary { (title) ": " (count(of.len(), "rule")) }
                    div.scroll { table.stack {
                        thead { tr { th { "Resources" } th { "Verbs" } th { "Account" } } }
                        tbody { @for right in of { (rule(right)) } }
                    } }
                }
            }
        }
    }
}

fn rule(right: &Right) -> Markup {
    let rule = &right.rule;
    let groups: Vec<&str> =
        rule.api_groups.iter().map(|group| if group.is_empty() { "core" } else { group.as_str() }).collect();
    let is_all = |list: &[String]| list.iter().any(|text| text == "*");
    let is_wide = is_all(&rule.verbs) || is_all(&rule.resources);
    html! {
        tr {
            td {
                @if !rule.resources.is_empty() {
                    code { (rule.resources.join(", ")) } " " span.faint { (groups.join(", ")) }
                }
                @if !rule.resource_names.is_empty() { p.faint { "named " (rule.resource_names.join(", ")) } }
                @if !rule.non_resource_urls.is_empty() { code { (rule.non_resource_urls.join(", ")) } }
            }
            td { code { (rule.verbs.join(", ")) } @if is_wide { " " span.badge.warning { "everything" } } }
            td { (right.account) }
        }
    }
}

fn images(bundle: &Bundle) -> Markup {
    html! {
        div.scroll { table.stack {
            thead { tr { th { "Name" } th { "Reference" } } }
            tbody {
                @if !bundle.image.is_empty() {
                    tr { td { strong { "the bundle" } } td { (frame::copyable(&bundle.image)) } }
                }
                @for image in bundle.related_images.iter().filter(|image| image.image != bundle.image) {
                    tr { td { (image.name) } td { (frame::copyable(&image.image)) } }
                }
            }
        } }
    }
}

fn raw(bundle: &Bundle, descriptor: Option<&Descriptor>) -> Markup {
    let annotations: Vec<(&str, &str)> = descriptor
        .into_iter()
        .flat_map(Descriptor::annotations)
        .filter(|(_, value)| value.len() < 4096)
        .collect();
    let others = bundle.properties.iter().filter(|property| !CONTENT.contains(&property.kind.as_str()));
    html! {
        details {
            summary { "Properties" }
            div.scroll { table.stack { tbody { @for property in others {
                tr {
                    td { code { (property.kind) } }
                    td { @if let Some(value) = &property.value { code { (json_writer::compact(value.node())) } } }
                }
            } } } }
        }
        @if !annotations.is_empty() {
            details {
                summary { "Annotations" }
                div.scroll { table.stack { tbody { @for (name, value) in annotations {
                    tr { td { code { (name) } } td { code { (value) } } }
                } } } }
            }
        }
    }
}
