//! The page with everything in a catalog that is deprecated.

use fbc_model::blob::schema;
use maud::html;

use super::frame::{self, Page};
use super::site::{Site, Summary};
use super::{address, package};

/// All deprecations of a catalog.
pub(super) fn page(site: &Site) -> Page {
    let with_any: Vec<&Summary> = site
        .packages()
        .values()
        .filter(|summary| site.deprecations(&summary.name).next().is_some())
        .collect();
    let body = html! {
        h1 { "Deprecations" }
        @if with_any.is_empty() { (frame::nothing("Nothing in this catalog is deprecated.")) }
        @for summary in with_any {
            section.deprecations {
                h2 {
                    (frame::icon(site, summary, "small"))
                    a href=(address::package(&site.name, &summary.name)) { (summary.title) }
                }
                div.scroll { table.stack { tbody { @for entry in site.deprecations(&summary.name) {
                    tr data-step {
                        td.what {
                            @match entry.schema.as_str() {
                                schema::PACKAGE => { span.badge.warning { "the whole package" } }
                                schema::CHANNEL => { "channel " strong { (entry.name) } }
                                _ => {
                                    @match site.bundle(summary, &entry.name) {
                                        Some(bundle) => { "bundle " (package::link(site, bundle)) }
                                        None => { "bundle " (entry.name) }
                                    }
                                }
                            }
                        }
                        td.message { (entry.message.trim()) }
                    }
                } } } }
            }
        }
    };
    Page { title: "Deprecations".to_owned(), body }
}
