//! JSON as Go's `encoding/json` reads it: one value after another, with Go's error texts.
//!
//! Accepts what Go accepts: any white space between values or none, invalid UTF-8 and lone
//! surrogates (both become U+FFFD), duplicate keys (the last wins). Values may nest 10,000 deep.

use fbc_go::json::MOST_LEVELS as MAX_DEPTH;

use crate::document::{Document, DocumentBuilder, MAX_DOCUMENT_BYTES, Mark, Slot, Text};

/// Why a value cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsonError {
    /// Go's text.
    pub message: String,
    /// The byte of the input that offends, or its length if the input ends too early.
    pub offset: usize,
    /// Whether the text itself is wrong (Go's `SyntaxError`, and the early end of input).
    pub is_syntax: bool,
}

/// The position after white space, as JSON counts it.
#[must_use]
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Reads the value that begins at `at` (white space first); gives it and the position after it.
///
/// # Errors
/// The first thing that Go's scanner or decoder would object to.
pub fn read_value(bytes: &[u8], at: usize) -> Result<(Document, usize), JsonError> {
    let mut reader = Reader {
        bytes,
        at: skip_space(bytes, at),
        start: at,
        builder: DocumentBuilder::new(),
        number_error: None,
    };
    let root = reader.value()?;
    if let Some(error) = reader.number_error {
        return Err(error);
    }
    Ok((reader.builder.finish(crate::document::Built(root)), reader.at))
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    start: usize,
    builder: DocumentBuilder,
    /// A number beyond a double: reported only if the text has no fault.
    number_error: Option<JsonError>,
}

/// An open container: the key under which it will be stored, and where its members begin.
struct Frame {
    key: Text,
    mark: Mark,
    is_object: bool,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Slot, JsonError> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut key = Text::EMPTY;
        loop {
            if self.at - self.start > MAX_DOCUMENT_BYTES {
                return Err(JsonError {
                    message: "document is larger than 1 GiB".to_owned(),
                    offset: self.start,
                    is_syntax: false,
                });
            }
            // A value begins here.
            let mut slot = match self.peek_after_space()? {
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    if frames.len() >= MAX_DEPTH {
                        return Err(self.error_at(self.at - 1, "exceeded max depth".to_owned()));
                    }
                    let is_object = open == b'{';
                    let mark = self.builder.open();
                    frames.push(Frame { key, mark, is_object });
                    let next = self.peek_after_space()?;
                    if next == if is_object { b'}' } else { b']' } {
                        self.at += 1;
                        self.close(&mut frames, &mut key)
                    } else {
                        key = if is_object { self.key()? } else { Text::EMPTY };
                        continue;
                    }
                }
                b'"' => Slot::Text(self.string()?),
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.literal("true", Slot::Bool(true))?,
                b'f' => self.literal("false", Slot::Bool(false))?,
                b'n' => self.literal("null", Slot::Null)?,
                _ => return Err(self.unexpected("looking for beginning of value")),
            };
            // A value ends here: store it and go on with what holds it.
            loop {
                let Some(frame) = frames.last() else { return Ok(slot) };
                let is_object = frame.is_object;
                self.builder.push_entry(key, slot);
                match (self.peek_after_space()?, is_object) {
                    (b',', true) => {
                        self.at += 1;
                        self.peek_after_space()?;
                        key = self.key()?;
                        break;
                    }
                    (b',', false) => {
                        self.at += 1;
                        key = Text::EMPTY;
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.at += 1;
                        slot = self.close(&mut frames, &mut key);
                    }
                    (_, true) => return Err(self.unexpected("after object key:value pair")),
                    (_, false) => return Err(self.unexpected("after array element")),
                }
            }
        }
    }

    fn close(&mut self, frames: &mut Vec<Frame>, key: &mut Text) -> Slot {
        let Some(frame) = frames.pop() else { return Slot::Null };
        *key = frame.key;
        let built = if frame.is_object {
            self.builder.close_object(frame.mark)
        } else {
            self.builder.close_array(frame.mark)
        };
        built.0
    }

    fn peek_after_space(&mut self) -> Result<u8, JsonError> {
        self.at = skip_space(self.bytes, self.at);
        self.peek()
    }

    fn peek(&self) -> Result<u8, JsonError> {
        self.bytes.get(self.at).copied().ok_or_else(|| JsonError {
            message: "unexpected EOF".to_owned(),
            offset: self.bytes.len(),
            is_syntax: true,
        })
    }

    /// A key and the colon after it.
    fn key(&mut self) -> Result<Text, JsonError> {
        if self.peek()? != b'"' {
            return Err(self.unexpected("looking for beginning of object key string"));
        }
        let key = self.string()?;
        if self.peek_after_space()? != b':' {
            return Err(self.unexpected("after object key"));
        }
        self.at += 1;
        Ok(key)
    }

    fn literal(&mut self, word: &str, slot: Slot) -> Result<Slot, JsonError> {
        for expected in word.bytes() {
            if self.peek()? != expected {
                let expected = expected as char;
                return Err(self.unexpected(&format!("in literal {word} (expecting '{expected}')")));
            }
            self.at += 1;
        }
        Ok(slot)
    }

    fn number(&mut self) -> Result<Slot, JsonError> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits(),
            _ => return Err(self.unexpected("in numeric literal")),
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if !self.peek()?.is_ascii_digit() {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let b'+' | b'-' = self.peek()? {
                self.at += 1;
            }
            if !self.peek()?.is_ascii_digit() {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
            self.digits();
        }
        let text =
            std::str::from_utf8(self.bytes.get(start..self.at).unwrap_or_default()).unwrap_or_default();
        if text.len() > 6
            && let Ok(number) = text.parse::<i128>()
        {
            return Ok(self.builder.add_integer(number));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(self.builder.add_number(number)),
            _ => {
                self.number_error.get_or_insert(JsonError {
                    message: format!("json: cannot unmarshal number {text} into Go value of type float64"),
                    offset: start,
                    is_syntax: false,
                });
                Ok(Slot::Null)
            }
        }
    }

    fn digits(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<Text, JsonError> {
        self.at += 1;
        let start = self.builder.text_length();
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(length) = position_of_special(rest) else {
                self.at = self.bytes.len();
                self.peek()?;
                return Ok(Text::EMPTY);
            };
            let (plain, rest) = rest.split_at(length);
            push_lossy(self.builder.text_mut(), plain);
            self.at += length;
            match rest.first() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(self.builder.text_since(start));
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                _ => return Err(self.unexpected("in string literal")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let decoded = match self.peek()? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\x08',
            b'f' => '\x0c',
            quoted @ (b'"' | b'\\' | b'/') => quoted as char,
            b'u' => {
                self.at += 1;
                let first = self.hex4()?;
                let c = self.surrogate_pair(first);
                self.builder.text_mut().push(c);
                return Ok(());
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.at += 1;
        self.builder.text_mut().push(decoded);
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let mut value = 0;
        for _ in 0..4 {
            let Some(digit) = (self.peek()? as char).to_digit(16) else {
                return Err(self.unexpected("in \\u hexadecimal character escape"));
            };
            value = value * 16 + digit;
            self.at += 1;
        }
        Ok(value)
    }

    /// Joins a surrogate with the one that follows as another escape; a lone one is U+FFFD, and
    /// what follows it stays to be read.
    fn surrogate_pair(&mut self, first: u32) -> char {
        if let Some(c) = char::from_u32(first) {
            return c;
        }
        let second = match self.bytes.get(self.at..self.at + 6) {
            Some([b'\\', b'u', digits @ ..]) => std::str::from_utf8(digits)
                .ok()
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                .and_then(|digits| u32::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        match (first, second) {
            (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                self.at += 6;
                char::from_u32(0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00)).unwrap_or('\u{fffd}')
            }
            _ => '\u{fffd}',
        }
    }

    /// Go's text for a byte that cannot stand here.
    fn unexpected(&self, context: &str) -> JsonError {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.error_at(self.at, format!("invalid character {} {context}", quote_byte(byte)))
            }
            None => {
                JsonError { message: "unexpected EOF".to_owned(), offset: self.bytes.len(), is_syntax: true }
            }
        }
    }

    fn error_at(&self, offset: usize, message: String) -> JsonError {
        JsonError { message, offset, is_syntax: true }
    }
}

/// Go's `quoteChar`: the byte as a character between single quotes.
fn quote_byte(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => {
            let quoted = fbc_go::text::quote(&(byte as char).to_string());
            format!("'{}'", quoted.trim_matches('"'))
        }
    }
}

/// The first quote, backslash or control byte.
fn position_of_special(bytes: &[u8]) -> Option<usize> {
    let special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let mut offset = 0;
    for chunk in bytes.chunks(32) {
        // Without an early exit the compiler turns this into a few vector instructions.
        if chunk.iter().fold(false, |found, &byte| found | special(byte)) {
            return chunk.iter().position(|&byte| special(byte)).map(|at| offset + at);
        }
        offset += chunk.len();
    }
    None
}

/// Appends bytes as Go reads them into a string: every byte that is not part of valid UTF-8 becomes
/// U+FFFD on its own.
pub(crate) fn push_lossy(out: &mut String, bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        out.push_str(text);
        return;
    }
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(std::iter::repeat_n('\u{fffd}', chunk.invalid().len()));
    }
}

#[cfg(test)]
mod tests;
