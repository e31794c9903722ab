//! Documents: order, duplicates, look-up, copies.

use super::*;

#[test]
fn objects_are_sorted_and_the_last_duplicate_wins() {
    let mut builder = DocumentBuilder::new();
    let mark = builder.open();
    for (key, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
        let value = builder.string(value);
        builder.push_member(key, value);
    }
    let root = builder.close_object(mark);
    let document = builder.finish(root);
    let members: Vec<_> = document.root().members().map(|(k, v)| (k, v.as_str())).collect();
    assert_eq!(members, [("a", Some("2")), ("b", Some("3"))]);
    assert!(document.has_duplicate_keys());
    assert_eq!(document.root().get_str("b"), Some("3"));
    assert_eq!(document.root().get("c"), None);
}

#[test]
fn large_objects_are_searched_by_halves() {
    let mut builder = DocumentBuilder::new();
    let mark = builder.open();
    for number in 0..100 {
        let value = builder.number(f64::from(number));
        builder.push_member(&format!("key{number}"), value);
    }
    let root = builder.close_object(mark);
    let document = builder.finish(root);
    assert!(!document.has_duplicate_keys());
    for number in 0..100 {
        let found = document.root().get(&format!("key{number}")).and_then(Node::as_f64);
        assert_eq!(found, Some(f64::from(number)));
    }
}

#[test]
fn copies_keep_the_value_and_written_order() {
    let mut builder = DocumentBuilder::in_written_order();
    let mark = builder.open();
    let value = builder.boolean(true);
    builder.push_member("z", value);
    let list = builder.open();
    let item = builder.null();
    builder.push_item(item);
    let value = builder.close_array(list);
    builder.push_member("a", value);
    let root = builder.close_object(mark);
    let first = builder.finish(root);
    assert_eq!(format!("{first:?}"), r#"{"z":true,"a":[null]}"#);

    let mut builder = DocumentBuilder::new();
    let root = builder.copy(first.root());
    let second = builder.finish(root);
    assert_eq!(format!("{second:?}"), r#"{"a":[null],"z":true}"#);
    assert_eq!(first, second);
}
