//! JSON pointers: what they lead to, how people write them, and their order.

use std::cmp::Ordering;

use fbc_yaml::{Kind, Node};

/// Where a pointer leads.
pub(super) struct Path<'d> {
    /// The path as people write it, such as `entries[3].skips[0]`; empty for the whole.
    pub(super) words: String,
    /// The value; nothing if the pointer leads nowhere.
    pub(super) node: Option<Node<'d>>,
}

impl Path<'_> {
    /// The path of a member.
    pub(super) fn join(&self, key: &str) -> String {
        let mut words = self.words.clone();
        push_key(&mut words, key);
        words
    }
}

/// Follows a pointer.
pub(super) fn read<'d>(root: Node<'d>, pointer: &str) -> Path<'d> {
    let mut words = String::new();
    let mut node = Some(root);
    for segment in pointer.split('/').skip(1) {
        let index = segment.parse::<usize>().ok();
        match (node.map(Node::kind), index) {
            (Some(Kind::Array), Some(index)) => {
                words.push_str(&format!("[{index}]"));
                node = node.and_then(|node| node.item(index));
            }
            _ => {
                let key = segment.replace("~1", "/").replace("~0", "~");
                push_key(&mut words, &key);
                node = node.and_then(|node| node.get(&key));
            }
        }
    }
    Path { words, node }
}

fn push_key(words: &mut String, key: &str) {
    let plain =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    match (plain, words.is_empty()) {
        (true, true) => words.push_str(key),
        (true, false) => {
            words.push('.');
            words.push_str(key);
        }
        (false, _) => words.push_str(&format!("[{key:?}]")),
    }
}

/// The pointer to a member.
pub(super) fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The order of pointers: what holds a value before the value, items by their number.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let segments = |pointer: &'_ str| {
        pointer
            .split('/')
            .map(|segment| (segment.parse::<u64>().ok(), segment.to_owned()))
            .collect::<Vec<_>>()
    };
    segments(a).cmp(&segments(b))
}

#[cfg(test)]
mod tests {
    use fbc_yaml::json_reader;

    use super::*;

    #[test]
    fn paths_read_as_people_write_them() {
        let text = br#"{"entries": [{"skips": ["a"]}], "a/b~": {"0": 1}, "": 2}"#;
        let (document, _) = json_reader::read_value(text, 0).unwrap();
        for (pointer, words, leads_somewhere) in [
            ("", "", true),
            ("/entries/0/skips/0", "entries[0].skips[0]", true),
            ("/a~1b~0/0", r#"["a/b~"].0"#, true),
            ("/", r#"[""]"#, true),
            ("/entries/7", "entries[7]", false),
            ("/x/y", "x.y", false),
        ] {
            let path = read(document.root(), pointer);
            assert_eq!((path.words.as_str(), path.node.is_some()), (words, leads_somewhere), "{pointer}");
        }
        assert_eq!(child("/a", "b/~c"), "/a/b~1~0c");
    }

    #[test]
    fn items_come_in_the_order_of_their_numbers() {
        let mut pointers = ["/b", "/a/10", "/a/9/name", "/a/9", "", "/a/x"];
        pointers.sort_by(|a, b| compare(a, b));
        assert_eq!(pointers, ["", "/a/x", "/a/9", "/a/9/name", "/a/10", "/b"]);
    }
}
