//! A template's text as tokens.
//!
//! Source of the behaviour: `golang/go:src/text/template/parse/lex.go`.

use crate::text::{is_print, is_word, quote};

use super::token::{KEYWORDS, Keyword, Kind, Token};

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Cuts a text into tokens; the last one is the end or an error.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, place: 0, start: 0, tokens: Vec::new() };
    let outcome = lexer.text();
    match outcome {
        Ok(()) => lexer.emit(Kind::End),
        Err(fault) => {
            let (place, line) = (lexer.start, lexer.line_of(lexer.start));
            lexer.tokens.push(Token { kind: Kind::Error, place, text: fault.to_string(), line });
        }
    }
    lexer.tokens
}

/// What is not a token.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("unclosed comment")]
    UnclosedComment,
    #[error("comment ends before closing delimiter")]
    CommentInAction,
    #[error("unclosed left paren")]
    UnclosedParenthesis,
    #[error("unexpected right paren")]
    RightParenthesis,
    #[error("unclosed action")]
    UnclosedAction,
    #[error("expected :=")]
    Colon,
    #[error("unterminated quoted string")]
    UnclosedString,
    #[error("unterminated raw quoted string")]
    UnclosedRawString,
    #[error("unterminated character constant")]
    UnclosedCharacter,
    #[error("unrecognized character in action: {}", unicode(*.0))]
    UnknownCharacter(char),
    #[error("bad character {}", unicode(*.0))]
    BadCharacter(char),
    #[error("bad number syntax: {}", quote(.0))]
    Number(String),
}

struct Lexer<'t> {
    text: &'t str,
    place: usize,
    start: usize,
    tokens: Vec<Token>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.place..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.place += next.len_utf8();
        Some(next)
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn line_of(&self, place: usize) -> usize {
        1 + self.text.bytes().take(place).filter(|&byte| byte == b'\n').count()
    }

    fn taken(&self) -> &'t str {
        self.text.get(self.start..self.place).unwrap_or_default()
    }

    fn emit(&mut self, kind: Kind) {
        let token =
            Token { kind, place: self.start, text: self.taken().to_owned(), line: self.line_of(self.start) };
        self.tokens.push(token);
        self.start = self.place;
    }

    fn accept(&mut self, of: &str) -> bool {
        let accepted = self.peek().is_some_and(|next| of.contains(next));
        if accepted {
            self.next();
        }
        accepted
    }

    fn accept_run(&mut self, of: &str) {
        while self.accept(of) {}
    }

    /// Text and actions until the end.
    fn text(&mut self) -> Result<(), Fault> {
        while let Some(length) = self.rest().find("{{") {
            let before = self.rest().get(..length).unwrap_or_default();
            let is_trimmed = has_left_trim(self.rest().get(length + 2..).unwrap_or_default());
            let kept = if is_trimmed { before.trim_end_matches(BLANKS).len() } else { length };
            self.place += kept;
            if kept > 0 {
                self.emit(Kind::Text);
            }
            self.place += length - kept;
            self.start = self.place;
            self.left_delimiter()?;
        }
        self.place = self.text.len();
        if self.place > self.start {
            self.emit(Kind::Text);
        }
        Ok(())
    }

    fn left_delimiter(&mut self) -> Result<(), Fault> {
        self.place += 2;
        let marker = if has_left_trim(self.rest()) { 2 } else { 0 };
        if self.rest().get(marker..).is_some_and(|rest| rest.starts_with("/*")) {
            self.place += marker;
            self.start = self.place;
            return self.comment();
        }
        self.emit(Kind::LeftDelimiter);
        self.place += marker;
        self.start = self.place;
        let mut depth = 0_usize;
        while !self.inside_action(&mut depth)? {}
        Ok(())
    }

    fn comment(&mut self) -> Result<(), Fault> {
        self.place += 2;
        let end = self.rest().find("*/").ok_or(Fault::UnclosedComment)?;
        self.place += end + 2;
        let trims = self.right_delimiter_here().ok_or(Fault::CommentInAction)?;
        self.skip_right_delimiter(trims);
        Ok(())
    }

    /// Whether the right delimiter is next, and whether it trims what follows.
    fn right_delimiter_here(&self) -> Option<bool> {
        let rest = self.rest();
        if rest.starts_with("}}") {
            return Some(false);
        }
        let marked = rest.strip_prefix(BLANKS)?.strip_prefix('-')?;
        marked.starts_with("}}").then_some(true)
    }

    fn skip_right_delimiter(&mut self, trims: bool) {
        self.place += if trims { 4 } else { 2 };
        if trims {
            self.place += self.rest().len() - self.rest().trim_start_matches(BLANKS).len();
        }
        self.start = self.place;
    }

    /// The next token of an action; true after its last.
    fn inside_action(&mut self, depth: &mut usize) -> Result<bool, Fault> {
        if let Some(trims) = self.right_delimiter_here() {
            if *depth > 0 {
                return Err(Fault::UnclosedParenthesis);
            }
            self.place += if trims { 2 } else { 0 };
            self.start = self.place;
            self.place += 2;
            self.emit(Kind::RightDelimiter);
            if trims {
                self.place += self.rest().len() - self.rest().trim_start_matches(BLANKS).len();
                self.start = self.place;
            }
            return Ok(true);
        }
        let Some(next) = self.next() else { return Err(Fault::UnclosedAction) };
        match next {
            next if BLANKS.contains(&next) => self.space(),
            '=' => self.emit(Kind::Assign),
            ':' if self.accept("=") => self.emit(Kind::Declare),
            ':' => return Err(Fault::Colon),
            '|' => self.emit(Kind::Pipe),
            '"' => self.quoted('"', Kind::String, Fault::UnclosedString)?,
            '`' => {
                let end = self.rest().find('`').ok_or(Fault::UnclosedRawString)?;
                self.place += end + 1;
                self.emit(Kind::RawString);
            }
            '\'' => self.quoted('\'', Kind::CharacterConstant, Fault::UnclosedCharacter)?,
            '$' => self.field_or_variable(Kind::Variable)?,
            '.' if !self.peek().is_some_and(|next| next.is_ascii_digit()) && !self.rest().is_empty() => {
                self.field_or_variable(Kind::Field)?;
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.place -= 1;
                self.number()?;
            }
            next if is_word(next) => self.identifier()?,
            '(' => {
                *depth += 1;
                self.emit(Kind::LeftParenthesis);
            }
            ')' => {
                *depth = depth.checked_sub(1).ok_or(Fault::RightParenthesis)?;
                self.emit(Kind::RightParenthesis);
            }
            next if next.is_ascii() && is_print(next) => self.emit(Kind::Character),
            next => return Err(Fault::UnknownCharacter(next)),
        }
        Ok(false)
    }

    /// Blanks, without one that belongs to a delimiter that trims.
    fn space(&mut self) {
        while self.peek().is_some_and(|next| BLANKS.contains(&next)) {
            self.next();
        }
        if self.rest().starts_with("-}}") {
            self.place -= 1;
            if self.taken().is_empty() {
                return;
            }
        }
        self.emit(Kind::Space);
    }

    fn quoted(&mut self, end: char, kind: Kind, unclosed: Fault) -> Result<(), Fault> {
        loop {
            match self.next() {
                Some('\\') if !matches!(self.peek(), None | Some('\n')) => {
                    self.next();
                }
                None | Some('\n' | '\\') => return Err(unclosed),
                Some(next) if next == end => break,
                Some(_) => {}
            }
        }
        self.emit(kind);
        Ok(())
    }

    fn field_or_variable(&mut self, kind: Kind) -> Result<(), Fault> {
        if self.at_terminator() {
            let is_dot = kind == Kind::Field;
            self.emit(if is_dot { Kind::Keyword(Keyword::Dot) } else { kind });
            return Ok(());
        }
        self.word()?;
        self.emit(kind);
        Ok(())
    }

    fn identifier(&mut self) -> Result<(), Fault> {
        self.word()?;
        let word = self.taken();
        let kind = match KEYWORDS.iter().find(|(name, _)| *name == word) {
            Some((_, keyword)) => Kind::Keyword(*keyword),
            None if matches!(word, "true" | "false") => Kind::Bool,
            None => Kind::Identifier,
        };
        self.emit(kind);
        Ok(())
    }

    /// The rest of a word, after which something must follow that ends it.
    fn word(&mut self) -> Result<(), Fault> {
        while self.peek().is_some_and(is_word) {
            self.next();
        }
        match self.peek() {
            Some(next) if !self.at_terminator() => Err(Fault::BadCharacter(next)),
            _ => Ok(()),
        }
    }

    fn at_terminator(&self) -> bool {
        let ends = |next: char| BLANKS.contains(&next) || ".,|:)(".contains(next);
        self.peek().is_none_or(ends) || self.rest().starts_with("}}")
    }

    fn number(&mut self) -> Result<(), Fault> {
        let bad = |lexer: &Self| Fault::Number(lexer.taken().to_owned());
        if !self.scan_number() {
            return Err(bad(self));
        }
        if !matches!(self.peek(), Some('+' | '-')) {
            self.emit(Kind::Number);
            return Ok(());
        }
        if !self.scan_number() || !self.taken().ends_with('i') {
            return Err(bad(self));
        }
        self.emit(Kind::Complex);
        Ok(())
    }

    fn scan_number(&mut self) -> bool {
        self.accept("+-");
        let mut digits = "0123456789_";
        let (mut is_decimal, mut is_hexadecimal) = (true, false);
        if self.accept("0") {
            if self.accept("xX") {
                (digits, is_decimal, is_hexadecimal) = ("0123456789abcdefABCDEF_", false, true);
            } else if self.accept("oO") {
                (digits, is_decimal) = ("01234567_", false);
            } else if self.accept("bB") {
                (digits, is_decimal) = ("01_", false);
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        if (is_decimal && self.accept("eE")) || (is_hexadecimal && self.accept("pP")) {
            self.accept("+-");
            self.accept_run("0123456789_");
        }
        self.accept("i");
        if self.peek().is_some_and(is_word) {
            self.next();
            return false;
        }
        true
    }
}

fn has_left_trim(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(BLANKS))
}

/// A character as Go's `%#U` prints it.
fn unicode(c: char) -> String {
    if is_print(c) { format!("U+{:04X} '{c}'", c as u32) } else { format!("U+{:04X}", c as u32) }
}
