//! Resolution: from a namespace to what is installed in it next.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/{resolver,step_resolver}.go`.

use std::collections::BTreeSet;

use crate::catalog::Entry;
use crate::constraint::CompileExpression;
use crate::core;
use crate::error::ResolveError;
use crate::namespace::{Namespace, SourceKey, Subscription};
use crate::pool::INSTALLED;
use crate::problem::{Constraint, Variable};
use crate::question::Question;
use crate::resolution::{GeneratedSubscription, NewOperator, Resolution};
use crate::search::{OutOfSteps, Outcome, Steps, solve};

/// How many steps a search takes at most.
pub const MOST_STEPS: u64 = 200_000_000;

/// What a resolution goes by besides the namespace.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What compiles expressions of constraints.
    pub compile: CompileExpression,
    /// How many steps the search takes at most.
    pub steps: u64,
}

/// Resolves a namespace.
///
/// ```
/// use fbc_resolve_v0::{MOST_STEPS, Namespace, Rules, resolve};
///
/// let rules = Rules { compile: |_| Err("no expressions".into()), steps: MOST_STEPS };
/// assert!(resolve(&Namespace::default(), rules)?.operators.is_empty());
/// # Ok::<(), fbc_resolve_v0::ResolveError>(())
/// ```
///
/// # Errors
/// [`ResolveError`], with OLM's text.
pub fn resolve(namespace: &Namespace, rules: Rules) -> Result<Resolution, ResolveError> {
    let question = Question::new(namespace, rules).map_err(ResolveError::aggregate)?;
    let mut steps = question.steps;
    let constraints = question.problem.distinct();
    let out_of_steps = |_: OutOfSteps| ResolveError::Budget(rules.steps);
    let chosen = match answer(&question, &constraints, &mut steps).map_err(out_of_steps)? {
        Outcome::Satisfied(chosen) => chosen,
        Outcome::Contradiction => {
            let core = core::core(&question.problem, &constraints, &mut steps).map_err(out_of_steps)?;
            let mut texts: Vec<String> =
                core.iter().map(|constraint| question.problem.text(constraint)).collect();
            texts.sort();
            return Err(ResolveError::Unsatisfiable(texts));
        }
    };
    changes(namespace, &question, chosen)
}

/// The preferred answer to a question.
pub(crate) fn answer(
    question: &Question<'_>,
    constraints: &[&Constraint],
    steps: &mut Steps,
) -> Result<Outcome, OutOfSteps> {
    let anchors = core::anchors(&question.problem, constraints);
    solve(question.problem.identifiers.len(), constraints, &anchors, steps)
}

/// What an answer changes.
pub(crate) fn changes(
    namespace: &Namespace,
    question: &Question<'_>,
    mut chosen: Vec<Variable>,
) -> Result<Resolution, ResolveError> {
    let identifier = |variable: &Variable| question.problem.identifier(*variable);
    chosen.sort_by(|one, other| identifier(one).cmp(identifier(other)));
    let mut operators = Vec::new();
    let mut errors = Vec::new();
    let existing: BTreeSet<&str> =
        namespace.operators.iter().map(|operator| operator.name.as_str()).collect();
    for variable in chosen {
        let Some(&place) = question.places.get(&variable) else { continue };
        if place.source == INSTALLED {
            continue;
        }
        if let Some(text) = question.source_error(variable, place) {
            errors.push(text);
            continue;
        }
        let (Some(key), Some(entry)) = (question.pool.key(place.source), question.pool.entry(place)) else {
            continue;
        };
        let replaces = question.replaces.get(&variable).unwrap_or(&entry.replaces);
        operators.push(new_operator(question, key, entry, replaces, &existing));
    }
    if errors.is_empty() { Ok(Resolution { operators }) } else { Err(ResolveError::aggregate(errors)) }
}

fn new_operator(
    question: &Question<'_>,
    key: &SourceKey,
    entry: &Entry,
    replaces: &str,
    existing: &BTreeSet<&str>,
) -> NewOperator {
    let leading: Vec<&Subscription> = question
        .subscriptions
        .iter()
        .map(|asked| asked.subscription)
        .filter(|subscription| leads_to(subscription, key, entry))
        .collect();
    let names = |of: &[&Subscription]| of.iter().map(|subscription| subscription.name.clone()).collect();
    let moved: Vec<&Subscription> =
        leading.iter().copied().filter(|subscription| subscription.current_csv != entry.name()).collect();
    NewOperator {
        catalog: key.clone(),
        entry: entry.clone(),
        replaces: replaces.to_owned(),
        subscriptions: names(&leading),
        moved: names(&moved),
        generated: leading.is_empty().then(|| GeneratedSubscription::of(key, entry)),
        is_up_to_date: !leading.is_empty() && moved.is_empty() && existing.contains(entry.name()),
    }
}

/// Whether a Subscription leads to an entry.
fn leads_to(subscription: &Subscription, key: &SourceKey, entry: &Entry) -> bool {
    let any_source = subscription.source == SourceKey::default();
    subscription.package == entry.bundle.package
        && (subscription.channel.is_empty() || subscription.channel == entry.channel)
        && (any_source || subscription.source == *key)
}
