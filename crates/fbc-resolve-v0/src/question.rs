//! The question that a namespace puts to the solver.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/{resolver,variable_types}.go`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use crate::catalog::Entry;
use crate::constraint::{Predicate, is_of_package};
use crate::error::{Refusal, ResolveError};
use crate::namespace::{Namespace, Subscription};
use crate::order::sort_channel;
use crate::pool::{INSTALLED, Place, Pool};
use crate::problem::{Part, Problem, Reason, Rule, Variable};
use crate::property::{Api, Property};
use crate::resolve::Rules;
use crate::search::{OutOfSteps, Steps};

/// How many candidates all needs of a namespace have together at most; a real one has a hundredth of it.
pub const MOST_CANDIDATES: usize = 4_000_000;

/// What meets a need, preferred entries first, or why that is not known.
type Answers = Result<Rc<Vec<Place>>, Refusal>;

/// A namespace as variables and constraints.
pub(crate) struct Question<'n> {
    pub(crate) pool: Pool,
    pub(crate) problem: Problem,
    /// The entry of a variable that stands for one.
    pub(crate) places: HashMap<Variable, Place>,
    /// The Subscriptions by name.
    pub(crate) subscriptions: Vec<Asked<'n>>,
    /// `spec.replaces` of candidates that upgrade something.
    pub(crate) replaces: HashMap<Variable, String>,
    variables: HashMap<Place, Variable>,
    loaded: HashSet<Place>,
    rules: Rules,
    /// What is left of the budget.
    pub(crate) steps: Steps,
    /// How many candidates all needs have together.
    listed: usize,
    predicates: HashMap<Property, Result<Option<Rc<Predicate>>, Refusal>>,
    answers: HashMap<(Property, usize), Answers>,
}

/// A Subscription and what it may lead to.
pub(crate) struct Asked<'n> {
    pub(crate) subscription: &'n Subscription,
    /// The operator that is installed for it.
    pub(crate) current: Option<Place>,
    /// The candidates, preferred ones first, the current one last. Those in several channels may come twice.
    pub(crate) candidates: Vec<Variable>,
}

impl<'n> Question<'n> {
    /// Puts the question.
    ///
    /// # Errors
    /// The texts of what prevents it.
    pub(crate) fn new(namespace: &'n Namespace, rules: Rules) -> Result<Self, Vec<String>> {
        let (pool, unreadable) = Pool::new(namespace);
        let mut question = Self {
            pool,
            problem: Problem::default(),
            places: HashMap::new(),
            subscriptions: Vec::new(),
            replaces: HashMap::new(),
            variables: HashMap::new(),
            loaded: HashSet::new(),
            rules,
            steps: Steps { left: rules.steps },
            listed: 0,
            predicates: HashMap::new(),
            answers: HashMap::new(),
        };
        let installed = question.pool.installed().collect();
        question.load(installed)?;
        let mut subscriptions: Vec<&Subscription> = namespace.subscriptions.iter().collect();
        subscriptions.sort_by(|one, other| one.name.cmp(&other.name));
        let mut errors = Vec::new();
        for subscription in subscriptions {
            match question.ask(subscription, &namespace.name) {
                Ok(asked) => question.subscriptions.push(asked),
                Err(texts) => errors.extend(texts),
            }
        }
        question.add_invariants();
        match (unreadable.is_empty(), errors.is_empty()) {
            (true, true) => Ok(question),
            (true, false) => Err(errors),
            (false, _) => Err(unreadable),
        }
    }

    /// The variable of an entry.
    pub(crate) fn variable(&mut self, place: Place) -> Variable {
        if let Some(variable) = self.variables.get(&place) {
            return *variable;
        }
        let variable = self.problem.variable(self.pool.identifier(place));
        self.variables.insert(place, variable);
        self.places.insert(variable, place);
        variable
    }

    /// Adds the constraints of these entries, and of all that they may need.
    fn load(&mut self, mut open: Vec<Place>) -> Result<(), Vec<String>> {
        let mut errors = Vec::new();
        while let Some(place) = open.pop() {
            if !self.loaded.insert(place) {
                continue;
            }
            if let Err(texts) = self.load_one(place, &mut open) {
                errors.extend(texts);
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn load_one(&mut self, place: Place, open: &mut Vec<Place>) -> Result<(), Vec<String>> {
        let variable = self.variable(place);
        let Some(entry) = self.pool.entry(place) else { return Ok(()) };
        let bundle = std::sync::Arc::clone(&entry.bundle);
        if place.source == INSTALLED && self.pool.subscription(place).is_none() {
            let reason = Reason::Unsubscribed { operator: bundle.name.clone() };
            self.problem.add(variable, Rule::Mandatory, reason);
        }
        if bundle.facts.is_deprecated {
            self.problem.add(variable, Rule::Prohibited, Reason::Deprecated);
        }
        let mut requirements = Vec::new();
        for property in &bundle.properties {
            if let Some(predicate) = self.predicate(property).map_err(|refusal| vec![refusal.0])? {
                requirements.push((property, predicate));
            }
        }
        let mut errors = Vec::new();
        for (property, predicate) in requirements {
            match self.answers(property, &predicate, place.source) {
                Ok(answers) => {
                    self.listed = self.listed.saturating_add(answers.len());
                    if self.listed > MOST_CANDIDATES {
                        let text = format!(
                            "what the bundles of the namespace need has more than {MOST_CANDIDATES} candidates (limit \
                             resolution-candidates)"
                        );
                        return Err(vec![text]);
                    }
                    let candidates = answers.iter().map(|answer| self.variable(*answer)).collect();
                    open.extend(answers.iter());
                    let (bundle, requirement) = (bundle.name.clone(), predicate.to_string());
                    self.problem.add(
                        variable,
                        Rule::Needs(candidates),
                        Reason::Needs { bundle, requirement },
                    );
                }
                Err(refusal) => errors.push(refusal.0),
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn predicate(&mut self, property: &Property) -> Result<Option<Rc<Predicate>>, Refusal> {
        if let Some(known) = self.predicates.get(property) {
            return known.clone();
        }
        let predicate = Predicate::of(property, self.rules.compile).map(|predicate| predicate.map(Rc::new));
        self.predicates.insert(property.clone(), predicate.clone());
        predicate
    }

    fn answers(&mut self, property: &Property, predicate: &Predicate, of: usize) -> Answers {
        let key = (property.clone(), of);
        if let Some(known) = self.answers.get(&key) {
            return known.clone();
        }
        let answers = match self.steps.take(self.pool.cost(predicate)) {
            Ok(()) => self.pool.answers(predicate, of).map(Rc::new),
            Err(OutOfSteps) => Err(Refusal(ResolveError::Budget(self.rules.steps).to_string())),
        };
        self.answers.insert(key, answers.clone());
        answers
    }

    /// Adds a Subscription.
    fn ask(&mut self, subscription: &'n Subscription, namespace: &str) -> Result<Asked<'n>, Vec<String>> {
        let name = &subscription.name;
        let current = self.current(subscription, namespace).map_err(|refusal| vec![refusal.0])?;
        let found = self.found(subscription, current);
        let exists = Reason::Exists { subscription: name.clone() };
        let entries = match found {
            Ok(entries) => entries,
            Err((part, text)) => {
                let variable = self.problem.variable(format!("subscription:{name}"));
                self.problem.add(variable, Rule::Mandatory, exists);
                let reason = Reason::Nowhere { subscription: name.clone(), part, text };
                self.problem.add(variable, Rule::Prohibited, reason);
                return Ok(Asked { subscription, current, candidates: Vec::new() });
            }
        };
        let places = self.in_order(&entries).map_err(|refusal| vec![refusal.0])?;
        let mut candidates = Vec::new();
        for place in places {
            let Some(entry) = self.pool.entry(place) else { continue };
            if current
                .is_some_and(|current| !self.pool.entry(current).is_some_and(|from| upgrades(from, entry)))
            {
                continue;
            }
            let named =
                |other: &&Place| self.pool.entry(**other).is_some_and(|other| other.name() == entry.name());
            let mut same: Vec<Place> = entries.iter().filter(named).copied().collect();
            same.sort_by_key(|other| *other != place);
            self.load(same.clone())?;
            candidates.extend(same.into_iter().map(|place| self.variable(place)));
        }
        if let Some(current) = current {
            let variable = self.variable(current);
            let from = self.pool.entry(current).map(|entry| entry.name().to_owned()).unwrap_or_default();
            for candidate in &candidates {
                self.replaces.insert(*candidate, from.clone());
                self.problem.add(*candidate, Rule::Excludes(variable), Reason::Replaces(variable));
            }
            candidates.push(variable);
        }
        let variable = self.problem.variable(format!("subscription:{name}"));
        self.problem.add(variable, Rule::Mandatory, exists);
        let reason = Reason::Candidates { subscription: name.clone(), candidates: candidates.clone() };
        self.problem.add(variable, Rule::Needs(candidates.clone()), reason);
        Ok(Asked { subscription, current, candidates })
    }

    /// The operator that is installed for a Subscription.
    fn current(&self, subscription: &Subscription, namespace: &str) -> Result<Option<Place>, Refusal> {
        let named = |place: &Place| {
            self.pool.entry(*place).is_some_and(|entry| entry.name() == subscription.installed_csv)
        };
        let places: Vec<Place> = self.pool.installed().filter(named).collect();
        match places.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several => {
                let names = vec![subscription.installed_csv.as_str(); several.len()].join(", ");
                Err(Refusal(format!(
                    "multiple name matches for status.installedCSV of subscription {namespace}/{}: {names}",
                    subscription.name
                )))
            }
        }
    }

    /// The entries that a Subscription is about, or the text that says which part of it leads nowhere.
    fn found(
        &self,
        subscription: &Subscription,
        current: Option<Place>,
    ) -> Result<Vec<Place>, (Part, String)> {
        let Subscription { name, package, channel, starting_csv, source, .. } = subscription;
        let number = self.pool.source(source);
        let catalog = number.and_then(|number| self.pool.catalog(number));
        let (Some(number), Some(catalog)) = (number, catalog.filter(|catalog| !catalog.entries().is_empty()))
        else {
            return Err((
                Part::Catalog,
                format!(
                    "no operators found from catalog {} in namespace {} referenced by subscription {name}",
                    source.name, source.namespace
                ),
            ));
        };
        let in_catalog = format!("in the catalog referenced by subscription {name}");
        let entry = |place: &Place| self.pool.entry(*place);
        let mut places: Vec<Place> = catalog
            .index
            .of_package(package)
            .iter()
            .map(|entry| Place { source: number, entry: *entry })
            .filter(|place| entry(place).is_some_and(|entry| is_of_package(&entry.bundle, package)))
            .collect();
        if places.is_empty() {
            return Err((Part::Package, format!("no operators found in package {package} {in_catalog}")));
        }
        places.retain(|place| {
            channel.is_empty() || entry(place).is_some_and(|entry| entry.channel == *channel)
        });
        if places.is_empty() {
            return Err((
                Part::Channel,
                format!("no operators found in channel {channel} of package {package} {in_catalog}"),
            ));
        }
        if current.is_none() && !starting_csv.is_empty() {
            places.retain(|place| entry(place).is_some_and(|entry| entry.name() == starting_csv));
        }
        if places.is_empty() {
            return Err((
                Part::StartingCsv,
                format!(
                    "no operators found with name {starting_csv} in channel {channel} of package {package} {in_catalog}"
                ),
            ));
        }
        Ok(places)
    }

    /// Entries of one catalog, default channels first, then by channel; in each from head to tail.
    fn in_order(&self, places: &[Place]) -> Result<Vec<Place>, Refusal> {
        let mut channels: BTreeMap<(bool, &str), Vec<Place>> = BTreeMap::new();
        for place in places {
            if let Some(entry) = self.pool.entry(*place) {
                channels.entry((!entry.is_default_channel, &entry.channel)).or_default().push(*place);
            }
        }
        let mut ordered = Vec::new();
        for members in channels.values() {
            let entries: Vec<&Entry> = members.iter().filter_map(|place| self.pool.entry(*place)).collect();
            ordered.extend(sort_channel(&entries)?.into_iter().filter_map(|position| members.get(position)));
        }
        Ok(ordered)
    }

    /// No two operators of a namespace may provide one API or be of one package.
    fn add_invariants(&mut self) {
        let mut apis: BTreeMap<Api, Vec<Variable>> = BTreeMap::new();
        let mut packages: BTreeMap<String, Vec<Variable>> = BTreeMap::new();
        let mut places: Vec<(Variable, Place)> =
            self.places.iter().map(|(variable, place)| (*variable, *place)).collect();
        places.sort_by(|(one, _), (other, _)| {
            self.problem.identifier(*one).cmp(self.problem.identifier(*other))
        });
        for (variable, place) in places {
            if self.source_error(variable, place).is_some() {
                continue;
            }
            let Some(entry) = self.pool.entry(place) else { continue };
            for api in &entry.bundle.facts.apis {
                apis.entry(api.clone()).or_default().push(variable);
            }
            for (package, _) in &entry.bundle.facts.packages {
                packages.entry(package.clone()).or_default().push(variable);
            }
        }
        for (api, providers) in apis {
            let api = api.to_string();
            let reason = Reason::SameApi { api: api.clone(), providers: providers.clone() };
            self.add_group(api, providers, reason);
        }
        for (package, members) in packages {
            let reason = Reason::SamePackage { package: package.clone(), members: members.clone() };
            self.add_group(package, members, reason);
        }
    }

    fn add_group(&mut self, identifier: String, members: Vec<Variable>, reason: Reason) {
        if members.len() > 1 {
            let variable = self.problem.variable(identifier);
            self.problem.add(variable, Rule::AtMostOne(members), reason);
        }
    }

    /// Why OLM does not find the entry of a variable by its identifier.
    pub(crate) fn source_error(&self, variable: Variable, place: Place) -> Option<String> {
        let identifier = self.problem.identifier(variable);
        if identifier.matches('/').count() != 3 {
            return Some(format!("unable to parse identifier {identifier} for source info"));
        }
        match self.pool.namesakes(place) {
            1 => None,
            count => Some(format!("expected exactly one operator, got {count}")),
        }
    }
}

/// Whether an entry is an upgrade of what is installed.
pub(crate) fn upgrades(from: &Entry, to: &Entry) -> bool {
    let version = from.bundle.version.as_ref();
    let in_range = |version| to.skip_range.as_ref().is_some_and(|range| range.matches(version));
    to.replaces_or_skips(from.name()) || version.is_some_and(in_range)
}
