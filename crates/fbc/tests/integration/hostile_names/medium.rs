//! What an output is, and what may not stand in it.

use serde_json::Value;

/// What the output of a command is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Medium {
    Text,
    Markdown,
    GitHub,
    Json,
    /// Text for another program, such as graphviz.
    Drawing,
}

/// Holds a text of a command against its medium.
pub(crate) fn check(words: &str, medium: Medium, text: &str, is_error: bool) {
    let lines = || text.split(['\n', '\r', '\u{2028}']).map(str::trim_start);
    for c in ['\u{1b}', '\u{7}', '\u{9b}'] {
        assert!(!text.contains(c) || medium == Medium::Json && !c.is_ascii(), "{words}: {c:?} in\n{text}");
    }
    if medium != Medium::Json || is_error {
        for c in ['\r', '\u{202e}', '\u{2028}'] {
            assert!(!text.contains(c) || medium == Medium::Drawing, "{words}: {c:?} in\n{text}");
        }
    }
    for line in lines() {
        let is_ours =
            medium == Medium::GitHub && ["::error ", "::warning "].iter().any(|ours| line.starts_with(ours));
        assert!(!line.starts_with("::") || is_ours, "{words}: a workflow command in\n{text}");
        assert!(!line.starts_with("##vso["), "{words}: a logging command in\n{text}");
    }
    if medium == Medium::Text || is_error {
        assert!(!text.contains("##vso["), "{words}: a logging command in\n{text}");
    }
    if medium == Medium::Markdown && !is_error {
        let without_code: String = text.split('`').step_by(2).collect();
        for markup in ["](", "<img", "@INJ", "http://"] {
            let is_escaped = markup == "](" && !without_code.replace("\\](", "").contains(markup);
            assert!(!without_code.contains(markup) || is_escaped, "{words}: {markup:?} in\n{text}");
        }
    }
    if medium == Medium::Json && !is_error && !text.is_empty() {
        let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        assert!(values.map(Result::unwrap).count() > 0, "{words}");
    }
}
