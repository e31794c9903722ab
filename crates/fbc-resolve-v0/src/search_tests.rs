//! The search against a model that tries every set of variables.

use proptest::prelude::*;

use super::*;
use crate::core::{anchors, core};
use crate::problem::{Problem, Reason};

const COUNT: usize = 7;
const ENOUGH: u64 = 10_000_000;

/// Whether a set of variables, one bit each, keeps a constraint.
fn keeps(set: u32, constraint: &Constraint) -> bool {
    let has = |variable: Variable| set & (1 << variable) != 0;
    let subject = constraint.subject;
    match &constraint.rule {
        Rule::Mandatory => has(subject),
        Rule::Prohibited => !has(subject),
        Rule::Needs(candidates) => !has(subject) || candidates.iter().any(|candidate| has(*candidate)),
        Rule::Excludes(other) => !(has(subject) && has(*other)),
        Rule::AtMostOne(members) => members.iter().filter(|member| has(**member)).count() <= 1,
    }
}

/// Whether a set that includes all of these keeps all constraints.
fn completes(constraints: &[&Constraint], chosen: &[Variable]) -> bool {
    (0..1_u32 << COUNT).any(|set| {
        chosen.iter().all(|variable| set & (1 << variable) != 0)
            && constraints.iter().all(|constraint| keeps(set, constraint))
    })
}

/// One choice after another: the first candidate that some set completes.
fn model(constraints: &[&Constraint], anchors: &[Variable]) -> Outcome {
    if !completes(constraints, &[]) {
        return Outcome::Contradiction;
    }
    let mut queue: Vec<Vec<Variable>> = anchors.iter().map(|anchor| vec![*anchor]).collect();
    let mut chosen: Vec<Variable> = Vec::new();
    let mut next = 0;
    while let Some(candidates) = queue.get(next).cloned() {
        next += 1;
        if candidates.iter().any(|candidate| chosen.contains(candidate)) {
            continue;
        }
        let with =
            |candidate: &Variable| chosen.iter().copied().chain([*candidate]).collect::<Vec<Variable>>();
        let first = candidates.iter().find(|candidate| completes(constraints, &with(candidate))).unwrap();
        for constraint in constraints.iter().filter(|constraint| constraint.subject == *first) {
            if let Rule::Needs(candidates) = &constraint.rule
                && !candidates.is_empty()
            {
                queue.push(candidates.clone());
            }
        }
        chosen.push(*first);
    }
    Outcome::Satisfied(chosen)
}

fn reason(text: &str) -> Reason {
    Reason::Exists { subscription: text.to_owned() }
}

fn rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        2 => Just(Rule::Mandatory),
        1 => Just(Rule::Prohibited),
        8 => prop::collection::vec(0..COUNT, 0..5).prop_map(Rule::Needs),
        4 => (0..COUNT).prop_map(Rule::Excludes),
        2 => prop::collection::vec(0..COUNT, 2..5).prop_map(Rule::AtMostOne),
    ]
}

fn problem() -> impl Strategy<Value = Problem> {
    prop::collection::vec((0..COUNT, rule()), 0..16).prop_map(|rules| {
        let mut problem = Problem::default();
        for variable in 0..COUNT {
            problem.variable(format!("v{variable}"));
        }
        for (number, (subject, rule)) in rules.into_iter().enumerate() {
            problem.add(subject, rule, reason(&format!("c{number:02}")));
        }
        problem
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_preferred_answer_is_found(problem in problem()) {
        let constraints: Vec<&Constraint> = problem.constraints.iter().collect();
        let anchors = anchors(&problem, &constraints);
        let found = solve(COUNT, &constraints, &anchors, &mut Steps { left: ENOUGH }).unwrap();
        prop_assert_eq!(found, model(&constraints, &anchors));
    }

    #[test]
    fn a_core_is_what_leaving_out_one_after_another_leaves(problem in problem()) {
        let constraints: Vec<&Constraint> = problem.constraints.iter().collect();
        if completes(&constraints, &[]) {
            return Ok(());
        }
        let mut left = constraints.clone();
        for constraint in constraints.iter().rev() {
            let without: Vec<&Constraint> =
                left.iter().copied().filter(|other| !std::ptr::eq(*other, *constraint)).collect();
            if !completes(&without, &[]) {
                left = without;
            }
        }
        let found = core(&problem, &constraints, &mut Steps { left: ENOUGH }).unwrap();
        prop_assert_eq!(found, left);
    }

    #[test]
    fn what_says_the_same_is_told_once_and_changes_no_answer(problem in problem()) {
        let all: Vec<&Constraint> = problem.constraints.iter().collect();
        let distinct = problem.distinct();
        for set in 0..1_u32 << COUNT {
            let keeps_all = |constraints: &[&Constraint]| {
                constraints.iter().all(|constraint| keeps(set, constraint))
            };
            prop_assert_eq!(keeps_all(&all), keeps_all(&distinct));
        }
    }
}

/// So many pigeons do not fit into one hole less, which takes any search of this kind very long to see.
fn pigeons(holes: usize) -> Problem {
    let mut problem = Problem::default();
    let pigeons: Vec<Variable> =
        (0..=holes).map(|pigeon| problem.variable(format!("pigeon {pigeon:02}"))).collect();
    let mut in_hole: Vec<Vec<Variable>> = vec![Vec::new(); holes];
    for pigeon in pigeons {
        let places: Vec<Variable> =
            (0..holes).map(|hole| problem.variable(format!("{pigeon}/{hole}"))).collect();
        for (hole, place) in in_hole.iter_mut().zip(&places) {
            hole.push(*place);
        }
        problem.add(pigeon, Rule::Mandatory, reason(""));
        problem.add(pigeon, Rule::Needs(places), reason(""));
    }
    for members in in_hole {
        let subject = problem.variable(String::new());
        problem.add(subject, Rule::AtMostOne(members), reason(""));
    }
    problem
}

#[test]
fn the_search_ends_with_its_budget() {
    let problem = pigeons(40);
    let constraints: Vec<&Constraint> = problem.constraints.iter().collect();
    let mandatory = anchors(&problem, &constraints);
    let found = solve(problem.identifiers.len(), &constraints, &mandatory, &mut Steps { left: 200_000 });
    assert_eq!(found, Err(OutOfSteps));

    let problem = pigeons(4);
    let constraints: Vec<&Constraint> = problem.constraints.iter().collect();
    let mandatory = anchors(&problem, &constraints);
    let found = solve(problem.identifiers.len(), &constraints, &mandatory, &mut Steps { left: ENOUGH });
    assert_eq!(found, Ok(Outcome::Contradiction));
}

/// A choice that only the last of many others contradicts is changed at once, not after all combinations of the others.
#[test]
fn unrelated_choices_cost_nothing() {
    let mut problem = Problem::default();
    let text = || reason("");
    let mut first = Vec::new();
    for number in 0..60 {
        let subject = problem.variable(format!("s{number:02}"));
        let candidates: Vec<Variable> =
            (0..4).map(|candidate| problem.variable(format!("{number}.{candidate}"))).collect();
        problem.add(subject, Rule::Mandatory, text());
        problem.add(subject, Rule::Needs(candidates.clone()), text());
        if number == 0 {
            first = candidates;
        } else if number == 59 {
            for candidate in candidates {
                problem.add(candidate, Rule::Needs(vec![first[3]]), text());
            }
        }
    }
    let group = problem.variable("group".to_owned());
    problem.add(group, Rule::AtMostOne(first.clone()), text());
    let constraints: Vec<&Constraint> = problem.constraints.iter().collect();
    let anchors = anchors(&problem, &constraints);
    let mut steps = Steps { left: ENOUGH };
    let found = solve(problem.identifiers.len(), &constraints, &anchors, &mut steps);
    assert!(matches!(found, Ok(Outcome::Satisfied(chosen)) if chosen.contains(&first[3])));
    assert!(ENOUGH - steps.left < 10_000);
}
