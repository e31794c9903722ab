//! Tokens with some of them read ahead, and given back.
//!
//! As in Go down to the order of the places, since the line that an error names is that of the first place
//! (`golang/go:src/text/template/parse/parse.go`, `Tree.token`).

use super::lexer;
use super::token::{Kind, Token};

/// The tokens of a text.
pub(super) struct LookAhead {
    tokens: std::vec::IntoIter<Token>,
    /// Tokens that were read ahead, the last of which comes first.
    ahead: [Option<Token>; 3],
    count: usize,
}

impl LookAhead {
    pub(super) fn new(text: &str) -> Self {
        Self { tokens: lexer::tokens(text).into_iter(), ahead: [const { None }; 3], count: 0 }
    }

    /// The line of the token that was read last.
    pub(super) fn line(&self) -> usize {
        self.ahead.first().and_then(Option::as_ref).map_or(0, |token| token.line)
    }

    pub(super) fn next(&mut self) -> Token {
        if self.count > 0 {
            self.count -= 1;
        } else {
            self.read();
        }
        self.token(self.count)
    }

    /// Reads a token into the first place. After the last one it is read again and again.
    fn read(&mut self) {
        if let Some(token) = self.tokens.next() {
            self.ahead[0] = Some(token);
        }
    }

    fn token(&self, place: usize) -> Token {
        let end = Token { kind: Kind::End, place: 0, text: String::new(), line: 0 };
        self.ahead.get(place).cloned().flatten().unwrap_or(end)
    }

    pub(super) fn backup(&mut self) {
        self.count += 1;
    }

    pub(super) fn push_back(&mut self, tokens: [Option<Token>; 2]) {
        let [second, first] = tokens;
        match second {
            Some(second) => {
                self.ahead[1] = Some(second);
                self.ahead[2] = first;
                self.count = 3;
            }
            None => {
                self.ahead[1] = first;
                self.count = 2;
            }
        }
    }

    pub(super) fn peek(&mut self) -> Token {
        if self.count == 0 {
            self.read();
            self.count = 1;
        }
        self.token(self.count - 1)
    }

    pub(super) fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    pub(super) fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.backup();
        token
    }
}
