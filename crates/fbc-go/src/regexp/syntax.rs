//! The tree of a Go regular expression, and how the `regex` crate writes it.

use std::fmt::Write as _;

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
    /// A group whose text can be asked for.
    Capture(Box<Node>),
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// Code points from the first to the second.
    Range(u32, u32),
    /// Ranges of ASCII, or everything but them.
    Ascii { ranges: &'static [(u8, u8)], negated: bool },
    /// A Unicode category or script by its name, or everything but it.
    Unicode { name: String, negated: bool },
}

/// The states for characters from a range that is not one of ASCII, about.
const UNICODE_RANGE: u64 = 20;
/// The states for a category or script, about.
const UNICODE_CLASS: u64 = 1000;

fn sum(mut numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.try_fold(0, u64::checked_add).unwrap_or(u64::MAX)
}

impl Node {
    /// How deep the tree is, counted as Go does: groups that capture nothing have no node.
    pub(super) fn height(&self) -> usize {
        match self {
            Self::Capture(node) | Self::Repeat { node, .. } => 1 + node.height(),
            Self::Concat(nodes) | Self::Alternate(nodes) => {
                1 + nodes.iter().map(Self::height).max().unwrap_or(0)
            }
            _ => 1,
        }
    }

    /// How many instructions Go's program would have, about.
    pub(super) fn size(&self) -> u64 {
        self.sum(|_| 1)
    }

    /// How many states the `regex` crate needs, about: it works on bytes, so that a class of Unicode has hundreds.
    pub(super) fn weight(&self) -> u64 {
        self.sum(|node| match node {
            Self::Any { .. } => UNICODE_RANGE,
            Self::Class(class) => {
                class.items.iter().map(Item::weight).sum::<u64>()
                    + if class.negated { UNICODE_RANGE } else { 0 }
            }
            _ => 1,
        })
    }

    /// The sum over all parts that hold no others, as often as they are repeated, and over what joins them.
    fn sum(&self, part: fn(&Self) -> u64) -> u64 {
        let size = match self {
            Self::Capture(node) => node.sum(part).saturating_add(2),
            Self::Concat(nodes) => sum(nodes.iter().map(|node| node.sum(part))),
            Self::Alternate(nodes) => {
                sum(nodes.iter().map(|node| node.sum(part))).saturating_add(nodes.len() as u64 - 1)
            }
            Self::Repeat { node, min, max, .. } => {
                let (sub, min) = (node.sum(part), u64::from(*min));
                match max.map(u64::from) {
                    None if min == 0 => sub.saturating_add(2),
                    None => min.saturating_mul(sub).saturating_add(1),
                    Some(max) => max.saturating_mul(sub).saturating_add(max - min),
                }
            }
            _ => part(self),
        };
        size.max(1)
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
            Self::Capture(node) | Self::Repeat { node, .. } => node.repeats_at_most(limit),
            Self::Concat(nodes) | Self::Alternate(nodes) => {
                nodes.iter().all(|node| node.repeats_at_most(limit))
            }
            _ => true,
        }
    }

    /// The expression in the syntax of the `regex` crate, which needs no flags from outside.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Empty => {}
            Self::Literal { point, fold } => match char::from_u32(*point) {
                None => out.push_str(NOTHING),
                Some(character) if *fold => write_folded(out, |out| write_literal(out, character)),
                Some(character) => write_literal(out, character),
            },
            Self::Any { line_feeds } => out.push_str(if *line_feeds { "(?s:.)" } else { "." }),
            Self::Assertion(assertion) => out.push_str(match assertion {
                Assertion::BeginText => "\\A",
                Assertion::EndText => "\\z",
                Assertion::BeginLine => "(?m:^)",
                Assertion::EndLine => "(?m:$)",
                Assertion::WordBoundary => "(?-u:\\b)",
                Assertion::NoWordBoundary => "(?-u:\\B)",
            }),
            Self::Class(class) if class.fold => write_folded(out, |out| class.write(out)),
            Self::Class(class) => class.write(out),
            Self::Capture(node) => {
                out.push('(');
                node.write(out);
                out.push(')');
            }
            Self::Concat(nodes) => nodes.iter().for_each(|node| node.write_part(out)),
            Self::Alternate(nodes) => {
                for (index, node) in nodes.iter().enumerate() {
                    if index > 0 {
                        out.push('|');
                    }
                    node.write(out);
                }
            }
            Self::Repeat { node, min, max, lazy, .. } => {
                out.push_str("(?:");
                node.write(out);
                out.push(')');
                // Writing to a String never fails.
                let _ = match max {
                    Some(max) => write!(out, "{{{min},{max}}}"),
                    None => write!(out, "{{{min},}}"),
                };
                if *lazy {
                    out.push('?');
                }
            }
        }
    }

    /// As a part of a concatenation.
    fn write_part(&self, out: &mut String) {
        if matches!(self, Self::Alternate(_)) {
            out.push_str("(?:");
            self.write(out);
            out.push(')');
        } else {
            self.write(out);
        }
    }
}

/// A class without characters.
const NOTHING: &str = "[^\\x{0}-\\x{10FFFF}]";

fn write_folded(out: &mut String, write: impl FnOnce(&mut String)) {
    out.push_str("(?i:");
    write(out);
    out.push(')');
}

fn write_literal(out: &mut String, character: char) {
    if character.is_ascii_alphanumeric() || !character.is_ascii() {
        out.push(character);
    } else {
        write_point(out, u32::from(character));
    }
}

fn write_point(out: &mut String, point: u32) {
    // Writing to a String never fails.
    let _ = write!(out, "\\x{{{point:X}}}");
}

impl Class {
    fn write(&self, out: &mut String) {
        let mut inside = String::new();
        self.items.iter().for_each(|item| item.write(&mut inside));
        match (inside.is_empty(), self.negated) {
            (true, false) => out.push_str(NOTHING),
            (true, true) => out.push_str("(?s:.)"),
            (false, negated) => {
                out.push_str(if negated { "[^" } else { "[" });
                out.push_str(&inside);
                out.push(']');
            }
        }
    }
}

/// Code points that no text holds.
const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

impl Item {
    fn weight(&self) -> u64 {
        match self {
            Self::Range(_, 0..0x80) | Self::Ascii { negated: false, .. } => 1,
            Self::Range(..) | Self::Ascii { negated: true, .. } => UNICODE_RANGE,
            Self::Unicode { .. } => UNICODE_CLASS,
        }
    }

    fn write(&self, out: &mut String) {
        let mut range = |low: u32, high: u32| {
            if low <= high {
                write_point(out, low);
                out.push('-');
                write_point(out, high);
            }
        };
        match self {
            Self::Range(low, high) => {
                range(*low, (*high).min(SURROGATES.0 - 1));
                range((*low).max(SURROGATES.1 + 1), *high);
            }
            Self::Ascii { ranges, negated } => {
                out.push_str(if *negated { "[^" } else { "[" });
                for (low, high) in *ranges {
                    write_point(out, u32::from(*low));
                    out.push('-');
                    write_point(out, u32::from(*high));
                }
                out.push(']');
            }
            Self::Unicode { name, negated } => {
                // Writing to a String never fails.
                let _ = write!(out, "\\{}{{{name}}}", if *negated { 'P' } else { 'p' });
            }
        }
    }
}
