//! Where to look for the entries of a catalog, so that no question goes through all of them.

use std::collections::{BTreeSet, HashMap};

use crate::catalog::Entry;
use crate::constraint::Predicate;
use crate::property::Api;

/// Numbers of entries by what they are asked for, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// By package, both that of the catalog and those of the properties.
    packages: HashMap<String, Vec<usize>>,
    apis: HashMap<Api, Vec<usize>>,
    names: HashMap<String, Vec<usize>>,
}

impl Index {
    pub(crate) fn new(entries: &[Entry]) -> Self {
        let mut index = Self::default();
        for (number, entry) in entries.iter().enumerate() {
            let facts = &entry.bundle.facts;
            let named = facts.packages.iter().map(|(name, _)| name.as_str());
            for package in named.chain([entry.bundle.package.as_str()]).collect::<BTreeSet<&str>>() {
                push(&mut index.packages, package, number);
            }
            for api in facts.apis.iter().collect::<BTreeSet<&Api>>() {
                index.apis.entry(api.clone()).or_default().push(number);
            }
            push(&mut index.names, entry.name(), number);
        }
        index
    }

    /// The entries of a package.
    pub(crate) fn of_package(&self, package: &str) -> &[usize] {
        self.packages.get(package).map(Vec::as_slice).unwrap_or_default()
    }

    /// The entries of a name.
    pub(crate) fn of_name(&self, name: &str) -> &[usize] {
        self.names.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Entries among which are all that fulfill a predicate; nothing if any may.
    pub(crate) fn narrowed(&self, predicate: &Predicate) -> Option<Vec<usize>> {
        match predicate {
            Predicate::Provides(api) => Some(self.apis.get(api).cloned().unwrap_or_default()),
            Predicate::Package { name, .. } => Some(self.of_package(name).to_vec()),
            Predicate::All(parts) => parts.iter().filter_map(|part| self.narrowed(part)).min_by_key(Vec::len),
            Predicate::Any(parts) => {
                let all: Option<Vec<Vec<usize>>> = parts.iter().map(|part| self.narrowed(part)).collect();
                let union: BTreeSet<usize> = all?.into_iter().flatten().collect();
                Some(union.into_iter().collect())
            }
            Predicate::Label(_) | Predicate::NoneOf(_) | Predicate::Fits { .. } => None,
        }
    }
}

fn push(map: &mut HashMap<String, Vec<usize>>, key: &str, number: usize) {
    match map.get_mut(key) {
        Some(numbers) => numbers.push(number),
        None => {
            map.insert(key.to_owned(), vec![number]);
        }
    }
}
