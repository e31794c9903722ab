//! JSON with a mark where Go's decoder stopped, as the reference shows it to people.
//!
//! Source of the behaviour: `operator-framework/operator-registry:pkg/prettyunmarshaler/prettyunmarshaler.go`.

use fbc_go::json::escape_html;
use fbc_yaml::locate::Locator;
use fbc_yaml::stream::Syntax;
use fbc_yaml::{Kind, Node, json_writer};

/// The message of a misfit, and below it the whole value with a mark at the misfit.
#[must_use]
pub fn marked(root: Node<'_>, message: &str, pointer: &str) -> String {
    let mut indented = String::new();
    json_writer::write_indented(&mut indented, root, 4, 0);
    mark(root, &json_writer::compact(root), &indented, message, pointer)
}

/// The same of a value that Kubernetes' decoder has read: integers keep all their digits.
#[must_use]
pub fn marked_with_integers(root: Node<'_>, message: &str, pointer: &str) -> String {
    let indented = json_writer::indented_with_integers(root, 4);
    mark(root, &json_writer::compact_with_integers(root), &indented, message, pointer)
}

fn mark(root: Node<'_>, compact: &str, indented: &str, message: &str, pointer: &str) -> String {
    let json = escape_html(compact);
    let place = Locator::new(json.as_bytes(), 0..json.len(), Syntax::Json).find(pointer).value;
    // Go knows the end of a scalar, and of anything else the first byte.
    let is_container = json.get(place.clone()).is_some_and(|text| text.starts_with(['{', '[']));
    let offset = if is_container { place.start + 1 } else { place.end };
    let mut shown = match root.kind() {
        Kind::Array | Kind::Object => escape_html(indented),
        _ => json.clone(),
    };
    if offset == json.len() {
        shown.push_str(" <==");
    } else {
        shown.insert_str(indented_offset(&json, &shown, offset), " <== ");
    }
    format!("{message} at offset {offset} (indicated by <==)\n{shown}")
}

/// Where the byte before an offset of compact JSON ends in the same JSON with white space.
fn indented_offset(json: &str, indented: &str, offset: usize) -> usize {
    let mut bytes = indented.bytes().enumerate();
    let mut end = 0;
    for byte in json.bytes().take(offset) {
        end = bytes.find(|(_, other)| *other == byte).map_or(end, |(at, _)| at + 1);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_where_go_stopped() {
        for (json, pointer, expected) in [
            (
                "[{\"a\":1}]",
                "",
                "m at offset 1 (indicated by <==)\n[ <== \n    {\n        \"a\": 1\n    }\n]",
            ),
            ("\"hello\"", "", "m at offset 7 (indicated by <==)\n\"hello\" <=="),
            (
                "{\"a\":{\"b\":\"<x\",\"c\":[]}}",
                "/a/b",
                "m at offset 19 (indicated by <==)\n{\n    \"a\": {\n        \"b\": \"\\u003cx\" <== ,\n        \"c\": []\n    }\n}",
            ),
            ("{\"a\":[ ]}", "/a", "m at offset 6 (indicated by <==)\n{\n    \"a\": [ <== ]\n}"),
        ] {
            let (document, _) = fbc_yaml::json_reader::read_value(json.as_bytes(), 0).unwrap();
            assert_eq!(marked(document.root(), "m", pointer), expected, "{json}");
        }
    }
}
