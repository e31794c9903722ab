//! Why an answer is what it is, and what would change it, in sentences.

use fbc_resolve::{
    CatalogVerdict, Edge, Explanation, Filter, IndexedBundle, Request, ResolveError, Rules, Wanted,
};
use fbc_version::masterminds::admitted;
use fbc_version::{Grammar, Range};

use fbc_model::closest::closest;

/// Versions or channels that a sentence names at most.
const SHOWN: usize = 8;

/// Sentences about an answer.
#[derive(Default)]
pub struct Advice {
    /// Why it is what it is.
    pub why: Vec<String>,
    /// What would change it.
    pub remedies: Vec<String>,
}

impl Advice {
    /// Advice on an answer.
    pub fn on(explanation: &Explanation<'_>, request: &Request, rules: Rules) -> Self {
        let mut advice = Self::default();
        match &explanation.outcome {
            Ok(_) => {
                if let Some(wanted) = &explanation.wanted {
                    advice.passed_over(wanted, request);
                }
            }
            Err(error) => advice.refused(error, explanation, request, rules),
        }
        if !request.version.is_empty() && !admitted(&request.version) {
            advice.why.push(format!(
                "the API server refuses {:?} before anything is resolved: invalid version expression",
                request.version
            ));
        }
        advice
    }

    fn refused(
        &mut self,
        error: &ResolveError,
        explanation: &Explanation<'_>,
        request: &Request,
        rules: Rules,
    ) {
        match error {
            ResolveError::Selector(_) => self.remedy(
                "the operators are In and NotIn, which need values, and Exists and DoesNotExist, which take none",
            ),
            ResolveError::Range { range, .. } => {
                self.remedy(match Range::parse(Grammar::Blang, rules.target, range) {
                    Ok(_) => "it is a range of the other grammar, that of skipRange; write it for `version`",
                    Err(_) => "write a version, or comparisons such as `>=1.2, <2`; `fbc range` explains them",
                });
            }
            ResolveError::Catalog { catalog, .. } => {
                self.why.push("one catalog without an answer stops every extension that selects it".into());
                self.remedy(&format!("fix catalog {catalog}, or leave it out by the selector"));
            }
            ResolveError::InstalledVersion(_) => {
                self.remedy("the version of what is installed must be of the form 1.2.3");
            }
            ResolveError::BundleVersion { bundle, .. } => self.remedy(&format!(
                "in the catalog: give {bundle} a property olm.package with a version such as 1.2.3"
            )),
            ResolveError::Dependency { bundle, .. } => self.dependency(bundle, explanation),
            ResolveError::Ambiguous { .. } => self.ambiguous(explanation),
            ResolveError::NoBundle { .. } => self.no_bundle(explanation, request),
        }
    }

    fn remedy(&mut self, text: &str) {
        self.remedies.push(text.to_owned());
    }

    fn dependency(&mut self, bundle: &str, explanation: &Explanation<'_>) {
        self.why.push(format!(
            "{bundle} is the best candidate, OLM v1 does not install dependencies, and it falls back to no other"
        ));
        match explanation.without_dependency() {
            Some(other) => self.remedy(&format!(
                "in the ClusterExtension: `version: \"{}\"`, the best one without a dependency",
                version(other)
            )),
            None => self.remedy("no bundle that passes all filters is without a dependency"),
        }
    }

    fn ambiguous(&mut self, explanation: &Explanation<'_>) {
        let tied: Vec<(&str, String)> = explanation
            .catalogs
            .iter()
            .filter(|catalog| catalog.verdict == CatalogVerdict::Tied)
            .filter_map(|catalog| {
                let candidate = catalog.bundles.iter().find(|bundle| bundle.is_candidate)?;
                let name = &candidate.bundle.blob.name;
                Some((catalog.catalog.name.as_str(), format!("{} offers {name}", catalog.catalog.name)))
            })
            .collect();
        let offers: Vec<&str> = tied.iter().map(|(_, offer)| offer.as_str()).collect();
        self.why.push(format!("{}, and nothing decides between them", offers.join(", ")));
        if let Some((name, _)) = tied.first() {
            self.remedy(&format!(
                "give one of them a higher priority: `spec.priority` of ClusterCatalog {name}"
            ));
            self.remedy(&format!(
                "or select one: `matchLabels: {{olm.operatorframework.io/metadata.name: {name}}}`"
            ));
        }
    }

    fn no_bundle(&mut self, explanation: &Explanation<'_>, request: &Request) {
        if let Some(wanted) = &explanation.wanted {
            self.blocked(wanted, request, None);
            if explanation.installed_is_known == Some(false)
                && wanted.removed_by.contains(&Filter::Edges)
                && let Some(installed) = &request.installed
            {
                self.why.push(format!(
                    "what is installed, {}, is in no catalog; it is known by its name and version {} only",
                    installed.name, installed.version
                ));
            }
            return;
        }
        let package = &request.package;
        let mut takes_part = false;
        for catalog in &explanation.catalogs {
            let name = &catalog.catalog.name;
            match &catalog.verdict {
                CatalogVerdict::NotSelected { requirement, has_package: true } => self
                    .why
                    .push(format!("catalog {name} has the package, but the selector wants {requirement}")),
                CatalogVerdict::Unavailable { has_package: true } => {
                    self.why.push(format!("catalog {name} has the package, but is Unavailable"));
                }
                CatalogVerdict::NotSelected { .. } | CatalogVerdict::Unavailable { .. } => {}
                _ => takes_part = true,
            }
        }
        if !takes_part {
            self.why.push("no catalog is left to choose from: none is both selected and available".into());
            self.remedy("change `selector`, or the labels or the availabilityMode of a ClusterCatalog");
            return;
        }
        self.why.insert(0, format!("no catalog that is asked has a bundle of package {package:?}"));
        let names: Vec<&str> = explanation
            .catalogs
            .iter()
            .filter_map(|catalog| catalog.catalog.index())
            .flat_map(|index| index.package_names())
            .collect();
        if names.contains(&package.as_str()) {
            // A catalog that has it and is not asked was named above.
            if self.why.len() == 1 {
                self.remedy("`fbc validate` says what the package lacks");
            }
            return;
        }
        let longer = names.iter().find(|name| name.contains(package.as_str())).copied();
        if let Some(name) = closest(package, names).or(longer) {
            self.remedy(&format!("did you mean package {name:?}?"));
        }
    }

    fn passed_over(&mut self, wanted: &Wanted<'_>, request: &Request) {
        self.blocked(wanted, request, Some("newer"));
    }

    /// What is in the way of a bundle.
    fn blocked(&mut self, wanted: &Wanted<'_>, request: &Request, word: Option<&str>) {
        let shown = version(wanted.bundle);
        let is = |filter| wanted.removed_by.contains(&filter);
        let newer = word.map_or(String::new(), |_| "newer: ".to_owned());
        if is(Filter::Range) || is(Filter::NoVersion) {
            if word.is_some() {
                // The range was the user's own choice.
                self.why.push(format!("{newer}{shown} is outside of the range {:?}", request.version));
            } else {
                self.outside(wanted, request);
            }
        } else if is(Filter::Channels) {
            self.other_channel(wanted, request, &newer, &shown);
        } else if is(Filter::Edges) {
            self.no_edge(wanted, request, &newer, &shown);
        } else if wanted.bundle.is_deprecated {
            self.why.push(format!("{newer}{shown} is deprecated, and bundles that are not come first"));
        } else {
            let catalog = &wanted.catalog.name;
            self.why.push(format!("{newer}{shown} of catalog {catalog} is outranked by another catalog"));
        }
        if let Some(property) = wanted.bundle.dependency() {
            self.why.push(format!(
                "{shown} declares a dependency ({property}), for which OLM v1 refuses it even where it is reached"
            ));
        }
    }

    fn outside(&mut self, wanted: &Wanted<'_>, request: &Request) {
        let versions = all_versions(wanted);
        self.why.push(format!(
            "no version is in the range {:?}; there are {}",
            request.version,
            some(&versions)
        ));
        let range = Range::parse(Grammar::Masterminds, fbc_version::Target::Latest, &request.version);
        let prerelease = range.ok().and_then(|range| {
            let bundles = wanted.package.bundles().iter().filter_map(IndexedBundle::semantic_version);
            bundles.into_iter().find(|version| version.is_prerelease() && range.matches(&version.core()))
        });
        if let Some(version) = prerelease {
            self.remedy(&format!(
                "{version} is a prerelease, which matches only if the range names one, such as `>={}-0`",
                version.core()
            ));
        } else {
            self.remedy(&format!(
                "in the ClusterExtension: a range that includes {}",
                version(wanted.bundle)
            ));
        }
    }

    fn other_channel(&mut self, wanted: &Wanted<'_>, request: &Request, newer: &str, shown: &str) {
        let asked = request.channels.join(", ");
        let channels = wanted.package.channels_of(wanted.bundle);
        let known: Vec<&str> = wanted.package.channels().iter().map(String::as_str).collect();
        let unknown = request.channels.iter().find(|channel| !known.contains(&channel.as_str()));
        if let Some(unknown) = unknown {
            let list = some(&known.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            self.why.push(format!("the package has no channel {unknown}; it has {list}"));
            if let Some(name) = closest(unknown, known.iter().copied()) {
                self.remedy(&format!("did you mean channel {name}?"));
            }
            if !request.channels.iter().any(|channel| known.contains(&channel.as_str())) {
                return;
            }
        }
        if channels.is_empty() {
            self.why.push(format!("{newer}{shown} is in no channel at all"));
        } else {
            self.why.push(format!("{newer}{shown} is in {}, not in {asked}", list_of("channel", &channels)));
            self.remedy(&format!("in the ClusterExtension: add {} to `channels`", channels.join(" or ")));
        }
        if wanted.removed_by.contains(&Filter::Edges) && wanted.edge_elsewhere.is_none() {
            self.why.push(format!("and no edge leads to {shown} from what is installed either"));
        }
    }

    fn no_edge(&mut self, wanted: &Wanted<'_>, request: &Request, newer: &str, shown: &str) {
        let Some(installed) = &request.installed else { return };
        let from = &installed.version;
        let name = &wanted.bundle.blob.name;
        self.why.push(format!("{newer}{shown} exists, but no edge leads to it from {from}"));
        self.why.extend(edges_of(wanted, request));
        if !wanted.reachable.is_empty() {
            let reachable: Vec<String> = wanted.reachable.iter().map(|bundle| version(bundle)).collect();
            let nearest = wanted.nearest.map(version).unwrap_or_default();
            self.why.push(format!("one step from {from} reaches {}; nearest is {nearest}", some(&reachable)));
        } else {
            self.why.push(format!("no edge leads anywhere from {from}"));
        }
        if let Some(route) = wanted.route.as_ref().filter(|route| route.len() > 1) {
            let steps: Vec<String> = route.iter().map(|bundle| version(bundle)).collect();
            self.remedy(&format!(
                "in the ClusterExtension: go step by step, one `version` after another: {from} -> {}",
                steps.join(" -> ")
            ));
        }
        if let Some(route) = wanted.route_elsewhere.as_ref().filter(|route| route.len() > 1) {
            let steps: Vec<String> = route.iter().map(|bundle| version(bundle)).collect();
            self.remedy(&format!(
                "in the ClusterExtension: without `channels` there is a way of several steps: {from} -> {}",
                steps.join(" -> ")
            ));
        }
        if let Some(Edge::Replaces { channel } | Edge::Skips { channel } | Edge::SkipRange { channel, .. }) =
            wanted.edge_elsewhere
        {
            self.remedy(&format!("in the ClusterExtension: add {channel} to `channels`, which has an edge"));
        }
        if is_below(wanted.bundle, from) {
            self.why.push(format!("{shown} is older than what is installed; catalogs do not lead back"));
        } else {
            let mut channels = wanted.package.channels_of(wanted.bundle);
            channels.retain(|name| {
                request.channels.is_empty() || request.channels.iter().any(|asked| asked == name)
            });
            let place = if channels.is_empty() {
                format!("list {name} in a channel")
            } else {
                format!("in {}, entry {name}", list_of("channel", &channels))
            };
            self.remedy(&format!(
                "in the catalog: {place}: add `skips: [{}]` or `skipRange: \">={from} <{shown}\"`",
                installed.name
            ));
        }
        self.remedy(
            "in the ClusterExtension: `upgradeConstraintPolicy: SelfCertified` takes it without an edge; its \
             author never promised that this works",
        );
    }
}

/// What the entries of the wanted bundle say, each in a sentence.
fn edges_of(wanted: &Wanted<'_>, request: &Request) -> Vec<String> {
    let Some(installed) = &request.installed else { return Vec::new() };
    let package = wanted.package;
    let name = &wanted.bundle.blob.name;
    package
        .entries_of(wanted.bundle)
        .filter(|entry| {
            request.channels.is_empty()
                || request.channels.iter().any(|name| name == package.channel_of(entry))
        })
        .take(SHOWN)
        .map(|entry| {
            let mut says = Vec::new();
            if !entry.blob.replaces.is_empty() {
                says.push(format!("replaces {}", entry.blob.replaces));
            }
            if !entry.blob.skips.is_empty() {
                says.push(format!("skips {}", some(&entry.blob.skips)));
            }
            match &entry.skip_range {
                Some(Ok(range)) => {
                    says.push(format!("its skipRange {range} does not cover {}", installed.version));
                }
                Some(Err(_)) => {
                    says.push(format!(
                        "its skipRange {:?} is not a range and is ignored",
                        entry.blob.skip_range
                    ));
                }
                None => {}
            }
            if says.is_empty() {
                says.push("names no earlier version".to_owned());
            }
            format!("in channel {}, {name} {}", package.channel_of(entry), says.join(", "))
        })
        .collect()
}

/// The version of a bundle, or its name where it has none.
pub fn version(bundle: &IndexedBundle) -> String {
    match &bundle.version {
        Ok(version) => version.to_version().to_string(),
        Err(_) => bundle.blob.name.clone(),
    }
}

fn is_below(bundle: &IndexedBundle, version: &str) -> bool {
    let installed = fbc_version::Version::parse(version).ok();
    bundle
        .semantic_version()
        .zip(installed)
        .is_some_and(|(wanted, installed)| wanted.compare_precedence(&installed).is_lt())
}

fn all_versions(wanted: &Wanted<'_>) -> Vec<String> {
    let mut bundles: Vec<&IndexedBundle> = wanted.package.bundles().iter().collect();
    bundles.sort_by(|left, right| match (left.semantic_version(), right.semantic_version()) {
        (Some(left), Some(right)) => right.compare_precedence(left),
        (left, right) => left.is_none().cmp(&right.is_none()),
    });
    bundles.into_iter().map(version).collect()
}

fn list_of(what: &str, names: &[&str]) -> String {
    let plural = if names.len() == 1 { "" } else { "s" };
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    format!("{what}{plural} {}", some(&names))
}

/// The first of many, and how many more there are.
fn some(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
