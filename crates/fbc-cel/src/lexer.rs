//! Characters of an expression to tokens.

/// A token and where it starts, in characters.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) at: usize,
    /// One past its last character.
    pub(crate) end: usize,
    pub(crate) kind: TokenKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// A name or a word such as `true`.
    Name(String),
    /// A name between backticks.
    QuotedName(String),
    Sign(&'static str),
    End,
}

/// What is wrong with the syntax of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Number of characters before the place.
    pub(crate) at: usize,
    pub(crate) message: String,
}

const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",", "(", ")",
    "[", "]", "{", "}",
];

/// Cuts an expression into tokens, the last of which is [`TokenKind::End`], and what could not be read.
pub(crate) fn tokens(source: &str) -> (Vec<Token>, Vec<Fault>) {
    let mut lexer = Lexer { characters: source.chars().collect(), at: 0, faults: Vec::new() };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token);
    }
    let end = lexer.characters.len();
    tokens.push(Token { at: end, end, kind: TokenKind::End });
    (tokens, lexer.faults)
}

struct Lexer {
    characters: Vec<char>,
    at: usize,
    faults: Vec<Fault>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            self.skip_blanks();
            let at = self.at;
            let first = self.peek(0)?;
            let kind = match first {
                '0'..='9' => self.number(),
                '.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
                '"' | '\'' => self.text(false, false),
                '`' => self.quoted_name(),
                _ if self.starts_text() => {
                    let prefix: Vec<char> =
                        self.characters[at..].iter().copied().take_while(|c| c.is_alphabetic()).collect();
                    self.at += prefix.len();
                    let has = |wanted: char| prefix.iter().any(|c| c.eq_ignore_ascii_case(&wanted));
                    self.text(has('r'), has('b'))
                }
                'a'..='z' | 'A'..='Z' | '_' => {
                    let name: String = self.characters[at..]
                        .iter()
                        .take_while(|character| character.is_ascii_alphanumeric() || **character == '_')
                        .collect();
                    self.at += name.len();
                    Some(TokenKind::Name(name))
                }
                _ => self.sign(),
            };
            match kind {
                Some(kind) => return Some(Token { at, end: self.at, kind }),
                None => self.unreadable(at),
            }
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(character) = self.peek(0) {
            match character {
                ' ' | '\t' | '\n' | '\r' | '\u{c}' => self.at += 1,
                '/' if self.peek(1) == Some('/') => {
                    while self.peek(0).is_some_and(|character| character != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Reports what starts no token, together with the character that made that sure.
    fn unreadable(&mut self, at: usize) {
        let ambiguous = matches!(self.characters.get(at), Some('=' | '&' | '|'));
        let end = (at + 1 + usize::from(ambiguous)).max(self.at).min(self.characters.len());
        let text: String = self.characters[at..end].iter().collect();
        self.faults
            .push(Fault { at, message: format!("Syntax error: token recognition error at: '{text}'") });
        self.at = self.at.max(at + 1);
    }

    fn sign(&mut self) -> Option<TokenKind> {
        let sign = SIGNS
            .iter()
            .find(|sign| sign.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c)))?;
        self.at += sign.len();
        Some(TokenKind::Sign(sign))
    }

    fn number(&mut self) -> Option<TokenKind> {
        let rest: String = self.characters[self.at..].iter().take(64).collect();
        if let Some(hex) = rest.strip_prefix("0x") {
            let digits: String = hex.chars().take_while(char::is_ascii_hexdigit).collect();
            self.at += 2 + digits.len();
            if self.peek(0).is_some_and(|next| matches!(next, 'u' | 'U')) {
                self.at += 1;
                return u64::from_str_radix(&digits, 16).ok().map(TokenKind::Uint);
            }
            return i64::from_str_radix(&digits, 16).ok().map(TokenKind::Int);
        }
        let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
        let mut end = digits(0);
        let whole_end = end;
        if rest[end..].starts_with('.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        self.at += end;
        if end > whole_end {
            return rest[..end].parse().ok().map(TokenKind::Double);
        }
        if rest[end..].starts_with(['u', 'U']) {
            self.at += 1;
            return rest[..end].parse().ok().map(TokenKind::Uint);
        }
        // The smallest whole number has no positive counterpart; its sign is applied by wrapping.
        match rest[..end].parse::<u64>() {
            Ok(number) if number <= 1 << 63 => Some(TokenKind::Int(number.cast_signed())),
            _ => None,
        }
    }

    fn quoted_name(&mut self) -> Option<TokenKind> {
        let length = self.characters[self.at + 1..].iter().position(|&character| character == '`')?;
        let name = self.characters[self.at + 1..self.at + 1 + length].iter().collect();
        self.at += length + 2;
        Some(TokenKind::QuotedName(name))
    }

    /// `r"…"`, `b"…"`, `rb"…"`, `br"…"`
    fn starts_text(&self) -> bool {
        let letters =
            self.characters[self.at..].iter().take_while(|c| matches!(c, 'r' | 'R' | 'b' | 'B')).count();
        (1..=2).contains(&letters) && self.peek(letters).is_some_and(|next| matches!(next, '"' | '\''))
    }

    fn text(&mut self, raw: bool, is_bytes: bool) -> Option<TokenKind> {
        let quote = self.peek(0)?;
        let triple = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        let width = if triple { 3 } else { 1 };
        self.at += width;
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let character = self.peek(0)?;
            if (0..width).all(|ahead| self.peek(ahead) == Some(quote)) {
                self.at += width;
                break;
            }
            self.at += 1;
            match character {
                '\n' | '\r' if !triple => return None,
                '\\' if !raw => self.escape(&mut bytes, is_bytes)?,
                _ => bytes.extend(character.to_string().into_bytes()),
            }
        }
        if is_bytes {
            Some(TokenKind::Bytes(bytes))
        } else {
            String::from_utf8(bytes).ok().map(TokenKind::Text)
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>, is_bytes: bool) -> Option<()> {
        let escaped = self.peek(0)?;
        self.at += 1;
        let plain = match escaped {
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' | '"' | '\'' | '`' | '?' => u8::try_from(escaped).ok()?,
            'x' | 'X' => return self.code(2, 16, is_bytes, out),
            'u' => return self.code(4, 16, false, out),
            'U' => return self.code(8, 16, false, out),
            '0'..='3' => {
                self.at -= 1;
                return self.code(3, 8, is_bytes, out);
            }
            _ => return None,
        };
        out.push(plain);
        Some(())
    }

    fn code(&mut self, digits: usize, radix: u32, as_byte: bool, out: &mut Vec<u8>) -> Option<()> {
        let text: String = self.characters.get(self.at..self.at + digits)?.iter().collect();
        let code = u32::from_str_radix(&text, radix).ok()?;
        self.at += digits;
        if as_byte {
            out.push(u8::try_from(code).ok()?);
        } else {
            out.extend(char::from_u32(code)?.to_string().into_bytes());
        }
        Some(())
    }
}
