//! From characters to tokens: which token comes next, and indentation.
//!
//! Source of the rules: `go-yaml/yaml:scannerc.go` branch v2.

use std::collections::VecDeque;

use super::error::EventError;
use super::reader::Reader;
use super::simple_key::SimpleKey;
use super::token::{Token, TokenKind};
use super::{MAX_DEPTH, Mark};

pub(super) type Scanned<T> = Result<T, EventError>;

pub(super) struct Scanner<'t> {
    pub(super) reader: Reader<'t>,
    tokens: VecDeque<Token<'t>>,
    /// How many tokens were taken out of the queue; the number of its first one.
    taken: usize,
    /// Whether the first token of the queue is known not to need a look at more of them.
    is_ready: bool,
    has_ended: bool,
    /// The column of the innermost block collection.
    pub(super) indent: Option<usize>,
    outer_indents: Vec<Option<usize>>,
    /// For each open flow collection, and for the block around them all: what may be a simple key.
    /// Token numbers never decrease from one to the next.
    pub(super) simple_keys: Vec<SimpleKey>,
    /// Whether a simple key may begin here.
    pub(super) may_begin_key: bool,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        let reader = Reader::new(bytes);
        let none = SimpleKey::none(0, reader.mark());
        Self {
            reader,
            tokens: VecDeque::new(),
            taken: 0,
            is_ready: false,
            has_ended: false,
            indent: None,
            outer_indents: Vec::new(),
            simple_keys: vec![none],
            may_begin_key: true,
        }
    }

    /// The next token, which stays in the queue.
    ///
    /// # Errors
    /// What the reader or the scanner refuses, at this token or at one that it has to wait for.
    pub(super) fn peek(&mut self) -> Scanned<&Token<'t>> {
        if !self.is_ready {
            while self.needs_more()? {
                self.queue_next()?;
            }
            self.is_ready = true;
        }
        // There is a token now; an error is the answer to a defect all the same, not a panic.
        let nothing = EventError::parser("did not find expected <stream-start>", self.reader.mark());
        self.tokens.front().ok_or(nothing)
    }

    /// Takes the token that was peeked at.
    pub(super) fn take(&mut self) -> Option<Token<'t>> {
        self.is_ready = false;
        self.taken += 1;
        self.tokens.pop_front()
    }

    /// The number of the token that is queued next.
    pub(super) fn next_number(&self) -> usize {
        self.taken + self.tokens.len()
    }

    fn needs_more(&mut self) -> Scanned<bool> {
        if self.tokens.is_empty() {
            return Ok(true);
        }
        let level = self.simple_keys.partition_point(|key| key.token < self.taken);
        match self.simple_keys.get(level) {
            Some(key) if key.holds_token && key.token == self.taken => {
                Ok(self.is_key_possible(level)? && !self.has_ended)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn is_in_flow(&self) -> bool {
        self.simple_keys.len() > 1
    }

    pub(super) fn fail<T>(&self, context: &'static str, from: Mark, problem: &'static str) -> Scanned<T> {
        Err(EventError::scanner(context, from, problem, self.reader.mark()))
    }

    fn queue(&mut self, kind: TokenKind<'t>, start: Mark) {
        let end = self.reader.mark();
        self.tokens.push_back(Token { kind, start, end });
    }

    /// Puts a token that is not a string in front of the token with that number, or at the end of the
    /// queue if that token is gone.
    fn queue_at(&mut self, number: Option<usize>, kind: TokenKind<'t>, mark: Mark) {
        let token = Token { kind, start: mark, end: mark };
        match number.and_then(|number| number.checked_sub(self.taken)) {
            Some(index) if index <= self.tokens.len() => self.tokens.insert(index, token),
            _ => self.tokens.push_back(token),
        }
    }

    /// Reads the next token, and puts it and what it implies into the queue.
    fn queue_next(&mut self) -> Scanned<()> {
        self.reader.need(1)?;
        self.skip_to_token()?;
        self.close_blocks(Some(self.reader.column()));
        self.reader.need(4)?;
        if self.reader.is_at_end() {
            return self.queue_end();
        }
        let is_in_flow = self.is_in_flow();
        let byte = self.reader.byte();
        if self.reader.column() == 0 {
            if byte == b'%' {
                self.leave_blocks()?;
                let start = self.reader.mark();
                let kind = self.directive()?;
                self.queue(kind, start);
                return Ok(());
            }
            if self.is_at_document_indicator() {
                let is_start = byte == b'-';
                self.leave_blocks()?;
                let start = self.reader.mark();
                (0..3).for_each(|_| self.reader.skip());
                self.queue(if is_start { TokenKind::DocumentStart } else { TokenKind::DocumentEnd }, start);
                return Ok(());
            }
        }
        let is_before_blank = self.reader.is_blank_or_end_after(1);
        match byte {
            b'[' => self.open_flow(TokenKind::FlowSequenceStart),
            b'{' => self.open_flow(TokenKind::FlowMappingStart),
            b']' => self.close_flow(TokenKind::FlowSequenceEnd),
            b'}' => self.close_flow(TokenKind::FlowMappingEnd),
            b',' => {
                self.forget_key()?;
                self.may_begin_key = true;
                self.queue_indicator(TokenKind::FlowEntry);
                Ok(())
            }
            // In a flow collection the parser will refuse it, with better words.
            b'-' if is_before_blank => self.block_entry(),
            b'?' if is_in_flow || is_before_blank => self.key(),
            b':' if is_in_flow || is_before_blank => self.value(),
            b'*' | b'&' => self.queue_scanned(Self::anchor),
            b'!' => self.queue_scanned(Self::tag),
            b'|' | b'>' if !is_in_flow => {
                self.forget_key()?;
                self.may_begin_key = true;
                let token = self.block_scalar()?;
                self.tokens.push_back(token);
                Ok(())
            }
            b'\'' | b'"' => self.queue_scanned(Self::quoted_scalar),
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => self.fail(
                "while scanning for the next token",
                self.reader.mark(),
                "found character that cannot start any token",
            ),
            _ => self.queue_scanned(Self::plain_scalar),
        }
    }

    /// Queues a token that may be, or begin, a simple key, and that no other one follows directly.
    fn queue_scanned(&mut self, scan: impl FnOnce(&mut Self) -> Scanned<Token<'t>>) -> Scanned<()> {
        self.note_key()?;
        self.may_begin_key = false;
        let token = scan(self)?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// Queues a token of one character.
    fn queue_indicator(&mut self, kind: TokenKind<'t>) {
        let start = self.reader.mark();
        self.reader.skip();
        self.queue(kind, start);
    }

    pub(super) fn is_at_document_indicator(&self) -> bool {
        self.reader.column() == 0
            && self.reader.is_blank_or_end_after(3)
            && [b'-', b'.'].iter().any(|&byte| (0..3).all(|offset| self.reader.byte_after(offset) == byte))
    }

    /// Skips blanks, comments and line breaks.
    fn skip_to_token(&mut self) -> Scanned<()> {
        loop {
            self.reader.need(1)?;
            if self.reader.column() == 0 && self.reader.window_begins_with_mark() {
                self.reader.skip();
            }
            self.reader.need(1)?;
            // A tab must not stand where it could be taken for indentation.
            let may_be_tab = self.is_in_flow() || !self.may_begin_key;
            self.reader.skip_while(|byte| byte == b' ' || (byte == b'\t' && may_be_tab))?;
            if self.reader.byte() == b'#' {
                self.reader.skip_to_break()?;
            }
            if !self.reader.is_at_break() {
                return Ok(());
            }
            self.reader.need(2)?;
            self.reader.take_break();
            if !self.is_in_flow() {
                self.may_begin_key = true;
            }
        }
    }

    fn queue_end(&mut self) -> Scanned<()> {
        self.reader.finish_line();
        self.leave_blocks()?;
        self.queue(TokenKind::StreamEnd, self.reader.mark());
        self.has_ended = true;
        Ok(())
    }

    /// Ends all blocks, as directives, document indicators and the end of the text do.
    fn leave_blocks(&mut self) -> Scanned<()> {
        self.close_blocks(None);
        self.forget_key()?;
        self.may_begin_key = false;
        Ok(())
    }

    /// Begins a block collection at that column unless it is in one there already.
    fn open_block(&mut self, key: Option<usize>, kind: TokenKind<'t>, mark: Mark) -> Scanned<()> {
        if self.is_in_flow() || self.indent >= Some(mark.column) {
            return Ok(());
        }
        self.outer_indents.push(self.indent);
        self.indent = Some(mark.column);
        if self.outer_indents.len() > MAX_DEPTH {
            let from = self.simple_keys.last().map_or(mark, |key| key.mark);
            return self.fail("while increasing indent level", from, "exceeded max depth of 10000");
        }
        self.queue_at(key, kind, mark);
        Ok(())
    }

    /// Ends the block collections that stand further to the right than `column`.
    fn close_blocks(&mut self, column: Option<usize>) {
        if self.is_in_flow() {
            return;
        }
        while self.indent > column {
            self.queue(TokenKind::BlockEnd, self.reader.mark());
            self.indent = self.outer_indents.pop().flatten();
        }
    }

    fn open_flow(&mut self, kind: TokenKind<'t>) -> Scanned<()> {
        self.note_key()?;
        let mark = self.reader.mark();
        self.simple_keys.push(SimpleKey::none(self.next_number(), mark));
        if self.simple_keys.len() - 1 > MAX_DEPTH {
            return self.fail("while increasing flow level", mark, "exceeded max depth of 10000");
        }
        self.may_begin_key = true;
        self.queue_indicator(kind);
        Ok(())
    }

    fn close_flow(&mut self, kind: TokenKind<'t>) -> Scanned<()> {
        self.forget_key()?;
        self.leave_flow();
        self.may_begin_key = false;
        self.queue_indicator(kind);
        Ok(())
    }

    /// Goes back to the level around a flow collection.
    ///
    /// Kept on purpose: in go-yaml a flow collection in which no simple key could begin takes the
    /// claim of its own bracket to be one away, because both have the same token number
    /// (`yaml_parser_decrease_flow_level`). So `[]: x` is the list and then nonsense.
    fn leave_flow(&mut self) {
        if self.is_in_flow()
            && let Some(inner) = self.simple_keys.pop()
            && let Some(outer) = self.simple_keys.last_mut()
            && outer.token == inner.token
        {
            outer.holds_token = false;
        }
    }

    fn block_entry(&mut self) -> Scanned<()> {
        let mark = self.reader.mark();
        if !self.is_in_flow() {
            if !self.may_begin_key {
                return self.fail("", mark, "block sequence entries are not allowed in this context");
            }
            self.open_block(None, TokenKind::BlockSequenceStart, mark)?;
        }
        self.forget_key()?;
        self.may_begin_key = true;
        self.queue_indicator(TokenKind::BlockEntry);
        Ok(())
    }

    /// `?`
    fn key(&mut self) -> Scanned<()> {
        let mark = self.reader.mark();
        if !self.is_in_flow() {
            if !self.may_begin_key {
                return self.fail("", mark, "mapping keys are not allowed in this context");
            }
            self.open_block(None, TokenKind::BlockMappingStart, mark)?;
        }
        self.forget_key()?;
        self.may_begin_key = !self.is_in_flow();
        self.queue_indicator(TokenKind::Key);
        Ok(())
    }

    /// `:`
    fn value(&mut self) -> Scanned<()> {
        let level = self.simple_keys.len() - 1;
        if self.is_key_possible(level)? {
            if let Some(key) = self.simple_keys.last_mut() {
                key.is_possible = false;
                key.holds_token = false;
                let (token, mark) = (key.token, key.mark);
                self.queue_at(Some(token), TokenKind::Key, mark);
                self.open_block(Some(token), TokenKind::BlockMappingStart, mark)?;
            }
            self.may_begin_key = false;
        } else {
            let mark = self.reader.mark();
            if !self.is_in_flow() {
                if !self.may_begin_key {
                    return self.fail("", mark, "mapping values are not allowed in this context");
                }
                self.open_block(None, TokenKind::BlockMappingStart, mark)?;
            }
            self.may_begin_key = !self.is_in_flow();
        }
        self.queue_indicator(TokenKind::Value);
        Ok(())
    }
}
