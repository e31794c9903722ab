//! The updates that an update service offers, and which of them are recommended for this cluster.
//!
//! Source: `openshift/cluster-version-operator:pkg/cvo/availableupdates.go`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{HOUR, Milliseconds, Moment, SECOND};
use fbc_version::Version;
use serde_json::{Value, json};

use super::options::{Options, Outside};
use super::upgradeable::Risk;
use super::{conditions, upgradeable};
use crate::release::Release;
use crate::update_service::risk::{applies_condition, recommended};
use crate::update_service::{Graph, Offer, RiskCache, offer};

/// The update service of clusters that name no other.
pub const DEFAULT_SERVICE: &str = "https://api.openshift.com/api/upgrades_info/v1/graph";
/// So long an answer is good for without a newer one.
const CACHED_FOR: Milliseconds = 24 * HOUR;
/// The architecture of the nodes.
const ARCHITECTURE: &str = "amd64";

/// What is known of updates.
#[derive(Debug, Clone, Default)]
pub(super) struct AvailableUpdates {
    /// Empty for the default.
    service: String,
    channel: String,
    architecture: String,
    attempted: Option<Moment>,
    changed: Option<Moment>,
    /// The release that the cluster has, as the service knows it.
    pub(super) current: Release,
    upstream: Vec<Release>,
    upstream_conditional: Vec<Value>,
    /// Recommended updates, newest first.
    pub(super) updates: Vec<Release>,
    /// Updates with risks, newest first.
    pub(super) conditional: Vec<Value>,
    /// The conditions `Applies` of all risks, by name.
    pub(super) risks: BTreeMap<String, Value>,
    condition: (&'static str, &'static str, String),
    accepted: BTreeSet<String>,
}

/// What the operator is, as far as updates go.
pub(super) struct Cluster<'c> {
    pub(super) options: &'c Options,
    pub(super) release: &'c Release,
    pub(super) knows_accepted_risks: bool,
    /// What keeps it from the next minor version.
    pub(super) risks: &'c [Risk],
}

/// Brings what is known up to date. The moment at which it is to be looked at again, if soon.
pub(super) fn sync(
    known: &mut Option<AvailableUpdates>,
    cache: &mut RiskCache,
    cluster: &Cluster<'_>,
    version: &Object,
    outside: &Outside,
    now: Moment,
) -> Sync {
    let spec = |field: &str| version.text(&["spec", field]);
    let command_line = cluster.options.update_service.as_str();
    let (service, uses_default) = match (command_line, spec("upstream")) {
        ("", "") => (DEFAULT_SERVICE, true),
        ("", upstream) => (upstream, false),
        (flag, _) => (flag, false),
    };
    let current_architecture =
        if cluster.release.architecture.is_empty() { ARCHITECTURE } else { &cluster.release.architecture };
    let architecture = match version.text(&["spec", "desiredUpdate", "architecture"]) {
        "" => current_architecture,
        wanted => wanted,
    };
    let accepted: BTreeSet<String> = version
        .list(&["spec", "desiredUpdate", "acceptRisks"])
        .iter()
        .map(|risk| risk.text(&["name"]).to_owned())
        .collect();
    let is_within =
        |moment: Option<Moment>, span: Milliseconds| moment.is_some_and(|moment| now.since(moment) < span);
    let (mut is_fetch_due, mut keeps_on_failure) = (true, false);
    let mut updates = match known.take() {
        None => AvailableUpdates {
            conditional: version.list(&["status", "conditionalUpdates"]).to_vec(),
            ..AvailableUpdates::default()
        },
        Some(before) => {
            let same_service = before.service == service || uses_default && before.service.is_empty();
            if before.channel == spec("channel")
                && before.architecture == architecture
                && is_within(before.changed, CACHED_FOR)
            {
                if !is_within(before.attempted, cluster.options.interval) {
                    keeps_on_failure = true;
                } else if same_service {
                    if !before.is_unknown() && accepted == before.accepted {
                        let again = before.attempted.map(|at| at + cluster.options.interval);
                        *known = Some(before);
                        return Sync { has_looked: false, again };
                    }
                    is_fetch_due = false;
                }
            }
            before
        }
    };
    let is_first = updates.attempted.is_none();
    if is_fetch_due {
        let stored_service = if uses_default { "" } else { service };
        let is_other = is_first
            || updates.service != stored_service
            || updates.channel != spec("channel")
            || updates.architecture != architecture;
        let becomes_multi = architecture == "Multi" && current_architecture != "Multi";
        let query =
            Query { service, channel: spec("channel"), architecture, id: spec("clusterID"), becomes_multi };
        let answer = retrieve(&query, &cluster.release.version, outside);
        stored_service.clone_into(&mut updates.service);
        spec("channel").clone_into(&mut updates.channel);
        architecture.clone_into(&mut updates.architecture);
        updates.attempted = Some(now);
        let is_success = answer.is_ok();
        let (offer, condition) = match answer {
            Ok(offer) => (Some(offer), ("True", "", String::new())),
            Err((reason, message)) => (None, ("False", reason, message)),
        };
        let has_failed = ["RemoteFailed", "ResponseFailed", "ResponseInvalid"].contains(&condition.1);
        updates.condition = condition;
        if !has_failed || !keeps_on_failure {
            let mut offer = offer.unwrap_or_default();
            for update in &mut offer.conditional {
                let image = &update["release"]["image"];
                let before = updates.conditional.iter().find(|one| one["release"]["image"] == *image);
                if let Some(conditions) = before.and_then(|one| one.get("conditions")).cloned() {
                    update.set(&["conditions"], conditions);
                }
            }
            updates.current = offer.current;
            updates.upstream = offer.updates;
            updates.upstream_conditional = offer.conditional;
        }
        if is_other || is_success {
            updates.changed = Some(now);
        }
    }
    updates.updates = updates.upstream.clone();
    updates.conditional = updates.upstream_conditional.clone();
    updates.accepted = accepted;
    if cluster.knows_accepted_risks {
        let current = &cluster.release.version;
        upgradeable::merge(cluster.risks, current, &mut updates.updates, &mut updates.conditional);
    }
    updates.evaluate(cache, cluster.knows_accepted_risks, outside, now);
    let again = if updates.is_unknown() {
        now + SECOND
    } else {
        updates.attempted.unwrap_or(now) + cluster.options.interval
    };
    let again = Some(again);
    *known = Some(updates);
    Sync { has_looked: true, again }
}

/// What a look at the update service came to.
#[derive(Debug, Default)]
pub(super) struct Sync {
    /// Whether anything was evaluated.
    pub(super) has_looked: bool,
    /// When it is to be looked at again.
    pub(super) again: Option<Moment>,
}

struct Query<'q> {
    service: &'q str,
    channel: &'q str,
    architecture: &'q str,
    id: &'q str,
    becomes_multi: bool,
}

fn retrieve(query: &Query<'_>, version: &str, outside: &Outside) -> Result<Offer, (&'static str, String)> {
    let fail = |reason, text: &str| Err((reason, text.to_owned()));
    let hexadecimal = query.id.bytes().filter(u8::is_ascii_hexdigit).count();
    match query.id.len() {
        32 | 36 | 38 | 45 if hexadecimal == 32 => {}
        32 | 36 | 38 | 45 => return fail("InvalidID", "invalid cluster ID: invalid UUID format"),
        length => return Err(("InvalidID", format!("invalid cluster ID: invalid UUID length: {length}"))),
    }
    if version.is_empty() {
        let text = "The cluster version does not have a semantic version assigned and cannot calculate valid upgrades.";
        return fail("NoCurrentVersion", text);
    }
    if query.channel.is_empty() {
        return fail("NoChannel", "The update channel has not been configured.");
    }
    let Ok(parsed) = Version::parse(version) else {
        let text = "The current cluster version is not a valid semantic version and cannot be used to calculate upgrades.";
        return fail("InvalidCurrentVersion", text);
    };
    let unable = |text: String| format!("Unable to retrieve available updates: {text}");
    let Some(answer) = outside.update_services.get(query.service) else {
        let architecture = query.architecture.to_lowercase();
        let (channel, id) = (query.channel, query.id);
        let address =
            format!("{}?arch={architecture}&channel={channel}&id={id}&version={version}", query.service);
        let host = query.service.split("://").nth(1).unwrap_or(query.service);
        let host = host.split(['/', ':', '?']).next().unwrap_or_default();
        let text = format!("Get {address:?}: dial tcp: lookup {host}: no such host");
        return Err(("RemoteFailed", unable(text)));
    };
    if !answer.status.starts_with("200") {
        return Err(("ResponseFailed", unable(format!("unexpected HTTP status: {}", answer.status))));
    }
    let mut graph =
        Graph::parse(&answer.body).map_err(|error| ("ResponseInvalid", unable(error.to_string())))?;
    if answer.by_channel {
        graph = graph.of_channel(query.channel);
    }
    offer(&graph, &parsed, query.channel, query.becomes_multi)
        .map_err(|(reason, text)| (reason, unable(text)))
}

impl AvailableUpdates {
    /// Whether it is unknown of some update if it is recommended.
    fn is_unknown(&self) -> bool {
        self.conditional.iter().any(|update| {
            let condition = conditions::find(update.list(&["conditions"]), "Recommended");
            !condition.is_some_and(|one| one["status"] == "True" || one["status"] == "False")
        })
    }

    fn evaluate(&mut self, cache: &mut RiskCache, knows_accepted: bool, outside: &Outside, now: Moment) {
        // All risks are evaluated once, those of the newest versions first.
        let mut highest: BTreeMap<String, (Version, Value)> = BTreeMap::new();
        for update in &self.conditional {
            let Ok(version) = Version::parse(update.text(&["release", "version"])) else { continue };
            for risk in update.list(&["risks"]) {
                let name = risk.text(&["name"]);
                if highest.get(name).is_none_or(|(other, _)| other.compare_precedence(&version).is_lt()) {
                    highest.insert(name.to_owned(), (version.clone(), risk.clone()));
                }
            }
        }
        let mut order: Vec<(&String, &(Version, Value))> = highest.iter().collect();
        order.sort_by(|one, other| other.1.0.compare_precedence(&one.1.0).then_with(|| one.0.cmp(other.0)));
        self.risks.clear();
        for (name, (_, risk)) in order {
            let result = cache.applies(risk.list(&["matchingRules"]), outside, now);
            let mut condition = applies_condition(risk, &result);
            condition.set(&["lastTransitionTime"], now.to_string());
            self.risks.insert(name.clone(), condition);
        }
        let missing = json!({"status": "Unknown"});
        for update in &mut self.conditional {
            let risks: Vec<(Value, Value)> = update
                .list(&["risks"])
                .iter()
                .map(|risk| (risk.clone(), self.risks.get(risk.text(&["name"])).unwrap_or(&missing).clone()))
                .collect();
            let pairs: Vec<(&Value, &Value)> = risks.iter().map(|(risk, applies)| (risk, applies)).collect();
            let accepted = |name: &str| knows_accepted && self.accepted.contains(name);
            let (status, reason, message) = recommended(&pairs, &accepted);
            let release = Release::of_value(&update["release"]);
            if status == "True" {
                if self.updates.iter().all(|one| one.image != release.image) {
                    self.updates.push(release);
                }
            } else {
                self.updates.retain(|one| one.image != release.image);
            }
            if let Value::Array(list) = update.place(&["conditions"]) {
                conditions::set(list, "Recommended", status, &reason, &message, now);
            }
        }
        self.updates.sort_by(|one, other| newest_first(&one.version, &other.version));
        let version = |update: &Value| update.text(&["release", "version"]).to_owned();
        self.conditional.sort_by(|one, other| newest_first(&version(one), &version(other)));
    }

    /// Writes into the status of ClusterVersion, unless the spec has changed since. An invalid `upstream` counts as empty.
    pub(super) fn write(&self, version: &mut Object, upstream: &str, now: Moment) {
        if self.service != upstream || self.channel != version.text(&["spec", "channel"]) {
            return;
        }
        let without_architecture =
            |release: &Release| Release { architecture: String::new(), ..release.clone() }.to_value();
        let updates: Vec<Value> = self.updates.iter().map(without_architecture).collect();
        let mut conditional = self.conditional.clone();
        for update in &mut conditional {
            update.remove(&["release", "architecture"]);
        }
        let (status, reason, message) = &self.condition;
        if let Value::Array(list) = version.place(&["status", "conditions"]) {
            conditions::set(list, "RetrievedUpdates", status, reason, message, now);
        }
        version.set(
            &["status", "availableUpdates"],
            if updates.is_empty() { Value::Null } else { Value::Array(updates) },
        );
        if conditional.is_empty() {
            version.remove(&["status", "conditionalUpdates"]);
        } else {
            version.set(&["status", "conditionalUpdates"], conditional);
        }
    }

    /// What the update service knows of an image.
    pub(super) fn release_of(&self, image: &str) -> Option<&Release> {
        std::iter::once(&self.current)
            .chain(&self.updates)
            .find(|release| is_same_image(&release.image, image))
    }
}

/// Whether two pull specs mean the same image: equal texts, or equal digests.
pub(super) fn is_same_image(one: &str, other: &str) -> bool {
    let digest = |text: &str| match text.split('@').collect::<Vec<_>>().as_slice() {
        [_, digest] => Some((*digest).to_owned()),
        _ => None,
    };
    one == other || digest(one).is_some_and(|found| Some(found) == digest(other))
}

/// A release with what the update service adds to it.
pub(super) fn completed(release: &Release, updates: Option<&AvailableUpdates>) -> Release {
    let mut release = release.clone();
    if let Some(known) = updates.and_then(|updates| updates.release_of(&release.image)) {
        for (own, other) in [
            (&mut release.version, &known.version),
            (&mut release.url, &known.url),
            (&mut release.architecture, &known.architecture),
        ] {
            if own.is_empty() {
                own.clone_from(other);
            }
        }
        if release.channels.is_empty() {
            release.channels.clone_from(&known.channels);
        }
    }
    release
}

fn newest_first(one: &str, other: &str) -> Ordering {
    match (Version::parse(one), Version::parse(other)) {
        (Ok(one), Ok(other)) => other.compare_precedence(&one),
        (one, other) => other.is_ok().cmp(&one.is_ok()),
    }
}
