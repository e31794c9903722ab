//! Sentences about resolutions of OLM v0.

use fbc_model::closest::closest;
use fbc_resolve_v0::{
    BundleName, Cause, Content, Explanation, Namespace, Part, ResolveError, Subscription, Verdict,
};

/// How many bundles a sentence names.
const NAMED: usize = 3;

/// Some names, and how many more there are.
fn names(bundles: &[&BundleName], word: &str) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for bundle in bundles {
        if !distinct.contains(&bundle.name.as_str()) {
            distinct.push(&bundle.name);
        }
    }
    match distinct.as_slice() {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        several if several.len() <= NAMED => {
            let (first, last) = several.split_at(several.len() - 1);
            format!("{} {word} {}", first.join(", "), last.concat())
        }
        several => format!(
            "{} {word} {} more",
            several.get(..NAMED).unwrap_or_default().join(", "),
            several.len() - NAMED
        ),
    }
}

fn all(bundles: &[BundleName]) -> Vec<&BundleName> {
    bundles.iter().collect()
}

/// The bundles of a cause that other causes are about; all of it if they are about none.
fn concerned<'c>(bundles: &'c [BundleName], causes: &[Cause]) -> Vec<&'c BundleName> {
    let is_named = |bundle: &&BundleName| {
        causes.iter().any(|cause| match cause {
            Cause::Candidates { candidates, .. } => candidates.contains(bundle),
            Cause::Unsubscribed(other) | Cause::ChosenBefore(other) => other == *bundle,
            Cause::Needs { met_by, .. } => met_by.contains(bundle),
            _ => false,
        })
    };
    let named: Vec<&BundleName> = bundles.iter().filter(is_named).collect();
    if named.is_empty() { all(bundles) } else { named }
}

/// Why, one sentence for each constraint that says something to a reader.
#[must_use]
pub fn reasons(causes: &[Cause], namespace: &Namespace) -> Vec<String> {
    causes.iter().filter_map(|cause| reason(cause, causes, namespace)).collect()
}

fn reason(cause: &Cause, causes: &[Cause], namespace: &Namespace) -> Option<String> {
    Some(match cause {
        Cause::Subscription(_) => return None,
        Cause::Nowhere { subscription, part, .. } => nowhere(subscription, *part, namespace)?,
        Cause::Candidates { subscription, candidates } => match candidates.as_slice() {
            [] => format!("no bundle is a candidate of Subscription {subscription}"),
            [one] if one.catalog.is_none() => {
                format!("Subscription {subscription} can only keep {}, which is installed", one.name)
            }
            [one] => format!("Subscription {subscription} can only get {}", one.name),
            several => format!("Subscription {subscription} gets {}", names(&all(several), "or")),
        },
        Cause::Unsubscribed(bundle) => {
            format!("{} is installed and stays, since no Subscription names it", bundle.name)
        }
        Cause::Deprecated(bundle) => {
            format!("{} has the property olm.deprecated, so that it is not installed", bundle.name)
        }
        Cause::Needs { bundle, requirement, met_by } => match met_by.as_slice() {
            [] => format!("{} needs an operator {requirement}; there is none", bundle.name),
            some => {
                format!("{} needs an operator {requirement}: {}", bundle.name, names(&all(some), "or"))
            }
        },
        Cause::Replaces { bundle, replaced } => {
            format!("{} takes the place of {}", bundle.name, replaced.name)
        }
        Cause::SameApi { api, bundles } => {
            let shown = names(&concerned(bundles, causes), "and");
            format!("{shown} provide {api}, and a namespace has one provider of an API")
        }
        Cause::SamePackage { package, bundles } => {
            let shown = names(&concerned(bundles, causes), "and");
            format!("{shown} are of package {package}, and a namespace has one operator of a package")
        }
        Cause::ChosenBefore(bundle) => format!("{} is chosen before", bundle.name),
    })
}

fn subscription<'n>(name: &str, namespace: &'n Namespace) -> Option<&'n Subscription> {
    namespace.subscriptions.iter().find(|subscription| subscription.name == name)
}

fn nowhere(name: &str, part: Part, namespace: &Namespace) -> Option<String> {
    let Subscription { package, channel, starting_csv, source, .. } = subscription(name, namespace)?;
    let of = format!("which Subscription {name} names");
    Some(match part {
        Part::Catalog => format!(
            "namespace {} has no catalog {} with bundles that {} sees, {of}",
            source.namespace, source.name, namespace.name
        ),
        Part::Package => format!("catalog {} has no package {package}, {of}", source.name),
        Part::Channel => format!("package {package} has no channel {channel}, {of}"),
        Part::StartingCsv => {
            format!("package {package} has no bundle {starting_csv} there, {of} in startingCSV")
        }
    })
}

/// What helps, where that is known.
#[must_use]
pub fn remedies(causes: &[Cause], namespace: &Namespace) -> Vec<String> {
    let mut remedies: Vec<String> = Vec::new();
    for cause in causes {
        let remedy = match cause {
            Cause::Nowhere { subscription, part, .. } => meant(subscription, *part, namespace),
            Cause::Needs { met_by, .. } if met_by.is_empty() => Some(
                "add a catalog that has such an operator; any catalog that the namespace sees will do"
                    .to_owned(),
            ),
            Cause::Unsubscribed(bundle) => Some(format!(
                "if {0} is being upgraded, OLM looks again when a Subscription or an InstallPlan changes; if it is left \
                 over, delete ClusterServiceVersion {0}",
                bundle.name
            )),
            _ => None,
        };
        remedies.extend(remedy.filter(|remedy| !remedies.contains(remedy)));
    }
    let same: Vec<&str> = namespace
        .subscriptions
        .iter()
        .filter(|one| {
            let twin = |other: &&Subscription| other.package == one.package && other.name != one.name;
            namespace.subscriptions.iter().any(|other| twin(&other))
        })
        .map(|subscription| subscription.name.as_str())
        .collect();
    if !same.is_empty() && causes.iter().any(|cause| matches!(cause, Cause::SamePackage { .. })) {
        remedies.push(format!("keep one of the Subscriptions {}, which are to one package", same.join(", ")));
    }
    remedies
}

/// What a Subscription may mean.
fn meant(name: &str, part: Part, namespace: &Namespace) -> Option<String> {
    let Subscription { package, channel, starting_csv, source, .. } = subscription(name, namespace)?;
    if part == Part::Catalog {
        let known = namespace.catalogs.iter().map(|catalog| catalog.key.name.as_str());
        let elsewhere = namespace.catalogs.iter().find(|catalog| catalog.key.name == source.name);
        return match elsewhere {
            Some(catalog) if catalog.key != *source => {
                Some(format!("catalog {} is in namespace {}", catalog.key.name, catalog.key.namespace))
            }
            _ => closest(&source.name, known.filter(|name| *name != source.name))
                .map(|known| format!("did you mean catalog {known}?")),
        };
    }
    let catalog = namespace.catalogs.iter().find(|catalog| catalog.key == *source)?;
    let Content::Served(catalog) = &catalog.content else { return None };
    let of_package = || catalog.entries().iter().filter(|entry| entry.bundle.package == *package);
    let (what, text, mut known): (&str, &str, Vec<&str>) = match part {
        Part::Package => {
            let packages = catalog.entries().iter().map(|entry| entry.bundle.package.as_str());
            ("package", package, packages.collect())
        }
        Part::Channel => ("channel", channel, of_package().map(|entry| entry.channel.as_str()).collect()),
        _ => ("bundle", starting_csv, of_package().map(fbc_resolve_v0::Entry::name).collect()),
    };
    known.sort_unstable();
    known.dedup();
    match closest(text, known.iter().copied()) {
        Some(close) => Some(format!("did you mean {what} {close}?")),
        None if part == Part::Channel => Some(format!("package {package} has {}", known.join(", "))),
        None => None,
    }
}

/// Who needs an operator that no Subscription asks for: sentences.
#[must_use]
pub fn needs(name: &str, explanation: &Explanation) -> Vec<String> {
    let needs = explanation.needs.iter().filter(|need| need.met_by.name == name);
    needs.map(|need| format!("{} needs an operator {}", need.bundle.name, need.requirement)).collect()
}

/// What waits for what: sentences.
pub(super) fn waiting(namespace: &Namespace, explanation: &Explanation) -> Vec<String> {
    let mut notes = Vec::new();
    match &explanation.outcome {
        Err(error) => {
            let names: Vec<&str> =
                namespace.subscriptions.iter().map(|subscription| subscription.name.as_str()).collect();
            if names.len() > 1 {
                notes.push(format!("all Subscriptions of the namespace wait for this: {}", names.join(", ")));
            }
            if let ResolveError::Unsatisfiable(_) = error {
                notes.push(
                    "OLM tries again only when something in the namespace or a catalog changes".to_owned(),
                );
            }
        }
        Ok(resolution) => {
            let manual: Vec<&str> = namespace
                .subscriptions
                .iter()
                .filter(|subscription| subscription.is_manual)
                .map(|subscription| subscription.name.as_str())
                .collect();
            let is_planned = resolution.operators.iter().any(|operator| !operator.is_up_to_date);
            if is_planned && !manual.is_empty() {
                notes.push(format!(
                    "one InstallPlan holds all of it, and waits for approval: `Manual` of Subscription {} holds for the whole \
                     namespace",
                    manual.join(", ")
                ));
            }
        }
    }
    notes
}

/// What became of a bundle, in a few words.
#[must_use]
pub fn verdict(verdict: &Verdict, installed: Option<&BundleName>) -> String {
    match verdict {
        Verdict::Chosen => "chosen".to_owned(),
        Verdict::LessPreferred => "a bundle nearer to the head is preferred".to_owned(),
        Verdict::PassedOver(_) => "preferred, but it does not go with the rest".to_owned(),
        Verdict::Installed => "installed".to_owned(),
        Verdict::OtherChannel => "in another channel".to_owned(),
        Verdict::NotStarting => "startingCSV names another one".to_owned(),
        Verdict::NoEdge => match installed {
            Some(installed) => format!("no edge leads to it from {}", installed.name),
            None => "no edge leads to it".to_owned(),
        },
        Verdict::Skipped(by) => format!("{by} skips it"),
        Verdict::Undecided => "undecided, since the namespace is not resolved".to_owned(),
    }
}
