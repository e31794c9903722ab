//! JSON that comes from outside, as values: nested as deep as Go reads it, and no deeper.
//!
//! `serde_json` reads 127 levels, which real objects stay within, and reads them fast. What nests deeper is read here once
//! more, without recursion.
//!
//! Source of the limit: `golang/go:src/encoding/json/scanner.go` (`maxNestingDepth`).

use serde_json::{Deserializer, Map, Value};

/// How deep values nest at most.
pub const MOST_LEVELS: usize = 10_000;

/// Text that is not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It nests too deep.
    #[error("exceeded max depth")]
    Depth,
    /// It is not JSON.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
    /// A byte cannot stand where it does.
    #[error("unexpected character at byte {0}")]
    Unexpected(usize),
}

/// Reads text of somebody else. Recursive code needs a deep stack for what comes out.
///
/// # Errors
/// [`ReadError`]
pub fn read_value(text: &str) -> Result<Value, ReadError> {
    read(text, MOST_LEVELS)
}

/// Reads text that was written of a value that had passed [`read_value`], with whatever was put around it.
///
/// # Errors
/// [`ReadError`], but not for its depth.
pub fn reread_value(text: &str) -> Result<Value, ReadError> {
    read(text, usize::MAX)
}

fn read(text: &str, most: usize) -> Result<Value, ReadError> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        // Text that is wrong nests as deep as its brackets say, and is refused for whichever comes first.
        Err(error) => match nesting(text) {
            depth if depth > most => Err(ReadError::Depth),
            depth if depth < RECURSIVE_LEVELS => Err(error.into()),
            _ => Reader { text, at: 0 }.whole(),
        },
    }
}

/// From so many levels on `serde_json` gives up.
const RECURSIVE_LEVELS: usize = 127;

/// Whether more than so many levels of a value are nested in each other, as in what was put together of several values.
#[must_use]
pub fn nests_deeper(value: &Value, most: usize) -> bool {
    fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
        match value {
            Value::Array(items) => Box::new(items.iter()),
            Value::Object(members) => Box::new(members.values()),
            _ => Box::new(std::iter::empty()),
        }
    }
    let is_container = |value: &&Value| value.is_array() || value.is_object();
    let Some(root) = Some(value).filter(is_container) else { return false };
    let mut open = vec![children(root)];
    while let Some(level) = open.last_mut() {
        match level.find(is_container) {
            Some(child) => open.push(children(child)),
            None => drop(open.pop()),
        }
        if open.len() > most {
            return true;
        }
    }
    most == 0
}

/// How many brackets are open at once in JSON text; strings count as what they are.
fn nesting(text: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(inside) = bytes.next() {
                    match inside {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    most
}

/// Reads text that nests too deep for a recursive reader.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// A container that is not closed yet.
enum Open {
    Array(Vec<Value>),
    /// With the key of the member that is being read.
    Object(Map<String, Value>, String),
}

impl Reader<'_> {
    fn whole(mut self) -> Result<Value, ReadError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match self.peek() {
                Some(b'[') => {
                    self.at += 1;
                    if self.peek() != Some(b']') {
                        open.push(Open::Array(Vec::new()));
                        continue;
                    }
                    self.at += 1;
                    Value::Array(Vec::new())
                }
                Some(b'{') => {
                    self.at += 1;
                    if self.peek() != Some(b'}') {
                        let key = self.key()?;
                        open.push(Open::Object(Map::new(), key));
                        continue;
                    }
                    self.at += 1;
                    Value::Object(Map::new())
                }
                _ => self.scalar()?,
            };
            // A value is done: what holds it takes it, and may be done with it.
            loop {
                let Some(holder) = open.last_mut() else {
                    return if self.peek().is_none() { Ok(value) } else { Err(self.fault()) };
                };
                let end = match holder {
                    Open::Array(items) => {
                        items.push(value);
                        b']'
                    }
                    Open::Object(members, key) => {
                        members.insert(std::mem::take(key), value);
                        b'}'
                    }
                };
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if let Open::Object(_, key) = holder {
                            *key = self.key()?;
                        }
                        break;
                    }
                    Some(byte) if byte == end => self.at += 1,
                    _ => return Err(self.fault()),
                }
                value = match open.pop() {
                    Some(Open::Array(items)) => Value::Array(items),
                    Some(Open::Object(members, _)) => Value::Object(members),
                    None => return Err(self.fault()),
                };
            }
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let space = rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        self.at += space;
        rest.get(space).copied()
    }

    fn key(&mut self) -> Result<String, ReadError> {
        match (self.peek(), self.scalar()?) {
            (Some(b'"'), Value::String(key)) if self.peek() == Some(b':') => {
                self.at += 1;
                Ok(key)
            }
            _ => Err(self.fault()),
        }
    }

    /// A string, a number or a word.
    fn scalar(&mut self) -> Result<Value, ReadError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        let value = values.next().ok_or_else(|| self.fault())??;
        self.at += values.byte_offset();
        Ok(value)
    }

    /// The byte at this place cannot stand here.
    fn fault(&self) -> ReadError {
        ReadError::Unexpected(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    fn objects(levels: usize) -> String {
        format!("{}1{}", "{\"a\": ".repeat(levels), "}".repeat(levels))
    }

    /// Values of so many levels are dropped by recursion.
    fn with_deep_stack(test: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new().stack_size(32 << 20).spawn(test).unwrap().join().unwrap();
    }

    #[test]
    fn values_nest_as_deep_as_in_go() {
        with_deep_stack(|| {
            for text in [lists, objects] {
                for levels in [1, 126, 127, 128, 129, MOST_LEVELS] {
                    let value = read_value(&text(levels)).unwrap();
                    assert!(!nests_deeper(&value, levels) && nests_deeper(&value, levels - 1), "{levels}");
                    assert_eq!(nesting(&value.to_string()), levels);
                }
                assert!(matches!(read_value(&text(MOST_LEVELS + 1)), Err(ReadError::Depth)));
                let deeper = reread_value(&text(MOST_LEVELS + 1)).unwrap();
                assert!(nests_deeper(&deeper, MOST_LEVELS));
            }
            // Brackets in text are none.
            let text = format!("[\"{}\\\"{}\"]", "[".repeat(MOST_LEVELS), "{".repeat(9));
            assert!(read_value(&text).is_ok());
        });
    }

    #[test]
    fn deep_values_are_those_that_the_other_reader_reads() {
        let inner = r#"{"x": [1, -2.5, 1e3, 18446744073709551615, true, null, "a\"\u00e4]"], "y": {}, "z": [], "x": "last"}"#;
        let (before, after) = ("[ ".repeat(200), " ]".repeat(200));
        let mut value = read_value(&format!("{before}{inner}{after}")).unwrap();
        for _ in 0..200 {
            value = value[0].take();
        }
        assert_eq!(value, serde_json::from_str::<Value>(inner).unwrap());
        for broken in ["{", "{\"a\" 1}", "[1 2]", "{1: 2}", "[1,]", "{\"a\": 1,}", "nul", "1}", "] ["] {
            assert!(read_value(&format!("{before}{broken}{after}")).is_err(), "{broken}");
        }
        assert!(read_value(&format!("{}x", lists(200))).is_err());
        assert!(read_value("{").is_err());
    }
}
