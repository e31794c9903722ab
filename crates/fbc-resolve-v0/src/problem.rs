//! A resolution as a question to the solver: variables, and constraints with their texts.

use std::collections::HashMap;

/// The number of a variable.
pub(crate) type Variable = usize;

/// A constraint on a variable, which is its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    pub(crate) subject: Variable,
    pub(crate) rule: Rule,
    /// Why it is there, which a text is made of when it is needed.
    pub(crate) reason: Reason,
}

/// What a constraint says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The subject is part of every answer.
    Mandatory,
    /// The subject is part of no answer.
    Prohibited,
    /// With the subject goes one of these; earlier ones are preferred.
    Needs(Vec<Variable>),
    /// The subject does not go with this one.
    Excludes(Variable),
    /// Of these at most one is part of an answer, whatever the subject.
    AtMostOne(Vec<Variable>),
}

/// Why a constraint is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A Subscription is there.
    Exists { subscription: String },
    /// A part of a Subscription leads nowhere, as this text says.
    Nowhere { subscription: String, part: Part, text: String },
    /// An operator is there, and no Subscription names it.
    Unsubscribed { operator: String },
    /// A bundle says of itself that it is no answer.
    Deprecated,
    /// A bundle needs another one that meets this.
    Needs { bundle: String, requirement: String },
    /// It was chosen, or is supposed to be.
    Chosen,
    /// A Subscription with its candidates.
    Candidates { subscription: String, candidates: Vec<Variable> },
    /// An upgrade does not go with what it replaces.
    Replaces(Variable),
    /// Providers of one API, sorted by identifier.
    SameApi { api: String, providers: Vec<Variable> },
    /// Bundles of one package, sorted by identifier.
    SamePackage { package: String, members: Vec<Variable> },
}

/// A part of a Subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `spec.source`
    Catalog,
    /// `spec.name`
    Package,
    /// `spec.channel`
    Channel,
    /// `spec.startingCSV`
    StartingCsv,
}

/// Variables by number with their identifiers, and the constraints in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    pub(crate) identifiers: Vec<String>,
    pub(crate) constraints: Vec<Constraint>,
}

impl Problem {
    /// Adds a variable.
    pub(crate) fn variable(&mut self, identifier: String) -> Variable {
        self.identifiers.push(identifier);
        self.identifiers.len() - 1
    }

    pub(crate) fn add(&mut self, subject: Variable, rule: Rule, reason: Reason) {
        self.constraints.push(Constraint { subject, rule, reason });
    }

    pub(crate) fn identifier(&self, variable: Variable) -> &str {
        self.identifiers.get(variable).map(String::as_str).unwrap_or_default()
    }

    /// OLM's text for a constraint.
    pub(crate) fn text(&self, constraint: &Constraint) -> String {
        let listed = |variables: &[Variable], word: &str| {
            let names: Vec<&str> = variables.iter().map(|variable| self.identifier(*variable)).collect();
            match names.split_last() {
                Some((last, [])) => (*last).to_owned(),
                Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
                None => String::new(),
            }
        };
        match &constraint.reason {
            Reason::Exists { subscription } => format!("subscription {subscription} exists"),
            Reason::Nowhere { text, .. } => text.clone(),
            Reason::Unsubscribed { operator } => {
                format!("clusterserviceversion {operator} exists and is not referenced by a subscription")
            }
            Reason::Deprecated => format!("bundle {} is deprecated", self.identifier(constraint.subject)),
            Reason::Needs { bundle, requirement } => {
                format!("bundle {bundle} requires an operator {requirement}")
            }
            Reason::Chosen => self.identifier(constraint.subject).to_owned(),
            Reason::Candidates { subscription, candidates } => match candidates.as_slice() {
                [] => format!("no operators found matching the criteria of subscription {subscription}"),
                [one] => format!("subscription {subscription} requires {}", self.identifier(*one)),
                several => {
                    format!("subscription {subscription} requires at least one of {}", listed(several, "or"))
                }
            },
            Reason::Replaces(other) => {
                format!("{} conflicts with {}", self.identifier(constraint.subject), self.identifier(*other))
            }
            Reason::SameApi { api, providers } => format!("{} provide {api}", listed(providers, "and")),
            Reason::SamePackage { package, members } => {
                format!("{} originate from package {package}", listed(members, "and"))
            }
        }
    }

    /// The constraints that the solver tells apart. Of several that say the same of one subject the last one counts, as in OLM's
    /// table by literal; of several subjects, where OLM's choice is random, the one whose text sorts first.
    ///
    /// Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/solver/lit_mapping.go`.
    pub(crate) fn distinct(&self) -> Vec<&Constraint> {
        let mut kept: Vec<&Constraint> = Vec::new();
        let mut known: HashMap<Meaning, usize> = HashMap::new();
        for constraint in &self.constraints {
            let Some(meaning) = meaning(constraint) else { continue };
            match known.get(&meaning).and_then(|position| kept.get_mut(*position)) {
                Some(other) => {
                    if other.subject == constraint.subject || self.text(constraint) < self.text(other) {
                        *other = constraint;
                    }
                }
                None => {
                    known.insert(meaning, kept.len());
                    kept.push(constraint);
                }
            }
        }
        kept
    }
}

/// What a constraint says, so that two that say the same are equal.
#[derive(PartialEq, Eq, Hash)]
enum Meaning {
    True(Variable),
    False(Variable),
    OneOf(Variable, Vec<Variable>),
    NotBoth(Variable, Variable),
    AtMostOne(Vec<Variable>),
}

/// Nothing for a constraint that always holds.
fn meaning(constraint: &Constraint) -> Option<Meaning> {
    let subject = constraint.subject;
    let pair = |one: Variable, other: Variable| match one.cmp(&other) {
        std::cmp::Ordering::Equal => Meaning::False(one),
        std::cmp::Ordering::Less => Meaning::NotBoth(one, other),
        std::cmp::Ordering::Greater => Meaning::NotBoth(other, one),
    };
    match &constraint.rule {
        Rule::Mandatory => Some(Meaning::True(subject)),
        Rule::Prohibited => Some(Meaning::False(subject)),
        Rule::Needs(candidates) if candidates.is_empty() => Some(Meaning::False(subject)),
        Rule::Needs(candidates) if candidates.contains(&subject) => None,
        Rule::Needs(candidates) => {
            let mut distinct = Vec::new();
            for candidate in candidates {
                if !distinct.contains(candidate) {
                    distinct.push(*candidate);
                }
            }
            Some(Meaning::OneOf(subject, distinct))
        }
        Rule::Excludes(other) => Some(pair(subject, *other)),
        Rule::AtMostOne(members) => match members.as_slice() {
            [] | [_] => None,
            [one, other] => Some(pair(*one, *other)),
            several => Some(Meaning::AtMostOne(several.to_vec())),
        },
    }
}
