//! The graph as one page for a browser, which needs nothing but itself.
//!
//! The pictures are those of [`crate::svg`]; the page adds what needs a reader's hand: pan and zoom, search, details,
//! the switch between both generations of OLM, and the choice of channels. Its data is that of [`crate::document`].

use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use crate::document;
use crate::moves::Semantics;
use crate::package::PackageGraph;
use crate::svg::{self, escaped};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The policy of a page that needs nothing but its own script: nothing else runs, and nothing is loaded or sent.
///
/// What is allowed: <https://www.w3.org/TR/CSP3/>
#[must_use]
pub fn content_security_policy(script: &str) -> String {
    let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
}

/// The policy of the pages that [`draw`] makes.
#[must_use]
pub fn policy() -> String {
    content_security_policy(SCRIPT)
}

/// JSON as the text of a script element: `</script>` and `<!--` must not appear in it, nor what drives a terminal.
#[must_use]
pub fn data_block(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '<' || c.is_control() {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text
}

/// A page with packages, each with the channels to draw, by their places.
#[must_use]
pub fn draw(packages: &[(PackageGraph<'_>, Vec<usize>)], semantics: Semantics) -> String {
    // One package after another: the documents of all of them take several times the memory of the page.
    let mut data = "[".to_owned();
    for (number, (graph, _)) in packages.iter().enumerate() {
        let document = document::describe(graph, &[Semantics::V0, Semantics::V1]);
        data.push_str(if number > 0 { "," } else { "" });
        // Writing plain data to memory does not fail.
        data.push_str(&data_block(&serde_json::to_string(&document).unwrap_or_default()));
    }
    data.push(']');
    let title = match packages {
        [(graph, _)] => escaped(&graph.name),
        _ => format!("{} packages", packages.len()),
    };
    let style = format!("{}{STYLE}", svg::STYLE);
    // What comes from the catalog is put in last, and once, so that nothing in it is taken for a place of the page.
    let mut page = String::with_capacity(TEMPLATE.len() + data.len() + style.len() + SCRIPT.len());
    for part in TEMPLATE.split("{{").enumerate() {
        let (number, text) = part;
        let (place, rest) =
            if number == 0 { ("", text) } else { text.split_once("}}").unwrap_or(("", text)) };
        match place {
            "policy" => page.push_str(&policy()),
            "title" => page.push_str(&title),
            "style" => page.push_str(&style),
            "semantics" => page.push_str(semantics.name()),
            "pictures" => page.extend(
                packages.iter().map(|(graph, channels)| svg::element(graph, channels, semantics, "")),
            ),
            "data" => page.push_str(&data),
            "script" => page.push_str(SCRIPT),
            _ => {}
        }
        page.push_str(rest);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::tests::{catalog, entry};

    #[test]
    fn a_page_needs_nothing_else_and_keeps_data_apart() {
        let hostile = "p.v1.0.0</script><script>alert(1)</script>{{script}}";
        let entries = vec![entry("p.v1.1.0", hostile, &[], "")];
        let catalog = catalog(&[("a", entries)], &[]);
        let graph = PackageGraph::from_catalog(&catalog, "p");
        let page = draw(&[(graph, vec![0])], Semantics::V1);
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches(SCRIPT).count(), 1);
        assert_eq!(page.matches(&content_security_policy(SCRIPT)).count(), 1);
        assert!(
            page.contains(&format!("<script>{SCRIPT}</script>")),
            "the policy holds for the script as it stands"
        );
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            let page = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!page.contains(outside), "{outside}");
        }
    }
}
