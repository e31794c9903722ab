//! Descriptions in Markdown as HTML that can do no harm: no markup of their own, no images, links to the web alone.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A description as HTML. Its headings come below those of the page.
pub(super) fn render(text: &str) -> Markup {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut link_is_shown = Vec::new();
    let events = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => {
            // Comments are meant for nobody.
            (!text.trim_start().starts_with("<!--")).then_some(Event::Text(text))
        }
        Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => None,
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Heading { level, .. }) => Some(Event::Start(Tag::Heading {
            level: lowered(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })),
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(lowered(level)))),
        Event::Start(Tag::CodeBlock(_)) => {
            Some(Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Indented)))
        }
        // A style of its own is what the policy of the page refuses.
        Event::Start(Tag::Table(_)) => Some(Event::Start(Tag::Table(Vec::new()))),
        Event::Start(Tag::Link { link_type, dest_url, id, .. }) => {
            let shown = is_web(&dest_url);
            link_is_shown.push(shown);
            let title = CowStr::Borrowed("");
            shown.then_some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::End(TagEnd::Link) => {
            link_is_shown.pop().unwrap_or_default().then_some(Event::End(TagEnd::Link))
        }
        event => Some(event),
    });
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, events);
    PreEscaped(out)
}

/// The text of a line of Markdown.
pub(super) fn plain(line: &str) -> String {
    let mut out = String::new();
    for event in Parser::new(line) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out.trim().to_owned()
}

/// Whether an address leads to the web or to somebody's mail.
pub(super) fn is_web(address: &str) -> bool {
    let address = address.trim().to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|start| address.starts_with(start))
}

fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_an_author_is_markup() {
        for (text, expected) in [
            ("# A\n\ntext **b**", "<h3>A</h3>\n<p>text <strong>b</strong></p>\n"),
            ("a <script>alert(1)</script>", "<p>a &lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
            ("<img src=x onerror=y>\n\nb", "&lt;img src=x onerror=y&gt;\n<p>b</p>\n"),
            ("<!-- hidden -->", ""),
            ("![alt](https://x.y/z.png \"t\")", "<p>alt</p>\n"),
            ("[a](https://x.y/?a=1&b=\"c\")", "<p><a href=\"https://x.y/?a=1&amp;b=%22c%22\">a</a></p>\n"),
            ("[a](javascript:alert(1)) [b](JaVaScRiPt:x) [c](/etc)", "<p>a b c</p>\n"),
            ("<javascript:alert(1)>", "<p>javascript:alert(1)</p>\n"),
            ("[a](https://x.y \"t\" )", "<p><a href=\"https://x.y\">a</a></p>\n"),
            ("[![i](https://a.b)](https://x.y)", "<p><a href=\"https://x.y\">i</a></p>\n"),
            ("# a {#id .class onclick=x}", "<h3>a {#id .class onclick=x}</h3>\n"),
            ("```js\"><x\ncode\n```", "<pre><code>code\n</code></pre>\n"),
        ] {
            assert_eq!(render(text).0, expected, "{text}");
        }
        // Aligned cells would carry a style.
        assert!(!render("|a|\n|:-:|\n|b|").0.contains("style"));
    }

    #[test]
    fn plain_text_has_no_markup() {
        assert_eq!(plain("a **b** `c` [d](https://e)"), "a b c d");
    }
}
