//! The tokens of a query.
//!
//! Source: the GraphQL specification of October 2021, section 2.1; the words of errors are those of
//! `graphql-go/graphql:language/lexer/lexer.go`.

use super::strings;

/// A token, and the byte where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'q> {
    pub(super) kind: TokenKind<'q>,
    pub(super) at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'q> {
    End,
    Punctuator(&'static str),
    Name(&'q str),
    Int(&'q str),
    Float(&'q str),
    String(String),
    BlockString(String),
}

/// What is wrong with the syntax, in graphql-go's words, and at which byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxFault {
    pub(super) at: usize,
    pub(super) words: String,
}

impl SyntaxFault {
    pub(super) fn new(at: usize, words: impl Into<String>) -> Self {
        Self { at, words: words.into() }
    }
}

const PUNCTUATORS: [&str; 13] = ["!", "$", "&", "(", ")", "...", ":", "=", "@", "[", "]", "{", "}"];

/// Reads tokens one by one.
#[derive(Debug)]
pub(super) struct Lexer<'q> {
    text: &'q str,
    at: usize,
}

impl<'q> Lexer<'q> {
    pub(super) fn new(text: &'q str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token; after the last one there are only ends.
    pub(super) fn next(&mut self) -> Result<Token<'q>, SyntaxFault> {
        self.skip_ignored();
        let (at, rest) = (self.at, rest(self.text, self.at));
        let Some(letter) = rest.chars().next() else { return Ok(Token { kind: TokenKind::End, at }) };
        if letter < ' ' {
            return Err(SyntaxFault::new(at, format!("Invalid character {}", shown(Some(letter)))));
        }
        let (kind, size) = match letter {
            'a'..='z' | 'A'..='Z' | '_' => {
                let is_end = |byte: u8| !byte.is_ascii_alphanumeric() && byte != b'_';
                let (name, size) = until(rest, is_end);
                (TokenKind::Name(name), size)
            }
            '-' | '0'..='9' => number(rest, at)?,
            '"' if rest.starts_with("\"\"\"") => {
                let (value, size) = strings::block(rest, at)?;
                (TokenKind::BlockString(value), size)
            }
            '"' => {
                let (value, size) = strings::quoted(rest, at)?;
                (TokenKind::String(value), size)
            }
            _ => match PUNCTUATORS.into_iter().chain(["|"]).find(|sign| rest.starts_with(sign)) {
                Some(sign) => (TokenKind::Punctuator(sign), sign.len()),
                None => {
                    return Err(SyntaxFault::new(
                        at,
                        format!("Unexpected character {}.", shown(Some(letter))),
                    ));
                }
            },
        };
        self.at += size;
        Ok(Token { kind, at })
    }

    /// Skips blanks, line ends, commas, comments and byte order marks.
    fn skip_ignored(&mut self) {
        loop {
            let found = rest(self.text, self.at);
            let trimmed = found.trim_start_matches([' ', '\t', '\n', '\r', ',', '\u{feff}']);
            self.at += found.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            let (_, size) = until(trimmed, |byte| byte < b' ' && byte != b'\t');
            self.at += size;
        }
    }
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// The bytes before the first one that ends them, and their number.
fn until(text: &str, is_end: impl Fn(u8) -> bool) -> (&str, usize) {
    let size = text.bytes().position(is_end).unwrap_or(text.len());
    (text.get(..size).unwrap_or_default(), size)
}

/// Reads a number as it is written.
fn number(text: &str, at: usize) -> Result<(TokenKind<'_>, usize), SyntaxFault> {
    let after = |size: usize| rest(text, size).chars().next();
    let digits = |from: usize| match until(rest(text, from), |byte| !byte.is_ascii_digit()).1 {
        0 => {
            let words = format!("Invalid number, expected digit but got: {}.", shown(after(from)));
            Err(SyntaxFault::new(at + from, words))
        }
        count => Ok(from + count),
    };
    let sign = usize::from(text.starts_with('-'));
    let mut size = digits(sign)?;
    if after(sign) == Some('0') && size > sign + 1 {
        let digit = shown(after(sign + 1));
        let words = format!("Invalid number, unexpected digit after 0: {digit}.");
        return Err(SyntaxFault::new(at + sign + 1, words));
    }
    let mut is_float = false;
    if after(size) == Some('.') {
        is_float = true;
        size = digits(size + 1)?;
    }
    if matches!(after(size), Some('e' | 'E')) {
        is_float = true;
        let sign = usize::from(matches!(after(size + 1), Some('+' | '-')));
        size = digits(size + 1 + sign)?;
    }
    let written = text.get(..size).unwrap_or_default();
    Ok((if is_float { TokenKind::Float(written) } else { TokenKind::Int(written) }, size))
}

/// A character as errors show it.
pub(super) fn shown(letter: Option<char>) -> String {
    match letter {
        None => "<EOF>".to_owned(),
        Some(letter @ ' '..='~') => format!("\"{letter}\""),
        Some(letter) => format!("\"\\\\u{:04X}\"", u32::from(letter)),
    }
}

impl std::fmt::Display for TokenKind<'_> {
    /// Writes the token as errors name it.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, value) = match self {
            Self::End => ("EOF", ""),
            Self::Punctuator(sign) => (*sign, ""),
            Self::Name(text) => ("Name", *text),
            Self::Int(text) => ("Int", *text),
            Self::Float(text) => ("Float", *text),
            Self::String(text) => ("String", text.as_str()),
            Self::BlockString(text) => ("BlockString", text.as_str()),
        };
        match value {
            "" => formatter.write_str(kind),
            value => write!(formatter, "{kind} \"{value}\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<String>, SyntaxFault> {
        let mut lexer = Lexer::new(text);
        let mut found = Vec::new();
        loop {
            match lexer.next()? {
                Token { kind: TokenKind::End, .. } => return Ok(found),
                token => found.push(format!("{}@{}", token.kind, token.at)),
            }
        }
    }

    #[test]
    fn tokens_are_read() {
        for (text, expected) in [
            ("", vec![]),
            ("\u{feff} ,\t\r\n# a \" comment\n", vec![]),
            ("{a_1}", vec!["{@0", "Name \"a_1\"@1", "}@4"]),
            (
                "...on|&!$():=@[]",
                vec![
                    "...@0",
                    "Name \"on\"@3",
                    "|@5",
                    "&@6",
                    "!@7",
                    "$@8",
                    "(@9",
                    ")@10",
                    ":@11",
                    "=@12",
                    "@@13",
                    "[@14",
                    "]@15",
                ],
            ),
            (
                "0 -1 20 1.5 1e3 -0.1E-2",
                vec![
                    "Int \"0\"@0",
                    "Int \"-1\"@2",
                    "Int \"20\"@5",
                    "Float \"1.5\"@8",
                    "Float \"1e3\"@12",
                    "Float \"-0.1E-2\"@16",
                ],
            ),
            ("\"a\" \"\"\"b\"\"\"", vec!["String \"a\"@0", "BlockString \"b\"@4"]),
        ] {
            assert_eq!(tokens(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn wrong_tokens_are_refused() {
        for (text, at, words) in [
            ("\u{7}", 0, "Invalid character \"\\\\u0007\""),
            ("a ?", 2, "Unexpected character \"?\"."),
            ("..", 0, "Unexpected character \".\"."),
            ("é", 0, "Unexpected character \"\\\\u00E9\"."),
            ("01", 1, "Invalid number, unexpected digit after 0: \"1\"."),
            ("-", 1, "Invalid number, expected digit but got: <EOF>."),
            ("1.a", 2, "Invalid number, expected digit but got: \"a\"."),
            ("1e+", 3, "Invalid number, expected digit but got: <EOF>."),
        ] {
            assert_eq!(tokens(text).unwrap_err(), SyntaxFault::new(at, words), "{text}");
        }
    }
}
