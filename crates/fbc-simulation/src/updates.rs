//! What an update service offers, and the shortest safe route.

use std::path::{Path, PathBuf};

use fbc_app::count::counted;
use fbc_app::settings::Settings;
use fbc_cluster::object::ObjectFields as _;
use fbc_cluster::time::Moment;
use fbc_model::closest::closest;
use fbc_openshift::update_service::operators::Moves;
use fbc_openshift::update_service::route::{Exposure, Hop, Judged, Route, exposed, route};
use fbc_openshift::update_service::{Facts, Graph, RiskCache, offer};
use fbc_source::{Error, Session};
use fbc_version::Version;
use serde_json::{Value, json};

use crate::input::operators::{open_catalog, operators_of_flags};
use crate::input::updates;

/// What is asked of a graph.
pub struct Question<'q> {
    /// The graph, or what it is made of.
    pub graph: &'q Path,
    /// The file with the releases of graph data.
    pub releases: Option<&'q Path>,
    /// The architecture.
    pub architecture: Option<&'q str>,
    /// The channel.
    pub channel: Option<&'q str>,
    /// The file with facts about a cluster.
    pub facts: Option<&'q Path>,
    /// The version of the cluster.
    pub from: Option<&'q str>,
    /// The wanted version.
    pub to: Option<&'q str>,
    /// The catalog that its operators come from.
    pub catalog: Option<&'q PathBuf>,
    /// The operators, as `PACKAGE=VERSION`.
    pub operators: &'q [String],
}

/// What was found.
pub struct Answer {
    /// The graph.
    pub graph: Graph,
    /// What is wrong with it.
    pub faults: Vec<String>,
    /// What is offered to one version.
    pub from: Option<Offered>,
}

/// What a cluster of a version is offered.
pub struct Offered {
    /// The version.
    pub version: String,
    /// Releases that are recommended, with their images.
    pub recommended: Vec<(String, String)>,
    /// Releases with risks.
    pub conditional: Vec<(String, String, Vec<Judged>)>,
    /// The wanted version and the route there.
    pub route: Option<(String, Option<Route>)>,
    /// Operators that move before each update of the route.
    pub moves: Vec<Moves>,
}

/// Answers a question; `session` makes a session for the catalog of operators.
///
/// # Errors
/// If an input cannot be read, or the graph lacks what is asked about.
pub fn answer(
    question: &Question<'_>,
    session: &dyn Fn(&PathBuf) -> Session,
    settings: &Settings,
) -> Result<Answer, Error> {
    let mut graph = updates::graph(question.graph, question.releases, question.architecture, settings)?;
    let faults = graph.faults();
    if let Some(channel) = question.channel {
        let channels: Vec<String> = graph.nodes.iter().flat_map(|node| node.channels()).collect();
        if !channels.is_empty() && !channels.iter().any(|known| known == channel) {
            let meant = closest(channel, channels.iter().map(String::as_str));
            let failure = Error::new(format!("no release of the graph is in the channel {channel:?}"));
            return Err(match meant {
                Some(name) => failure.help(format!("there is {name:?}")),
                None => failure.help("`fbc updates GRAPH` lists the channels"),
            });
        }
        // An answer of a service for one channel may not name channels at all.
        if !channels.is_empty() {
            graph = graph.of_channel(channel);
        }
    }
    let facts = question.facts.map(|path| updates::facts(path, settings)).transpose()?;
    let from = match question.from {
        Some(from) => Some(offered(question, session, &graph, from, facts.as_ref(), settings)?),
        None => None,
    };
    Ok(Answer { graph, faults, from })
}

/// Reads a version of the command line.
fn version(text: &str, what: &str) -> Result<Version, Error> {
    Version::parse(text).map_err(|error| Error::new(format!("{what}: {text:?} is not a version: {error}")))
}

/// Judges risks by facts; without facts only risks that always apply can be told.
fn judge(risk: &Value, cache: &mut RiskCache, facts: Option<&Facts>, at: &mut u64) -> Exposure {
    let rules = risk.list(&["matchingRules"]);
    let result = match facts {
        Some(facts) => {
            // Queries are a second apart, so that none is held back.
            *at += 1000;
            cache.applies(rules, facts, Moment(Moment::START.0 + *at)).map_err(|error| error.to_string())
        }
        None if rules.iter().any(|rule| rule["type"] == "Always") => Ok(true),
        None => Err("no facts about the cluster are given (--facts)".to_owned()),
    };
    match result {
        Ok(true) => Exposure::Applies,
        Ok(false) => Exposure::Avoided,
        Err(error) => Exposure::Unknown(error),
    }
}

/// The failure for a release that the graph lacks. With --channel, the graph holds only that channel.
fn no_release(question: &Question<'_>, graph: &Graph, version: &str) -> Error {
    let failure = Error::refusal(match question.channel {
        Some(channel) => format!("the channel {channel:?} has no release {version}"),
        None => format!("the graph has no release {version}"),
    });
    let mut known: Vec<&Version> = graph.nodes.iter().map(|node| &node.version).collect();
    known.sort_by(|one, other| one.compare_precedence(other));
    let (Some(first), Some(last)) = (known.first(), known.last()) else { return failure };
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let meant = closest(version, names.iter().map(String::as_str));
    let closest = meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    failure.help(format!(
        "it has {}, {first} to {last}, and `fbc updates GRAPH -o graph` shows all{closest}",
        counted(known.len(), "release")
    ))
}

fn offered(
    question: &Question<'_>,
    session: &dyn Fn(&PathBuf) -> Session,
    graph: &Graph,
    from: &str,
    facts: Option<&Facts>,
    settings: &Settings,
) -> Result<Offered, Error> {
    let current = version(from, "--from")?;
    let channel = question.channel.unwrap_or_default();
    if graph.nodes.iter().all(|node| node.version != current) {
        return Err(no_release(question, graph, from));
    }
    let offer = offer(graph, &current, channel, false)
        .map_err(|(reason, message)| Error::refusal(format!("{reason}: {message}")))?;
    let (mut cache, mut at) = (RiskCache::default(), 0);
    let mut judge = |risk: &Value| judge(risk, &mut cache, facts, &mut at);
    let mut conditional: Vec<(String, String, Vec<Judged>)> = Vec::new();
    for update in &offer.conditional {
        let risks = update.list(&["risks"]).iter();
        let judged = risks.map(|risk| Judged { risk: risk.clone(), exposure: judge(risk) }).collect();
        let text = |field: &str| update.text(&["release", field]).to_owned();
        conditional.push((text("version"), text("image"), judged));
    }
    let mut recommended: Vec<(String, String)> =
        offer.updates.iter().map(|release| (release.version.clone(), release.image.clone())).collect();
    let avoided = conditional.iter().filter(|(_, _, risks)| exposed(risks).is_empty());
    recommended.extend(avoided.map(|(version, image, _)| (version.clone(), image.clone())));
    recommended.sort_by(|one, other| newest_first(&one.0, &other.0));
    conditional.retain(|(_, _, risks)| !exposed(risks).is_empty());
    conditional.sort_by(|one, other| newest_first(&one.0, &other.0));
    let route = match question.to {
        Some(to) => {
            let target = version(to, "--to")?;
            if !graph.nodes.iter().any(|node| node.version.compare_precedence(&target).is_eq()) {
                return Err(no_release(question, graph, to));
            }
            Some((to.to_owned(), route(graph, &current, &target, &mut judge)))
        }
        None => None,
    };
    let moves = match (question.catalog, &route) {
        (Some(catalog), Some((_, Some(route)))) => {
            let session = session(catalog);
            let catalog = open_catalog(catalog, &session, settings)?;
            operators_of_flags(question.operators, catalog.as_ref())?.moves(&route.hops)
        }
        _ => Vec::new(),
    };
    Ok(Offered { version: from.to_owned(), recommended, conditional, route, moves })
}

fn newest_first(one: &str, other: &str) -> std::cmp::Ordering {
    match (Version::parse(one), Version::parse(other)) {
        (Ok(one), Ok(other)) => other.compare_precedence(&one),
        _ => one.cmp(other),
    }
}

impl Answer {
    /// Whether nothing is wrong with the graph, and the route is safe.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        let is_safe = |from: &Offered| match &from.route {
            None => true,
            Some((_, None)) => false,
            Some((_, Some(route))) => {
                route.hops.iter().all(|hop| exposed(&hop.risks).is_empty())
                    && from.moves.iter().all(|moves| moves.stuck.is_empty())
            }
        };
        self.faults.is_empty() && self.from.as_ref().is_none_or(is_safe)
    }

    /// The answer as a JSON object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let risk = |judged: &Judged| {
            let (applies, reason) = match &judged.exposure {
                Exposure::Applies => ("True", None),
                Exposure::Avoided => ("False", None),
                Exposure::Unknown(reason) => ("Unknown", Some(reason)),
            };
            let text = |field: &str| judged.risk.text(&[field]).to_owned();
            json!({"name": text("name"), "message": text("message"), "url": text("url"), "applies": applies, "reason": reason})
        };
        let risks = |list: &[Judged]| list.iter().map(risk).collect::<Vec<_>>();
        let Some(from) = &self.from else {
            return json!({"releases": self.graph.nodes.len(), "faults": self.faults});
        };
        let mut value = json!({
            "from": from.version,
            "faults": self.faults,
            "recommended": from.recommended.iter().map(|(version, image)| json!({"version": version, "image": image})).collect::<Vec<_>>(),
            "conditional": from.conditional.iter().map(|(version, image, list)| json!({"version": version, "image": image, "risks": risks(list)})).collect::<Vec<_>>(),
        });
        if let Some((to, route)) = &from.route {
            value["to"] = json!(to);
            value["equalRoutes"] = json!(route.as_ref().map_or(0, |route| route.equal));
            value["route"] = json!(route.as_ref().map(|route| {
                let hop = |(index, hop): (usize, &Hop)| {
                    let moves = from.moves.get(index);
                    json!({
                        "from": hop.from, "to": hop.to, "image": hop.image, "channels": hop.channels,
                        "earlyAccess": hop.is_early,
                        "risks": risks(&hop.risks),
                        "operatorsFirst": moves.map(moves_value),
                    })
                };
                route.hops.iter().enumerate().map(hop).collect::<Vec<_>>()
            }));
        }
        value
    }
}

fn moves_value(moves: &Moves) -> Value {
    let first =
        moves.first.iter().map(|(package, from, to)| json!({"package": package, "from": from, "to": to}));
    let stuck = moves
        .stuck
        .iter()
        .map(|(package, at, why)| json!({"package": package, "version": at, "reason": why}));
    json!({"move": first.collect::<Vec<_>>(), "block": stuck.collect::<Vec<_>>()})
}
