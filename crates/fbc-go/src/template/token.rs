//! The tokens of templates, and how Go names them in errors.
//!
//! Source of the behaviour: `golang/go:src/text/template/parse/lex.go`.

use crate::text::quote;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Where it begins in the text.
    pub(super) place: usize,
    /// Its text; of an error, the message.
    pub(super) text: String,
    pub(super) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    End,
    Text,
    LeftDelimiter,
    RightDelimiter,
    LeftParenthesis,
    RightParenthesis,
    Space,
    Pipe,
    Assign,
    Declare,
    Character,
    Bool,
    CharacterConstant,
    Complex,
    Number,
    String,
    RawString,
    Field,
    Identifier,
    Variable,
    /// A word, `.` or `nil` that is part of the language.
    Keyword(Keyword),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Dot,
    Nil,
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

pub(super) const KEYWORDS: [(&str, Keyword); 11] = [
    ("nil", Keyword::Nil),
    ("block", Keyword::Block),
    ("break", Keyword::Break),
    ("continue", Keyword::Continue),
    ("define", Keyword::Define),
    ("else", Keyword::Else),
    ("end", Keyword::End),
    ("if", Keyword::If),
    ("range", Keyword::Range),
    ("template", Keyword::Template),
    ("with", Keyword::With),
];

impl Token {
    /// The token as errors name it.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::End => "EOF".to_owned(),
            Kind::Error => self.text.clone(),
            Kind::Keyword(_) => format!("<{}>", self.text),
            _ if self.text.len() > 10 => {
                format!("{}...", quote(&self.text.chars().take(10).collect::<String>()))
            }
            _ => quote(&self.text),
        }
    }
}
