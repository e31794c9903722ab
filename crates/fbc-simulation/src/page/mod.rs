//! Runs as one page for a browser, which needs nothing but itself: bars for conditions, steps, events, final state.

use fbc_graph::page::{content_security_policy, data_block};
const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page with all runs, which are given as a JSON list.
pub fn draw(runs: &str) -> String {
    let data = data_block(runs);
    let mut page = String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + data.len());
    // What comes from the runs is put in once, so that nothing in it is taken for a place of the page.
    for (number, part) in TEMPLATE.split("{{").enumerate() {
        let (place, rest) =
            if number == 0 { ("", part) } else { part.split_once("}}").unwrap_or(("", part)) };
        match place {
            "policy" => page.push_str(&content_security_policy(SCRIPT)),
            "style" => page.push_str(STYLE),
            "script" => page.push_str(SCRIPT),
            "data" => page.push_str(&data),
            _ => {}
        }
        page.push_str(rest);
    }
    page
}
