//! Sessions of clusters that were written down, played again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fbc_apiserver::actor::{self, Actor, Recorded, RecordedInput, Stillness};
use fbc_app::input;
use fbc_app::settings::Settings;
use fbc_cluster::admission::webhooks::stand_in::StandIn;
use fbc_cluster::budget::Budget;
use fbc_cluster::time::Moment;
use fbc_openshift::cluster_update::MOST_NODES;
use fbc_scenario::Generations;
use fbc_source::Error;
use fbc_version::Target;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::authority::new_token_authority;
use super::images::RecordedImages;
use super::services::{self, Listening};
use super::trace::{TraceFault, lines_of};
use super::webhooks::RecordedWebhooks;
use super::{Additions, Pace, played, prepared};
use crate::budget;
use crate::input::scenario;

/// The flags of a cluster, as the first line of a session says them.
pub struct Header {
    /// The file of its scenario.
    pub scenario: Option<PathBuf>,
    /// Its catalogs, as `NAME=REF`.
    pub catalogs: Vec<String>,
    /// The release whose behavior applies.
    pub target: Option<Target>,
    /// What it has besides what its scenario says.
    pub additions: Additions,
    /// Its seed.
    pub seed: Option<u64>,
    /// The parts that stay out of it.
    pub without: Vec<String>,
    /// How its time goes.
    pub pace: Pace,
    /// Whether it has a registry of its own.
    pub registry: bool,
    /// What it may take; sessions from before that was written down do not say it.
    pub budget: Option<Budget>,
}

impl Header {
    /// The first line of a session; `start` is the moment at which the cluster began.
    pub(super) fn line(&self, start: u64) -> Value {
        let limits = self.budget.map(|budget| budget::named(budget).into_iter().collect());
        let limits: BTreeMap<&str, u64> = limits.unwrap_or_default();
        let mut line = json!({"session": {
            "scenario": self.scenario.as_ref().map(|path| path.display().to_string()), "catalogs": self.catalogs,
            "target": self.target.map(|target| target.to_string()), "nodes": self.additions.nodes, "seed": self.seed,
            "without": self.without, "time": self.pace.to_string(), "start_ms": start,
            "registry": self.registry, "limits": limits, "empty_bundles": self.additions.empty_bundles,
        }});
        if let Some(olm) = self.additions.olm {
            line["session"]["olm"] = olm.name().into();
        }
        line
    }

    fn read(line: &Value) -> Result<(Self, Moment), TraceFault> {
        let session = line.get("session").ok_or(TraceFault::NoSession)?;
        let texts = |field: &str| -> Vec<String> {
            let list = session[field].as_array().into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let nodes = session["nodes"].as_u64().unwrap_or_default();
        let nodes =
            u32::try_from(nodes).ok().filter(|nodes| *nodes <= MOST_NODES).ok_or(TraceFault::Nodes)?;
        let empty_bundles = session["empty_bundles"].as_bool().unwrap_or_default();
        let olm = session["olm"].as_str();
        let olm = olm.map(|name| Generations::of_name(name).ok_or(TraceFault::Generations)).transpose()?;
        let target = session["target"].as_str().map(str::parse::<Target>).transpose();
        let header = Self {
            scenario: session["scenario"].as_str().map(PathBuf::from),
            catalogs: texts("catalogs"),
            target: target?,
            additions: Additions { nodes, olm, empty_bundles },
            seed: session["seed"].as_u64(),
            without: texts("without"),
            pace: Pace::parse(session["time"].as_str().unwrap_or_default())?,
            registry: session["registry"].as_bool().unwrap_or_default(),
            budget: read_budget(&session["limits"]),
        };
        let start = session["start_ms"].as_u64().map(Moment).ok_or(TraceFault::NoStart)?;
        if start > Moment::LAST {
            return Err(TraceFault::LateStart);
        }
        Ok((header, start))
    }
}

/// The budget of a session, if it says one.
fn read_budget(limits: &Value) -> Option<Budget> {
    let [objects, bytes, writes, work] = budget::named(Budget::USUAL).map(|(name, _)| limits[name].as_u64());
    Some(Budget { objects: objects?, bytes: bytes?, writes: writes?, work: work? })
}

/// What a session may take that is played again: as much as when it was written, and no more than is allowed now.
fn budget(header: &Header, allowed: Budget) -> Result<Budget, Error> {
    let budget = header.budget.unwrap_or(allowed);
    let parts = budget::named(budget).into_iter().zip(budget::named(allowed));
    match parts.into_iter().find(|((_, wanted), (_, most))| wanted > most) {
        Some(((name, wanted), _)) => {
            let text = format!("the session is one of a cluster with `--limit {name}={wanted}`");
            Err(Error::budget(name, text))
        }
        None => Ok(budget),
    }
}

/// A session that was played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What was done, in its order.
    pub steps: Vec<Played>,
    /// How many requests were answered with another code than when the session was written.
    pub different: usize,
    /// How many objects there are at the end.
    pub objects: usize,
    /// A hash of all of them, in hexadecimal digits.
    pub hash: String,
    /// Whether placeholders stand in the session for what Secrets held.
    pub is_redacted: bool,
}

/// A step of a session that was played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The virtual time since the start, in milliseconds.
    pub at: u64,
    /// What it was.
    pub step: Step,
}

/// What a step of a session was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A request.
    Request {
        /// Its method.
        method: String,
        /// Its path.
        path: String,
        /// The code of the answer.
        code: u16,
        /// The code when the session was written.
        before: u16,
    },
    /// Virtual time that goes by, in milliseconds.
    Time(u64),
    /// A client that waits.
    Waiting,
}

/// Plays a session again; `allowed` is what its cluster may take, and `images` makes a session for the references of its
/// catalogs.
///
/// # Errors
/// If the file is not a session, or its scenario cannot be prepared.
pub fn replay(
    path: &Path,
    allowed: Budget,
    images: &dyn Fn(&[String]) -> fbc_source::Session,
    settings: &Settings,
) -> Result<Replayed, Error> {
    let text = input::file::read_text(path, settings)?;
    let bad = |number: usize, text: String| {
        Error::new(format!("{}:{number}: {text}", path.display()))
            .help("`fbc cluster up --trace FILE` writes such files")
    };
    let (texts, is_whole) = lines_of(&text);
    if !is_whole {
        let what = format!("the session {} is not whole: it is played as far as it goes", path.display());
        settings.warn(
            Error::new(what)
                .help("its last line is missing: the cluster was killed, or failed, or its disk was full"),
        );
    }
    let mut lines = Vec::new();
    for (index, line) in texts.into_iter().enumerate() {
        let value: Value = serde_json::from_str(line).map_err(|error| bad(index + 1, error.to_string()))?;
        lines.push(value);
    }
    let (header, start) =
        Header::read(lines.first().unwrap_or(&Value::Null)).map_err(|fault| bad(1, fault.to_string()))?;
    let budget = budget(&header, allowed)?;
    let (mut records, mut pulled) = (Vec::new(), RecordedImages::default());
    let mut webhooks = RecordedWebhooks::default();
    for (index, line) in lines.iter().enumerate().skip(1) {
        let fault = |fault: TraceFault| bad(index + 1, fault.to_string());
        if !pulled.take(line).map_err(fault)? && !webhooks.take(line).map_err(fault)? {
            records.push(Recorded::read(line).map_err(|error| bad(index + 1, error.to_string()))?);
        }
    }
    let session = images(&header.catalogs);
    let catalogs = scenario::catalogs_of_flags(&header.catalogs, &session, settings)?;
    let mut prepared =
        prepared(header.scenario.as_deref(), &catalogs, header.target, header.additions, &session, settings)?;
    prepared.scenario.start = start;
    let mut session = played(&prepared, &header, budget, Box::new(pulled), None)?;
    // As when it was written: the steps of the scenario call nobody outside.
    let services = StandIn::new(prepared.scenario.webhooks.clone());
    session.cluster().api.set_webhook_caller(Box::new(webhooks.with_services(services)));
    let (_stop, stopped) = watch::channel(false);
    let server_settings = actor::Settings {
        address: "127.0.0.1:6443".to_owned(),
        time: header.pace.mode(),
        stillness: Stillness::default(),
        tokens: new_token_authority()?.into(),
        anonymous: false,
        openshift: prepared.scenario.target.is_openshift(),
        stop: stopped,
        recorder: None,
    };
    let mut actor = services::actor(&mut session, &header, Listening::default(), server_settings)?;
    actor.begin();
    let is_redacted = lines.first().is_some_and(|line| line["session"]["redacted"] == true);
    Ok(Replayed { is_redacted, ..play(&mut actor, &records) })
}

fn play(actor: &mut Actor<'_>, records: &[Recorded]) -> Replayed {
    let start = actor.now();
    let mut steps = Vec::new();
    let mut different = 0;
    for record in records {
        actor.catch_up(record);
        let at = actor.now().since(start);
        let code = actor.play(record).unwrap_or_default();
        let step = match &record.input {
            RecordedInput::Request(request, before) => {
                different += usize::from(code != *before);
                Step::Request {
                    method: request.method.to_string(),
                    path: request.path.to_string(),
                    code,
                    before: *before,
                }
            }
            RecordedInput::Time(span) => Step::Time(*span),
            RecordedInput::Waiting => Step::Waiting,
        };
        steps.push(Played { at, step });
    }
    actor.rest();
    let mut digest = Sha256::new();
    let mut objects = 0;
    for object in actor.objects() {
        digest.update(object.to_string().as_bytes());
        objects += 1;
    }
    let hash = digest.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing into a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    Replayed { steps, different, objects, hash, is_redacted: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of each kind.
    const LINES: [&str; 4] = [
        r#"{"session":{"catalogs":["a"],"target":"ocp-4.20","nodes":1,"seed":1,"without":[],"time":"still","start_ms":1}}"#,
        r#"{"image":{"reference":"q.io/a:v1","digest":"sha256:00"}}"#,
        r#"{"webhook":{"call":"a","response":{"allowed":true}}}"#,
        r#"{"method":"GET","path":"/api","code":200,"user":{"name":"a","groups":["b"]},"body":{"base64":"YQ=="}}"#,
    ];

    /// Which of these kinds a line of a session is of, if it says what it must.
    fn kind(line: &str) -> Option<usize> {
        let line = serde_json::from_str(line).ok()?;
        let is_read = [
            Header::read(&line).is_ok(),
            RecordedImages::default().take(&line).is_ok_and(|taken| taken),
            RecordedWebhooks::default().take(&line).is_ok_and(|taken| taken),
            Recorded::read(&line).is_ok(),
        ];
        is_read.iter().position(|is_read| *is_read)
    }

    #[test]
    fn sessions_are_no_larger_than_clusters_can_be() {
        for (field, fault) in [
            (r#""start_ms":18446744073709551615"#, TraceFault::LateStart),
            (r#""nodes":5001,"start_ms":1"#, TraceFault::Nodes),
            (r#""nodes":1"#, TraceFault::NoStart),
        ] {
            let line =
                serde_json::from_str(&format!("{{\"session\":{{\"time\":\"still\",{field}}}}}")).unwrap();
            assert_eq!(Header::read(&line).map(|(_, start)| start), Err(fault), "{field}");
        }
    }

    #[test]
    fn broken_lines_stay_of_their_kind_or_are_refused() {
        for (expected, line) in LINES.into_iter().enumerate() {
            assert_eq!(kind(line), Some(expected), "{line}");
            for broken in fbc_testing::broken_variants(line) {
                let is_cut_off = line.starts_with(&broken);
                let found = kind(&broken);
                assert!(found.is_none() || !is_cut_off && found == Some(expected), "{found:?} {broken:?}");
            }
        }
    }
}
