//! From tokens to events: the entries of block and flow collections.

use super::parser::{Events, Place, State};
use super::scanner::Scanned;
use super::token::{Token, TokenKind};
use super::{Event, EventKind};

impl<'t> Events<'t> {
    pub(super) fn block_sequence_entry(&mut self, is_first: bool) -> Scanned<Event<'t>> {
        if is_first {
            self.enter()?;
        }
        let next = State::BlockSequenceEntry { is_first: false };
        let &Token { ref kind, end, .. } = self.scanner.peek()?;
        match kind {
            TokenKind::BlockEntry => {
                self.scanner.take();
                match self.scanner.peek()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => Ok(self.nothing_then(next, end)),
                    _ => self.node_then(next, Place::Block),
                }
            }
            TokenKind::BlockEnd => self.close(EventKind::SequenceEnd),
            _ => self.refuse("while parsing a block collection", "did not find expected '-' indicator"),
        }
    }

    pub(super) fn indentless_sequence_entry(&mut self) -> Scanned<Event<'t>> {
        let next = State::IndentlessSequenceEntry;
        let &Token { ref kind, start, end } = self.scanner.peek()?;
        if !matches!(kind, TokenKind::BlockEntry) {
            self.leave();
            return Ok(Event { kind: EventKind::SequenceEnd, start, end: start });
        }
        self.scanner.take();
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.nothing_then(next, end))
            }
            _ => self.node_then(next, Place::Block),
        }
    }

    pub(super) fn block_mapping_key(&mut self, is_first: bool) -> Scanned<Event<'t>> {
        if is_first {
            self.enter()?;
        }
        match self.scanner.peek()?.kind {
            TokenKind::Key => self.block_mapping_node(State::BlockMappingValue),
            TokenKind::BlockEnd => self.close(EventKind::MappingEnd),
            _ => self.refuse("while parsing a block mapping", "did not find expected key"),
        }
    }

    pub(super) fn block_mapping_value(&mut self) -> Scanned<Event<'t>> {
        let next = State::BlockMappingKey { is_first: false };
        let &Token { ref kind, start, .. } = self.scanner.peek()?;
        match kind {
            TokenKind::Value => self.block_mapping_node(next),
            _ => Ok(self.nothing_then(next, start)),
        }
    }

    /// The key or value behind the next token.
    fn block_mapping_node(&mut self, next: State) -> Scanned<Event<'t>> {
        let end = self.scanner.peek()?.end;
        self.scanner.take();
        match self.scanner.peek()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => Ok(self.nothing_then(next, end)),
            _ => self.node_then(next, Place::BlockMapping),
        }
    }

    pub(super) fn flow_sequence_entry(&mut self, is_first: bool) -> Scanned<Event<'t>> {
        if is_first {
            self.enter()?;
        } else {
            match self.scanner.peek()?.kind {
                TokenKind::FlowSequenceEnd => {}
                TokenKind::FlowEntry => drop(self.scanner.take()),
                _ => return self.refuse("while parsing a flow sequence", "did not find expected ',' or ']'"),
            }
        }
        let &Token { ref kind, start, end } = self.scanner.peek()?;
        match kind {
            TokenKind::FlowSequenceEnd => self.close(EventKind::SequenceEnd),
            TokenKind::Key => {
                self.scanner.take();
                self.state = State::PairKey;
                Ok(Event { kind: EventKind::MappingStart { anchor: None, tag: None }, start, end })
            }
            _ => self.node_then(State::FlowSequenceEntry { is_first: false }, Place::Flow),
        }
    }

    /// Kept on purpose: where the key is missing, go-yaml takes the token behind it away, even a `:`
    /// or the `]` of the sequence (`yaml_parser_parse_flow_sequence_entry_mapping_key`).
    pub(super) fn pair_key(&mut self) -> Scanned<Event<'t>> {
        let &Token { ref kind, end, .. } = self.scanner.peek()?;
        match kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                self.scanner.take();
                Ok(self.nothing_then(State::PairValue, end))
            }
            _ => self.node_then(State::PairValue, Place::Flow),
        }
    }

    pub(super) fn pair_value(&mut self) -> Scanned<Event<'t>> {
        // go-yaml dates a missing value from the token that it saw first.
        let start = self.scanner.peek()?.start;
        if self.take_value()?
            && !matches!(self.scanner.peek()?.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd)
        {
            return self.node_then(State::PairEnd, Place::Flow);
        }
        Ok(self.nothing_then(State::PairEnd, start))
    }

    pub(super) fn pair_end(&mut self) -> Scanned<Event<'t>> {
        self.state = State::FlowSequenceEntry { is_first: false };
        let start = self.scanner.peek()?.start;
        Ok(Event { kind: EventKind::MappingEnd, start, end: start })
    }

    pub(super) fn flow_mapping_key(&mut self, is_first: bool) -> Scanned<Event<'t>> {
        if is_first {
            self.enter()?;
        } else {
            match self.scanner.peek()?.kind {
                TokenKind::FlowMappingEnd => {}
                TokenKind::FlowEntry => drop(self.scanner.take()),
                _ => return self.refuse("while parsing a flow mapping", "did not find expected ',' or '}'"),
            }
        }
        match self.scanner.peek()?.kind {
            TokenKind::FlowMappingEnd => self.close(EventKind::MappingEnd),
            TokenKind::Key => {
                self.scanner.take();
                let next = State::FlowMappingValue { is_missing: false };
                let &Token { ref kind, start, .. } = self.scanner.peek()?;
                match kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                        Ok(self.nothing_then(next, start))
                    }
                    _ => self.node_then(next, Place::Flow),
                }
            }
            _ => self.node_then(State::FlowMappingValue { is_missing: true }, Place::Flow),
        }
    }

    pub(super) fn flow_mapping_value(&mut self, is_missing: bool) -> Scanned<Event<'t>> {
        let next = State::FlowMappingKey { is_first: false };
        if !is_missing
            && self.take_value()?
            && !matches!(self.scanner.peek()?.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd)
        {
            return self.node_then(next, Place::Flow);
        }
        let start = self.scanner.peek()?.start;
        Ok(self.nothing_then(next, start))
    }

    /// Takes a `:`, if it is next.
    fn take_value(&mut self) -> Scanned<bool> {
        let is_value = matches!(self.scanner.peek()?.kind, TokenKind::Value);
        if is_value {
            self.scanner.take();
        }
        Ok(is_value)
    }
}
