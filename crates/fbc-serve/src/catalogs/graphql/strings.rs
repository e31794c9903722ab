//! Texts in quotes, and texts of several lines.
//!
//! Source: the GraphQL specification of October 2021, section 2.9.4; the words of errors are those of
//! `graphql-go/graphql:language/lexer/lexer.go`.

use super::lexer::{SyntaxFault, shown};

const QUOTES: &str = "\"\"\"";

/// Reads a text in quotes: its value, and how many bytes it takes.
pub(super) fn quoted(text: &str, at: usize) -> Result<(String, usize), SyntaxFault> {
    let mut value = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return Ok((value, index + 1)),
            '\n' | '\r' => return Err(SyntaxFault::new(at + index, "Unterminated string.")),
            '\\' => match letters.next() {
                None => break,
                Some((_, 'u')) => {
                    let digits = text.get(index + 2..).unwrap_or_default();
                    let digits: String = digits.chars().take(4).collect();
                    let is_number =
                        digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                    let code = u32::from_str_radix(&digits, 16).ok().filter(|_| is_number);
                    let Some(code) = code else {
                        let words = format!("Invalid character escape sequence: \\u{digits}");
                        return Err(SyntaxFault::new(at + index + 1, words));
                    };
                    // Halves of a pair stand for nothing, as in Go.
                    value.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    letters.nth(3);
                }
                Some((_, escape)) => value.push(escaped(escape).ok_or_else(|| {
                    let words = format!("Invalid character escape sequence: \\\\{escape}.");
                    SyntaxFault::new(at + index + 1, words)
                })?),
            },
            letter if letter < ' ' && letter != '\t' => return Err(invalid(letter, at + index)),
            letter => value.push(letter),
        }
    }
    Err(SyntaxFault::new(at + text.len(), "Unterminated string."))
}

fn escaped(letter: char) -> Option<char> {
    Some(match letter {
        '"' | '/' | '\\' => letter,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}

fn invalid(letter: char, at: usize) -> SyntaxFault {
    SyntaxFault::new(at, format!("Invalid character within String: {}.", shown(Some(letter))))
}

/// Reads a text of several lines: its value, and how many bytes it takes.
pub(super) fn block(text: &str, at: usize) -> Result<(String, usize), SyntaxFault> {
    let mut raw = String::new();
    let mut index = QUOTES.len();
    loop {
        let rest = text.get(index..).unwrap_or_default();
        if rest.starts_with(QUOTES) {
            return Ok((without_indent(&raw), index + QUOTES.len()));
        }
        if rest.strip_prefix('\\').is_some_and(|rest| rest.starts_with(QUOTES)) {
            raw.push_str(QUOTES);
            index += 1 + QUOTES.len();
            continue;
        }
        match rest.chars().next() {
            None => return Err(SyntaxFault::new(at + index, "Unterminated string.")),
            Some(letter) if letter < ' ' && !matches!(letter, '\t' | '\n' | '\r') => {
                return Err(invalid(letter, at + index));
            }
            Some(letter) => {
                raw.push(letter);
                index += letter.len_utf8();
            }
        }
    }
}

/// Removes the indent that all lines but the first have in common, and the blank lines at both ends.
fn without_indent(raw: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_blank = |line: &str| indent(line) == line.len();
    let normal = raw.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = normal.split('\n').collect();
    let common =
        lines.iter().skip(1).filter(|line| !is_blank(line)).map(|line| indent(line)).min().unwrap_or(0);
    let (Some(first), Some(last)) =
        (lines.iter().position(|line| !is_blank(line)), lines.iter().rposition(|line| !is_blank(line)))
    else {
        return String::new();
    };
    let wanted = lines.iter().enumerate().take(last + 1).skip(first);
    let cut = wanted.map(|(number, line)| match number {
        0 => line,
        _ => line.get(common..).unwrap_or_default(),
    });
    cut.collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read() {
        for (text, value, size) in [
            ("\"\"x", "", 2),
            ("\"a\tb\"", "a\tb", 5),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t", 18),
            (r#""\u00e9\u0041""#, "éA", 14),
            (r#""\ud800""#, "\u{fffd}", 8),
        ] {
            assert_eq!(quoted(text, 0), Ok((value.to_owned(), size)), "{text}");
        }
        for (text, value) in [
            ("\"\"\"\"\"\"", ""),
            ("\"\"\"a\"\"\"", "a"),
            ("\"\"\"\n\n    a\n      b\\\"\"\"\n\n    c \n  \"\"\"", "a\n  b\"\"\"\n\nc "),
            ("\"\"\" a\r\n\tb\\n\"\"\"", " a\nb\\n"),
        ] {
            assert_eq!(block(text, 0), Ok((value.to_owned(), text.len())), "{text}");
        }
    }

    #[test]
    fn wrong_texts_are_refused() {
        for (text, at, words) in [
            ("\"a", 2, "Unterminated string."),
            ("\"a\nb\"", 2, "Unterminated string."),
            ("\"\\", 2, "Unterminated string."),
            ("\"a\u{1}\"", 2, "Invalid character within String: \"\\\\u0001\"."),
            (r#""\q""#, 2, r"Invalid character escape sequence: \\q."),
            (r#""\u12é4""#, 2, r"Invalid character escape sequence: \u12é4"),
            (r#""\u+123""#, 2, r"Invalid character escape sequence: \u+123"),
        ] {
            assert_eq!(quoted(text, 0), Err(SyntaxFault::new(at, words)), "{text}");
        }
        assert_eq!(block("\"\"\"a", 1), Err(SyntaxFault::new(5, "Unterminated string.")));
    }
}
