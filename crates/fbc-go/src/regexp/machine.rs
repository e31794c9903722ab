//! Running a program over a text: all ways at once, one character after another, so that the time is the number of
//! instructions times the length of the text at most, and no more steps are taken than were allowed.
//!
//! Source: `golang/go:src/regexp/exec.go`.

use std::cell::Cell;

use super::program::{Instruction, Program};
use super::syntax::Assertion;

/// How many steps of matching may still be taken; a step takes some nanoseconds.
#[derive(Debug)]
pub struct Steps {
    left: Cell<u64>,
}

/// A match takes more steps than were left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("matching regular expressions takes too many steps (limit `pattern-steps`)")]
pub struct TooManySteps;

/// The places of groups, the whole match first; those that took no part in it have none.
pub(super) type Slots = Vec<Option<usize>>;

impl Steps {
    /// As many steps as this.
    pub fn new(most: u64) -> Self {
        Self { left: Cell::new(most) }
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// True once a match would have taken more than were left; nothing is matched after that.
    pub fn are_used_up(&self) -> bool {
        self.left.get() == 0
    }

    /// Takes steps away.
    ///
    /// # Errors
    /// [`TooManySteps`], now and ever after.
    pub(super) fn take(&self, steps: usize) -> Result<(), TooManySteps> {
        let left = self.left.get().saturating_sub(steps as u64);
        self.left.set(left);
        if left == 0 { Err(TooManySteps) } else { Ok(()) }
    }
}

/// The first match at or behind a place, and of several that begin there the one that is preferred; `wanted` slots of
/// it are filled. If none are, any match will do.
pub(super) fn run(
    program: &Program,
    text: &str,
    from: usize,
    wanted: usize,
    steps: &Steps,
) -> Result<Option<Slots>, TooManySteps> {
    steps.take(1 + program.instructions.len() / 8)?;
    let mut machine = Machine { program, wanted, pending: Vec::new() };
    let mut now = Threads::new(program.instructions.len());
    let mut next = Threads::new(program.instructions.len());
    let is_anchored = program.is_anchored();
    let mut found: Option<Slots> = None;
    let mut before = text.get(..from).and_then(|text| text.chars().next_back());
    let mut rest = text.get(from..).unwrap_or_default().char_indices();
    loop {
        let mut ahead = rest.clone();
        let here = ahead.next();
        let place =
            Place { at: here.map_or(text.len(), |(at, _)| from + at), before, after: here.map(|(_, c)| c) };
        let mut taken = now.list.len();
        if found.is_none() && (place.at == 0 || !is_anchored) {
            taken += machine.add(&mut now, 0, vec![None; wanted], place);
        }
        if now.list.is_empty() && (found.is_some() || is_anchored) {
            return Ok(found);
        }
        next.clear();
        let following = Place {
            at: place.after.map_or(place.at, |character| place.at + character.len_utf8()),
            before: place.after,
            after: ahead.clone().next().map(|(_, character)| character),
        };
        for (instruction, slots) in now.list.drain(..) {
            match program.instructions.get(instruction as usize) {
                Some(Instruction::Match) if wanted == 0 => return Ok(Some(slots)),
                // Those behind it are preferred less.
                Some(Instruction::Match) => {
                    found = Some(slots);
                    break;
                }
                Some(Instruction::Set(set)) => {
                    let fits =
                        |character| program.sets.get(*set as usize).is_some_and(|set| set.holds(character));
                    if place.after.is_some_and(fits) {
                        taken += machine.add(&mut next, instruction + 1, slots, following);
                    }
                }
                _ => {}
            }
        }
        steps.take(1 + taken)?;
        if here.is_none() {
            return Ok(found);
        }
        std::mem::swap(&mut now, &mut next);
        before = place.after;
        rest = ahead;
    }
}

/// A place in the text, and the characters around it.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    before: Option<char>,
    after: Option<char>,
}

/// Ways through the program that are open, the preferred ones first.
struct Threads {
    list: Vec<(u32, Slots)>,
    /// In which round an instruction was visited last.
    visited: Vec<u32>,
    round: u32,
}

impl Threads {
    fn new(instructions: usize) -> Self {
        Self { list: Vec::new(), visited: vec![0; instructions], round: 1 }
    }

    fn clear(&mut self) {
        self.list.clear();
        match self.round.checked_add(1) {
            Some(round) => self.round = round,
            None => {
                self.visited.fill(0);
                self.round = 1;
            }
        }
    }

    /// False if the instruction was visited in this round.
    fn visits(&mut self, instruction: u32) -> bool {
        match self.visited.get_mut(instruction as usize) {
            Some(visited) if *visited != self.round => {
                *visited = self.round;
                true
            }
            _ => false,
        }
    }
}

struct Machine<'p> {
    program: &'p Program,
    wanted: usize,
    /// Ways that are looked at after the current one.
    pending: Vec<(u32, Slots)>,
}

impl Machine<'_> {
    /// Follows everything that takes no character; answers how many instructions were visited.
    fn add(&mut self, threads: &mut Threads, start: u32, slots: Slots, place: Place) -> usize {
        let mut count = 0;
        self.pending.push((start, slots));
        while let Some((mut instruction, mut slots)) = self.pending.pop() {
            while threads.visits(instruction) {
                count += 1;
                match self.program.instructions.get(instruction as usize) {
                    Some(Instruction::Split(first, second)) => {
                        if first != second {
                            self.pending.push((*second, slots.clone()));
                        }
                        instruction = *first;
                        continue;
                    }
                    Some(Instruction::Assert(assertion)) if !holds(*assertion, place) => break,
                    Some(Instruction::Assert(_)) => {}
                    Some(Instruction::Save(slot)) => {
                        if let Some(slot) = slots.get_mut(*slot as usize) {
                            *slot = Some(place.at);
                        }
                    }
                    _ => {
                        threads.list.push((instruction, slots));
                        break;
                    }
                }
                instruction += 1;
            }
        }
        // To copy places takes longer the more there are.
        count * (1 + self.wanted / 4)
    }
}

fn holds(assertion: Assertion, Place { at, before, after }: Place) -> bool {
    let is_word = |character: Option<char>| character.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    match assertion {
        Assertion::BeginText => at == 0,
        Assertion::EndText => after.is_none(),
        Assertion::BeginLine => before.is_none_or(|character| character == '\n'),
        Assertion::EndLine => after.is_none_or(|character| character == '\n'),
        Assertion::WordBoundary => is_word(before) != is_word(after),
        Assertion::NoWordBoundary => is_word(before) == is_word(after),
    }
}
