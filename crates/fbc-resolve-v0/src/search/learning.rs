//! What a conflict teaches: the choices that exclude each other, as a clause.

use super::{Cause, Literal, OutOfSteps, Search};
use crate::problem::Variable;

impl Search<'_> {
    /// Learns from a conflict what excludes it, and goes back to where that says something new.
    pub(super) fn learn(&mut self, conflict: Vec<Literal>) -> Result<(), OutOfSteps> {
        let current = self.levels.len();
        let mut seen = vec![false; self.assigned.len()];
        let mut learned = Vec::new();
        let mut open = 0_usize;
        let mut reasons = conflict;
        let mut position = self.trail.len();
        let asserting = loop {
            self.steps.take(reasons.len() + 1)?;
            for literal in &reasons {
                let level = self.level(literal.variable);
                if level == 0 || seen.get(literal.variable) == Some(&true) {
                    continue;
                }
                if let Some(flag) = seen.get_mut(literal.variable) {
                    *flag = true;
                }
                if level == current {
                    open += 1;
                } else {
                    learned.push(*literal);
                }
            }
            let literal = loop {
                position = position.saturating_sub(1);
                match self.trail.get(position) {
                    Some(literal) if seen.get(literal.variable) == Some(&true) => break Some(*literal),
                    Some(_) if position > 0 => {}
                    _ => break None,
                }
            };
            let Some(literal) = literal else { break None };
            open = open.saturating_sub(1);
            if open == 0 {
                break Some(literal.negated());
            }
            reasons = self.reasons(literal);
        };
        let Some(asserting) = asserting else { return Err(OutOfSteps) };
        learned.sort_by_key(|literal| std::cmp::Reverse(self.level(literal.variable)));
        let back = learned.first().map_or(0, |literal| self.level(literal.variable));
        self.go_back(back);
        if learned.is_empty() {
            self.assign(asserting, Cause::Choice);
        } else {
            learned.insert(0, asserting);
            let number = self.add_clause(learned);
            self.assign(asserting, Cause::Clause(number));
        }
        Ok(())
    }

    fn level(&self, variable: Variable) -> usize {
        self.assigned.get(variable).copied().flatten().map_or(0, |assigned| assigned.level)
    }

    /// The false literals that made this one hold.
    fn reasons(&self, literal: Literal) -> Vec<Literal> {
        match self.assigned.get(literal.variable).copied().flatten().map(|assigned| assigned.cause) {
            Some(Cause::Clause(number)) => {
                let clause = self.clauses.get(number).map(Vec::as_slice).unwrap_or_default();
                clause.iter().copied().filter(|other| other.variable != literal.variable).collect()
            }
            Some(Cause::Rival(variable)) => vec![Literal::not(variable)],
            Some(Cause::Choice) | None => Vec::new(),
        }
    }

    /// Takes back everything above a level.
    fn go_back(&mut self, level: usize) {
        if let Some(&start) = self.levels.get(level) {
            for literal in self.trail.drain(start..) {
                if let Some(slot) = self.assigned.get_mut(literal.variable) {
                    *slot = None;
                }
            }
            self.levels.truncate(level);
            self.propagated = self.propagated.min(start);
        }
        while let Some(made) = self.made.pop_if(|made| made.level > level) {
            self.queue.truncate(made.queued);
            if let Some(flag) = made.variable.and_then(|variable| self.is_chosen.get_mut(variable)) {
                *flag = false;
            }
        }
    }
}
