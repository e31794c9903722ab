//! Text as go-cmp lays it out: what fits stays on one line, what differs stands on lines of its own.
//!
//! Source: `google/go-cmp:cmp/report_text.go`. Indentation and alignment are left out; readers trim them.

/// A removed record or line.
pub(super) const REMOVED: char = '-';
/// An inserted record or line.
pub(super) const INSERTED: char = '+';

/// The longest list of a removed or inserted record that stays on one line, in bytes.
const LINE_BYTES: usize = 80;

/// Structured text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// On one line.
    Line(String),
    /// Something between a prefix and a suffix.
    Wrap(String, Box<Text>, &'static str),
    /// A list with commas.
    List(Vec<Record>),
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// [`REMOVED`], [`INSERTED`], or nothing.
    pub(super) sign: Option<char>,
    /// The name in front, or nothing.
    pub(super) key: String,
    /// The value.
    pub(super) text: Text,
    /// Whether a comma follows on lines of their own.
    pub(super) comma: bool,
}

impl Text {
    /// A line.
    pub(super) fn line(text: impl Into<String>) -> Self {
        Self::Line(text.into())
    }

    /// What Go writes for a nil.
    pub(super) fn nil() -> Self {
        Self::line("nil")
    }

    /// What stands for things left out.
    pub(super) fn ellipsis() -> Self {
        Self::line("...")
    }

    /// A list between braces.
    pub(super) fn braces(list: Vec<Record>) -> Self {
        Self::Wrap("{".to_owned(), Box::new(Self::List(list)), "}")
    }

    /// The text in front of which something is written.
    pub(super) fn prefixed(prefix: impl Into<String>, text: Self) -> Self {
        Self::Wrap(prefix.into(), Box::new(text), "")
    }

    /// Puts on one line what may be; also the whole as one line, for its length.
    fn compacted(self, sign: Option<char>) -> (String, Self) {
        match self {
            Self::Line(line) => (line.clone(), Self::Line(line)),
            Self::Wrap(prefix, inner, suffix) => {
                let (line, inner) = inner.compacted(sign);
                let line = format!("{prefix}{line}{suffix}");
                if matches!(inner, Self::Line(_)) {
                    (line.clone(), Self::Line(line))
                } else {
                    (line, Self::Wrap(prefix, Box::new(inner), suffix))
                }
            }
            Self::List(records) => {
                let mut line = String::new();
                let mut is_multiline = false;
                let last = records.len().saturating_sub(1);
                let mut compacted = Vec::with_capacity(records.len());
                for (index, mut record) in records.into_iter().enumerate() {
                    is_multiline |= record.sign.is_some();
                    if !record.key.is_empty() {
                        line.push_str(&record.key);
                        line.push_str(": ");
                    }
                    let (text, inner) = record.text.compacted(record.sign.or(sign));
                    line.push_str(&text);
                    is_multiline |= !matches!(inner, Self::Line(_));
                    record.text = inner;
                    if index < last {
                        line.push_str(", ");
                    }
                    compacted.push(record);
                }
                is_multiline |= sign.is_some() && line.len() > LINE_BYTES;
                if is_multiline { (line, Self::List(compacted)) } else { (line.clone(), Self::Line(line)) }
            }
        }
    }

    /// The lines of the text.
    pub(super) fn lines(self) -> Vec<String> {
        let mut lines = vec![String::new()];
        self.compacted(None).1.expand(None, &mut lines);
        lines
    }

    fn expand(self, sign: Option<char>, lines: &mut Vec<String>) {
        match self {
            Self::Line(line) => push(lines, &line),
            Self::Wrap(prefix, inner, suffix) => {
                push(lines, &prefix);
                inner.expand(sign, lines);
                push(lines, suffix);
            }
            Self::List(records) => {
                let is_simple = !records.is_empty()
                    && records.iter().all(|record| {
                        record.sign.is_none() && record.key.is_empty() && matches!(record.text, Self::Line(_))
                    });
                if is_simple {
                    expand_batches(records, sign, lines);
                } else {
                    for record in records {
                        let sign = record.sign.or(sign);
                        begin_line(lines, sign);
                        if !record.key.is_empty() {
                            push(lines, &record.key);
                            push(lines, ": ");
                        }
                        record.text.expand(sign, lines);
                        if record.comma {
                            push(lines, ",");
                        }
                    }
                }
                begin_line(lines, sign);
            }
        }
    }
}

/// Lists of plain lines: several on a line.
fn expand_batches(records: Vec<Record>, sign: Option<char>, lines: &mut Vec<String>) {
    let mut batch = String::new();
    for record in records {
        let Text::Line(line) = record.text else { continue };
        if batch.len() + line.len() + ", ".len() > LINE_BYTES && !batch.is_empty() {
            begin_line(lines, sign);
            push(lines, batch.trim_end_matches(' '));
            batch.clear();
        }
        batch.push_str(&line);
        batch.push_str(", ");
    }
    begin_line(lines, sign);
    push(lines, batch.trim_end_matches(' '));
}

fn begin_line(lines: &mut Vec<String>, sign: Option<char>) {
    lines.push(sign.map_or_else(String::new, |sign| format!("{sign} ")));
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}
