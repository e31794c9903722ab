//! `taint`, `cordon` and `uncordon`.
//!
//! Source: `kubernetes/kubectl:pkg/cmd/taint/{taint,utils}.go`, `pkg/cmd/drain/drain.go`.

use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::taints::Effect;
use fbc_cluster::validation::names::{label_value, qualified_name};
use serde_json::{Value, json};

use super::resolve::find_kind;
use super::{Failure, Runner, Server};
use crate::command_line::{Cordon, DryRun, PatchType, Selection, Taint};

/// A taint as a command line names it; the effect may be absent where it is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    key: String,
    value: String,
    effect: String,
}

/// Taints on a command line that kubectl refuses.
#[derive(Debug, thiserror::Error)]
enum TaintError {
    #[error("invalid taint spec: {0}")]
    Form(String),
    #[error("invalid taint spec: {text}, {faults}")]
    Names { text: String, faults: String },
    #[error("invalid taint effect: {0}, unsupported taint effect")]
    Effect(String),
    #[error("duplicated taints with the same key and effect: {{{} {} {} <nil>}}", .0.key, .0.value, .0.effect)]
    Twice(Named),
    #[error("can not both modify and remove the following taint(s) in the same command: {0}")]
    AddedAndRemoved(String),
}

impl Named {
    /// Reads `key=value:effect`, `key:effect`, `key`.
    fn parse(text: &str) -> Result<Self, TaintError> {
        let invalid = || TaintError::Form(text.to_owned());
        let refused = |faults: Vec<String>| match faults.is_empty() {
            true => Ok(()),
            false => Err(TaintError::Names { text: text.to_owned(), faults: faults.join("; ") }),
        };
        let parts: Vec<&str> = text.split(':').collect();
        let (pair, effect) = match parts.as_slice() {
            [key] => (*key, ""),
            [pair, effect] => {
                if Effect::parse(effect).is_none() {
                    return Err(TaintError::Effect((*effect).to_owned()));
                }
                (*pair, *effect)
            }
            _ => return Err(invalid()),
        };
        // Only what has an effect is looked at for a value.
        let (key, value) =
            if effect.is_empty() { (pair, "") } else { pair.split_once('=').unwrap_or((pair, "")) };
        if value.contains('=') {
            return Err(invalid());
        }
        refused(label_value(value))?;
        refused(qualified_name(key))?;
        Ok(Self { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() })
    }

    /// True for an entry of `spec.taints` with the same key, and the same effect unless all are meant.
    fn means(&self, entry: &Value) -> bool {
        entry.text(&["key"]) == self.key && (self.effect.is_empty() || entry.text(&["effect"]) == self.effect)
    }

    fn to_value(&self) -> Value {
        let mut value = json!({"key": self.key, "effect": self.effect});
        if !self.value.is_empty() {
            value.set(&["value"], self.value.as_str());
        }
        value
    }

    /// `key=value:effect`, without what is empty.
    fn text(&self) -> String {
        let Self { key, value, effect } = self;
        match (value.is_empty(), effect.is_empty()) {
            (true, true) => key.clone(),
            (false, true) => format!("{key}={value}:"),
            (true, false) => format!("{key}:{effect}"),
            (false, false) => format!("{key}={value}:{effect}"),
        }
    }
}

/// What a command line adds and removes.
#[derive(Debug, Default)]
struct Changes {
    added: Vec<Named>,
    removed: Vec<Named>,
}

impl Changes {
    fn parse(texts: &[String]) -> Result<Self, TaintError> {
        let mut changes = Self::default();
        for text in texts {
            if let Some(text) = text.strip_suffix('-') {
                changes.removed.push(Named::parse(text)?);
                continue;
            }
            let taint = Named::parse(text)?;
            if taint.effect.is_empty() {
                return Err(TaintError::Form(text.clone()));
            }
            if changes.added.iter().any(|other| other.key == taint.key && other.effect == taint.effect) {
                return Err(TaintError::Twice(taint));
            }
            changes.added.push(taint);
        }
        Ok(changes)
    }

    /// Refuses what is added and removed at once.
    fn check(&self) -> Result<(), TaintError> {
        let conflicts: Vec<String> = self
            .removed
            .iter()
            .filter(|removed| self.added.iter().any(|added| removed.means(&added.to_value())))
            .map(|removed| format!("{}={}", removed.key, removed.effect))
            .collect();
        if conflicts.is_empty() {
            return Ok(());
        }
        Err(TaintError::AddedAndRemoved(conflicts.join(",")))
    }

    /// The taints of a node afterwards, and the word for what was done, or everything that is wrong.
    fn apply(&self, node: &Object, overwrite: bool) -> Result<(Vec<Value>, &'static str), Vec<String>> {
        let old = node.list(&["spec", "taints"]);
        if !overwrite {
            let present: Vec<&str> = self
                .added
                .iter()
                .filter(|added| old.iter().any(|taint| added.means(taint)))
                .map(|added| added.key.as_str())
                .collect();
            if !present.is_empty() {
                return Err(vec![format!(
                    "node {} already has {} taint(s) with same effect(s) and --overwrite is false",
                    node.name(),
                    present.join(",")
                )]);
            }
        }
        let mut taints: Vec<Value> = self.added.iter().map(Named::to_value).collect();
        let kept = old.iter().filter(|taint| !self.added.iter().any(|added| added.means(taint)));
        taints.extend(kept.cloned());
        let has_grown = taints.len() != old.len();
        let mut missing = Vec::new();
        for removed in &self.removed {
            let before = taints.len();
            taints.retain(|taint| !removed.means(taint));
            if taints.len() == before {
                missing.push(format!("taint {:?} not found", removed.text()));
            }
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        let done = match (has_grown, self.removed.is_empty()) {
            (true, false) => "modified",
            _ if overwrite => "modified",
            (true, true) => "tainted",
            (false, _) => "untainted",
        };
        Ok((taints, done))
    }
}

impl<S: Server> Runner<'_, S> {
    pub(super) fn taint(&mut self, taint: &Taint) -> Result<(), Failure> {
        let usage = |error| Failure::Text(format!("{error}\nSee 'kubectl taint -h' for help and examples"));
        let changes = Changes::parse(&taint.changes).map_err(usage)?;
        let Some(nodes) = self.node_kind(&taint.selection)? else { return Ok(()) };
        changes.check().map_err(Failure::from_error)?;
        "kubectl-taint".clone_into(&mut self.request.field_manager);
        self.request.dry_run = taint.dry_run == DryRun::Server;
        let selected = self.selected_nodes(nodes, &taint.selection)?;
        for node in selected {
            match changes.apply(&node, taint.overwrite) {
                Ok((taints, done)) => {
                    let object = match taint.dry_run {
                        DryRun::Client => {
                            let mut object = node;
                            object.set(&["spec", "taints"], taints);
                            Ok(object)
                        }
                        _ => {
                            let patch = json!({"spec": {"taints": taints}});
                            let patch = (PatchType::Strategic, &patch);
                            self.server.patch(&self.request, nodes, &node.object_name(), patch, None)
                        }
                    };
                    match object {
                        Ok(object) => self.print_changed(&object, done, DryRun::None)?,
                        Err(error) => self.failures.push(error.into()),
                    }
                }
                Err(texts) => self.failures.extend(texts.into_iter().map(Failure::Text)),
            }
        }
        Ok(())
    }

    /// The kind of nodes, if the first resource argument means it. What it does not mean at all is said without the
    /// usual `error: `.
    fn node_kind(&mut self, selection: &Selection) -> Result<Option<KindId>, Failure> {
        let word = selection.arguments.first().map(String::as_str).unwrap_or_default();
        match find_kind(self.server.kinds(), word) {
            Some((id, kind)) if kind.group.is_empty() && kind.kind == "Node" => Ok(Some(id)),
            Some((_, kind)) => {
                let text = format!("invalid resource type {}, only node types are supported", kind.plural);
                Err(Failure::Text(text))
            }
            None => {
                self.stderr.push_str(&format!("the server doesn't have a resource type {word:?}\n"));
                self.exit_code = 1;
                Ok(None)
            }
        }
    }

    /// The nodes of `taint`: all, those that a selector means, or named ones; what is missing becomes a failure.
    fn selected_nodes(&mut self, kind: KindId, selection: &Selection) -> Result<Vec<Object>, Failure> {
        if selection.all || selection.selector.is_some() {
            return self.nodes_by_selector(kind, selection.selector.as_deref());
        }
        let names = selection.arguments.iter().skip(1);
        Ok(names.filter_map(|name| self.node(kind, name)).collect())
    }

    fn nodes_by_selector(&mut self, kind: KindId, selector: Option<&str>) -> Result<Vec<Object>, Failure> {
        let selection = Selection { selector: selector.map(str::to_owned), ..Selection::default() };
        let selectors = super::selectors::Selectors::parse(&selection)?;
        let mut nodes = self.server.list(&self.request, kind, None)?;
        nodes.retain(|node| selectors.match_object(node));
        Ok(nodes)
    }

    fn node(&mut self, kind: KindId, name: &str) -> Option<Object> {
        match self.server.get(&self.request, kind, &ObjectName::cluster(name)) {
            Ok(node) => Some(node),
            Err(error) => {
                self.failures.push(error.into());
                None
            }
        }
    }

    /// The nodes of `cordon` and `drain`; none if one of them is missing.
    pub(super) fn all_nodes(
        &mut self,
        names: &[String],
        selector: Option<&str>,
    ) -> Result<Vec<Object>, Failure> {
        let missing = || Failure::Text("the server doesn't have a resource type \"nodes\"".to_owned());
        let (kind, _) = self.server.kinds().find("", "Node").ok_or_else(missing)?;
        if selector.is_some() {
            return self.nodes_by_selector(kind, selector);
        }
        let failures = self.failures.len();
        let mut nodes = Vec::new();
        for name in names {
            let plain = name.rsplit_once('/').map_or(name.as_str(), |(_, name)| name);
            nodes.extend(self.node(kind, plain));
        }
        Ok(if self.failures.len() > failures { Vec::new() } else { nodes })
    }

    pub(super) fn cordon(&mut self, cordon: &Cordon) -> Result<(), Failure> {
        let nodes = self.all_nodes(&cordon.nodes, cordon.selector.as_deref())?;
        self.set_unschedulable(&nodes, cordon.unschedulable, cordon.dry_run)
    }

    /// Cordons or uncordons nodes that are not so already.
    pub(super) fn set_unschedulable(
        &mut self,
        nodes: &[Object],
        wanted: bool,
        dry_run: DryRun,
    ) -> Result<(), Failure> {
        let verb = if wanted { "cordon" } else { "uncordon" };
        format!("kubectl-{verb}").clone_into(&mut self.request.field_manager);
        self.request.dry_run = dry_run == DryRun::Server;
        let Some((kind, _)) = self.server.kinds().find("", "Node") else { return Ok(()) };
        for node in nodes {
            let is_cordoned = node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true);
            if is_cordoned == wanted {
                self.print_changed(node, &format!("already {verb}ed"), dry_run)?;
                continue;
            }
            if dry_run != DryRun::Client {
                let value = if wanted { json!(true) } else { Value::Null };
                let patch = json!({"spec": {"unschedulable": value}});
                let patch = (PatchType::Strategic, &patch);
                if let Err(error) = self.server.patch(&self.request, kind, &node.object_name(), patch, None) {
                    let text = format!("error: unable to {verb} node {:?}: {}\n", node.name(), error.message);
                    self.stderr.push_str(&text);
                    self.exit_code = 1;
                    continue;
                }
            }
            self.print_changed(node, &format!("{verb}ed"), dry_run)?;
        }
        Ok(())
    }
}
