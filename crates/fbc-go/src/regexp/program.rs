//! Instructions of an expression. A class of characters is kept once, however often it is repeated, so that a program
//! takes as much memory as it has instructions.
//!
//! Source: `golang/go:src/regexp/syntax/compile.go`.

use std::collections::{HashMap, HashSet};
use std::ptr;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::syntax::{Assertion, Class, Item, Node};
use super::unicode::Table;

/// What an expression does, one instruction after another.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) instructions: Vec<Instruction>,
    pub(super) sets: Vec<Set>,
    /// The number of groups that capture.
    pub(super) groups: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Instruction {
    /// A character of the set of this number.
    Set(u32),
    Assert(Assertion),
    /// Remembers the place as the beginning or the end of a group.
    Save(u32),
    /// Goes on with both, with the first if both lead to a match.
    Split(u32, u32),
    Match,
}

/// Characters, as sorted ranges.
#[derive(Debug)]
pub(super) struct Set {
    ascii: u128,
    pub(super) ranges: Box<[(char, char)]>,
}

impl Program {
    pub(super) fn new(expression: &Node) -> Self {
        let mut compiler = Compiler::default();
        compiler.save(0);
        compiler.emit(expression);
        compiler.save(1);
        compiler.instructions.push(Instruction::Match);
        Self { instructions: compiler.instructions, sets: compiler.sets, groups: compiler.groups }
    }

    /// True if it matches at the beginning of a text only.
    pub(super) fn is_anchored(&self) -> bool {
        let not_saving = self.instructions.iter().find(|one| !matches!(one, Instruction::Save(_)));
        matches!(not_saving, Some(Instruction::Assert(Assertion::BeginText)))
    }
}

#[derive(Default)]
struct Compiler {
    instructions: Vec<Instruction>,
    sets: Vec<Set>,
    /// Sets by the place of their class in the tree: what is in a class is read once, however often it is repeated.
    known: HashMap<*const Class, u32>,
    points: HashMap<(u32, bool), u32>,
    tables: Tables,
    groups: usize,
}

impl Compiler {
    /// The place of the next instruction; the limit of states keeps it small.
    fn place(&self) -> u32 {
        u32::try_from(self.instructions.len()).unwrap_or(u32::MAX)
    }

    fn emit(&mut self, node: &Node) {
        match node {
            Node::Empty => {}
            Node::Literal { point, fold } => {
                let known = self.points.get(&(*point, *fold)).copied();
                let set = known.unwrap_or_else(|| {
                    let set = self.add(&Class::of_point(*point, *fold));
                    self.points.insert((*point, *fold), set);
                    set
                });
                self.instructions.push(Instruction::Set(set));
            }
            Node::Any { line_feeds: true } => self.class(&ANY),
            Node::Any { line_feeds: false } => self.class(&NO_LINE_FEED),
            Node::Class(class) => self.class(class),
            Node::Assertion(assertion) => self.instructions.push(Instruction::Assert(*assertion)),
            Node::Capture(number, node) => {
                self.groups = self.groups.max(*number as usize);
                self.save(2 * number);
                self.emit(node);
                self.save(2 * number + 1);
            }
            Node::Concat(nodes) => nodes.iter().for_each(|node| self.emit(node)),
            Node::Alternate(nodes) => self.alternate(nodes),
            Node::Repeat { node, min, max, lazy, .. } => self.repeat(node, *min, *max, *lazy),
        }
    }

    fn save(&mut self, slot: u32) {
        self.instructions.push(Instruction::Save(slot));
    }

    fn class(&mut self, class: &Class) {
        let known = self.known.get(&ptr::from_ref(class)).copied();
        let set = known.unwrap_or_else(|| {
            let set = self.add(class);
            self.known.insert(class, set);
            set
        });
        self.instructions.push(Instruction::Set(set));
    }

    fn add(&mut self, class: &Class) -> u32 {
        self.sets.push(Set::new(class, &mut self.tables));
        u32::try_from(self.sets.len() - 1).unwrap_or(u32::MAX)
    }

    /// A split whose sides are not known yet.
    fn split(&mut self) -> usize {
        self.instructions.push(Instruction::Split(0, 0));
        self.instructions.len() - 1
    }

    fn lead(&mut self, split: usize, first: u32, second: u32) {
        if let Some(instruction) = self.instructions.get_mut(split) {
            *instruction = Instruction::Split(first, second);
        }
    }

    fn alternate(&mut self, nodes: &[Node]) {
        let mut ends = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if index + 1 == nodes.len() {
                self.emit(node);
                continue;
            }
            let split = self.split();
            self.emit(node);
            ends.push(self.split());
            self.lead(split, place_after(split), self.place());
        }
        let end = self.place();
        ends.into_iter().for_each(|jump| self.lead(jump, end, end));
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, lazy: bool) {
        let sides = |inner: u32, after: u32| if lazy { (after, inner) } else { (inner, after) };
        for _ in 0..min.saturating_sub(u32::from(max.is_none())) {
            self.emit(node);
        }
        let optional = match max {
            Some(max) => max.saturating_sub(min),
            // What may be left out and may repeat: so an empty match ends it as in Go.
            None => u32::from(min == 0),
        };
        let mut splits = Vec::new();
        for _ in 0..optional {
            splits.push(self.split());
            if max.is_some() {
                self.emit(node);
            }
        }
        if max.is_none() {
            let start = self.place();
            self.emit(node);
            let split = self.split();
            let (first, second) = sides(start, self.place());
            self.lead(split, first, second);
        }
        let end = self.place();
        for split in splits {
            let (first, second) = sides(place_after(split), end);
            self.lead(split, first, second);
        }
    }
}

fn place_after(split: usize) -> u32 {
    u32::try_from(split + 1).unwrap_or(u32::MAX)
}

static ANY: Class = Class { items: Vec::new(), negated: true, fold: false };
static NO_LINE_FEED: std::sync::LazyLock<Class> =
    std::sync::LazyLock::new(|| Class { negated: true, ..Class::of_point(0x0A, false) });

/// The characters of categories and scripts, and with `true` of those that differ from them in case only.
type Tables = HashMap<(Table, bool), ClassUnicode>;

impl Set {
    /// The ranges of all items are sorted once; one that names a table or an exception counts where it stands first.
    fn new(class: &Class, tables: &mut Tables) -> Self {
        let (mut plain, mut whole) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for item in &class.items {
            match item {
                Item::Range(low, high) => plain.extend(range(*low, *high)),
                Item::Ascii { ranges, negated: false } => plain.extend(of_bytes(ranges)),
                Item::Ascii { ranges, negated: true } if seen.insert(item) => {
                    let mut part = folded(of_bytes(ranges), class.fold);
                    part.negate();
                    whole.extend_from_slice(part.ranges());
                }
                Item::Unicode { table, negated } if seen.insert(item) => {
                    let part = tables
                        .entry((*table, class.fold))
                        .or_insert_with(|| folded(table.characters().ranges().iter().copied(), class.fold));
                    match negated {
                        true => {
                            let mut others = part.clone();
                            others.negate();
                            whole.extend_from_slice(others.ranges());
                        }
                        false => whole.extend_from_slice(part.ranges()),
                    }
                }
                Item::Ascii { .. } | Item::Unicode { .. } => {}
            }
        }
        let mut set = folded(plain, class.fold);
        set.union(&ClassUnicode::new(whole));
        if class.negated {
            set.negate();
        }
        let ranges: Box<[(char, char)]> = set.iter().map(|range| (range.start(), range.end())).collect();
        let mut ascii = 0;
        for (low, high) in ranges.iter().map(|(low, high)| (u32::from(*low), u32::from(*high).min(0x7F))) {
            (low..=high).for_each(|point| ascii |= 1 << point);
        }
        Self { ascii, ranges }
    }

    pub(super) fn holds(&self, character: char) -> bool {
        if character.is_ascii() {
            return self.ascii >> u32::from(character) & 1 == 1;
        }
        let after = self.ranges.partition_point(|(low, _)| *low <= character);
        after
            .checked_sub(1)
            .and_then(|place| self.ranges.get(place))
            .is_some_and(|(_, high)| character <= *high)
    }
}

/// The characters between two code points; surrogates are none.
fn range(low: u32, high: u32) -> Option<ClassUnicodeRange> {
    let high = char::from_u32(high).or_else(|| char::from_u32(0xD7FF).filter(|_| high < 0xE000));
    let low = char::from_u32(low).unwrap_or('\u{E000}');
    high.filter(|high| low <= *high).map(|high| ClassUnicodeRange::new(low, high))
}

fn of_bytes(ranges: &[(u8, u8)]) -> impl Iterator<Item = ClassUnicodeRange> {
    ranges.iter().map(|(low, high)| ClassUnicodeRange::new((*low).into(), (*high).into()))
}

/// Characters, with those that differ in case only.
fn folded(ranges: impl IntoIterator<Item = ClassUnicodeRange>, fold: bool) -> ClassUnicode {
    let mut class = ClassUnicode::new(ranges);
    if fold {
        // The tables for this are part of the crate as it is built here.
        let _ = class.try_case_fold_simple();
    }
    class
}
