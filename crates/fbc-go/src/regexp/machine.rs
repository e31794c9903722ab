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
#[error("{}", Self::TEXT)]
pub struct TooManySteps;

impl TooManySteps {
    /// What is said of it.
    pub const TEXT: &str = "matching regular expressions takes too many steps (limit pattern-steps)";
}

/// What a way through the program remembers.
pub(super) trait Record: Clone {
    /// What it costs to copy it, in steps.
    fn weight(&self) -> usize;
    fn save(&mut self, slot: u32, at: usize);
}

/// Nothing: whether there is a match at all.
impl Record for () {
    fn weight(&self) -> usize {
        0
    }

    fn save(&mut self, _slot: u32, _at: usize) {}
}

/// The places of groups, the whole match first; those that took no part in it have none.
pub(super) type Slots = Vec<Option<u32>>;

impl Record for Slots {
    fn weight(&self) -> usize {
        self.len() / 4 + 1
    }

    fn save(&mut self, slot: u32, at: usize) {
        if let Some(place) = self.get_mut(slot as usize) {
            *place = u32::try_from(at).ok();
        }
    }
}

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

/// The first match at or behind a place, and of several that begin there the one that is preferred. `first_will_do` if it
/// does not matter which match it is.
pub(super) fn run<R: Record>(
    program: &Program,
    text: &str,
    from: usize,
    (empty, first_will_do): (R, bool),
    steps: &Steps,
) -> Result<Option<R>, TooManySteps> {
    steps.take(1 + program.instructions.len() / 8)?;
    let mut machine = Machine { program, steps, pending: Vec::new(), spare: Vec::new() };
    let mut now = Threads::new(program.instructions.len());
    let mut next = Threads::new(program.instructions.len());
    let is_anchored = program.is_anchored();
    let mut found: Option<R> = None;
    let mut before = text.get(..from).and_then(|text| text.chars().next_back());
    let mut rest = text.get(from..).unwrap_or_default().char_indices();
    loop {
        let mut ahead = rest.clone();
        let here = ahead.next();
        let place =
            Place { at: here.map_or(text.len(), |(at, _)| from + at), before, after: here.map(|(_, c)| c) };
        if found.is_none() && (place.at == 0 || !is_anchored) {
            let record = machine.copy(&empty)?;
            machine.add(&mut now, 0, record, place)?;
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
        steps.take(1)?;
        let mut ways = now.list.drain(..);
        for (instruction, record) in ways.by_ref() {
            match program.instructions.get(instruction as usize) {
                Some(Instruction::Match) if first_will_do => return Ok(Some(record)),
                // Those behind it are preferred less.
                Some(Instruction::Match) => {
                    machine.spare.extend(found.replace(record));
                    break;
                }
                Some(Instruction::Set(set)) => {
                    let fits =
                        |character| program.sets.get(*set as usize).is_some_and(|set| set.holds(character));
                    if place.after.is_some_and(fits) {
                        machine.add(&mut next, instruction + 1, record, following)?;
                    } else {
                        machine.spare.push(record);
                    }
                }
                _ => machine.spare.push(record),
            }
        }
        machine.spare.extend(ways.map(|(_, record)| record));
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
struct Threads<R> {
    list: Vec<(u32, R)>,
    /// In which round an instruction was visited last.
    visited: Vec<u32>,
    round: u32,
}

impl<R> Threads<R> {
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

struct Machine<'p, R> {
    program: &'p Program,
    steps: &'p Steps,
    /// Ways that are looked at after the current one.
    pending: Vec<(u32, R)>,
    /// Records of ways that have ended, which are written over: so there are never more than two for each instruction.
    spare: Vec<R>,
}

impl<R: Record> Machine<'_, R> {
    /// A copy, for which the steps are taken before it is made: what is not allowed takes no memory.
    fn copy(&mut self, record: &R) -> Result<R, TooManySteps> {
        self.steps.take(1 + record.weight())?;
        Ok(match self.spare.pop() {
            Some(mut copy) => {
                copy.clone_from(record);
                copy
            }
            None => record.clone(),
        })
    }

    /// Follows everything that takes no character.
    fn add(
        &mut self,
        threads: &mut Threads<R>,
        start: u32,
        record: R,
        place: Place,
    ) -> Result<(), TooManySteps> {
        self.pending.push((start, record));
        while let Some((mut instruction, mut record)) = self.pending.pop() {
            loop {
                self.steps.take(1)?;
                // Where somebody was before, or may not go on, the way ends.
                let here = self.program.instructions.get(instruction as usize).copied();
                let here = here.filter(|_| threads.visits(instruction));
                match here {
                    None => {
                        self.spare.push(record);
                        break;
                    }
                    Some(Instruction::Assert(assertion)) if !holds(assertion, place) => {
                        self.spare.push(record);
                        break;
                    }
                    Some(Instruction::Split(first, second)) => {
                        if first != second {
                            let copy = self.copy(&record)?;
                            self.pending.push((second, copy));
                        }
                        instruction = first;
                        continue;
                    }
                    Some(Instruction::Assert(_)) => {}
                    Some(Instruction::Save(slot)) => record.save(slot, place.at),
                    Some(Instruction::Set(_) | Instruction::Match) => {
                        threads.list.push((instruction, record));
                        break;
                    }
                }
                instruction += 1;
            }
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::parser::parse;
    use super::*;

    const WEIGHT: usize = 50;

    /// Counts how many were made anew, and how many were written over.
    #[derive(Default)]
    struct Counted(Rc<(Cell<usize>, Cell<usize>)>);

    impl Clone for Counted {
        fn clone(&self) -> Self {
            self.0.0.set(self.0.0.get() + 1);
            Self(Rc::clone(&self.0))
        }

        fn clone_from(&mut self, _source: &Self) {
            self.0.1.set(self.0.1.get() + 1);
        }
    }

    impl Record for Counted {
        fn weight(&self) -> usize {
            WEIGHT
        }

        fn save(&mut self, _slot: u32, _at: usize) {}
    }

    /// Whether it ended, the steps that were taken, the records that were made, and those that were written over.
    fn count(expression: &str, text: &str, most: u64) -> (bool, u64, usize, usize) {
        let (program, steps) = (Program::new(&parse(expression).unwrap()), Steps::new(most));
        let record = Counted::default();
        let counts = Rc::clone(&record.0);
        let ended = run(&program, text, 0, (record, false), &steps).is_ok();
        (ended, most - steps.left(), counts.0.get(), counts.1.get())
    }

    #[test]
    fn copies_are_paid_for_before_they_are_made() {
        let expression = "(?:a?){1000}";
        let (ended, _, made, _) = count(expression, "", 1_000_000);
        assert!(ended && made > 1000, "{made}");
        let (ended, _, made, again) = count(expression, "", 10_000);
        assert!(!ended && (made + again) * WEIGHT <= 10_000, "{made} {again}");
    }

    #[test]
    fn records_are_written_over() {
        let (ended, steps, made, again) = count("(?:a?|b?){100}y", &"ab".repeat(500), u64::MAX);
        assert!(ended && again > 10 * made && made <= 2 * 500, "{made} {again}");
        assert!(steps >= ((made + again) * WEIGHT) as u64, "{steps}");
    }
}
