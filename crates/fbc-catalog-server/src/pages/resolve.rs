//! Which bundle a cluster would get, with the explanation of `fbc resolve`.

use std::sync::Arc;

use fbc_app::resolution::advice::{self, Advice};
use fbc_app::resolution::{deprecations, tree};
use fbc_app::shell::quoted;
use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_resolve::{
    CatalogExplanation, CatalogIndex, CatalogVerdict, ClusterCatalog, Explanation, InstalledBundle, Request,
    Resolver, Rules, UpgradePolicy,
};
use fbc_version::Target;
use maud::{Markup, html};

use super::address;
use super::frame::{self, Page, count};
use super::package::{self, Tab};
use super::site::{Site, Summary, version};

/// What is asked.
#[derive(Debug, Default)]
pub(super) struct Question {
    channels: Vec<String>,
    range: String,
    /// The name of the bundle that is installed; empty for none.
    installed: String,
    policy: UpgradePolicy,
    target: Target,
    /// Whether all catalogs that are served are asked.
    asks_all: bool,
}

impl Question {
    /// Reads the fields of the form.
    pub(super) fn read(query: &[(String, String)]) -> Self {
        let mut question = Self::default();
        for (name, value) in query {
            let value = value.trim();
            match name.as_str() {
                "channel" if !value.is_empty() => question.channels.push(value.to_owned()),
                "version" => value.clone_into(&mut question.range),
                "installed" => value.clone_into(&mut question.installed),
                "policy" => question.policy = UpgradePolicy::from_name(value).unwrap_or_default(),
                "target" => question.target = value.parse().unwrap_or_default(),
                "catalogs" => question.asks_all = value == "all",
                _ => {}
            }
        }
        question
    }
}

/// The page with the question and its answer. `others` are the other catalogs that are served.
pub(super) fn page(site: &Site, others: &[Arc<Site>], summary: &Summary, question: &Question) -> Page {
    let body = html! {
        (package::heading(site, summary, Tab::Resolve))
        div.columns.question {
            (form(site, !others.is_empty(), summary, question))
            div.main aria-live="polite" { (answer(site, others, summary, question)) }
        }
    };
    Page { title: format!("Which bundle of {}?", summary.title), body }
}

fn form(site: &Site, has_others: bool, summary: &Summary, question: &Question) -> Markup {
    let target = question.target.to_string();
    html! {
        form.ask method="get" {
            fieldset {
                legend { "Installed" }
                select name="installed" aria-label="Installed bundle" {
                    option value="" { "nothing yet" }
                    @for bundle in site.bundles(summary) {
                        option value=(bundle.name) selected[bundle.name == question.installed] { (version(bundle)) }
                    }
                }
            }
            fieldset {
                legend { "Channels" }
                @for channel in site.channels(summary) {
                    label {
                        input type="checkbox" name="channel" value=(channel.name)
                            checked[question.channels.contains(&channel.name)];
                        " " (channel.name)
                    }
                }
                p.faint { "None means any." }
            }
            fieldset {
                legend { "Versions" }
                input type="text" name="version" value=(question.range) placeholder="any, or a range: >=1.2, <2"
                    spellcheck="false" autocomplete="off" aria-label="Range of versions";
            }
            fieldset {
                legend { "Edges of the graph" }
                select name="policy" aria-label="Upgrade constraint policy" {
                    @for (policy, name) in UpgradePolicy::ALL {
                        option value=(name) selected[policy == question.policy] { (name) }
                    }
                }
            }
            fieldset {
                legend { "Behavior of" }
                select name="target" aria-label="Release" {
                    @for name in Target::NAMES {
                        option value=(name) selected[name == target] {
                            @match name.strip_prefix("ocp-") {
                                Some(release) => { "OpenShift " (release) }
                                None => { "OLM v1, newest" }
                            }
                        }
                    }
                }
            }
            @if has_others {
                fieldset {
                    legend { "Catalogs" }
                    label {
                        input type="checkbox" name="catalogs" value="all" checked[question.asks_all];
                        " all that are served here"
                    }
                }
            }
            button.primary type="submit" { "Ask" }
        }
    }
}

fn answer(site: &Site, others: &[Arc<Site>], summary: &Summary, question: &Question) -> Markup {
    let rules = Rules::from_target(question.target);
    let mut request = Request {
        package: summary.name.clone(),
        version: question.range.clone(),
        channels: question.channels.clone(),
        policy: question.policy,
        ..Request::default()
    };
    if !question.installed.is_empty() {
        let Some(bundle) = site.bundle(summary, &question.installed) else {
            return html! {
                div.answer.bad { p { "The catalog has no bundle " code { (question.installed) } " of this package." } }
            };
        };
        request.installed =
            Some(InstalledBundle { name: bundle.name.clone(), version: version(bundle), release: None });
    }
    let asked = others.iter().map(AsRef::as_ref).filter(|_| question.asks_all);
    let catalogs = std::iter::once(site).chain(asked).map(|site| {
        let index = CatalogIndex::new(site.alone(&summary.name), rules);
        ClusterCatalog::serving(site.name.clone(), Arc::new(index))
    });
    let resolver = match Resolver::new(rules, catalogs) {
        Ok(resolver) => resolver,
        // Names of catalogs are unique on a command line already.
        Err(error) => return frame::nothing(&error.to_string()),
    };
    let explanation = resolver.explain(&request);
    let advice = Advice::on(&explanation, &request, rules);
    html! {
        (outcome(site, summary, &explanation, &request, rules))
        @if !advice.why.is_empty() {
            h2 { "Why" }
            ul.reasons { @for why in &advice.why { li { (frame::sentence(why)) } } }
        }
        @if !advice.remedies.is_empty() {
            h2 { "What would change that" }
            ul.reasons { @for remedy in &advice.remedies { li { (frame::sentence(remedy)) } } }
        }
        (classic(site, summary, question))
        (bundles(&explanation, &request))
        (command(&explanation, &request, question))
    }
}

fn outcome(
    site: &Site,
    summary: &Summary,
    explanation: &Explanation<'_>,
    request: &Request,
    rules: Rules,
) -> Markup {
    let resolution = match &explanation.outcome {
        Ok(resolution) => resolution,
        Err(error) => {
            return html! {
                div.answer.bad {
                    p.lead { "OLM v1 installs nothing." }
                    p { code { (error) } }
                }
            };
        }
    };
    let blob = &resolution.bundle.blob;
    let reported = resolution.reported_version(rules);
    let change = match &request.installed {
        None => "OLM v1 installs",
        Some(installed) if installed.name == blob.name => "OLM v1 stays at",
        Some(_) => "OLM v1 updates to",
    };
    html! {
        div.answer.good {
            p.lead {
                (change) " "
                a href=(address::bundle(&resolution.catalog.name, &blob.package, &blob.name)) { (reported) }
            }
            p {
                code { (blob.name) }
                @if let Some(release) = resolution.reported_release(rules) { ", release " (release) }
                @if resolution.catalog.name != site.name { ", from catalog " strong { (resolution.catalog.name) } }
            }
            @if !blob.image.is_empty() { p { (frame::copyable(&blob.image)) } }
        }
        @for entry in deprecations(resolution, request) {
            @let what = entry.schema.strip_prefix("olm.").unwrap_or(&entry.schema);
            @let name = if entry.name.is_empty() { &summary.name } else { &entry.name };
            (frame::deprecated(&format!("The {what} {name}"), &entry.message))
        }
    }
}

/// What a Subscription of OLM v0 gets, which follows one channel.
fn classic(site: &Site, summary: &Summary, question: &Question) -> Markup {
    let graph = PackageGraph::from_catalog(&site.catalog, &summary.name);
    let wanted = question.channels.first().unwrap_or(&summary.default_channel);
    let Some(channel) = graph.channel_by_name(wanted).and_then(|place| graph.channels.get(place)) else {
        return html! {};
    };
    let moves = Moves::new(&graph, &[channel], Semantics::V0);
    let installed = graph.node_by_name(&question.installed);
    let next = installed.and_then(|node| moves.next.get(node).copied().flatten());
    let route = installed.map(|node| moves.route(node).len()).unwrap_or_default();
    let label = |node: usize| graph.nodes.get(node).map(fbc_graph::package::Node::label).unwrap_or_default();
    html! {
        h2 { "And OLM v0?" }
        p {
            "A Subscription to " strong { (channel.name) } " "
            @match (&moves.refusal, installed, next) {
                (Some(_), ..) => { "installs nothing: OLM v0 refuses the channel." }
                (None, None, _) => {
                    @match moves.head { Some(head) => { "installs " strong { (label(head)) } ", its head." } None => "has no head." }
                }
                (None, Some(_), Some(step)) => {
                    "updates to " strong { (label(step.to)) }
                    @if route > 1 { ", and reaches the end after " (count(route, "update")) "." } @else { "." }
                }
                (None, Some(_), None) => { "has no update from there." }
            }
        }
    }
}

/// Every bundle that was looked at, and what became of it.
fn bundles(explanation: &Explanation<'_>, request: &Request) -> Markup {
    html! {
        h2 { "Every bundle that was looked at" }
        @for CatalogExplanation { catalog, verdict, bundles } in &explanation.catalogs {
            details open[explanation.catalogs.len() == 1 || *verdict == CatalogVerdict::Chosen] {
                summary { "Catalog " strong { (catalog.name) } ": " (tree::verdict(verdict)) }
                div.scroll { table {
                    thead { tr { th { "Version" } th { "Channels" } th { "What became of it" } } }
                    tbody {
                        @for bundle in bundles {
                            @let blob = &bundle.bundle.blob;
                            tr.removed[!bundle.removed_by.is_empty()].chosen[bundle.is_candidate] data-step {
                                td.keep {
                                    a href=(address::bundle(&catalog.name, &blob.package, &blob.name)) {
                                        (advice::version(bundle.bundle))
                                    }
                                    @if bundle.bundle.is_deprecated { " " span.badge.warning { "deprecated" } }
                                }
                                td { (bundle.channels.join(", ")) }
                                td { (tree::fate(bundle, verdict, request)) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

/// The same question on the command line.
fn command(explanation: &Explanation<'_>, request: &Request, question: &Question) -> Markup {
    let mut words = vec!["fbc resolve".to_owned(), quoted(&request.package)];
    let catalogs = explanation.catalogs.iter().map(|asked| asked.catalog.name.as_str());
    words.extend(catalogs.map(|name| format!("--catalog {name}=REF")));
    words.extend(request.channels.iter().map(|channel| format!("--channel {}", quoted(channel))));
    if !request.version.is_empty() {
        words.push(format!("--version {}", quoted(&request.version)));
    }
    if let Some(installed) = &request.installed {
        words.push(format!("--installed {}", quoted(&installed.name)));
    }
    let policies = UpgradePolicy::ALL.iter().filter(|(policy, _)| *policy != UpgradePolicy::default());
    let policy = policies.filter(|(policy, _)| *policy == question.policy);
    words.extend(policy.map(|(_, name)| format!("--policy {name}")));
    if question.target != Target::default() {
        words.push(format!("--target {}", question.target));
    }
    words.push("--explain".to_owned());
    html! { h2 { "On the command line" } p { (frame::copyable(&words.join(" "))) } }
}
