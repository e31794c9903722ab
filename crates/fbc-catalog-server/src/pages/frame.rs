//! What all pages have in common: the frame around their content, and the pieces that they are made of.

use maud::{DOCTYPE, Markup, html};

use super::site::{Site, Summary};
use super::{address, files};
pub(super) use fbc_app::count::counted as count;

/// The content of a page.
pub(super) struct Page {
    /// The title; the name of the program comes behind it.
    pub(super) title: String,
    pub(super) body: Markup,
}

/// Where a page is.
#[derive(Default)]
pub(super) struct Place<'p> {
    /// The catalog, if it is a page of one.
    pub(super) site: Option<&'p Site>,
    /// Whether there are other catalogs.
    pub(super) has_others: bool,
    /// What is searched for.
    pub(super) searched: &'p str,
    /// Why the newest content of the catalog is not what is shown.
    pub(super) fault: Option<String>,
    /// The path that was asked for.
    pub(super) path: &'p str,
}

/// The whole page as text.
pub(super) fn document(page: &Page, place: &Place<'_>) -> String {
    let is_here = |address: &str| (place.path == address).then_some("page");
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (page.title) " · fbc" }
                link rel="icon" type="image/svg+xml" href=(files::address("mark.svg"));
                link rel="stylesheet" href=(files::address("style.css"));
                script src=(files::address("script.js")) defer {}
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header.top {
                    a.brand href="/ui/" aria-label="All catalogs" {
                        img src=(files::address("mark.svg")) alt="" width="26" height="26";
                        span { "fbc" }
                    }
                    @if let Some(site) = place.site {
                        @if place.has_others { a.catalog href=(address::catalog(&site.name)) { (site.name) } }
                        nav aria-label="Catalog" {
                            a href=(address::catalog(&site.name)) aria-current=[is_here(&address::catalog(&site.name))] {
                                "Packages"
                            }
                            a href=(address::deprecations(&site.name))
                                aria-current=[is_here(&address::deprecations(&site.name))] { "Deprecations" }
                        }
                        form.search role="search" action=(address::search(&site.name)) {
                            input #search type="search" name="q" value=(place.searched) autocomplete="off"
                                spellcheck="false" placeholder="Search packages, bundles, APIs, images"
                                aria-label="Search packages, bundles, APIs and images";
                            kbd aria-hidden="true" { "/" }
                        }
                    }
                }
                main #content tabindex="-1" {
                    @if let Some(fault) = &place.fault {
                        div.banner.alarm role="status" {
                            strong { "The newest content of this catalog is refused. " }
                            "What you see is the content before it. " code { (fault) }
                        }
                    }
                    (page.body)
                }
                footer {
                    @if let Some(site) = place.site {
                        p {
                            "Catalog " strong { (site.name) } ": " (count(site.packages().len(), "package")) ", "
                            (count(site.catalog.bundles.len(), "bundle"))
                        }
                    }
                    p.keys {
                        kbd { "/" } " search " kbd { "j" } kbd { "k" } " next and previous " kbd { "Enter" } " open "
                        kbd { "u" } " up"
                    }
                }
            }
        }
    };
    visible(&document.into_string())
}

/// Text without characters that control a program or the direction of other text: all of them are somebody else's.
pub(super) fn visible(text: &str) -> String {
    let is_bad = |c: char| fbc_app::escape::is_hostile(c) && c != '\t';
    if !text.contains(is_bad) {
        return text.to_owned();
    }
    text.chars().map(|c| if is_bad(c) { '\u{fffd}' } else { c }).collect()
}

/// The icon of a package, or its first letter.
pub(super) fn icon(site: &Site, summary: &Summary, class: &str) -> Markup {
    if summary.icon.is_some() {
        let address = address::icon(&site.name, &summary.name);
        return html! { img.icon.(class) src=(address) alt="" loading="lazy" decoding="async"; };
    }
    let letter: String = summary
        .title
        .chars()
        .find(|c| c.is_alphanumeric())
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    // One of the colours of the style sheet, always the same for a package.
    let colour = summary.name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(byte)) % 6;
    html! { span.icon.letter.(class).{ "colour-" (colour) } aria-hidden="true" { (letter) } }
}

/// What users of something deprecated are told.
pub(super) fn deprecated(what: &str, message: &str) -> Markup {
    html! {
        div.banner.warning role="note" { strong { (what) " is deprecated. " } span.message { (message.trim()) } }
    }
}

/// A sentence of ours, in which code stands between backticks.
pub(super) fn sentence(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A reference or digest that can be broken anywhere, and copied.
pub(super) fn copyable(text: &str) -> Markup {
    html! {
        span.copyable {
            code { (text) }
            button.copy type="button" data-copy=(text) aria-label={ "Copy " (text) } title="Copy" hidden {
                svg viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" stroke-width="1.5" {
                    rect x="5.5" y="5.5" width="8" height="8" rx="1.5" {}
                    path d="M3 10.5a1.5 1.5 0 0 1-.5-1V4A1.5 1.5 0 0 1 4 2.5h5.5a1.5 1.5 0 0 1 1 .5" {}
                }
            }
        }
    }
}

/// The way to a page: addresses and titles, the page itself last.
pub(super) fn breadcrumbs(steps: &[(String, &str)], here: &str) -> Markup {
    html! {
        nav.breadcrumbs aria-label="Way to this page" {
            @for (address, title) in steps { a href=(address) { (title) } span aria-hidden="true" { "›" } }
            span aria-current="page" { (here) }
        }
    }
}

/// Nothing, said in a friendly way.
pub(super) fn nothing(text: &str) -> Markup {
    html! { p.nothing { (text) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_drive_a_page() {
        let page = Page {
            title: "<script>alert(1)</script>\u{202e}".to_owned(),
            body: html! { p { ("\u{1b}[31m\u{0}\tx") } },
        };
        let text = document(&page, &Place::default());
        assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;\u{fffd} · fbc"), "{text}");
        assert!(text.contains("<p>\u{fffd}[31m\u{fffd}\tx</p>"), "{text}");
        assert_eq!(text.matches("<script").count(), 1);
    }

    #[test]
    fn sentences_have_code() {
        assert_eq!(sentence("add `a<b` to `c`").into_string(), "add <code>a&lt;b</code> to <code>c</code>");
    }
}
