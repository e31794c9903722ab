//! Runs as one page for a browser, which needs nothing but itself: bars for conditions, steps, events, final state.

use fbc_graph::page::{content_security_policy, data_block};
use fbc_scenario::Run;

use super::all_json;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page with all runs.
pub(super) fn draw(runs: &[Run]) -> String {
    // Writing plain data to memory does not fail.
    let data = data_block(&serde_json::to_string(&all_json(runs)).unwrap_or_default());
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
