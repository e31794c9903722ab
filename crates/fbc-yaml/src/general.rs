//! The general path: any YAML document, from the events of [`crate::events`].
//!
//! Slow next to [`crate::scanner`], but complete: anchors, aliases, merges, tags, flow collections,
//! and the error texts of the reference. The meaning of events is that of go-yaml v2's decoder
//! (`go-yaml/yaml:decode.go`, branch v2) followed by `sigs.k8s.io/yaml:yaml.go`.

mod go_syntax;
mod key;

use std::collections::HashMap;

use fbc_go::{base64, text};

use self::key::{Key, key_of, merge};
use crate::document::{Built, Document, DocumentBuilder, Mark, Slot, Text};
use crate::events::{self, Event, EventError, EventKind};
use crate::json_reader::push_lossy;
use crate::limits::{LimitExceeded, Meter, VALUE_BYTES};
use crate::scalar::{Scalar, TagError, resolve_plain, resolve_tagged};

pub(crate) use self::key::key_text;

/// go-yaml's limit of nesting.
pub(crate) const MAX_DEPTH: usize = 10_000;

/// Why a YAML document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// go-yaml's text behind `error converting YAML to JSON: `.
    pub message: String,
    /// The byte of the text, where known.
    pub byte: Option<usize>,
}

/// What go-yaml has against a text that is well-formed.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("yaml: unknown anchor '{0}' referenced")]
    UnknownAnchor(String),
    #[error("yaml: anchor '{0}' value contains itself")]
    OpenAnchor(String),
    #[error("yaml: document contains excessive aliasing")]
    AliasBomb,
    #[error("{0}")]
    Limit(#[from] LimitExceeded),
    #[error("yaml: invalid map key: {0}")]
    Key(String),
    #[error("yaml: map merge requires map or sequence of maps as the value")]
    Merge,
    #[error("yaml: !!binary value contains invalid base64 data")]
    Binary,
    #[error("yaml: {0}")]
    Tag(#[from] TagError),
}

impl From<EventError> for YamlError {
    fn from(error: EventError) -> Self {
        Self { message: error.go_yaml_message(), byte: Some(error.byte) }
    }
}

/// The events of a text, up to the limit of nesting.
pub(crate) struct Events<'t> {
    events: events::Events<'t>,
    depth: usize,
}

impl<'t> Events<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self { events: events::Events::new(bytes), depth: 0 }
    }

    pub(crate) fn next(&mut self) -> Result<Event<'t>, YamlError> {
        let event = self.events.next()?;
        match event.kind {
            EventKind::MappingStart { .. } | EventKind::SequenceStart { .. } => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    let line = event.start.line + 1;
                    return Err(YamlError {
                        message: format!("yaml: line {line}: exceeded max depth of {MAX_DEPTH}"),
                        byte: Some(event.start.byte),
                    });
                }
            }
            EventKind::MappingEnd | EventKind::SequenceEnd => self.depth -= 1,
            _ => {}
        }
        Ok(event)
    }
}

/// Reads the first document of the text; one without a node gives null.
///
/// # Errors
/// What go-yaml or the conversion to JSON objects to: syntax before meaning, as there. Aliases that repeat more
/// than the meter allows are an error of our own.
pub(crate) fn read(bytes: &[u8], meter: &Meter) -> Result<Document, YamlError> {
    let document = read_for_types(bytes, meter)?;
    let Some(number) = document.not_numbers().next() else { return Ok(document) };
    Err(YamlError { message: unsupported(number), byte: None })
}

/// What Go's encoder says of a number that JSON does not have.
pub(crate) fn unsupported(number: f64) -> String {
    let mut message = "json: unsupported value: ".to_owned();
    text::push_general_number(&mut message, number);
    message
}

/// As [`read`], but infinity and what is no number stay in the document.
pub(crate) fn read_for_types(bytes: &[u8], meter: &Meter) -> Result<Document, YamlError> {
    let mut events = Events::new(bytes);
    let mut composer = Composer::new(bytes, meter);
    loop {
        let event = events.next()?;
        match event.kind {
            EventKind::DocumentStart { .. } => continue,
            EventKind::StreamEnd | EventKind::DocumentEnd => break,
            _ => {}
        }
        // An error of meaning waits until the whole document is known to be well-formed; only an
        // unknown anchor is an error of go-yaml's parser.
        if composer.error.is_none()
            && let Err((fault, byte)) = composer.event(event)
        {
            let error = YamlError { message: fault.to_string(), byte: Some(byte) };
            // There is no use in reading on beyond a limit.
            if matches!(fault, Fault::UnknownAnchor(_) | Fault::Limit(_)) {
                return Err(error);
            }
            composer.error = Some(error);
        }
    }
    if let Some(error) = composer.error {
        return Err(error);
    }
    if let Some(Unsupported { key, byte, value }) = composer.unsupported {
        let value = go_syntax::of_node(bytes, value);
        let message = format!("unsupported map key of type: {key}, value: {value}");
        return Err(YamlError { message, byte: Some(byte) });
    }
    Ok(composer.builder.finish(Built(composer.root)))
}

/// What is tagged as a merge is one only if it is written like one.
fn merge_or_text(value: &str) -> Scalar {
    if value == "<<" { Scalar::Merge } else { Scalar::Text }
}

/// A finished node: its value, and what it means where it stands as a key.
#[derive(Clone, Copy)]
struct Composed {
    /// Its number among the nodes of the document, those of aliases included.
    number: usize,
    slot: Slot,
    scalar: Option<Scalar>,
    /// What it costs where an alias repeats it.
    size: Size,
}

/// What a node costs, with all that aliases in it repeat.
#[derive(Clone, Copy)]
struct Size {
    /// Decoding steps, for go-yaml's limit on aliases.
    steps: u64,
    /// Bytes as [`crate::limits::Limits::alias_bytes`] counts them.
    bytes: u64,
}

impl Size {
    /// A value with text of that many bytes.
    fn of_text(length: usize) -> Self {
        Self { steps: 1, bytes: VALUE_BYTES + length as u64 }
    }

    fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

enum Frame<'t> {
    Sequence {
        number: usize,
        mark: Mark,
        size: Size,
        anchor: Option<&'t str>,
    },
    Mapping {
        number: usize,
        mark: Mark,
        size: Size,
        anchor: Option<&'t str>,
        key: Option<Key>,
        has_merge: bool,
    },
}

/// A key that the conversion to JSON does not take, which go-yaml does.
struct Unsupported {
    /// Its type and value, in Go's words.
    key: String,
    /// Its first byte.
    byte: usize,
    /// The number of the node that is its value.
    value: usize,
}

struct Composer<'t, 'm> {
    bytes: &'t [u8],
    meter: &'m Meter,
    builder: DocumentBuilder,
    frames: Vec<Frame<'t>>,
    /// Nothing while the anchored node is still open.
    anchors: HashMap<&'t str, Option<Composed>>,
    root: Slot,
    error: Option<YamlError>,
    /// The first one, which counts once go-yaml has no objection.
    unsupported: Option<Unsupported>,
    /// How many nodes there were.
    nodes: usize,
    steps: u64,
    alias_steps: u64,
}

impl<'t, 'm> Composer<'t, 'm> {
    fn new(bytes: &'t [u8], meter: &'m Meter) -> Self {
        Self {
            bytes,
            meter,
            builder: DocumentBuilder::new(),
            frames: Vec::new(),
            anchors: HashMap::new(),
            root: Slot::Null,
            error: None,
            unsupported: None,
            nodes: 0,
            // The document node is a step too.
            steps: 1,
            alias_steps: 0,
        }
    }

    /// Takes an event; a fault has the byte where the event begins.
    fn event(&mut self, event: Event<'t>) -> Result<(), (Fault, usize)> {
        let byte = event.start.byte;
        let at = |fault: Fault| (fault, byte);
        let number = self.nodes;
        self.nodes += usize::from(event.kind.begins_node());
        let composed = match event.kind {
            EventKind::Scalar { anchor, tag, value, plain_implicit, .. } => {
                let (slot, scalar) = self.scalar(tag.as_deref(), &value, plain_implicit).map_err(at)?;
                self.steps += 1;
                let composed =
                    Composed { number, slot, scalar: Some(scalar), size: Size::of_text(value.len()) };
                if let Some(anchor) = anchor {
                    self.anchors.insert(anchor, Some(composed));
                }
                composed
            }
            EventKind::Alias { anchor } => match self.anchors.get(anchor) {
                None => return Err(at(Fault::UnknownAnchor(anchor.to_owned()))),
                Some(None) => return Err(at(Fault::OpenAnchor(anchor.to_owned()))),
                Some(&Some(target)) => {
                    self.steps += 1 + target.size.steps;
                    self.alias_steps += target.size.steps;
                    if self.is_alias_bomb() {
                        return Err(at(Fault::AliasBomb));
                    }
                    self.meter.count_alias(target.size.bytes).map_err(|exceeded| at(exceeded.into()))?;
                    let size = Size { steps: target.size.steps + 1, ..target.size };
                    Composed { number, size, ..target }
                }
            },
            EventKind::SequenceStart { anchor, .. } => {
                self.open_anchor(anchor);
                self.steps += 1;
                let mark = self.builder.open();
                self.frames.push(Frame::Sequence { number, mark, size: Size::of_text(0), anchor });
                return Ok(());
            }
            EventKind::MappingStart { anchor, .. } => {
                self.open_anchor(anchor);
                self.steps += 1;
                let mark = self.builder.open();
                self.frames.push(Frame::Mapping {
                    number,
                    mark,
                    size: Size::of_text(0),
                    anchor,
                    key: None,
                    has_merge: false,
                });
                return Ok(());
            }
            EventKind::SequenceEnd | EventKind::MappingEnd => match self.close() {
                Some(composed) => composed,
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        self.store(composed, byte).map_err(at)
    }

    fn open_anchor(&mut self, anchor: Option<&'t str>) {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, None);
        }
    }

    fn close(&mut self) -> Option<Composed> {
        let (number, built, size, anchor) = match self.frames.pop()? {
            Frame::Sequence { number, mark, size, anchor } => {
                (number, self.builder.close_array(mark), size, anchor)
            }
            Frame::Mapping { number, mark, size, anchor, has_merge, .. } => {
                let built = if has_merge {
                    self.builder.close_merged_object(mark)
                } else {
                    self.builder.close_object(mark)
                };
                (number, built, size, anchor)
            }
        };
        let composed = Composed { number, slot: built.0, scalar: None, size };
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, Some(composed));
        }
        Some(composed)
    }

    /// go-yaml lets nearly all of a small document come from aliases, and a tenth of a large one.
    fn is_alias_bomb(&self) -> bool {
        const LOW: f64 = 400_000.0;
        const HIGH: f64 = 4_000_000.0;
        let steps = self.steps as f64;
        let allowed = 0.99 - 0.89 * ((steps - LOW) / (HIGH - LOW)).clamp(0.0, 1.0);
        self.alias_steps > 100 && self.steps > 1000 && self.alias_steps as f64 / steps > allowed
    }

    /// Puts a finished node, whose last event begins at a byte, where it belongs: as root, item, key or value.
    fn store(&mut self, composed: Composed, byte: usize) -> Result<(), Fault> {
        match self.frames.last_mut() {
            None => self.root = composed.slot,
            Some(Frame::Sequence { size, .. }) => {
                size.add(composed.size);
                self.builder.push_entry(Text::EMPTY, composed.slot);
            }
            Some(Frame::Mapping { size, key, has_merge, .. }) => {
                size.add(composed.size);
                match key.take() {
                    None => {
                        *key = Some(key_of(&mut self.builder, self.bytes, composed, byte)?);
                    }
                    Some(Key::Text(text)) => self.builder.push_entry(text, composed.slot),
                    Some(Key::Unsupported { key, byte }) => {
                        // The conversion looks at a key before it looks into its value.
                        if self.unsupported.as_ref().is_none_or(|known| byte < known.byte) {
                            self.unsupported = Some(Unsupported { key, byte, value: composed.number });
                        }
                    }
                    Some(Key::Merge) => {
                        *has_merge = true;
                        if !merge(&mut self.builder, composed.slot) {
                            return Err(Fault::Merge);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn scalar(&mut self, tag: Option<&str>, value: &str, plain: bool) -> Result<(Slot, Scalar), Fault> {
        let scalar = match tag {
            None if plain => resolve_plain(value),
            None => Scalar::Text,
            Some("tag:yaml.org,2002:binary") => {
                let bytes = base64::decode(value).map_err(|_| Fault::Binary)?;
                let start = self.builder.text_length();
                push_lossy(self.builder.text_mut(), &bytes);
                return Ok((Slot::Text(self.builder.text_since(start)), Scalar::Text));
            }
            Some("tag:yaml.org,2002:merge") => merge_or_text(value),
            Some(tag) => resolve_tagged(tag, value)?,
        };
        let slot = match scalar {
            Scalar::Null => Slot::Null,
            Scalar::Bool(value) => Slot::Bool(value),
            Scalar::Int(number) => self.builder.add_integer(number.into()),
            Scalar::Uint(number) => self.builder.add_integer(number.into()),
            Scalar::Float(number) => self.builder.add_number(number),
            Scalar::Text | Scalar::Merge => Slot::Text(self.builder.add_text(value)),
        };
        Ok((slot, scalar))
    }
}
