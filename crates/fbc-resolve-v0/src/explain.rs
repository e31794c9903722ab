//! Why a namespace gets what it gets, bundle by bundle, and why it gets nothing.

use std::collections::{BTreeSet, HashMap};

use crate::catalog::Entry;
use crate::core;
use crate::error::ResolveError;
use crate::namespace::{Namespace, SourceKey, Subscription};
use crate::pool::{INSTALLED, Place};
use crate::problem::{Constraint, Part, Reason, Rule, Variable};
use crate::question::{Asked, Question, upgrades};
use crate::resolution::Resolution;
use crate::resolve::{Rules, answer, changes};
use crate::search::{Outcome, Steps, solve};

/// A resolution with its reasons.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What OLM says.
    pub outcome: Result<Resolution, ResolveError>,
    /// Of constraints that contradict each other, a smallest set that does, in the order of OLM's texts.
    pub causes: Vec<Cause>,
    /// What operators of the answer need, where a new one meets that.
    pub needs: Vec<Need>,
    /// The Subscriptions by name; none if something prevents the resolution.
    pub subscriptions: Vec<Answer>,
}

/// What becomes of a Subscription.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The Subscription.
    pub subscription: Subscription,
    /// The operator that is installed for it.
    pub installed: Option<BundleName>,
    /// What it gets or keeps; nothing if the namespace is not resolved.
    pub gets: Option<BundleName>,
    /// Everything that its catalog has of its package: preferred ones first, then the rest by channel and name.
    pub bundles: Vec<Considered>,
}

/// A bundle in a channel, as catalogs name it, or an operator that is installed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleName {
    /// The catalog; nothing if it is installed.
    pub catalog: Option<SourceKey>,
    /// The channel; empty if it is installed.
    pub channel: String,
    /// The name.
    pub name: String,
    /// The version, if it has one.
    pub version: Option<String>,
}

/// A bundle that was looked at.
#[derive(Clone, Debug)]
pub struct Considered {
    /// The bundle.
    pub bundle: BundleName,
    /// What became of it.
    pub verdict: Verdict,
}

/// A need of a bundle that is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The bundle.
    pub bundle: BundleName,
    /// What it needs, in OLM's words.
    pub requirement: String,
    /// What meets that.
    pub met_by: BundleName,
}

/// What became of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is installed next.
    Chosen,
    /// Another one is preferred.
    LessPreferred,
    /// It is preferred, but does not go with the rest.
    PassedOver(Vec<Cause>),
    /// It is in another channel.
    OtherChannel,
    /// `startingCSV` names another one.
    NotStarting,
    /// It is what is installed.
    Installed,
    /// No edge leads to it from what is installed.
    NoEdge,
    /// This entry of its channel skips it.
    Skipped(String),
    /// The namespace is not resolved.
    Undecided,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A Subscription must get something.
    Subscription(String),
    /// A part of a Subscription leads nowhere.
    Nowhere {
        /// The Subscription.
        subscription: String,
        /// The part.
        part: Part,
        /// OLM's text.
        text: String,
    },
    /// A Subscription gets one of these; none if no bundle is a candidate.
    Candidates {
        /// The Subscription.
        subscription: String,
        /// The candidates, preferred ones first.
        candidates: Vec<BundleName>,
    },
    /// An operator that no Subscription names stays.
    Unsubscribed(BundleName),
    /// A bundle says of itself that it is deprecated, and is no answer.
    Deprecated(BundleName),
    /// A bundle needs one of these.
    Needs {
        /// The bundle.
        bundle: BundleName,
        /// What it needs, in OLM's words.
        requirement: String,
        /// What meets that, preferred ones first.
        met_by: Vec<BundleName>,
    },
    /// An upgrade does not go with what it replaces.
    Replaces {
        /// The upgrade.
        bundle: BundleName,
        /// What it replaces.
        replaced: BundleName,
    },
    /// One API has at most one provider.
    SameApi {
        /// The API, such as `Lantern (example.com/v1)`.
        api: String,
        /// Its providers.
        bundles: Vec<BundleName>,
    },
    /// Of one package there is at most one operator.
    SamePackage {
        /// The package.
        package: String,
        /// Its bundles.
        bundles: Vec<BundleName>,
    },
    /// This one was chosen before, since its Subscription or what needs it is looked at earlier.
    ChosenBefore(BundleName),
}

/// Resolves a namespace, with reasons.
#[must_use]
pub fn explain(namespace: &Namespace, rules: Rules) -> Explanation {
    let prevented = |error| Explanation {
        outcome: Err(error),
        causes: Vec::new(),
        needs: Vec::new(),
        subscriptions: Vec::new(),
    };
    let question = match Question::new(namespace, rules) {
        Ok(question) => question,
        Err(texts) => return prevented(ResolveError::aggregate(texts)),
    };
    let mut steps = question.steps;
    let constraints = question.problem.distinct();
    match answer(&question, &constraints, &mut steps) {
        Err(_) => prevented(ResolveError::Budget(rules.steps)),
        Ok(Outcome::Contradiction) => match core::core(&question.problem, &constraints, &mut steps) {
            Err(_) => prevented(ResolveError::Budget(rules.steps)),
            Ok(core) => {
                let mut texts: Vec<String> =
                    core.iter().map(|constraint| question.problem.text(constraint)).collect();
                texts.sort();
                Explanation {
                    outcome: Err(ResolveError::Unsatisfiable(texts)),
                    causes: core.iter().map(|constraint| cause(&question, constraint)).collect(),
                    needs: Vec::new(),
                    subscriptions: Explainer { question: &question, constraints, order: None }
                        .all(&mut steps),
                }
            }
        },
        Ok(Outcome::Satisfied(order)) => Explanation {
            outcome: changes(namespace, &question, order.clone()),
            causes: Vec::new(),
            needs: needs(&question, &constraints, &order),
            subscriptions: Explainer { question: &question, constraints, order: Some(order) }.all(&mut steps),
        },
    }
}

/// What operators of an answer need of new ones. What opm serves twice is told once.
fn needs(question: &Question<'_>, constraints: &[&Constraint], chosen: &[Variable]) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    for constraint in constraints {
        let (Reason::Needs { requirement, .. }, Rule::Needs(candidates)) =
            (&constraint.reason, &constraint.rule)
        else {
            continue;
        };
        let place = |variable: &Variable| question.places.get(variable).copied();
        let Some(bundle) = place(&constraint.subject) else { continue };
        let met_by = candidates.iter().find(|candidate| chosen.contains(candidate)).and_then(place);
        let is_told = |place: &Place| place.source != INSTALLED && chosen.contains(&constraint.subject);
        let Some(met_by) = met_by.filter(is_told) else { continue };
        let need = Need {
            bundle: name(question, bundle),
            requirement: requirement.clone(),
            met_by: name(question, met_by),
        };
        if !needs.contains(&need) {
            needs.push(need);
        }
    }
    needs
}

struct Explainer<'q, 'n> {
    question: &'q Question<'n>,
    constraints: Vec<&'q Constraint>,
    /// What was chosen, in order; nothing if the namespace is not resolved.
    order: Option<Vec<Variable>>,
}

impl Explainer<'_, '_> {
    fn all(&self, steps: &mut Steps) -> Vec<Answer> {
        self.question.subscriptions.iter().map(|asked| self.one(asked, steps)).collect()
    }

    fn one(&self, asked: &Asked<'_>, steps: &mut Steps) -> Answer {
        let order = self.order.as_deref().unwrap_or_default();
        let chosen = asked.candidates.iter().copied().find(|candidate| order.contains(candidate));
        let places = |variable: &Variable| self.question.places.get(variable).copied();
        let mut bundles = Vec::new();
        let mut seen: BTreeSet<Place> = BTreeSet::new();
        for candidate in &asked.candidates {
            let Some(place) = places(candidate).filter(|place| place.source != INSTALLED) else { continue };
            if !seen.insert(place) {
                continue;
            }
            let position = |variable: &Variable| asked.candidates.iter().position(|other| other == variable);
            let verdict = match &chosen {
                None => Verdict::Undecided,
                Some(chosen) if chosen == candidate => Verdict::Chosen,
                Some(chosen) if position(candidate) > position(chosen) => Verdict::LessPreferred,
                Some(chosen) => Verdict::PassedOver(self.against(*candidate, *chosen, steps)),
            };
            bundles.push(Considered { bundle: name(self.question, place), verdict });
        }
        bundles.extend(self.others(asked, &seen));
        Answer {
            subscription: asked.subscription.clone(),
            installed: asked.current.map(|place| name(self.question, place)),
            gets: chosen.and_then(|chosen| places(&chosen)).map(|place| name(self.question, place)),
            bundles,
        }
    }

    /// What else the catalog has of the package, and why it is no candidate.
    fn others(&self, asked: &Asked<'_>, seen: &BTreeSet<Place>) -> Vec<Considered> {
        let pool = &self.question.pool;
        let Subscription { package, channel, starting_csv, source, .. } = asked.subscription;
        let Some(number) = pool.source(source) else { return Vec::new() };
        let Some(catalog) = pool.catalog(number) else { return Vec::new() };
        let places =
            catalog.index.of_package(package).iter().map(|entry| Place { source: number, entry: *entry });
        let entries: Vec<(Place, &Entry)> =
            places.filter_map(|place| Some((place, pool.entry(place)?))).collect();
        let mut skipping: HashMap<(&str, &str), &str> = HashMap::new();
        for (_, entry) in &entries {
            for skip in &entry.skips {
                skipping.insert((&entry.channel, skip), entry.name());
            }
        }
        let from = asked.current.and_then(|place| pool.entry(place));
        let verdict = |entry: &Entry| {
            if !channel.is_empty() && entry.channel != *channel {
                return Verdict::OtherChannel;
            }
            if from.is_none() && !starting_csv.is_empty() && entry.name() != starting_csv {
                return Verdict::NotStarting;
            }
            if from.is_some_and(|from| from.name() == entry.name()) {
                return Verdict::Installed;
            }
            if from.is_some_and(|from| !upgrades(from, entry)) {
                return Verdict::NoEdge;
            }
            match skipping.get(&(entry.channel.as_str(), entry.name())) {
                Some(by) => Verdict::Skipped((*by).to_owned()),
                None => Verdict::Undecided,
            }
        };
        let rest = entries.iter().filter(|(place, _)| !seen.contains(place));
        rest.map(|(place, entry)| Considered { bundle: name(self.question, *place), verdict: verdict(entry) })
            .collect()
    }

    /// Why a preferred candidate does not go with the rest. Nothing is known once the search takes too long.
    fn against(&self, candidate: Variable, chosen: Variable, steps: &mut Steps) -> Vec<Cause> {
        let before = self.order.iter().flatten().copied().take_while(|variable| *variable != chosen);
        let bundles = before.filter(|variable| self.question.places.contains_key(variable));
        let supposed: Vec<Constraint> = bundles
            .chain([candidate])
            .map(|subject| Constraint { subject, rule: Rule::Mandatory, reason: Reason::Chosen })
            .collect();
        let all: Vec<&Constraint> = self.constraints.iter().copied().chain(&supposed).collect();
        let problem = &self.question.problem;
        let anchors = core::anchors(problem, &all);
        let is_needed = |constraint: &&&Constraint| {
            !(constraint.reason == Reason::Chosen && constraint.subject == candidate)
        };
        match solve(problem.identifiers.len(), &all, &anchors, steps) {
            Ok(Outcome::Contradiction) => {
                let core = core::core(problem, &all, steps).unwrap_or_default();
                core.iter().filter(is_needed).map(|constraint| cause(self.question, constraint)).collect()
            }
            // Another choice had met the need already.
            Ok(Outcome::Satisfied(_)) => {
                let place = self.question.places.get(&chosen);
                place.map(|place| Cause::ChosenBefore(name(self.question, *place))).into_iter().collect()
            }
            Err(_) => Vec::new(),
        }
    }
}

fn name(question: &Question<'_>, place: Place) -> BundleName {
    let entry = question.pool.entry(place);
    BundleName {
        catalog: question.pool.key(place.source).filter(|_| place.source != INSTALLED).cloned(),
        channel: entry.map(|entry| entry.channel.clone()).unwrap_or_default(),
        name: entry.map(|entry| entry.name().to_owned()).unwrap_or_default(),
        version: entry.and_then(|entry| entry.bundle.version.as_ref()).map(ToString::to_string),
    }
}

fn cause(question: &Question<'_>, constraint: &Constraint) -> Cause {
    let named = |variable: &Variable| match question.places.get(variable) {
        Some(place) => name(question, *place),
        None => BundleName {
            catalog: None,
            channel: String::new(),
            name: question.problem.identifier(*variable).to_owned(),
            version: None,
        },
    };
    let all = |variables: &[Variable]| variables.iter().map(named).collect();
    let subject = || named(&constraint.subject);
    match &constraint.reason {
        Reason::Exists { subscription } => Cause::Subscription(subscription.clone()),
        Reason::Nowhere { subscription, part, text } => {
            Cause::Nowhere { subscription: subscription.clone(), part: *part, text: text.clone() }
        }
        Reason::Candidates { subscription, candidates } => {
            Cause::Candidates { subscription: subscription.clone(), candidates: all(candidates) }
        }
        Reason::Unsubscribed { .. } => Cause::Unsubscribed(subject()),
        Reason::Deprecated => Cause::Deprecated(subject()),
        Reason::Needs { requirement, .. } => {
            let met_by = match &constraint.rule {
                Rule::Needs(candidates) => all(candidates),
                _ => Vec::new(),
            };
            Cause::Needs { bundle: subject(), requirement: requirement.clone(), met_by }
        }
        Reason::Replaces(other) => Cause::Replaces { bundle: subject(), replaced: named(other) },
        Reason::SameApi { api, providers } => Cause::SameApi { api: api.clone(), bundles: all(providers) },
        Reason::SamePackage { package, members } => {
            Cause::SamePackage { package: package.clone(), bundles: all(members) }
        }
        Reason::Chosen => Cause::ChosenBefore(subject()),
    }
}
