//! Changes of generated documents.

use proptest::prelude::*;

use super::*;

/// A list of texts or objects, and how it is written.
#[derive(Clone, Debug)]
struct Written {
    items: Vec<Vec<String>>,
    layout: u8,
    comments: Vec<bool>,
    is_windows: bool,
    has_end: bool,
}

fn written() -> impl Strategy<Value = Written> {
    let text = "[a-z]{1,3}|yes|1\\.0|v[0-9] x|é#b|a: b";
    (
        prop::collection::vec(prop::collection::vec(text, 0..3), 1..5),
        0..8_u8,
        prop::collection::vec(any::<bool>(), 12),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(items, layout, comments, is_windows, has_end)| Written {
            items,
            layout,
            comments,
            is_windows,
            has_end,
        })
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

impl Written {
    fn comment<'t>(&self, at: usize, text: &'t str) -> &'t str {
        let is_there = self.comments.get(at % self.comments.len()).copied().unwrap_or_default();
        if is_there { text } else { "" }
    }

    fn text(&self) -> String {
        let list = |item: &[String]| item.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
        let mut out = String::new();
        let pad = if self.layout.is_multiple_of(2) { "" } else { "   " };
        match self.layout {
            0..=3 => {
                out.push_str("a: 1 # x\ne:");
                out.push_str(self.comment(0, " # head"));
                for (number, item) in self.items.iter().enumerate() {
                    out.push_str(self.comment(number + 1, &format!("\n{pad}# before")));
                    out.push_str(&format!("\n{pad}- k: {}", quoted(&number.to_string())));
                    out.push_str(self.comment(number + 2, " # beside"));
                    if self.layout < 2 && !item.is_empty() {
                        out.push_str(&format!("\n{pad}  l:"));
                        item.iter()
                            .for_each(|text| out.push_str(&format!("\n{pad}  {pad}- {}", quoted(text))));
                    } else {
                        out.push_str(&format!("\n{pad}  l: [{}]", list(item)));
                    }
                    out.push_str(self.comment(number + 3, &format!("\n{pad}    # behind")));
                }
                out.push_str(self.comment(7, "\n\n# next"));
                out.push_str("\nz: |\n  text\n  # no comment");
            }
            _ => {
                let (open, between) = match self.layout {
                    4 => ("", " "),
                    5 => ("\n    ", "\n    "),
                    6 => ("", ""),
                    _ => ("\n\t\t", "\n\t\t"),
                };
                let items = self
                    .items
                    .iter()
                    .enumerate()
                    .map(|(number, item)| format!("{{\"k\": \"{number}\", \"l\": [{}]}}", list(item)));
                let items = items.collect::<Vec<_>>().join(&format!(",{between}"));
                out.push_str(&format!("{{\"a\": 1,\n\"e\": [{open}{items}{open}],\n\"z\": \"]}}\"\n}}"));
            }
        }
        out.push_str(if self.has_end { "\n" } else { "" });
        if self.is_windows { out.replace('\n', "\r\n") } else { out }
    }
}

/// How many bytes two texts have in common at both ends, together.
fn common_ends(a: &str, b: &str) -> usize {
    let front = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let back =
        a.bytes().skip(front).rev().zip(b.bytes().skip(front).rev()).take_while(|(a, b)| a == b).count();
    front + back
}

proptest! {
    /// Inserting keeps every byte, gives the value that was meant, and removing gives the old value.
    #[test]
    fn insert_and_remove(list in written(), index in 0..5_usize, new in "[a-z]{1,3}|no|1e3|é: x|a\\nb") {
        let text = list.text();
        let index = index.min(list.items.len());
        let item = format!("{{\"k\": {0:?}, \"l\": [{0:?}]}}", new);
        let with = edited(&text, &insert("/e", index, &item)).unwrap();
        // A comma may have to go before a comment, apart from the item.
        prop_assert_eq!(common_ends(&text, &with), text.len(), "{}\n{}", text, with);
        let (old, now) = (json(&text), json(&with));
        let mut items: Vec<String> = old.root().get("e").unwrap().items().map(|item| format!("{item:?}")).collect();
        items.insert(index, format!("{:?}", json(&item)));
        let found: Vec<String> = now.root().get("e").unwrap().items().map(|item| format!("{item:?}")).collect();
        prop_assert_eq!(found, items);
        prop_assert_eq!(now.root().get("z"), old.root().get("z"));
        let without = edited(&with, &remove("/e", index)).unwrap();
        prop_assert_eq!(json(&without), old);
    }

    /// Adding to a list in an item, and setting a text in it.
    #[test]
    fn changes_inside_of_items(list in written(), index in 0..4_usize, new in "[a-z]{1,3}|off|é: x|a\\nb\\n") {
        let text = list.text();
        let index = index.min(list.items.len() - 1);
        let length = list.items[index].len();
        let value = format!("{new:?}");
        let with = edited(&text, &insert(&format!("/e/{index}/l"), length, &value)).unwrap();
        let added = json(&with);
        let item = added.root().get("e").unwrap().item(index).unwrap();
        prop_assert_eq!(item.get("l").unwrap().item(length).unwrap().as_str(), Some(new.as_str()));
        let renamed = edited(&text, &set(&format!("/e/{index}"), "k", &value)).unwrap();
        let document = json(&renamed);
        let item = document.root().get("e").unwrap().item(index).unwrap();
        prop_assert_eq!(item.get_str("k"), Some(new.as_str()));
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let kept = lines(&text).iter().filter(|line| lines(&renamed).contains(line)).count();
        prop_assert!(kept + 1 >= lines(&text).len(), "{}\n{}", text, renamed);
        let longer = edited(&text, &set(&format!("/e/{index}"), "m", &value)).unwrap();
        let document = json(&longer);
        prop_assert_eq!(document.root().get("e").unwrap().item(index).unwrap().get_str("m"), Some(new.as_str()));
    }

    /// Whatever the text: a change is refused, or gives what was meant; nothing panics, and a refused
    /// change leaves the file as it is.
    #[test]
    fn any_text(
        parts in prop::collection::vec(prop::sample::select(FRAGMENTS.to_vec()), 0..14),
        pointer in prop::sample::select(vec!["", "/a", "/a/0", "/a/1", "/b/a", "/a/0/a", "/<<"]),
        index in 0..3_usize,
        kind in 0..4_u8,
    ) {
        let text = parts.concat();
        let change = match kind {
            0 => insert(pointer, index, "{\"a\": \"b\\nc\", \"d\": [1, {}]}"),
            1 => remove(pointer, index),
            2 => set(pointer, "a", "[\"x: y\", \"no\"]"),
            _ => set(pointer, "b", "\"x\\n\\n\""),
        };
        let mut editor = Editor::new(text.as_bytes());
        for number in 0..editor.len() {
            let before = editor.clone().finish();
            prop_assert_eq!(before.as_deref(), Ok(text.as_bytes()));
            if editor.change(number, &change).is_ok() {
                // Its own document is as meant; a change that disturbs others is refused here.
                let _ = editor.finish();
                break;
            }
        }
    }
}

const FRAGMENTS: [&str; 36] = [
    "a:",
    " ",
    "  ",
    "\n",
    "\n",
    "\n- ",
    "\n  - ",
    "- ",
    "-",
    "a: ",
    "\na: ",
    "\nb:",
    "b: ",
    "\n  a: ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ",",
    "# c\n",
    " # c",
    "x",
    "'q'",
    "\"q\"",
    "|\n  t\n",
    "|+\n  t\n\n",
    "&x ",
    "*x",
    "!!str ",
    "? ",
    ": ",
    "---\n",
    "\r\n",
    "é",
    "<<: ",
];
