//! The words of PromQL.
//!
//! Source: `prometheus/prometheus:promql/parser/lex.go`.

mod number;
mod quoted;

use std::iter::Peekable;
use std::str::CharIndices;

use super::operator::Operator;
use super::syntax_error::{Excess, MOST_OPERATORS, SyntaxError, refuse};

/// A word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name, a keyword, or an operator that is a word.
    Word(String),
    /// A number, or a span of time such as `1h30m` in seconds, with how it is written.
    Number(f64, String),
    Text(String),
    /// Brackets, operators, commas and their like.
    Punctuation(&'static str),
}

/// What stands between words, the longer ones first.
const PUNCTUATION: [&str; 21] = [
    "==", "!=", "<=", ">=", "(", ")", "{", "[", "]", ",", ":", "@", "=", "<", ">", "+", "-", "*", "/", "%",
    "^",
];
/// What stands between words within braces.
const PUNCTUATION_IN_BRACES: [&str; 6] = ["=~", "!~", "!=", "=", ",", "}"];

type Characters<'t> = Peekable<CharIndices<'t>>;

/// Splits a text into words.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer { text, rest: text.char_indices().peekable(), place: Place::default() };
    let mut all = Vec::new();
    let mut operators = 0;
    while let Some(token) = lexer.token()? {
        operators += usize::from(is_operator_or_opens(&token));
        if operators > MOST_OPERATORS {
            return Err(SyntaxError::Excess(Excess::Operators));
        }
        all.push(token);
    }
    Ok(all)
}

/// Whether an expression may nest deeper for a word.
fn is_operator_or_opens(token: &Token) -> bool {
    match token {
        Token::Word(word) => Operator::written(word).is_some(),
        Token::Punctuation(sign) => !matches!(*sign, ")" | "{" | "}" | "]" | "," | ":" | "@"),
        Token::Number(..) | Token::Text(_) => false,
    }
}

/// Which brackets are open: names and signs depend on it.
#[derive(Debug, Default)]
struct Place {
    parentheses: usize,
    is_in_braces: bool,
    is_in_range: bool,
}

struct Lexer<'t> {
    text: &'t str,
    rest: Characters<'t>,
    place: Place,
}

impl Lexer<'_> {
    /// The next word.
    fn token(&mut self) -> Result<Option<Token>, SyntaxError> {
        while let Some(&(at, first)) = self.rest.peek() {
            let is_in_braces = self.place.is_in_braces;
            match first {
                ' ' | '\t' | '\n' | '\r' => {
                    self.rest.next();
                }
                '#' => while self.rest.next_if(|(_, c)| !matches!(c, '\n' | '\r')).is_some() {},
                '"' | '\'' | '`' => return quoted::text(&mut self.rest).map(|text| Some(Token::Text(text))),
                _ if !is_in_braces && number::starts(&self.text[at..]) => {
                    let word = number::word(&self.text[at..]);
                    self.pass(at + word.len());
                    return Ok(Some(Token::Number(number::value(word)?, word.to_owned())));
                }
                _ if is_word(first) || first == ':' && !is_in_braces && !self.place.is_in_range => {
                    return Ok(Some(self.word(at)));
                }
                _ => return self.punctuation(at, first).map(Some),
            }
        }
        match self.place {
            Place { is_in_braces: true, .. } => refuse("unexpected end of input inside braces"),
            Place { parentheses: 1.., .. } => refuse("unclosed left parenthesis"),
            Place { is_in_range: true, .. } => refuse("unclosed left bracket"),
            Place { .. } => Ok(None),
        }
    }

    fn pass(&mut self, end: usize) {
        while self.rest.next_if(|(at, _)| *at < end).is_some() {}
    }

    /// The word from here on. A colon may stand anywhere in the name of a metric.
    fn word(&mut self, start: usize) -> Token {
        let has_colons = !self.place.is_in_braces && !self.place.is_in_range;
        let fits = |c: char| is_word(c) || c.is_ascii_digit() || has_colons && c == ':';
        let rest = &self.text[start..];
        let word = &rest[..rest.find(|c| !fits(c)).unwrap_or(rest.len())];
        self.pass(start + word.len());
        let is_number = ["inf", "nan"].iter().any(|name| word.eq_ignore_ascii_case(name));
        match word.parse() {
            Ok(value) if is_number && !self.place.is_in_braces => Token::Number(value, word.to_owned()),
            _ => Token::Word(word.to_owned()),
        }
    }

    fn punctuation(&mut self, at: usize, first: char) -> Result<Token, SyntaxError> {
        let signs = if self.place.is_in_braces { &PUNCTUATION_IN_BRACES[..] } else { &PUNCTUATION[..] };
        let Some(sign) = signs.iter().copied().find(|sign| self.text[at..].starts_with(sign)) else {
            let place = if self.place.is_in_braces { " inside braces" } else { "" };
            return refuse(format!("unexpected character{place}: {first:?}"));
        };
        match sign {
            "(" => self.place.parentheses += 1,
            ")" => match self.place.parentheses.checked_sub(1) {
                Some(left) => self.place.parentheses = left,
                None => return refuse("unexpected right parenthesis ')'"),
            },
            "{" => self.place.is_in_braces = true,
            "}" => self.place.is_in_braces = false,
            "[" if self.place.is_in_range => return refuse("unexpected left bracket '['"),
            "[" => self.place.is_in_range = true,
            "]" if !self.place.is_in_range => return refuse("unexpected right bracket ']'"),
            "]" => self.place.is_in_range = false,
            _ => {}
        }
        self.pass(at + sign.len());
        Ok(Token::Punctuation(sign))
    }
}

/// Whether a name may begin with a character.
fn is_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_all_kinds() {
        let word = |text: &str| Token::Word(text.to_owned());
        let text = |text: &str| Token::Text(text.to_owned());
        let number = |value: f64, text: &str| Token::Number(value, text.to_owned());
        let sign = Token::Punctuation;
        for (query, expected) in [
            (
                "a:b_c{d=~\"e\\\"\\n\\u00e9\"}",
                vec![word("a:b_c"), sign("{"), word("d"), sign("=~"), text("e\"\né"), sign("}")],
            ),
            (
                "x[1h30m:5m] # why\r",
                vec![
                    word("x"),
                    sign("["),
                    number(5400.0, "1h30m"),
                    sign(":"),
                    number(300.0, "5m"),
                    sign("]"),
                ],
            ),
            ("{inf!='x'}", vec![sign("{"), word("inf"), sign("!="), text("x"), sign("}")]),
            ("Inf-infx", vec![number(f64::INFINITY, "Inf"), sign("-"), word("infx")]),
            ("`\\n` 'a'", vec![text("\\n"), text("a")]),
            (":a:b1m a:5m a::b :", vec![word(":a:b1m"), word("a:5m"), word("a::b"), word(":")]),
            ("a:b:{}", vec![word("a:b:"), sign("{"), sign("}")]),
            ("a>=b!=c", vec![word("a"), sign(">="), word("b"), sign("!="), word("c")]),
        ] {
            assert_eq!(tokens(query), Ok(expected), "{query}");
        }
        for (query, message) in [
            ("a ? b", "unexpected character: '?'"),
            ("a =~ b", "unexpected character: '~'"),
            ("a \u{a0}", "unexpected character: '\\u{a0}'"),
            ("a{b:c='d'}", "unexpected character inside braces: ':'"),
            ("a{1='d'}", "unexpected character inside braces: '1'"),
            ("a{", "unexpected end of input inside braces"),
            ("(a", "unclosed left parenthesis"),
            ("a)", "unexpected right parenthesis ')'"),
            ("a[5m", "unclosed left bracket"),
            ("a[[", "unexpected left bracket '['"),
            ("a]", "unexpected right bracket ']'"),
        ] {
            assert_eq!(tokens(query).unwrap_err().to_string(), message, "{query}");
        }
    }
}
