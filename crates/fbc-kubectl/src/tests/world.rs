//! A cluster to play recordings in: its API server, its controllers, command lines.

use fbc_cluster::api::{ApiServer, Caller, WriteOptions};
use fbc_cluster::control_plane;
use fbc_cluster::controllers::accounts::{RootCertificates, ServiceAccounts};
use fbc_cluster::controllers::definitions::Definitions;
use fbc_cluster::controllers::deployments::Deployments;
use fbc_cluster::controllers::garbage::GarbageCollector;
use fbc_cluster::controllers::kubelet::Kubelet;
use fbc_cluster::controllers::namespaces::Namespaces;
use fbc_cluster::controllers::node_lifecycle::NodeLifecycle;
use fbc_cluster::controllers::replica_sets::ReplicaSets;
use fbc_cluster::controllers::scheduler::Scheduler;
use fbc_cluster::engine::Cluster;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{Milliseconds, Moment};
use serde_json::{Value, json};

use super::{Verdict, same};
use crate::command_line::parse;
use crate::run::{Outcome, Session, run};

/// A cluster with the controllers of a control plane and one node.
pub(super) struct World {
    pub(super) cluster: Cluster,
}

impl World {
    /// With these namespaces besides the usual ones.
    pub(super) fn new(namespaces: &[&str]) -> Self {
        let mut cluster = Cluster::new(control_plane::api_server(namespaces, 1, Moment::START));
        cluster.add_controller(Box::new(GarbageCollector::default()));
        cluster.add_controller(Box::new(Namespaces::default()));
        cluster.add_controller(Box::new(ServiceAccounts));
        cluster.add_controller(Box::new(RootCertificates));
        cluster.add_controller(Box::new(Definitions::default()));
        cluster.add_controller(Box::new(Deployments::default()));
        cluster.add_controller(Box::new(ReplicaSets::default()));
        cluster.add_controller(Box::new(NodeLifecycle::default()));
        cluster.add_controller(Box::new(Scheduler::with_virtual_node("k1")));
        cluster.add_controller(Box::new(Kubelet::default()));
        Self { cluster }
    }

    pub(super) fn api(&mut self) -> &mut ApiServer {
        &mut self.cluster.api
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: Milliseconds) {
        let end = self.cluster.now() + time;
        self.cluster.run_until(end).unwrap();
    }

    /// Makes an object that the API server must take.
    pub(super) fn create(&mut self, object: Object) -> Object {
        let options = WriteOptions::default();
        let created = self.cluster.api.create(&administrator(), object, options);
        Object::clone(&created.unwrap_or_else(|error| panic!("{error}")))
    }

    /// An object without questions about rights.
    pub(super) fn find(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<&Object> {
        let name = ObjectName::namespaced(namespace, name);
        self.cluster.api.find(group, kind, &name).map(|object| &**object)
    }

    /// Runs a command line to its end, as time goes by.
    pub(super) fn command(&mut self, session: &mut Session, arguments: &[&str], stdin: &str) -> Outcome {
        let words: Vec<String> =
            std::iter::once("kubectl").chain(arguments.iter().copied()).map(str::to_owned).collect();
        let command = match parse(&words) {
            Ok(command) => command,
            Err(error) => {
                return Outcome { stderr: format!("{error}\n"), exit_code: 1, ..Outcome::default() };
            }
        };
        let mut outcome = run(&command, session, &mut self.cluster.api, &|path| {
            (path == "-").then(|| stdin.as_bytes().to_vec())
        });
        let Some(mut waiting) = outcome.waiting.take() else { return outcome };
        loop {
            let poll = waiting.poll(&mut self.cluster.api);
            outcome.stdout.push_str(&poll.stdout);
            outcome.stderr.push_str(&poll.stderr);
            if let Some(exit_code) = poll.exit_code {
                outcome.exit_code = exit_code;
                return outcome;
            }
            self.pass(100);
        }
    }

    /// Runs the command line of a case or a step and compares all that it prints. Lists of what is wrong with an object
    /// of a definition come in any order.
    pub(super) fn play_command(&mut self, session: &mut Session, case: &Value) -> Verdict {
        let arguments: Vec<&str> = case.list(&["args"]).iter().filter_map(Value::as_str).collect();
        let outcome = self.command(session, &arguments, case.text(&["stdin"]));
        let listed = |text: &str| -> Vec<String> {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            if text.starts_with("The Widget") {
                lines.sort();
            }
            lines
        };
        same("stderr", &listed(&outcome.stderr), &listed(case.text(&["stderr"])))?;
        same("stdout", &outcome.stdout.as_str(), &case.text(&["stdout"]))?;
        same("exit code", &json!(outcome.exit_code), &case["exit"])
    }
}

pub(super) fn administrator() -> Caller {
    Caller::administrator("test")
}

/// Compares a refusal with the recorded one: code, reason, text, causes.
///
/// Several causes of an object with a definition come in any order, in the text as well.
pub(super) fn same_refusal(error: &ApiError, recorded: &Value, in_order: bool) -> Verdict {
    let status = error.to_status();
    same("code", &status["code"], &recorded["code"])?;
    if let Some(reason) = recorded.given(&["reason"]) {
        same("reason", &status["reason"], reason)?;
    }
    let causes = |value: &Value| -> Vec<Value> {
        let mut causes = value.as_array().cloned().unwrap_or_default();
        if !in_order {
            causes.sort_by_key(Value::to_string);
        }
        causes
    };
    if let Some(recorded) = recorded.get("causes") {
        same("causes", &causes(&status["details"]["causes"]), &causes(recorded))?;
    }
    if in_order || status["details"]["causes"].as_array().is_none_or(|causes| causes.len() < 2) {
        same("message", &status["message"], &recorded["message"])?;
    }
    Ok(())
}

/// Compares an answer with the recorded one; the object, if there must be one, is compared further by the caller.
pub(super) fn same_answer<T>(
    answer: Result<T, ApiError>,
    recorded: &Value,
    in_order: bool,
    compare: impl FnOnce(&T) -> Verdict,
) -> Verdict {
    let accepted = recorded["code"].as_u64().is_some_and(|code| code < 300);
    match answer {
        Ok(answer) if accepted => compare(&answer),
        Ok(_) => Err(format!("accepted; recorded {}", recorded["message"])),
        Err(error) if accepted => Err(format!("refused: {error}")),
        Err(error) => same_refusal(&error, recorded, in_order),
    }
}
