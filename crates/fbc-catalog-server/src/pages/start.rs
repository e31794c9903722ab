//! The page with the catalogs that are served.

use maud::html;

use super::address;
use super::frame::{Page, count};
use super::site::Site;

/// The catalogs.
pub(super) fn catalogs<'s>(sites: impl Iterator<Item = (&'s Site, Option<String>)>) -> Page {
    let body = html! {
        h1 { "Catalogs" }
        ul.cards {
            @for (site, fault) in sites {
                li.card data-step {
                    div.words {
                        h2 { a href=(address::catalog(&site.name)) { (site.name) } }
                        p.line {
                            (count(site.packages().len(), "package")) ", " (count(site.catalog.bundles.len(), "bundle"))
                        }
                        @if fault.is_some() { p { span.badge.alarm { "newest content refused" } } }
                    }
                }
            }
        }
    };
    Page { title: "Catalogs".to_owned(), body }
}
