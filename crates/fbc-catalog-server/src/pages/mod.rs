//! The web pages of `fbc serve --ui`, over the catalogs that are served: written here as a whole, with a little script on
//! top, so that they work without it.
//!
//! | module | what it holds |
//! |---|---|
//! | `address` | the addresses of pages |
//! | `frame` | what all pages have in common |
//! | `start`, `catalog`, `package`, `bundle`, `resolve`, `search`, `deprecations` | the pages |
//! | `site`, `descriptor`, `releases` | what they are made of |
//! | `markdown` | descriptions |
//! | `files` | style and script |

mod address;
mod bundle;
mod catalog;
mod deprecations;
mod descriptor;
mod files;
mod frame;
mod markdown;
mod package;
mod releases;
mod resolve;
mod search;
mod site;
mod start;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use fbc_model::icon;
use fbc_serve::catalogs::{AnswerBody, body};
use fbc_serve::current::Current;
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode};
use maud::html;

use self::address::{Asked, Part, Section};
use self::frame::{Page, Place};
use self::resolve::Question;
pub(super) use self::site::Site;
use self::site::Summary;
use super::health::Health;

/// The pages of all catalogs.
pub(super) struct Pages {
    sites: BTreeMap<String, Arc<Current<Site>>>,
    health: Arc<Health>,
}

/// What the pages may do: nothing but show what this server sends, and ask it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; frame-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What an image may do that somebody opens by itself.
const IMAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/// What is sent in answer to a request.
enum Answer {
    Page(Page),
    NotFound(&'static str),
    Moved(String),
    File(&'static files::File),
    Icon(&'static str, Vec<u8>),
    Drawing(String),
}

/// The path and the query of a request.
pub(super) struct PageRequest {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) query: String,
}

impl Pages {
    /// The pages of catalogs, of which none is there yet.
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>, health: Arc<Health>) -> Self {
        Self { sites: names.map(|name| (name.to_owned(), Arc::default())).collect(), health }
    }

    /// Where to put the content of a catalog.
    pub(super) fn site(&self, name: &str) -> Option<Arc<Current<Site>>> {
        self.sites.get(name).cloned()
    }

    /// Whether a path is one of the pages.
    pub(super) fn has(path: &str) -> bool {
        path == "/" || path == "/ui" || path.starts_with("/ui/")
    }

    /// Answers a request for a page.
    pub(super) fn answer(&self, wanted: &PageRequest) -> Response<AnswerBody> {
        if wanted.method != Method::GET && wanted.method != Method::HEAD {
            let mut response = response(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "use GET\n".into());
            set(&mut response, header::ALLOW, "GET, HEAD");
            return response;
        }
        let query = address::query(&wanted.query);
        let value =
            |name: &str| query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let asked = address::read(&wanted.path);
        let site = match &asked {
            Some(Asked::Catalog(name, _)) => self.sites.get(name).and_then(|site| site.get()),
            _ => None,
        };
        let answer = match asked {
            _ if wanted.path == "/" => Answer::Moved("/ui/".to_owned()),
            Some(Asked::Start) => self.start(),
            Some(Asked::File(name)) => {
                files::find(&name).map_or(Answer::NotFound("There is no such file."), Answer::File)
            }
            Some(Asked::Catalog(_, section)) => match &site {
                None => Answer::NotFound("There is no such catalog."),
                Some(site) => self.section(site, section, &query, value("q"), value("version")),
            },
            None => Answer::NotFound("There is no such page."),
        };
        let place = Place {
            site: site.as_deref(),
            has_others: self.sites.len() > 1,
            searched: value("q").unwrap_or_default(),
            fault: site.as_ref().and_then(|site| self.health.fault(&site.name)),
            path: &wanted.path,
        };
        let mut response = sent(answer, &place);
        if wanted.method == Method::HEAD {
            *response.body_mut() = body::whole(Bytes::new());
        }
        response
    }

    /// All catalogs; one alone is shown at once.
    fn start(&self) -> Answer {
        let sites: Vec<Arc<Site>> = self.sites.values().filter_map(|site| site.get()).collect();
        match sites.as_slice() {
            [only] => Answer::Moved(address::catalog(&only.name)),
            sites => {
                let sites = sites.iter().map(|site| (site.as_ref(), self.health.fault(&site.name)));
                Answer::Page(start::catalogs(sites))
            }
        }
    }

    fn section(
        &self,
        site: &Arc<Site>,
        section: Section,
        query: &[(String, String)],
        searched: Option<&str>,
        version: Option<&str>,
    ) -> Answer {
        let (name, part) = match section {
            Section::Packages => return Answer::Page(catalog::page(site)),
            Section::Deprecations => return Answer::Page(deprecations::page(site)),
            Section::Search => return Answer::Page(search::page(site, searched.unwrap_or_default())),
            Section::Package(name, part) => (name, part),
        };
        let Some(summary) = site.package(&name) else {
            return Answer::NotFound("This catalog has no such package.");
        };
        match part {
            Part::Overview => Answer::Page(package::overview(site, summary)),
            Part::Icon => icon_of(site, summary),
            Part::Graph => Answer::Page(package::graph(site, summary, version)),
            Part::Drawing => Answer::Drawing(package::drawing(site, summary)),
            Part::Resolve => {
                let others = self.sites.values().filter_map(|other| other.get());
                let others: Vec<Arc<Site>> = others.filter(|other| other.name != site.name).collect();
                Answer::Page(resolve::page(site, &others, summary, &Question::read(query)))
            }
            Part::Bundle(name) => match site.bundle(summary, &name) {
                Some(bundle) => Answer::Page(bundle::page(site, summary, bundle)),
                None => Answer::NotFound("This package has no such bundle."),
            },
        }
    }
}

fn icon_of(site: &Site, summary: &Summary) -> Answer {
    let data = site.blob(summary).and_then(|blob| blob.icon.as_ref()?.data.clone()).unwrap_or_default();
    match summary.icon {
        Some(found) if icon::media_type(&data) == Some(found) => Answer::Icon(found, data),
        _ => Answer::NotFound("This package has no icon that browsers show."),
    }
}

fn sent(answer: Answer, place: &Place<'_>) -> Response<AnswerBody> {
    let html = "text/html; charset=utf-8";
    let (mut response, policy, kept) = match answer {
        Answer::Page(page) => (
            response(StatusCode::OK, html, frame::document(&page, place).into()),
            POLICY.to_owned(),
            "no-cache",
        ),
        Answer::NotFound(why) => {
            let body =
                html! { h1 { "Not found" } (frame::nothing(why)) p { a href="/ui/" { "All catalogs" } } };
            let text = frame::document(&Page { title: "Not found".to_owned(), body }, place);
            (response(StatusCode::NOT_FOUND, html, text.into()), POLICY.to_owned(), "no-cache")
        }
        Answer::Moved(address) => {
            let mut response = response(StatusCode::FOUND, "text/plain", Bytes::new());
            set(&mut response, header::LOCATION, &address);
            (response, POLICY.to_owned(), "no-cache")
        }
        Answer::File(file) => {
            let kept = "public, max-age=31536000, immutable";
            (response(StatusCode::OK, file.media_type, file.text.into()), IMAGE_POLICY.to_owned(), kept)
        }
        Answer::Icon(media_type, data) => {
            (response(StatusCode::OK, media_type, data.into()), IMAGE_POLICY.to_owned(), "no-cache")
        }
        Answer::Drawing(text) => {
            let policy = format!("{}; frame-ancestors 'self'", fbc_graph::page::policy());
            (response(StatusCode::OK, html, text.into()), policy, "no-cache")
        }
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy.as_str()),
        (header::CACHE_CONTROL, kept),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        set(&mut response, name, value);
    }
    response
}

fn response(status: StatusCode, media_type: &str, body: Bytes) -> Response<AnswerBody> {
    let mut response = Response::new(body::whole(body));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, media_type);
    response
}

fn set(response: &mut Response<AnswerBody>, name: HeaderName, value: &str) {
    // Addresses are encoded, all other values are ours.
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
