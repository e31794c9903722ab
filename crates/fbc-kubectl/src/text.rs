//! Values as the JSON and YAML that kubectl prints.

use fbc_yaml::Document;
use fbc_yaml::layout::{LayoutExceeded, LayoutRoom, PLAIN_DEPTH};
use fbc_yaml::yaml_writer::WriteError;
use serde_json::Value;

/// JSON as Go's encoder writes it (`<`, `>` and `&` as `\u003c` and so on), all in one line.
pub fn json(value: &Value) -> String {
    let mut out = String::new();
    // Without indentation there is nothing that it could be too much of.
    let _ = write_json(&mut out, value, None, 0, &mut LayoutRoom::default());
    out
}

/// The same with each level indented by `indent` blanks.
///
/// # Errors
/// The value nests so deep that its indentation is out of proportion.
pub fn indented_json(value: &Value, indent: usize) -> Result<String, LayoutExceeded> {
    let mut out = String::new();
    write_json(&mut out, value, Some(indent), 0, &mut LayoutRoom::default())?;
    Ok(out)
}

fn write_json(
    out: &mut String,
    value: &Value,
    indent: Option<usize>,
    level: usize,
    room: &mut LayoutRoom,
) -> Result<(), LayoutExceeded> {
    let break_line = |out: &mut String, level: usize, room: &mut LayoutRoom| {
        if let Some(indent) = indent {
            if level > PLAIN_DEPTH as usize {
                room.take(indent * level)?;
            }
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * level));
        }
        Ok(())
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                break_line(out, level + 1, room)?;
                write_json(out, item, indent, level + 1, room)?;
            }
            break_line(out, level, room)?;
            out.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                break_line(out, level + 1, room)?;
                write_json_text(out, key);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write_json(out, member, indent, level + 1, room)?;
            }
            break_line(out, level, room)?;
            out.push('}');
        }
        Value::String(text) => write_json_text(out, text),
        other => out.push_str(&other.to_string()),
    }
    Ok(())
}

fn write_json_text(out: &mut String, text: &str) {
    let mut quoted = String::new();
    fbc_yaml::json_writer::write_string(&mut quoted, text);
    for c in quoted.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            c => out.push(c),
        }
    }
}

/// YAML as `sigs.k8s.io/yaml` writes it: keys sorted, lists at the column of their key.
///
/// # Errors
/// [`WriteError`] for values that have no YAML form: control characters that YAML forbids, or indentation out of proportion.
pub fn yaml(value: &Value) -> Result<String, WriteError> {
    let mut out = String::new();
    fbc_yaml::yaml_writer::write(&mut out, Document::from_json(value).root())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_escapes_what_go_escapes() {
        let value = json!({"a": "<b>", "empty": {}, "list": [1, {"x": null}], "none": []});
        let expected = "{\n    \"a\": \"\\u003cb\\u003e\",\n    \"empty\": {},\n    \"list\": [\n        1,\n        {\n            \
                        \"x\": null\n        }\n    ],\n    \"none\": []\n}";
        assert_eq!(indented_json(&value, 4), Ok(expected.to_owned()));
        assert_eq!(json(&value), r#"{"a":"\u003cb\u003e","empty":{},"list":[1,{"x":null}],"none":[]}"#);
    }

    #[test]
    fn deep_values_are_not_laid_out() {
        let deep = || (0..5_000).fold(json!(1), |value, _| json!([value]));
        let run = move || {
            assert_eq!(json(&deep()).len(), 10_001);
            assert!(indented_json(&deep(), 4).is_err());
            assert!(indented_json(&(0..500).fold(json!(1), |value, _| json!([value])), 4).is_ok());
        };
        std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
    }

    #[test]
    fn yaml_quotes_what_would_read_as_something_else() {
        let value = json!({"data": {"b": "true", "c": "012", "x": "l1\nl2\n", "n": 2_000_000_000}, "items": [{"k": 1, "e": []}]});
        let expected = "data:\n  b: \"true\"\n  c: \"012\"\n  \"n\": 2000000000\n  x: |\n    l1\n    l2\nitems:\n- e: []\n  k: 1\n";
        assert_eq!(yaml(&value).unwrap(), expected);
    }
}
