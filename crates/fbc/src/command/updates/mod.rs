//! `fbc updates`: what an update service offers, and the shortest safe route.

mod text;

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_cluster::object::ObjectFields as _;
use fbc_cluster::time::Moment;
use fbc_openshift::update_service::operators::Moves;
use fbc_openshift::update_service::route::{Exposure, Hop, Judged, exposed, route};
use fbc_openshift::update_service::{Facts, Graph, RiskCache, offer};
use fbc_version::Version;
use serde_json::{Value, json};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::input;
use crate::output;
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use fbc_app::count::counted;
use fbc_simulation::input::operators::{open_catalog, operators_of_flags};

/// Show which updates of OpenShift a cluster is offered, and the shortest safe route
///
/// The graph is the answer of an update service, or a directory of graph data together with the releases (--releases).
/// Without --from, the graph is checked. Risks are judged by the facts about the cluster (--facts): metrics in Prometheus'
/// text format, such as `cluster_infrastructure_provider{type="AWS"} 1`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 the updates are recommended, 1 there is no safe route or the graph has faults, 2 could not run."
)]
pub(crate) struct Arguments {
    /// The graph: a JSON file, or a directory of graph data
    #[arg(value_name = "GRAPH", value_hint = ValueHint::AnyPath)]
    graph: PathBuf,
    /// The releases of a directory of graph data: a file with a list of their metadata, each with `image`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    releases: Option<PathBuf>,
    /// The architecture of a directory of graph data [default: amd64]
    #[arg(long, value_name = "ARCHITECTURE")]
    architecture: Option<String>,
    /// The version of the cluster
    #[arg(long, value_name = "VERSION")]
    from: Option<String>,
    /// Only updates of this channel
    #[arg(short, long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// Show the shortest safe route to this version
    #[arg(long, value_name = "VERSION", requires = "from")]
    to: Option<String>,
    /// Metrics of the cluster, to judge risks by
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    facts: Option<PathBuf>,
    /// A catalog with the next versions of installed operators
    #[arg(long, value_name = "CATALOG", value_hint = ValueHint::AnyPath, requires_all = ["operators", "to"])]
    catalog: Option<PathBuf>,
    /// An operator that the cluster has, by package and version; can be repeated
    #[arg(long = "operator", value_name = "PACKAGE=VERSION", requires = "catalog")]
    operators: Vec<String>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

/// The formats of updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Updates, risks and the route in words
    #[default]
    Text,
    /// The same as one JSON object
    Json,
    /// The graph itself, as an update service answers
    Graph,
    /// The graph in the language of graphviz; updates with risks are dashed
    Dot,
}

/// What was found.
struct Answer {
    graph: Graph,
    faults: Vec<String>,
    from: Option<From>,
}

/// What a cluster of a version is offered.
struct From {
    version: String,
    recommended: Vec<(String, String)>,
    conditional: Vec<(String, String, Vec<Judged>)>,
    /// The wanted version and the route there.
    route: Option<(String, Option<Vec<Hop>>)>,
    /// Operators that move before each update of the route.
    moves: Vec<Moves>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if arguments.from.is_some() && matches!(arguments.output, Format::Graph | Format::Dot) {
        return Err(Failure::new("this --output shows the whole graph, and --from asks about one release")
            .help("leave out --from, or give --output text or json"));
    }
    let mut graph = fbc_simulation::input::updates::graph(
        &arguments.graph,
        arguments.releases.as_deref(),
        arguments.architecture.as_deref(),
        settings,
    )?;
    let faults = graph.faults();
    if let Some(channel) = &arguments.channel {
        let channels: Vec<String> = graph.nodes.iter().flat_map(|node| node.channels()).collect();
        if !channels.is_empty() && !channels.contains(channel) {
            let closest = crate::failure::closest(channel, channels.iter().map(String::as_str));
            let failure = Failure::new(format!("no release of the graph is in the channel {channel:?}"));
            return Err(match closest {
                Some(name) => failure.help(format!("there is {name:?}")),
                None => failure.help("`fbc updates GRAPH` lists the channels"),
            });
        }
        // An answer of a service for one channel may not name channels at all.
        if !channels.is_empty() {
            graph = graph.of_channel(channel);
        }
    }
    let facts = arguments
        .facts
        .as_deref()
        .map(|path| fbc_simulation::input::updates::facts(path, settings))
        .transpose()?;
    let from = match &arguments.from {
        Some(from) => Some(offered(arguments, &graph, from, facts.as_ref(), settings)?),
        None => None,
    };
    let answer = Answer { graph, faults, from };
    let exit = if answer.is_fine() { CLEAN } else { FINDINGS };
    write_output(settings, arguments.output_file.as_deref(), |out| {
        match arguments.output {
            Format::Text => text::write(&answer, out)?,
            Format::Json => fbc_app::output::json_document::write(&mut *out, &answer.to_value())?,
            Format::Graph => writeln!(out, "{:#}", answer.graph.to_value())?,
            Format::Dot => out.write_all(answer.graph.dot().as_bytes())?,
        }
        Ok(())
    })?;
    Ok(exit)
}

/// Reads a version of the command line.
fn version(text: &str, what: &str) -> Result<Version, Failure> {
    Version::parse(text).map_err(|error| Failure::new(format!("{what}: {text:?} is not a version: {error}")))
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
fn no_release(arguments: &Arguments, graph: &Graph, version: &str) -> Failure {
    let failure = Failure::refusal(match &arguments.channel {
        Some(channel) => format!("the channel {channel:?} has no release {version}"),
        None => format!("the graph has no release {version}"),
    });
    let mut known: Vec<&Version> = graph.nodes.iter().map(|node| &node.version).collect();
    known.sort_by(|one, other| one.compare_precedence(other));
    let (Some(first), Some(last)) = (known.first(), known.last()) else { return failure };
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let closest = crate::failure::closest(version, names.iter().map(String::as_str));
    let closest = closest.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    failure.help(format!(
        "it has {}, {first} to {last}, and `fbc updates GRAPH -o graph` shows all{closest}",
        counted(known.len(), "release")
    ))
}

fn offered(
    arguments: &Arguments,
    graph: &Graph,
    from: &str,
    facts: Option<&Facts>,
    settings: &Settings,
) -> Result<From, Failure> {
    let current = version(from, "--from")?;
    let channel = arguments.channel.as_deref().unwrap_or_default();
    if graph.nodes.iter().all(|node| node.version != current) {
        return Err(no_release(arguments, graph, from));
    }
    let offer = offer(graph, &current, channel, false)
        .map_err(|(reason, message)| Failure::refusal(format!("{reason}: {message}")))?;
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
    let route = match &arguments.to {
        Some(to) => {
            let target = version(to, "--to")?;
            if !graph.nodes.iter().any(|node| node.version.compare_precedence(&target).is_eq()) {
                return Err(no_release(arguments, graph, to));
            }
            Some((to.clone(), route(graph, &current, &target, &mut judge)))
        }
        None => None,
    };
    let moves = match (&arguments.catalog, &route) {
        (Some(catalog), Some((_, Some(hops)))) => {
            let session = arguments.images.session([catalog], settings);
            let catalog = open_catalog(catalog, &session, settings)?;
            operators_of_flags(&arguments.operators, catalog.as_ref())?.moves(hops)
        }
        _ => Vec::new(),
    };
    Ok(From { version: from.to_owned(), recommended, conditional, route, moves })
}

fn newest_first(one: &str, other: &str) -> std::cmp::Ordering {
    match (Version::parse(one), Version::parse(other)) {
        (Ok(one), Ok(other)) => other.compare_precedence(&one),
        _ => one.cmp(other),
    }
}

impl Answer {
    fn is_fine(&self) -> bool {
        let is_safe = |from: &From| match &from.route {
            None => true,
            Some((_, None)) => false,
            Some((_, Some(hops))) => {
                hops.iter().all(|hop| exposed(&hop.risks).is_empty())
                    && from.moves.iter().all(|moves| moves.stuck.is_empty())
            }
        };
        self.faults.is_empty() && self.from.as_ref().is_none_or(is_safe)
    }

    fn to_value(&self) -> Value {
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
        if let Some((to, hops)) = &from.route {
            value["to"] = json!(to);
            value["route"] = json!(hops.as_ref().map(|hops| {
                let hop = |(index, hop): (usize, &Hop)| {
                    let moves = from.moves.get(index);
                    json!({
                        "from": hop.from, "to": hop.to, "image": hop.image, "channels": hop.channels,
                        "risks": risks(&hop.risks),
                        "operatorsFirst": moves.map(moves_value),
                    })
                };
                hops.iter().enumerate().map(hop).collect::<Vec<_>>()
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
