//! The search for an answer: the first one in the order of preferences, with everything learned that makes a detour short.
//!
//! OLM makes one choice after another: first the mandatory variables, then, for each variable that was chosen, one of the
//! candidates of each of its needs, in the order in which they turn up. The first candidate that can be completed wins, and a
//! need that an earlier choice meets already is not a choice. What is not chosen is not installed. The same order is kept here;
//! a candidate is passed over only if the choices before it exclude it, which clauses learned from conflicts tell early.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/solver/{solve,search}.go`.

use crate::problem::{Constraint, Rule, Variable};

mod learning;
mod propagation;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The variables of the answer, in the order in which they were chosen.
    Satisfied(Vec<Variable>),
    /// There is no answer.
    Contradiction,
}

/// More steps than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfSteps;

/// How many steps are left: looks at a literal of a clause or at a member of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    pub(crate) left: u64,
}

impl Steps {
    /// Takes steps; once there are too few, none is left.
    pub(crate) fn take(&mut self, count: usize) -> Result<(), OutOfSteps> {
        let left = self.left.checked_sub(count as u64);
        self.left = left.unwrap_or_default();
        left.map(|_| ()).ok_or(OutOfSteps)
    }
}

/// A variable that is part of the answer (`true`) or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Literal {
    variable: Variable,
    holds: bool,
}

impl Literal {
    fn of(variable: Variable) -> Self {
        Self { variable, holds: true }
    }

    fn not(variable: Variable) -> Self {
        Self { variable, holds: false }
    }

    fn negated(self) -> Self {
        Self { variable: self.variable, holds: !self.holds }
    }

    fn slot(self) -> usize {
        self.variable * 2 + usize::from(self.holds)
    }
}

/// Why a literal holds.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Choice,
    Clause(usize),
    /// Of a group this other member was chosen.
    Rival(Variable),
}

#[derive(Clone, Copy, Debug)]
struct Assigned {
    holds: bool,
    level: usize,
    cause: Cause,
}

/// A choice that was made.
#[derive(Clone, Copy, Debug)]
struct Made {
    /// What was chosen; nothing if an earlier choice served.
    variable: Option<Variable>,
    /// The level of decisions at which it was made.
    level: usize,
    /// How long the queue of choices was before.
    queued: usize,
}

struct Search<'s> {
    steps: &'s mut Steps,
    clauses: Vec<Vec<Literal>>,
    /// The clauses that watch a literal, by slot.
    watches: Vec<Vec<usize>>,
    groups: Vec<Vec<Variable>>,
    groups_of: Vec<Vec<usize>>,
    assigned: Vec<Option<Assigned>>,
    trail: Vec<Literal>,
    /// Where each level begins in the trail.
    levels: Vec<usize>,
    /// How much of the trail is propagated.
    propagated: usize,
    /// The needs of each variable, in order.
    needs: Vec<Vec<usize>>,
    candidates: Vec<Vec<Variable>>,
    queue: Vec<usize>,
    made: Vec<Made>,
    is_chosen: Vec<bool>,
}

/// Looks for the preferred answer of these constraints over so many variables. `anchors` are the mandatory variables in the
/// order in which they are looked at.
pub(crate) fn solve(
    count: usize,
    constraints: &[&Constraint],
    anchors: &[Variable],
    steps: &mut Steps,
) -> Result<Outcome, OutOfSteps> {
    let mut search = Search::new(count, steps);
    for anchor in anchors {
        search.queue.push(search.candidates.len());
        search.candidates.push(vec![*anchor]);
    }
    for constraint in constraints {
        if !search.add(constraint)? {
            return Ok(Outcome::Contradiction);
        }
    }
    search.run()
}

impl<'s> Search<'s> {
    fn new(count: usize, steps: &'s mut Steps) -> Self {
        Self {
            steps,
            clauses: Vec::new(),
            watches: vec![Vec::new(); count * 2],
            groups: Vec::new(),
            groups_of: vec![Vec::new(); count],
            assigned: vec![None; count],
            trail: Vec::new(),
            levels: Vec::new(),
            propagated: 0,
            needs: vec![Vec::new(); count],
            candidates: Vec::new(),
            queue: Vec::new(),
            made: Vec::new(),
            is_chosen: vec![false; count],
        }
    }

    /// Adds a constraint; false if it contradicts another one at once.
    fn add(&mut self, constraint: &Constraint) -> Result<bool, OutOfSteps> {
        let subject = constraint.subject;
        match &constraint.rule {
            Rule::Mandatory => Ok(self.fix(Literal::of(subject))),
            Rule::Prohibited => Ok(self.fix(Literal::not(subject))),
            Rule::Excludes(other) if *other == subject => Ok(self.fix(Literal::not(subject))),
            Rule::Excludes(other) => {
                self.add_clause(vec![Literal::not(subject), Literal::not(*other)]);
                Ok(true)
            }
            Rule::Needs(candidates) => {
                self.steps.take(candidates.len())?;
                if let Some(needs) = self.needs.get_mut(subject)
                    && !candidates.is_empty()
                {
                    needs.push(self.candidates.len());
                    self.candidates.push(candidates.clone());
                }
                if candidates.contains(&subject) {
                    return Ok(true);
                }
                let mut clause = vec![Literal::not(subject)];
                for candidate in candidates {
                    if !clause.contains(&Literal::of(*candidate)) {
                        clause.push(Literal::of(*candidate));
                    }
                }
                if clause.len() == 1 {
                    return Ok(self.fix(Literal::not(subject)));
                }
                self.add_clause(clause);
                Ok(true)
            }
            Rule::AtMostOne(members) => {
                self.steps.take(members.len())?;
                let mut distinct = members.clone();
                distinct.sort_unstable();
                // Whoever counts twice is too much alone.
                let twice: Vec<Variable> = distinct
                    .windows(2)
                    .filter(|pair| pair.first() == pair.last())
                    .filter_map(|pair| pair.first())
                    .copied()
                    .collect();
                distinct.dedup();
                for member in &distinct {
                    if let Some(groups) = self.groups_of.get_mut(*member) {
                        groups.push(self.groups.len());
                    }
                }
                self.groups.push(distinct);
                Ok(twice.into_iter().all(|member| self.fix(Literal::not(member))))
            }
        }
    }

    /// Adds a clause of two literals or more.
    fn add_clause(&mut self, clause: Vec<Literal>) -> usize {
        let number = self.clauses.len();
        for literal in clause.iter().take(2) {
            if let Some(watch) = self.watches.get_mut(literal.slot()) {
                watch.push(number);
            }
        }
        self.clauses.push(clause);
        number
    }

    /// Whether a literal holds; nothing if that is open.
    fn value(&self, literal: Literal) -> Option<bool> {
        let assigned = self.assigned.get(literal.variable).copied().flatten()?;
        Some(assigned.holds == literal.holds)
    }

    /// Makes a literal hold before any choice; false if it does not already.
    fn fix(&mut self, literal: Literal) -> bool {
        if self.value(literal).is_none() {
            self.assign(literal, Cause::Choice);
        }
        self.value(literal) == Some(true)
    }

    fn assign(&mut self, literal: Literal, cause: Cause) {
        let level = self.levels.len();
        if let Some(slot) = self.assigned.get_mut(literal.variable) {
            *slot = Some(Assigned { holds: literal.holds, level, cause });
            self.trail.push(literal);
        }
    }

    fn run(mut self) -> Result<Outcome, OutOfSteps> {
        loop {
            if let Some(conflict) = self.propagate()? {
                if self.levels.is_empty() {
                    return Ok(Outcome::Contradiction);
                }
                self.learn(conflict)?;
                continue;
            }
            if self.made.len() == self.queue.len() {
                return Ok(Outcome::Satisfied(self.made.iter().filter_map(|made| made.variable).collect()));
            }
            if !self.choose()? {
                return Ok(Outcome::Contradiction);
            }
        }
    }

    /// Makes the next choice; false if no candidate is left, which propagation rules out.
    fn choose(&mut self) -> Result<bool, OutOfSteps> {
        let next = self.queue.get(self.made.len()).copied().unwrap_or_default();
        let queued = self.queue.len();
        let candidates = self.candidates.get(next).map(Vec::as_slice).unwrap_or_default();
        self.steps.take(candidates.len())?;
        if candidates.iter().any(|candidate| self.is_chosen.get(*candidate) == Some(&true)) {
            self.made.push(Made { variable: None, level: self.levels.len(), queued });
            return Ok(true);
        }
        let open =
            candidates.iter().copied().find(|candidate| self.value(Literal::of(*candidate)) != Some(false));
        let Some(variable) = open else { return Ok(false) };
        if self.value(Literal::of(variable)).is_none() {
            self.levels.push(self.trail.len());
            self.assign(Literal::of(variable), Cause::Choice);
        }
        self.made.push(Made { variable: Some(variable), level: self.levels.len(), queued });
        if let Some(flag) = self.is_chosen.get_mut(variable) {
            *flag = true;
        }
        self.queue.extend(self.needs.get(variable).into_iter().flatten());
        Ok(true)
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
