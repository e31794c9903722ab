//! Why there is no answer: a smallest set of constraints that contradict each other.

use crate::problem::{Constraint, Problem, Reason, Rule, Variable};
use crate::search::{OutOfSteps, Outcome, Steps, solve};

/// The mandatory variables among these constraints, sorted by identifier.
pub(crate) fn anchors(problem: &Problem, constraints: &[&Constraint]) -> Vec<Variable> {
    let mandatory = constraints.iter().filter(|constraint| constraint.rule == Rule::Mandatory);
    let mut anchors: Vec<Variable> = mandatory.map(|constraint| constraint.subject).collect();
    anchors.sort_by(|one, other| problem.identifier(*one).cmp(problem.identifier(*other)));
    anchors.dedup();
    anchors
}

/// The constraints of a problem without an answer, none of which can be left out, sorted by text: what remains when one after
/// another, from the last of the texts to the first, is left out where the rest still contradicts itself.
///
/// Leaving out more leaves no contradiction that was not there before. So the next one that has to stay is found by halving
/// what is left, not by trying each. OLM's set follows from the order of Go's maps, and is not always a smallest one.
pub(crate) fn core<'p>(
    problem: &'p Problem,
    constraints: &[&'p Constraint],
    steps: &mut Steps,
) -> Result<Vec<&'p Constraint>, OutOfSteps> {
    let mut sorted: Vec<(String, &Constraint)> =
        constraints.iter().map(|constraint| (problem.text(constraint), *constraint)).collect();
    // What was chosen for no reason of its own goes first.
    let key = |constraint: &Constraint| constraint.reason != Reason::Chosen;
    sorted.sort_by(|(one, first), (other, second)| (key(first), other).cmp(&(key(second), one)));
    let sorted: Vec<&Constraint> = sorted.into_iter().map(|(_, constraint)| constraint).collect();
    let mut contradicts = |kept: &[&'p Constraint], rest: &[&'p Constraint]| {
        let all: Vec<&Constraint> = kept.iter().chain(rest).copied().collect();
        let anchors = anchors(problem, &all);
        let outcome = solve(problem.identifiers.len(), &all, &anchors, steps)?;
        Ok(outcome == Outcome::Contradiction)
    };
    let mut kept: Vec<&Constraint> = Vec::new();
    let mut rest: &[&Constraint] = &sorted;
    while !contradicts(&kept, &[])? {
        // What lies behind `low` contradicts itself together with what is kept, what lies behind `high` does not.
        let (mut low, mut high) = (0, rest.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if contradicts(&kept, rest.get(middle..).unwrap_or_default())? {
                low = middle;
            } else {
                high = middle;
            }
        }
        let Some((needed, behind)) = rest.get(low..).and_then(<[_]>::split_first) else { break };
        kept.push(needed);
        rest = behind;
    }
    kept.reverse();
    Ok(kept)
}
