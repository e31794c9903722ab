//! Maps of pins: a YAML mapping from images with tags to digests, which grows and keeps its comments and order.

use std::collections::BTreeMap;

use fbc_yaml::edit::{Action, Change, EditError, Editor, document};
use fbc_yaml::{Document, Kind, stream};

/// Whether a map holds nothing, but comments at most.
#[must_use]
pub fn is_blank(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.all(|line| line.is_empty() || line.starts_with(b"#") || line == b"---")
}

/// The text of a map with more digests, behind what is there.
///
/// # Errors
/// The text is not written in a way that can be added to.
pub fn with_digests(map: &[u8], added: &BTreeMap<String, String>) -> Result<Vec<u8>, EditError> {
    if is_blank(map) {
        let mut text = map.to_vec();
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        let lines = added.iter().map(|(tag, digest)| format!("{tag}: {digest}\n"));
        text.extend(lines.flat_map(String::into_bytes));
        return Ok(text);
    }
    let mut editor = Editor::new(map);
    // Comments before the first `---` are a document of their own.
    let documents = stream::read::<_, ()>(map, &|document: Document| Ok(document));
    let is_map = |one: &Document| one.root().kind() == Kind::Object;
    let number = documents.iter().position(|one| one.outcome.as_ref().is_ok_and(is_map));
    let number = number.ok_or(EditError::NoDocument)?;
    for (tag, digest) in added {
        let value = document(|builder| builder.string(digest));
        editor.change(number, &Change::new("", Action::Set { key: tag.clone(), value }))?;
    }
    editor.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_gets_digests_behind_what_is_there() {
        let digest = |digit: &str| format!("sha256:{}", digit.repeat(64));
        let added = BTreeMap::from([("r.io/a:v2".to_owned(), digest("2"))]);
        let (one, two) = (format!("r.io/b:v1: {}", digest("1")), format!("r.io/a:v2: {}\n", digest("2")));
        for (old, expected) in [
            (String::new(), two.clone()),
            ("# Pins".to_owned(), format!("# Pins\n{two}")),
            ("---\n".to_owned(), format!("---\n{two}")),
            (format!("# Pins\n{one} # first\n"), format!("# Pins\n{one} # first\n{two}")),
            (format!("# Pins\n---\n{one}\n"), format!("# Pins\n---\n{one}\n{two}")),
            (one.clone(), format!("{one}\n{two}")),
        ] {
            let text = with_digests(old.as_bytes(), &added).unwrap();
            assert_eq!(String::from_utf8(text).unwrap().trim_end(), expected.trim_end());
        }
        assert!(with_digests(b"- a\n", &added).is_err());
    }
}
