//! Some fields of blobs, instead of all.
//!
//! catalogd has nothing of the kind and refuses the parameter; see `operator-framework/operator-controller#1853`.

use std::collections::BTreeMap;
use std::io;

use bytes::Bytes;
use fbc_yaml::{Kind, Node, json_reader, json_writer};

use super::text::{CHUNK, Piece};

/// The fields that are wanted of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fields {
    /// Whether all of the value is wanted.
    is_whole: bool,
    /// What is wanted of its members.
    members: BTreeMap<String, Fields>,
}

impl Fields {
    /// Reads paths such as `name,properties.type`. Of a list, each item is looked at. `\.` is a dot in a name.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut wanted = Self::default();
        for path in text.split(',') {
            let mut place = &mut wanted;
            for name in names(path)? {
                place = place.members.entry(name).or_default();
            }
            place.is_whole = true;
        }
        Some(wanted)
    }

    /// Appends what is wanted of a value; an object without any of it is empty.
    fn write(&self, out: &mut String, value: Node<'_>) {
        if self.is_whole {
            return json_writer::write_compact(out, value);
        }
        let (begin, end) = if value.kind() == Kind::Array { ('[', ']') } else { ('{', '}') };
        out.push(begin);
        let mut comma = "";
        for item in value.items().filter(|item| self.is_found_in(*item)) {
            out.push_str(std::mem::replace(&mut comma, ","));
            self.write(out, item);
        }
        for (name, member) in value.members() {
            if let Some(fields) = self.members.get(name).filter(|fields| fields.is_found_in(member)) {
                out.push_str(std::mem::replace(&mut comma, ","));
                json_writer::write_string(out, name);
                out.push(':');
                fields.write(out, member);
            }
        }
        out.push(end);
    }

    fn is_found_in(&self, value: Node<'_>) -> bool {
        self.is_whole || matches!(value.kind(), Kind::Array | Kind::Object)
    }
}

fn names(path: &str) -> Option<Vec<String>> {
    let mut names = vec![String::new()];
    let mut rest = path.chars();
    while let Some(next) = rest.next() {
        match next {
            '.' => names.push(String::new()),
            '\\' => names.last_mut()?.push(rest.next()?),
            other => names.last_mut()?.push(other),
        }
    }
    names.iter().all(|name| !name.is_empty()).then_some(names)
}

/// The wanted fields of blobs, a line for each.
pub(super) struct Selected {
    pub(super) lines: std::vec::IntoIter<Piece>,
    pub(super) fields: Fields,
}

impl Iterator for Selected {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<io::Result<Bytes>> {
        let mut chunk = String::new();
        while chunk.len() < CHUNK {
            let Some(line) = self.lines.next() else { break };
            let written = line.read().and_then(|bytes| {
                let (blob, _) = json_reader::read_value(&bytes, 0)
                    .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a line is not JSON"))?;
                self.fields.write(&mut chunk, blob.root());
                chunk.push('\n');
                Ok(())
            });
            if let Err(error) = written {
                return Some(Err(error));
            }
        }
        (!chunk.is_empty()).then(|| Ok(Bytes::from(chunk)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wanted_fields_are_written() {
        let blob =
            r#"{"a.b":1,"list":[{"n":1,"t":"x"},2,{"t":null}],"name":"n","o":{"p":{"q":[1,2]},"r":2}}"#;
        let (blob, _) = json_reader::read_value(blob.as_bytes(), 0).unwrap();
        for (fields, expected) in [
            ("name", r#"{"name":"n"}"#),
            ("name,list.t", r#"{"list":[{"t":"x"},{"t":null}],"name":"n"}"#),
            ("list", r#"{"list":[{"n":1,"t":"x"},2,{"t":null}]}"#),
            ("o.p,o.p.q", r#"{"o":{"p":{"q":[1,2]}}}"#),
            ("o.p.q.z", r#"{"o":{"p":{"q":[]}}}"#),
            ("name.x,none", "{}"),
            (r"a\.b", r#"{"a.b":1}"#),
        ] {
            let mut written = String::new();
            Fields::parse(fields).unwrap().write(&mut written, blob.root());
            assert_eq!(written, expected, "{fields}");
        }
        for malformed in ["", "a,", ".a", "a..b", r"a\"] {
            assert_eq!(Fields::parse(malformed), None, "{malformed}");
        }
    }
}
