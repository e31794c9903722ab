//! The page of a catalog with its packages.

use maud::{Markup, html};

use super::address;
use super::frame::{self, Page, count};
use super::site::{Site, Summary};

/// The packages of a catalog. The script hides those that do not fit what is typed.
pub(super) fn page(site: &Site) -> Page {
    let all = site.packages();
    let deprecated = all.values().filter(|summary| summary.deprecation.is_some()).count();
    let body = html! {
        div.title-row {
            h1 { "Packages" }
            p #shown.faint aria-live="polite" data-all=(all.len()) { (count(all.len(), "package")) }
            @if deprecated > 0 {
                label.toggle { input #hide-deprecated type="checkbox"; " hide " (deprecated) " deprecated" }
            }
        }
        @if all.is_empty() { (frame::nothing("This catalog has no packages.")) }
        ul #packages.cards { @for summary in all.values() { (card(site, summary)) } }
        p #none-found.nothing hidden {
            "No package fits. Press Enter to search bundles, APIs and images as well."
        }
    };
    Page { title: site.name.clone(), body }
}

/// A package on a card.
pub(super) fn card(site: &Site, summary: &Summary) -> Markup {
    let is_deprecated = summary.deprecation.is_some();
    html! {
        li.card.deprecated[is_deprecated] data-step data-words=(summary.words) {
            (frame::icon(site, summary, "large"))
            div.words {
                h2 { a href=(address::package(&site.name, &summary.name)) { (summary.title) } }
                p.name {
                    @if summary.title != summary.name { code { (summary.name) } }
                    @if !summary.provider.is_empty() { span.provider { (summary.provider) } }
                }
                p.line { (summary.line) }
                p.badges {
                    @if !summary.version.is_empty() { span.badge.version { (summary.version) } }
                    @if !summary.default_channel.is_empty() { span.badge { (summary.default_channel) } }
                    @if summary.channel_count() > 1 { span.faint { (count(summary.channel_count(), "channel")) } }
                    @if is_deprecated { span.badge.warning { "deprecated" } }
                }
            }
        }
    }
}
