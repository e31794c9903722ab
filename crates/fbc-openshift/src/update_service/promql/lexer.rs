//! The words of PromQL.
//!
//! Source: `prometheus/prometheus:promql/parser/lex.go`.

use std::iter::Peekable;
use std::str::CharIndices;

use super::syntax_error::SyntaxError;

/// A word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name, a keyword, or an operator that is a word.
    Word(String),
    Number(f64),
    /// A span of time, such as `1h30m`.
    Duration,
    Text(String),
    /// Brackets, operators, commas and their like.
    Sign(&'static str),
}

/// Signs, the longer ones first.
const SIGNS: [&str; 26] = [
    "==", "!=", "<=", ">=", "=~", "!~", "(", ")", "{", "}", "[", "]", ",", ":", "@", "=", "<", ">", "+", "-",
    "*", "/", "%", "^", ";", "!",
];

/// Units of time.
const UNITS: [&str; 7] = ["ms", "s", "m", "h", "d", "w", "y"];

type Characters<'t> = Peekable<CharIndices<'t>>;

/// Splits a text into words.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut all = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some(&(at, first)) = rest.peek() {
        match first {
            _ if first.is_whitespace() => {
                rest.next();
            }
            '#' => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            '"' | '\'' | '`' => all.push(Token::Text(quoted(&mut rest)?)),
            _ if first.is_ascii_digit() || first == '.' => all.push(number(text, &mut rest)?),
            _ if is_word(first) => {
                let word = taken(text, &mut rest);
                all.push(match word.to_ascii_lowercase().as_str() {
                    "inf" => Token::Number(f64::INFINITY),
                    "nan" => Token::Number(f64::NAN),
                    _ => Token::Word(word.to_owned()),
                });
            }
            // Behind a span of time it stands before another one.
            ':' if starts_name(text, at)
                && !matches!(all.last(), Some(Token::Duration | Token::Number(_))) =>
            {
                all.push(Token::Word(taken(text, &mut rest).to_owned()));
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| text[at..].starts_with(sign));
                let sign = sign.ok_or_else(|| SyntaxError(format!("unexpected character: {first:?}")))?;
                while rest.next_if(|(next, _)| *next < at + sign.len()).is_some() {}
                all.push(Token::Sign(sign));
            }
        }
    }
    Ok(all)
}

/// Whether a name may begin with a character.
fn is_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether a name begins with the colon at this place.
fn starts_name(text: &str, at: usize) -> bool {
    text[at + 1..].starts_with(is_word)
}

/// The name from here on; a colon may stand anywhere in that of a metric.
fn taken<'t>(text: &'t str, rest: &mut Characters<'_>) -> &'t str {
    let start = rest.peek().map_or(text.len(), |(at, _)| *at);
    let mut end = start;
    while let Some((at, c)) = rest.next_if(|(_, c)| is_word(*c) || c.is_ascii_digit() || *c == ':') {
        end = at + c.len_utf8();
    }
    &text[start..end]
}

/// A number or a span of time.
fn number(text: &str, rest: &mut Characters<'_>) -> Result<Token, SyntaxError> {
    let start = rest.peek().map_or(text.len(), |(at, _)| *at);
    let mut end = start;
    let mut before = ' ';
    // A sign may follow the exponent.
    let is_hexadecimal = text[start..].starts_with("0x") || text[start..].starts_with("0X");
    let fits = |c: char, before: char| {
        c.is_ascii_alphanumeric()
            || c == '.'
            || "+-".contains(c) && !is_hexadecimal && matches!(before, 'e' | 'E')
    };
    while let Some((at, c)) = rest.next_if(|(_, c)| fits(*c, before)) {
        (end, before) = (at + 1, c);
    }
    let word = &text[start..end];
    if is_duration(word) {
        return Ok(Token::Duration);
    }
    let value = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| number as f64),
        None => word.parse().ok(),
    };
    value.map(Token::Number).ok_or_else(|| SyntaxError(format!("bad number or duration syntax: {word:?}")))
}

/// Whether a word is numbers with units of time.
fn is_duration(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let unit = UNITS.into_iter().find(|unit| digits.starts_with(unit));
        match unit {
            Some(unit) if digits.len() < rest.len() => rest = &digits[unit.len()..],
            _ => return false,
        }
    }
    !word.is_empty()
}

/// A text in quotes. Between backquotes everything is itself.
fn quoted(rest: &mut Characters<'_>) -> Result<String, SyntaxError> {
    let unterminated = || SyntaxError("unterminated quoted string".to_owned());
    let Some((_, quote)) = rest.next() else { return Err(unterminated()) };
    let mut text = String::new();
    loop {
        let (_, c) = rest.next().ok_or_else(unterminated)?;
        match c {
            _ if c == quote => return Ok(text),
            '\n' if quote != '`' => return Err(unterminated()),
            '\\' if quote != '`' => text.push(
                escaped(rest).ok_or_else(|| SyntaxError("invalid escape sequence in a string".to_owned()))?,
            ),
            _ => text.push(c),
        }
    }
}

/// The character behind a backslash, as Go has it.
fn escaped(rest: &mut Characters<'_>) -> Option<char> {
    let (_, c) = rest.next()?;
    let mut digits = |first: Option<char>, count: usize, radix: u32| {
        let mut value = first.map_or(Some(0), |digit| digit.to_digit(radix))?;
        for _ in 0..count {
            value = value.checked_mul(radix)? + rest.next()?.1.to_digit(radix)?;
        }
        char::from_u32(value)
    };
    match c {
        'a' => Some('\x07'),
        'b' => Some('\x08'),
        'f' => Some('\x0c'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\x0b'),
        '\\' | '"' | '\'' => Some(c),
        'x' => digits(None, 2, 16),
        'u' => digits(None, 4, 16),
        'U' => digits(None, 8, 16),
        '0'..='7' => digits(Some(c), 2, 8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_all_kinds() {
        let word = |text: &str| Token::Word(text.to_owned());
        let text = |text: &str| Token::Text(text.to_owned());
        for (query, expected) in [
            (
                "a:b_c{d=~\"e\\\"\\n\\u00e9\"}",
                vec![
                    word("a:b_c"),
                    Token::Sign("{"),
                    word("d"),
                    Token::Sign("=~"),
                    text("e\"\né"),
                    Token::Sign("}"),
                ],
            ),
            (
                "x[1h30m:5m] # why\n",
                vec![
                    word("x"),
                    Token::Sign("["),
                    Token::Duration,
                    Token::Sign(":"),
                    Token::Duration,
                    Token::Sign("]"),
                ],
            ),
            ("1.5e+3 0x1F .5 Inf", [1500.0, 31.0, 0.5, f64::INFINITY].map(Token::Number).to_vec()),
            ("`\\n` 'a'", vec![text("\\n"), text("a")]),
            (":a:b1m a:5m a::b", vec![word(":a:b1m"), word("a:5m"), word("a::b")]),
            ("a:b:{", vec![word("a:b:"), Token::Sign("{")]),
            ("a>=b", vec![word("a"), Token::Sign(">="), word("b")]),
        ] {
            assert_eq!(tokens(query), Ok(expected), "{query}");
        }
        for (query, part) in [
            ("\"a", "unterminated"),
            ("'\\q'", "escape"),
            ("1x", "bad number"),
            ("a ? b", "unexpected character"),
        ] {
            assert!(tokens(query).unwrap_err().0.contains(part), "{query}");
        }
    }
}
