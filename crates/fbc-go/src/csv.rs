//! `encoding/csv`: the first record of a text, such as a list behind one flag.
//!
//! A value in quotes may hold commas, line ends, and quotes written twice; what follows the first record is
//! passed over, as pflag does. Source: `golang/go:src/encoding/csv/reader.go`, `spf13/pflag:string_slice.go`.

const BARE_QUOTE: &str = "bare \" in non-quoted-field";
const QUOTE: &str = "extraneous or missing \" in quoted-field";

/// What is wrong with a record, in Go's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// There are only empty lines.
    #[error("EOF")]
    Empty,
    /// The record ends on its first line, and is not valid there.
    #[error("parse error on line {line}, column {column}: {what}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The byte in it, from 1.
        column: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// The record begins on a line before.
    #[error("record on line {first}; parse error on line {line}, column {column}: {what}")]
    SyntaxInRecord {
        /// The line that it begins on, from 1.
        first: usize,
        /// The line of the fault, from 1.
        line: usize,
        /// The byte in it, from 1.
        column: usize,
        /// What is wrong there.
        what: &'static str,
    },
}

/// The fields of the first record; none of an empty text.
///
/// # Errors
/// If there is no record, or its quotes are wrong.
pub fn first_record(text: &str) -> Result<Vec<String>, CsvError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut lines = Lines { rest: text, number: 0 };
    let Some(line) = std::iter::from_fn(|| lines.next()).find(|line| line != "\n") else {
        return Err(CsvError::Empty);
    };
    Record { first: lines.number, lines, line, column: 1 }.read()
}

/// Lines with their ends, which are `\n` for `\r\n` too.
struct Lines<'t> {
    rest: &'t str,
    number: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<String> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = match self.rest.find('\n') {
            Some(end) => self.rest.split_at(end + 1),
            None => (self.rest, ""),
        };
        self.rest = rest;
        self.number += 1;
        Some(match (line.strip_suffix("\r\n"), line.strip_suffix('\r')) {
            (Some(text), _) => format!("{text}\n"),
            (None, Some(text)) => text.to_owned(),
            (None, None) => line.to_owned(),
        })
    }
}

/// A record that is being read. Columns count bytes from 1.
struct Record<'t> {
    lines: Lines<'t>,
    first: usize,
    line: String,
    column: usize,
}

impl Record<'_> {
    fn read(mut self) -> Result<Vec<String>, CsvError> {
        let mut values = Vec::new();
        loop {
            let (value, is_last) = if self.line.starts_with('"') { self.quoted()? } else { self.plain()? };
            values.push(value);
            if is_last {
                return Ok(values);
            }
        }
    }

    /// Takes bytes off the front of the line.
    fn take(&mut self, count: usize) -> String {
        let rest = self.line.split_off(count.min(self.line.len()));
        self.column += count;
        std::mem::replace(&mut self.line, rest)
    }

    /// A value without quotes, and whether it is the last one.
    fn plain(&mut self) -> Result<(String, bool), CsvError> {
        let end = self.line.find(',');
        let value = match end {
            Some(end) => self.line.get(..end),
            None => Some(self.line.trim_end_matches('\n')),
        };
        let value = value.unwrap_or_default().to_owned();
        if let Some(at) = value.find('"') {
            self.column += at;
            return Err(self.fault(BARE_QUOTE));
        }
        self.take(end.map_or(0, |end| end + 1));
        Ok((value, end.is_none()))
    }

    /// A value in quotes, and whether it is the last one.
    fn quoted(&mut self) -> Result<(String, bool), CsvError> {
        self.take(1);
        let mut value = String::new();
        loop {
            if let Some(end) = self.line.find('"') {
                value.push_str(&self.take(end));
                self.take(1);
                if self.line.starts_with('"') {
                    value.push('"');
                    self.take(1);
                } else if self.line.starts_with(',') {
                    self.take(1);
                    return Ok((value, false));
                } else if self.line.is_empty() || self.line == "\n" {
                    return Ok((value, true));
                } else {
                    self.column -= 1;
                    return Err(self.fault(QUOTE));
                }
                continue;
            }
            let whole = self.take(self.line.len());
            value.push_str(&whole);
            match self.lines.next() {
                Some(line) => (self.line, self.column) = (line, 1),
                None => return Err(self.fault(QUOTE)),
            }
        }
    }

    fn fault(&self, what: &'static str) -> CsvError {
        let (first, line, column) = (self.first, self.lines.number, self.column);
        match line == first {
            true => CsvError::Syntax { line, column, what },
            false => CsvError::SyntaxInRecord { first, line, column, what },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_record;

    /// The answers of `csv.NewReader(strings.NewReader(text)).Read()`.
    #[test]
    fn records_are_read_as_go_reads_them() {
        for (text, expected) in [
            ("", Ok(&[][..])),
            ("a=1,\"b=\"\"2, 3\"\"\"", Ok(&["a=1", "b=\"2, 3\""])),
            ("c,", Ok(&["c", ""])),
            ("a\nb", Ok(&["a"])),
            ("\n\r\na,b\r\nc", Ok(&["a", "b"])),
            ("\"a\nb\",c", Ok(&["a\nb", "c"])),
            ("\"a\r\nb\"\n", Ok(&["a\nb"])),
            ("a\r", Ok(&["a"])),
            ("\n", Err("EOF")),
            ("a,b\"c", Err("parse error on line 1, column 4: bare \" in non-quoted-field")),
            ("\"a\"b", Err("parse error on line 1, column 3: extraneous or missing \" in quoted-field")),
            ("\"ab", Err("parse error on line 1, column 4: extraneous or missing \" in quoted-field")),
            (
                "\n\"a\nb\"c",
                Err("record on line 2; parse error on line 3, column 2: \
                     extraneous or missing \" in quoted-field"),
            ),
        ] {
            let expected = expected.map(|values| values.iter().map(|value| (*value).to_owned()).collect());
            assert_eq!(
                first_record(text).map_err(|error| error.to_string()),
                expected.map_err(str::to_owned),
                "{text:?}"
            );
        }
    }
}
