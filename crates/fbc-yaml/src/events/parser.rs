//! From tokens to events: a state machine with a stack of states, one for each open collection.
//!
//! Documents and nodes are here, what is in collections in [`super::collections`]. Source of the
//! rules: `go-yaml/yaml:parserc.go` branch v2.

use std::borrow::Cow;
use std::collections::HashMap;

use super::error::EventError;
use super::scanner::{Scanned, Scanner};
use super::token::{Token, TokenKind};
use super::{Event, EventKind, Mark, Style};

/// A `%TAG` prefix counts up to this length. Otherwise a long prefix and many short tags would cost
/// more than linear time; and no tag that means something is that long.
const MAX_PREFIX: usize = 256;

/// What is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    DocumentStart {
        is_first: bool,
    },
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceEntry {
        is_first: bool,
    },
    IndentlessSequenceEntry,
    BlockMappingKey {
        is_first: bool,
    },
    BlockMappingValue,
    FlowSequenceEntry {
        is_first: bool,
    },
    /// In a mapping of one pair that stands without braces in a flow sequence.
    PairKey,
    PairValue,
    PairEnd,
    FlowMappingKey {
        is_first: bool,
    },
    FlowMappingValue {
        is_missing: bool,
    },
    End,
}

/// Where a node stands decides which kinds of it are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Block,
    /// In a block mapping, where the entries of a sequence need no indentation.
    BlockMapping,
    Flow,
}

/// The events of a text, one after the other.
pub(crate) struct Events<'t> {
    pub(super) scanner: Scanner<'t>,
    pub(super) state: State,
    /// What comes when the open collections end, outermost first.
    states: Vec<State>,
    /// Where the open collections begin, for messages. Pairs and sequences without indentation have
    /// none.
    starts: Vec<Mark>,
    /// The prefixes of the document's tag handles.
    prefixes: HashMap<&'t str, Cow<'t, str>>,
    error: Option<EventError>,
}

impl<'t> Events<'t> {
    /// Begins at the first byte of a text, which may be anything.
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self {
            scanner: Scanner::new(bytes),
            state: State::DocumentStart { is_first: true },
            states: Vec::new(),
            starts: Vec::new(),
            prefixes: HashMap::new(),
            error: None,
        }
    }

    /// The next event.
    ///
    /// # Errors
    /// What go-yaml refuses. After an error only the same one comes.
    pub(crate) fn next(&mut self) -> Result<Event<'t>, EventError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let event = self.next_event();
        if let Err(error) = &event {
            self.error = Some(error.clone());
        }
        event
    }

    fn next_event(&mut self) -> Scanned<Event<'t>> {
        match self.state {
            State::DocumentStart { is_first } => self.document_start(is_first),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Place::Block),
            State::BlockSequenceEntry { is_first } => self.block_sequence_entry(is_first),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingKey { is_first } => self.block_mapping_key(is_first),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceEntry { is_first } => self.flow_sequence_entry(is_first),
            State::PairKey => self.pair_key(),
            State::PairValue => self.pair_value(),
            State::PairEnd => self.pair_end(),
            State::FlowMappingKey { is_first } => self.flow_mapping_key(is_first),
            State::FlowMappingValue { is_missing } => self.flow_mapping_value(is_missing),
            State::End => {
                let mark = self.scanner.reader.mark();
                Ok(Event { kind: EventKind::StreamEnd, start: mark, end: mark })
            }
        }
    }

    fn document_start(&mut self, is_first: bool) -> Scanned<Event<'t>> {
        if !is_first {
            while matches!(self.scanner.peek()?.kind, TokenKind::DocumentEnd) {
                self.scanner.take();
            }
        }
        let &Token { ref kind, start, end } = self.scanner.peek()?;
        match kind {
            TokenKind::StreamEnd => {
                self.scanner.take();
                self.state = State::End;
                Ok(Event { kind: EventKind::StreamEnd, start, end })
            }
            TokenKind::Version(..) | TokenKind::TagDirective { .. } | TokenKind::DocumentStart => {
                self.directives()?;
                let &Token { ref kind, start: at, end } = self.scanner.peek()?;
                if !matches!(kind, TokenKind::DocumentStart) {
                    return Err(EventError::parser("did not find expected <document start>", at));
                }
                self.scanner.take();
                self.states.push(State::DocumentEnd);
                self.state = State::DocumentContent;
                Ok(Event { kind: EventKind::DocumentStart { explicit: true }, start, end })
            }
            _ if is_first => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                Ok(Event { kind: EventKind::DocumentStart { explicit: false }, start, end })
            }
            // Only the first document may do without `---`.
            _ => Err(EventError::parser("did not find expected <document start>", start)),
        }
    }

    /// Reads the directives of a document and adds the tag handles that need none.
    fn directives(&mut self) -> Scanned<()> {
        let mut has_version = false;
        loop {
            let token = self.scanner.peek()?;
            let start = token.start;
            match &token.kind {
                TokenKind::Version(..) if has_version => {
                    return Err(EventError::parser("found duplicate %YAML directive", start));
                }
                TokenKind::Version(1, 1) => has_version = true,
                TokenKind::Version(..) => {
                    return Err(EventError::parser("found incompatible YAML document", start));
                }
                TokenKind::TagDirective { .. } => {}
                _ => break,
            }
            if let Some(Token { kind: TokenKind::TagDirective { handle, prefix }, .. }) = self.scanner.take()
                && self.prefixes.insert(handle, prefix).is_some()
            {
                return Err(EventError::parser("found duplicate %TAG directive", start));
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            self.prefixes.entry(handle).or_insert(Cow::Borrowed(prefix));
        }
        Ok(())
    }

    fn document_content(&mut self) -> Scanned<Event<'t>> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::Version(..)
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                let mark = token.start;
                self.leave();
                Ok(empty_scalar(mark))
            }
            _ => self.node(Place::Block),
        }
    }

    fn document_end(&mut self) -> Scanned<Event<'t>> {
        let &Token { ref kind, start, end } = self.scanner.peek()?;
        let end = if matches!(kind, TokenKind::DocumentEnd) {
            self.scanner.take();
            end
        } else {
            start
        };
        self.prefixes.clear();
        self.state = State::DocumentStart { is_first: false };
        Ok(Event { kind: EventKind::DocumentEnd, start, end })
    }

    /// Goes on with what comes after the node or the collection that ended.
    pub(super) fn leave(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// Reads a node, after which `next` is expected.
    pub(super) fn node_then(&mut self, next: State, place: Place) -> Scanned<Event<'t>> {
        self.states.push(next);
        self.node(place)
    }

    /// Gives an empty scalar for a node that is not there, after which `next` is expected.
    pub(super) fn nothing_then(&mut self, next: State, mark: Mark) -> Event<'t> {
        self.state = next;
        empty_scalar(mark)
    }

    fn node(&mut self, place: Place) -> Scanned<Event<'t>> {
        let &Token { ref kind, start, end } = self.scanner.peek()?;
        if let &TokenKind::Alias(anchor) = kind {
            self.scanner.take();
            self.leave();
            return Ok(Event { kind: EventKind::Alias { anchor }, start, end });
        }
        let (anchor, tag, properties_end) = self.properties()?;
        let tag = match tag {
            None => None,
            Some((handle, suffix, mark)) => Some(self.full_tag(handle, suffix).ok_or_else(|| {
                EventError::parser("found undefined tag handle", mark)
                    .in_context("while parsing a node", start)
            })?),
        };
        let &Token { ref kind, start: at, end } = self.scanner.peek()?;
        let (state, is_sequence) = match kind {
            TokenKind::Scalar { .. } => {
                let Some(Token { kind: TokenKind::Scalar { value, style }, .. }) = self.scanner.take() else {
                    return Ok(empty_scalar(at));
                };
                self.leave();
                let plain_implicit = tag.as_deref().map_or(style == Style::Plain, |tag| tag == "!");
                let kind = EventKind::Scalar { anchor, tag, value, plain_implicit, style };
                return Ok(Event { kind, start, end });
            }
            TokenKind::BlockEntry if place == Place::BlockMapping => (State::IndentlessSequenceEntry, true),
            TokenKind::FlowSequenceStart => (State::FlowSequenceEntry { is_first: true }, true),
            TokenKind::FlowMappingStart => (State::FlowMappingKey { is_first: true }, false),
            TokenKind::BlockSequenceStart if place != Place::Flow => {
                (State::BlockSequenceEntry { is_first: true }, true)
            }
            TokenKind::BlockMappingStart if place != Place::Flow => {
                (State::BlockMappingKey { is_first: true }, false)
            }
            _ => {
                // Properties alone stand for a node.
                if let Some(end) = properties_end {
                    self.leave();
                    let plain_implicit = tag.is_none();
                    let (value, style) = (Cow::Borrowed(""), Style::Plain);
                    let kind = EventKind::Scalar { anchor, tag, value, plain_implicit, style };
                    return Ok(Event { kind, start, end });
                }
                let context = if place == Place::Flow {
                    "while parsing a flow node"
                } else {
                    "while parsing a block node"
                };
                let error = EventError::parser("did not find expected node content", at);
                return Err(error.in_context(context, start));
            }
        };
        self.state = state;
        let kind = if is_sequence {
            EventKind::SequenceStart { anchor, tag }
        } else {
            EventKind::MappingStart { anchor, tag }
        };
        Ok(Event { kind, start, end })
    }

    /// Reads an anchor and a tag, in either order, and returns them with the end of the last.
    fn properties(&mut self) -> Scanned<(Option<&'t str>, Option<TagParts<'t>>, Option<Mark>)> {
        let mut anchor = None;
        let mut tag = None;
        let mut properties_end = None;
        loop {
            let token = self.scanner.peek()?;
            match token.kind {
                TokenKind::Anchor(name) if anchor.is_none() => {
                    anchor = Some(name);
                    properties_end = Some(token.end);
                    self.scanner.take();
                }
                TokenKind::Tag { .. } if tag.is_none() => {
                    properties_end = Some(token.end);
                    if let Some(Token { kind: TokenKind::Tag { handle, suffix }, start, .. }) =
                        self.scanner.take()
                    {
                        tag = Some((handle, suffix, start));
                    }
                }
                _ => return Ok((anchor, tag, properties_end)),
            }
        }
    }

    fn full_tag(&self, handle: &str, suffix: Cow<'t, str>) -> Option<Cow<'t, str>> {
        if handle.is_empty() {
            return Some(suffix);
        }
        let prefix = self.prefixes.get(handle)?;
        let mut end = prefix.len().min(MAX_PREFIX);
        while !prefix.is_char_boundary(end) {
            end -= 1;
        }
        Some(Cow::Owned([prefix.get(..end)?, &suffix].concat()))
    }

    /// Takes the token that opens a collection and remembers its place.
    pub(super) fn enter(&mut self) -> Scanned<()> {
        let start = self.scanner.peek()?.start;
        self.scanner.take();
        self.starts.push(start);
        Ok(())
    }

    /// Takes the token that closes a collection.
    pub(super) fn close(&mut self, kind: EventKind<'t>) -> Scanned<Event<'t>> {
        let &Token { start, end, .. } = self.scanner.peek()?;
        self.scanner.take();
        self.starts.pop();
        self.leave();
        Ok(Event { kind, start, end })
    }

    /// Refuses the next token.
    pub(super) fn refuse<T>(&mut self, context: &'static str, problem: &'static str) -> Scanned<T> {
        let at = self.scanner.peek()?.start;
        let from = self.starts.last().copied().unwrap_or_default();
        Err(EventError::parser(problem, at).in_context(context, from))
    }
}

/// Handle, suffix and place of a tag.
type TagParts<'t> = (&'t str, Cow<'t, str>, Mark);

fn empty_scalar<'t>(mark: Mark) -> Event<'t> {
    let kind = EventKind::Scalar {
        anchor: None,
        tag: None,
        value: Cow::Borrowed(""),
        plain_implicit: true,
        style: Style::Plain,
    };
    Event { kind, start: mark, end: mark }
}
