//! The tree of a Go regular expression.

use super::unicode::Table;

/// The largest tree that Go takes.
///
/// Source: `golang/go:src/regexp/syntax/parse.go` (`maxHeight`).
pub(super) const MAX_HEIGHT: usize = 1000;

/// The largest program that Go takes, in instructions.
///
/// Source: `golang/go:src/regexp/syntax/parse.go` (`maxSize`).
pub(super) const MAX_SIZE: u64 = (128 << 20) / 40;

/// A part of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Matches the empty text.
    Empty,
    /// One code point; with `fold`, in any case. Go also takes surrogates, which no text holds.
    Literal { point: u32, fold: bool },
    /// `.`, with or without line feeds.
    Any { line_feeds: bool },
    /// A place in the text.
    Assertion(Assertion),
    /// One character of a class.
    Class(Class),
    /// A group whose text can be asked for by its number, which begins at 1.
    Capture(u32, Box<Node>),
    /// One after the other.
    Concat(Vec<Node>),
    /// One of these.
    Alternate(Vec<Node>),
    /// `*`, `+`, `?`, `{n,m}`; `max` is absent if there is no limit.
    Repeat { node: Box<Node>, min: u32, max: Option<u32>, is_counted: bool, lazy: bool },
}

/// What holds at a place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    BeginText,
    EndText,
    BeginLine,
    EndLine,
    WordBoundary,
    NoWordBoundary,
}

/// Characters between brackets, or those of an escape such as `\d`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) items: Vec<Item>,
    pub(super) negated: bool,
    pub(super) fold: bool,
}

/// What a class consists of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// Code points from the first to the second.
    Range(u32, u32),
    /// Ranges of ASCII, or everything but them.
    Ascii { ranges: &'static [(u8, u8)], negated: bool },
    /// A category or script of Unicode, or everything but it.
    Unicode { table: Table, negated: bool },
}

/// The ranges of a category or script: the largest have about 700.
const UNICODE_RANGES: u64 = 700;

/// How many code points weigh as much as a range where case does not matter: each is looked up.
const FOLDED_POINTS: u64 = 64;

/// With how many groups an instruction weighs twice what it weighs without: a match may remember the places of all groups
/// twice for each instruction.
const GROUPS_OF_WEIGHT: u64 = 8;

fn sum(mut numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.try_fold(0, u64::checked_add).unwrap_or(u64::MAX)
}

impl Node {
    /// How many instructions Go's program would have, about.
    pub(super) fn size(&self) -> u64 {
        let size = match self {
            Self::Capture(_, node) => node.size().saturating_add(2),
            Self::Concat(nodes) => sum(nodes.iter().map(Self::size)),
            Self::Alternate(nodes) => {
                sum(nodes.iter().map(Self::size)).saturating_add(nodes.len() as u64 - 1)
            }
            Self::Repeat { node, min, max, .. } => {
                let (sub, min) = (node.size(), u64::from(*min));
                match max.map(u64::from) {
                    None if min == 0 => sub.saturating_add(2),
                    None => min.saturating_mul(sub).saturating_add(1),
                    Some(max) => max.saturating_mul(sub).saturating_add(max - min),
                }
            }
            _ => 1,
        };
        size.max(1)
    }

    /// How much memory the program and its matches take, about; one is an instruction, 128 bytes at most.
    pub(super) fn weight(&self) -> u64 {
        let places = self.size().saturating_mul(self.groups()) / GROUPS_OF_WEIGHT;
        self.size().saturating_add(self.ranges()).saturating_add(places)
    }

    /// The number of the last group that captures.
    fn groups(&self) -> u64 {
        match self {
            Self::Capture(number, node) => node.groups().max(u64::from(*number)),
            Self::Repeat { node, .. } => node.groups(),
            Self::Concat(nodes) | Self::Alternate(nodes) => {
                nodes.iter().map(Self::groups).max().unwrap_or_default()
            }
            _ => 0,
        }
    }

    /// How many ranges of characters its classes have, about; a class is kept once, however often it is repeated.
    fn ranges(&self) -> u64 {
        match self {
            Self::Class(class) => sum(class.items.iter().map(|item| item.ranges(class.fold))),
            Self::Capture(_, node) | Self::Repeat { node, .. } => node.ranges(),
            Self::Concat(nodes) | Self::Alternate(nodes) => sum(nodes.iter().map(Self::ranges)),
            _ => 0,
        }
    }

    /// True if counted repetitions within each other multiply to no more than `limit`.
    ///
    /// Source: `golang/go:src/regexp/syntax/parse.go` (`repeatIsValid`).
    pub(super) fn repeats_at_most(&self, limit: u32) -> bool {
        match self {
            Self::Repeat { node, min, max, is_counted: true, .. } => match max.unwrap_or(*min) {
                0 if max.is_some() => true,
                0 => node.repeats_at_most(limit),
                times if times > limit => false,
                times => node.repeats_at_most(limit / times),
            },
            Self::Capture(_, node) | Self::Repeat { node, .. } => node.repeats_at_most(limit),
            Self::Concat(nodes) | Self::Alternate(nodes) => {
                nodes.iter().all(|node| node.repeats_at_most(limit))
            }
            _ => true,
        }
    }
}

impl Class {
    /// The class of one character; Go also takes surrogates, which no text holds.
    pub(super) fn of_point(point: u32, fold: bool) -> Self {
        Self { items: vec![Item::Range(point, point)], negated: false, fold }
    }
}

impl Item {
    fn ranges(&self, fold: bool) -> u64 {
        match self {
            Self::Unicode { .. } => UNICODE_RANGES,
            Self::Range(low, high) if fold => 1 + u64::from(high - low) / FOLDED_POINTS,
            Self::Range(..) | Self::Ascii { .. } => 1,
        }
    }
}
