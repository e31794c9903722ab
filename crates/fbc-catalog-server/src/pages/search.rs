//! What a word is found in: packages, bundles, APIs and images.

use fbc_model::Bundle;
use maud::{Markup, html};

use super::frame::{self, Page, count};
use super::site::{Site, Summary};
use super::{address, catalog, package};

/// So many of each are shown.
const SHOWN: usize = 50;

/// What the words are found in.
pub(super) fn page(site: &Site, wanted: &str) -> Page {
    let words: Vec<String> = wanted.split_whitespace().map(str::to_lowercase).collect();
    let title = format!("Search for {}", wanted.trim());
    if words.is_empty() {
        let body = html! { h1 { "Search" } (frame::nothing("Type a word to search for.")) };
        return Page { title: "Search".to_owned(), body };
    }
    let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
    let mut packages: Vec<&Summary> = site.packages().values().filter(|one| has_all(&one.words)).collect();
    // What is called so comes before what only speaks of it.
    packages.sort_by_key(|one| (!has_all(&format!("{} {}", one.name, one.title).to_lowercase()), &one.name));
    let bundles: Vec<&Bundle> = sorted(site, |bundle| has_all(&bundle.name.to_lowercase()));
    let of_apis: Vec<(String, Vec<&Summary>)> = apis(site, &has_all);
    let of_images: Vec<&Bundle> = sorted(site, |bundle| {
        let mut images = bundle.related_images.iter().map(|image| &image.image);
        has_all(&bundle.image.to_lowercase()) || images.any(|image| has_all(&image.to_lowercase()))
    });
    let is_empty = packages.is_empty() && bundles.is_empty() && of_apis.is_empty() && of_images.is_empty();
    let body = html! {
        h1 { "Search for “" (wanted.trim()) "”" }
        @if is_empty { (frame::nothing("Nothing is found. Names, titles, keywords, kinds of APIs and image references are searched.")) }
        @if !packages.is_empty() {
            section {
                h2 { (count(packages.len(), "package")) }
                ul.cards { @for summary in packages.iter().take(SHOWN) { (catalog::card(site, summary)) } }
                (more(packages.len()))
            }
        }
        @if !of_apis.is_empty() {
            section {
                h2 { (count(of_apis.len(), "API")) }
                div.scroll { table { tbody { @for (api, providers) in of_apis.iter().take(SHOWN) {
                    tr {
                        td { code { (api) } }
                        td { @for (number, summary) in providers.iter().enumerate() {
                            @if number > 0 { ", " }
                            a href=(address::package(&site.name, &summary.name)) { (summary.title) }
                        } }
                    }
                } } } }
                (more(of_apis.len()))
            }
        }
        @if !bundles.is_empty() { section { h2 { (count(bundles.len(), "bundle")) } (list(site, &bundles)) } }
        @if !of_images.is_empty() {
            section {
                h2 { (count(of_images.len(), "bundle")) " with such an image" }
                (list(site, &of_images))
            }
        }
    };
    Page { title, body }
}

/// The bundles that fit, by package and from the highest version on.
fn sorted(site: &Site, fits: impl Fn(&Bundle) -> bool) -> Vec<&Bundle> {
    site.packages().values().flat_map(|summary| site.bundles(summary)).filter(|bundle| fits(bundle)).collect()
}

/// The APIs that fit, with the packages whose newest bundle provides them.
fn apis<'s>(site: &'s Site, fits: &dyn Fn(&str) -> bool) -> Vec<(String, Vec<&'s Summary>)> {
    let mut found: std::collections::BTreeMap<String, Vec<&Summary>> = std::collections::BTreeMap::new();
    for summary in site.packages().values() {
        for api in
            site.representative(summary).into_iter().flat_map(|bundle| bundle.property_values("olm.gvk"))
        {
            let text = |key: &str| api.get_str(key).unwrap_or_default();
            let api = format!("{}.{}/{}", text("kind"), text("group"), text("version"));
            if fits(&api.to_lowercase()) {
                found.entry(api).or_default().push(summary);
            }
        }
    }
    found.into_iter().collect()
}

fn list(site: &Site, bundles: &[&Bundle]) -> Markup {
    html! {
        ul.plain.rows {
            @for bundle in bundles.iter().take(SHOWN) {
                li data-step { (package::link(site, bundle)) " " code { (bundle.name) } }
            }
        }
        (more(bundles.len()))
    }
}

fn more(number: usize) -> Markup {
    html! {
        @if number > SHOWN { p.faint { "and " (number - SHOWN) " more; another word narrows it down" } }
    }
}
