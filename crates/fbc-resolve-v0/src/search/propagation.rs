//! What follows from what holds: the last open literal of a clause, and that of a group nothing else is chosen.

use super::{Cause, Literal, OutOfSteps, Search};
use crate::problem::Variable;

/// What became of a clause.
enum Look {
    /// It watches another literal.
    Moved,
    /// It holds.
    Satisfied,
    /// All of it is false but this literal, which is open or false as well.
    Unit(Literal),
}

impl Search<'_> {
    /// Draws all conclusions; a conflict is literals that cannot all be false, and are.
    pub(super) fn propagate(&mut self) -> Result<Option<Vec<Literal>>, OutOfSteps> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let conflict = match self.propagate_clauses(literal)? {
                None if literal.holds => self.propagate_groups(literal.variable)?,
                conflict => conflict,
            };
            if conflict.is_some() {
                return Ok(conflict);
            }
        }
        Ok(None)
    }

    fn propagate_clauses(&mut self, literal: Literal) -> Result<Option<Vec<Literal>>, OutOfSteps> {
        let broken = literal.negated();
        let Some(watch) = self.watches.get_mut(broken.slot()) else { return Ok(None) };
        let watching = std::mem::take(watch);
        let mut kept = Vec::with_capacity(watching.len());
        let mut conflict = None;
        for number in watching {
            if conflict.is_some() {
                kept.push(number);
                continue;
            }
            match self.look(number, broken)? {
                Look::Moved => {}
                Look::Satisfied => kept.push(number),
                Look::Unit(last) => {
                    kept.push(number);
                    if self.value(last) == Some(false) {
                        conflict = self.clauses.get(number).cloned();
                    } else {
                        self.assign(last, Cause::Clause(number));
                    }
                }
            }
        }
        if let Some(watch) = self.watches.get_mut(broken.slot()) {
            kept.append(watch);
            *watch = kept;
        }
        Ok(conflict)
    }

    /// Looks at a clause one of whose watched literals is false now.
    fn look(&mut self, number: usize, broken: Literal) -> Result<Look, OutOfSteps> {
        let Some(mut clause) = self.clauses.get_mut(number).map(std::mem::take) else {
            return Ok(Look::Satisfied);
        };
        if clause.first() == Some(&broken) {
            clause.swap(0, 1);
        }
        let first = clause.first().copied().unwrap_or(broken);
        let mut look = Look::Unit(first);
        let mut looked = 1;
        if self.value(first) == Some(true) {
            look = Look::Satisfied;
        } else {
            let open = clause.iter().skip(2).position(|literal| self.value(*literal) != Some(false));
            looked += open.unwrap_or(clause.len());
            if let Some(position) = open.map(|position| position + 2) {
                clause.swap(1, position);
                if let Some(watch) = clause.get(1).and_then(|literal| self.watches.get_mut(literal.slot())) {
                    watch.push(number);
                    look = Look::Moved;
                }
            }
        }
        if let Some(slot) = self.clauses.get_mut(number) {
            *slot = clause;
        }
        self.steps.take(looked)?;
        Ok(look)
    }

    fn propagate_groups(&mut self, chosen: Variable) -> Result<Option<Vec<Literal>>, OutOfSteps> {
        let numbers = self.groups_of.get(chosen).cloned().unwrap_or_default();
        for number in numbers {
            let Some(members) = self.groups.get_mut(number).map(std::mem::take) else { continue };
            let mut rival = None;
            for &member in members.iter().filter(|member| **member != chosen) {
                match self.value(Literal::not(member)) {
                    Some(true) => {}
                    Some(false) => rival = Some(member),
                    None => self.assign(Literal::not(member), Cause::Rival(chosen)),
                }
            }
            let looked = members.len();
            if let Some(slot) = self.groups.get_mut(number) {
                *slot = members;
            }
            self.steps.take(looked)?;
            if let Some(rival) = rival {
                return Ok(Some(vec![Literal::not(chosen), Literal::not(rival)]));
            }
        }
        Ok(None)
    }
}
