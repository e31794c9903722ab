//! Small namespaces against a model that tries every set of bundles.

use fbc_resolve_v0::{Namespace, ResolveError};
use proptest::prelude::*;
use serde_json::json;

use crate::harbor::{Harbor, Shelf, api, harbor, resolved};

const PACKAGES: [&str; 3] = ["a", "b", "c"];
const VERSIONS: usize = 3;

/// A bundle of the model: version `number` of a package, from a catalog or installed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    package: usize,
    number: usize,
    is_installed: bool,
}

/// What a bundle provides and needs.
#[derive(Clone, Debug)]
struct Traits {
    owns: Option<usize>,
    needs_api: Option<usize>,
    /// A package, and the lowest version that will do.
    needs_package: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct Case {
    /// By package and version.
    traits: Vec<Vec<Traits>>,
    subscribed: Vec<bool>,
    /// The installed version of each package, if one is.
    installed: Vec<Option<usize>>,
    /// The version that a first installation starts with.
    starting: Vec<Option<usize>>,
}

fn traits() -> impl Strategy<Value = Traits> {
    let kind = || prop::option::weighted(0.3, 0..4_usize);
    let package = prop::option::weighted(0.3, (0..PACKAGES.len(), 0..VERSIONS));
    (kind(), kind(), package).prop_map(|(owns, needs_api, needs_package)| Traits {
        owns,
        needs_api,
        needs_package,
    })
}

fn case() -> impl Strategy<Value = Case> {
    let of_package = prop::collection::vec(traits(), VERSIONS);
    (
        prop::collection::vec(of_package, PACKAGES.len()),
        prop::collection::vec(any::<bool>(), PACKAGES.len()),
        prop::collection::vec(prop::option::weighted(0.4, 0..VERSIONS), PACKAGES.len()),
        prop::collection::vec(prop::option::weighted(0.2, 0..VERSIONS), PACKAGES.len()),
    )
        .prop_map(|(traits, subscribed, installed, starting)| Case {
            traits,
            subscribed,
            installed,
            starting,
        })
}

fn name(package: usize, number: usize) -> String {
    format!("{}.v1.{number}.0", PACKAGES[package])
}

impl Case {
    fn namespace(&self) -> Namespace {
        let mut shelf = Shelf::default();
        for (package, versions) in self.traits.iter().enumerate() {
            let entry = |number: usize| match number {
                0 => name(package, 0),
                _ => format!("{}>{}", name(package, number), name(package, number - 1)),
            };
            let entries: Vec<String> = (0..VERSIONS).map(entry).collect();
            shelf = shelf.channel(PACKAGES[package], "c", &entries.join(" "));
            for (number, traits) in versions.iter().enumerate() {
                let bundle = name(package, number);
                if let Some(kind) = traits.owns {
                    shelf = shelf.owns(&bundle, &format!("K{kind}"));
                }
                if let Some(kind) = traits.needs_api {
                    shelf = shelf.needs(&bundle, &format!("K{kind}"));
                }
                if let Some((needed, least)) = traits.needs_package {
                    shelf = shelf.needs_package(&bundle, PACKAGES[needed], &format!(">=1.{least}.0"));
                }
            }
        }
        let mut namespace = harbor().shelf("olm/shelf", 0, shelf);
        for (package, _) in self.subscribed.iter().enumerate().filter(|(_, is_subscribed)| **is_subscribed) {
            namespace = namespace.subscription(|subscription| {
                PACKAGES[package].clone_into(&mut subscription.name);
                PACKAGES[package].clone_into(&mut subscription.package);
                "c".clone_into(&mut subscription.channel);
                if let Some(number) = self.starting[package] {
                    subscription.starting_csv = name(package, number);
                }
            });
        }
        for (package, number) in self.installed.iter().enumerate() {
            let Some(number) = *number else { continue };
            let traits = &self.traits[package][number];
            let kind = |number: usize| api(&format!("K{number}"));
            let mut properties = Vec::new();
            properties.extend(traits.owns.map(|owned| json!({"type": "olm.gvk", "value": kind(owned)})));
            properties.extend(
                traits.needs_api.map(|needed| json!({"type": "olm.gvk.required", "value": kind(needed)})),
            );
            properties.extend(traits.needs_package.map(|(needed, least)| {
                json!({"type": "olm.package.required", "value": {
                    "packageName": PACKAGES[needed], "versionRange": format!(">=1.{least}.0"),
                }})
            }));
            namespace = namespace.installed(&name(package, number), &properties);
        }
        namespace
    }

    fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for package in 0..PACKAGES.len() {
            items.extend((0..VERSIONS).map(|number| Item { package, number, is_installed: false }));
            items.extend(self.installed[package].map(|number| Item { package, number, is_installed: true }));
        }
        items
    }

    /// What a Subscription may get, preferred ones first.
    fn candidates(&self, package: usize) -> Vec<Item> {
        let new = |number| Item { package, number, is_installed: false };
        match (self.installed[package], self.starting[package]) {
            (Some(current), _) => {
                let next = Some(current + 1).filter(|next| *next < VERSIONS).map(new);
                next.into_iter().chain([Item { package, number: current, is_installed: true }]).collect()
            }
            (None, Some(number)) => vec![new(number)],
            (None, None) => (0..VERSIONS).rev().map(new).collect(),
        }
    }

    fn is_answer(&self, set: &[&Item]) -> bool {
        let traits = |item: &Item| &self.traits[item.package][item.number];
        let one_each = set.iter().enumerate().all(|(position, one)| {
            set[position + 1..].iter().all(|other| {
                one.package != other.package
                    && (traits(one).owns.is_none() || traits(one).owns != traits(other).owns)
            })
        });
        let needs_are_met = set.iter().all(|item| {
            let Traits { needs_api, needs_package, .. } = traits(item);
            needs_api.is_none_or(|kind| set.iter().any(|other| traits(other).owns == Some(kind)))
                && needs_package.is_none_or(|(package, least)| {
                    set.iter().any(|other| other.package == package && other.number >= least)
                })
        });
        let subscriptions_are_met = (0..PACKAGES.len())
            .filter(|package| self.subscribed[*package])
            .all(|package| self.candidates(package).iter().any(|candidate| set.contains(&candidate)));
        let others_stay = (0..PACKAGES.len()).filter(|package| !self.subscribed[*package]).all(|package| {
            self.installed[package]
                .is_none_or(|number| set.contains(&&Item { package, number, is_installed: true }))
        });
        one_each && needs_are_met && subscriptions_are_met && others_stay
    }

    fn answers(&self) -> Vec<Vec<Item>> {
        let items = self.items();
        let sets = (0_u32..1 << items.len()).map(|set| {
            let is_member = |position: usize| set & (1 << position) != 0;
            items
                .iter()
                .enumerate()
                .filter(|(position, _)| is_member(*position))
                .map(|(_, item)| item)
                .collect()
        });
        sets.filter(|set: &Vec<&Item>| self.is_answer(set))
            .map(|set| set.into_iter().cloned().collect())
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_the_model(case in case()) {
        // Two operators of one package that a need finds have no order; the model has one of each.
        let answers = case.answers();
        let found = match resolved(&case.namespace()) {
            Ok(resolution) => resolution,
            Err(ResolveError::Unsatisfiable(_)) => {
                prop_assert_eq!(answers, [] as [Vec<Item>; 0]);
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let new: Vec<Item> = found
            .operators
            .iter()
            .map(|operator| {
                let package = PACKAGES.iter().position(|package| *package == operator.entry.bundle.package).unwrap();
                let number = (0..VERSIONS).find(|number| name(package, *number) == operator.entry.name()).unwrap();
                Item { package, number, is_installed: false }
            })
            .collect();
        let fits = |answer: &Vec<Item>| {
            let installed_new: Vec<&Item> = answer.iter().filter(|item| !item.is_installed).collect();
            installed_new.len() == new.len() && installed_new.iter().all(|item| new.contains(item))
        };
        prop_assert!(answers.iter().any(fits), "{new:?} is no answer");
        // The first Subscription gets its first candidate that is part of any answer, unless an operator without one needs something.
        let first = (0..PACKAGES.len()).find(|package| case.subscribed[*package]);
        let has_others = (0..PACKAGES.len()).any(|package| !case.subscribed[package] && case.installed[package].is_some());
        if let (Some(package), false) = (first, has_others) {
            let wanted = case.candidates(package).into_iter().find(|candidate| answers.iter().any(|answer| answer.contains(candidate)));
            let got = new.iter().find(|item| item.package == package);
            let wanted = wanted.filter(|item| !item.is_installed);
            prop_assert_eq!(wanted.as_ref(), got);
        }
    }
}
