//! The etcd operator: it holds machines of the control plane by a hook until their members are replaced.
//!
//! Members are not objects of the cluster; the ConfigMap `etcd-endpoints` lists those that vote, by node. Source:
//! `openshift/cluster-etcd-operator:pkg/operator/machinedeletionhooks`, `clustermembercontroller`,
//! `clustermemberremovalcontroller` (MA-24 to MA-29).

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment, SECOND};
use serde_json::{Map, Value, json};

use super::members::{Kept, Member, Members, Voter, next_removal};
use crate::DataError;
use crate::machines::GROUP;
use crate::machines::hooks::{Point, hooks};
use crate::writer::Writer;

/// The namespace of etcd.
pub const NAMESPACE: &str = "openshift-etcd";
/// The hook of the operator, and its owner.
const HOOK: (&str, &str) = ("EtcdQuorumOperator", "clusteroperator/etcd");
/// The label with the role of a machine.
const ROLE: &str = "machine.openshift.io/cluster-api-machine-role";
/// How often the operator looks at the members.
const PASS: Milliseconds = 10 * SECOND;
/// How often it tells that it cannot remove a member.
const COMPLAINT: Milliseconds = 5 * MINUTE;

/// How etcd fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// How long a learner takes to catch up with the leader.
    pub catches_up: Milliseconds,
    /// Whether the operator holds machines by its hook.
    pub protects: bool,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self { catches_up: 30 * SECOND, protects: true }
    }
}

impl Behaviour {
    /// Reads `{catchesUp, protects}`; times are seconds.
    ///
    /// # Errors
    /// [`DataError`]
    pub fn read(value: &Value) -> Result<Self, DataError> {
        let mut behaviour = Self::default();
        for (field, value) in value.as_object().ok_or_else(|| DataError::kind("etcd", "an object"))? {
            match (field.as_str(), value) {
                ("catchesUp", value) => {
                    let seconds = value.as_u64().ok_or_else(|| DataError::Value {
                        field: "catchesUp",
                        wanted: "seconds",
                        found: value.to_string(),
                    })?;
                    behaviour.catches_up = seconds * SECOND;
                }
                ("protects", Value::Bool(protects)) => behaviour.protects = *protects,
                _ => {
                    let known = vec!["catchesUp", "protects"];
                    return Err(DataError::Forbidden {
                        field: field.clone(),
                        found: value.to_string(),
                        known,
                    });
                }
            }
        }
        Ok(behaviour)
    }
}

/// The operator, and etcd itself.
pub struct EtcdOperator {
    behaviour: Behaviour,
    writer: Writer,
    recorder: Recorder,
    members: Members,
    /// How many voters there are to be; known once the first machines of the control plane run.
    desired: Option<usize>,
    complained: Option<Moment>,
}

impl EtcdOperator {
    /// An operator over members that fare like this.
    pub fn new(behaviour: Behaviour) -> Self {
        Self {
            behaviour,
            writer: Writer::new("cluster-etcd-operator"),
            recorder: Recorder::new("cluster-etcd-operator"),
            members: Members::default(),
            desired: None,
            complained: None,
        }
    }

    /// The members as they are.
    pub fn members(&self) -> &Members {
        &self.members
    }
}

impl Controller for EtcdOperator {
    fn name(&self) -> &'static str {
        "cluster-etcd-operator"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "Machine"), ("", "Node")]
    }

    fn requests(&mut self, _: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        requests.push(ObjectName::default());
    }

    fn reconcile(&mut self, _: &ObjectName, api: &mut ApiServer) -> Outcome {
        match self.pass(api) {
            Ok(true) => Outcome::After(PASS),
            Ok(false) => Outcome::Routinely(PASS),
            Err(error) => Outcome::Failed(error.message),
        }
    }
}

impl EtcdOperator {
    /// Does one thing at most to the members. True while something is under way.
    fn pass(&mut self, api: &mut ApiServer) -> Result<bool, ApiError> {
        let machines: Vec<Arc<Object>> = api
            .all(GROUP, "Machine")
            .filter(|machine| machine.label(ROLE) == Some("master"))
            .cloned()
            .collect();
        let is_running = |machine: &&Arc<Object>| machine.text(&["status", "phase"]) == "Running";
        if !machines.iter().any(|machine| is_running(&machine)) {
            return Ok(false);
        }
        if self.desired.is_none() {
            // The first members are made together, when the control plane is installed.
            let is_up = |machine: &Arc<Object>| is_ready(api, machine.text(&["status", "nodeRef", "name"]));
            if !machines.iter().all(is_up) {
                return Ok(false);
            }
            self.begin(api, &machines);
        }
        let desired = self.desired.unwrap_or_default();
        self.forget_lost(api, &machines);
        if self.behaviour.protects {
            self.hold(api, &machines)?;
        }
        let promoted = self.members.promote(api.now(), self.behaviour.catches_up);
        for node in &promoted {
            let text = format!("successfully promoted learner member on node {node}");
            self.tell(api, "MemberPromote", &text);
        }
        let removed =
            promoted.is_empty() && self.behaviour.protects && self.remove_one(api, &machines, desired);
        let added = !removed && self.add_one(api, &machines);
        if self.behaviour.protects {
            self.release(api, &machines)?;
        }
        self.publish(api)?;
        let has_learner = self.members.all.iter().any(|member| !member.votes);
        Ok(removed || added || has_learner || !promoted.is_empty())
    }

    /// The machines that are there at the start have members that vote.
    fn begin(&mut self, api: &ApiServer, machines: &[Arc<Object>]) {
        self.members.all = machines
            .iter()
            .filter_map(|machine| Some(Member { votes: true, ..member_of(api, machine)? }))
            .collect();
        self.desired = Some(self.members.all.len());
    }

    /// Members whose nodes are gone have lost their data; without the operator's care nobody replaces them.
    fn forget_lost(&mut self, api: &ApiServer, machines: &[Arc<Object>]) {
        let known: BTreeSet<&str> =
            machines.iter().map(|machine| machine.text(&["status", "nodeRef", "name"])).collect();
        self.members.all.retain(|member| {
            member.votes
                || known.contains(member.node.as_str())
                || api.find("", "Node", &ObjectName::cluster(&*member.node)).is_some()
        });
    }

    /// Puts the hook on machines that are not to go, and repairs its owner.
    fn hold(&self, api: &mut ApiServer, machines: &[Arc<Object>]) -> Result<(), ApiError> {
        for machine in machines.iter().filter(|machine| !machine.is_terminating()) {
            let hook = json!({"name": HOOK.0, "owner": HOOK.1});
            if hooks(machine, Point::PreDrain).contains(&hook) {
                continue;
            }
            let change = |machine: &mut Object| {
                let mut all = hooks(machine, Point::PreDrain).to_vec();
                all.retain(|one| one["name"] != HOOK.0);
                all.push(hook);
                machine.set(&["spec", "lifecycleHooks", Point::PreDrain.field()], all);
            };
            self.writer.change(api, GROUP, "Machine", &machine.object_name(), change)?;
        }
        Ok(())
    }

    /// Adds a learner on a new node, if all members are healthy.
    fn add_one(&mut self, api: &mut ApiServer, machines: &[Arc<Object>]) -> bool {
        let is_healthy = |member: &Member| is_ready(api, &member.node);
        if self.members.all.iter().any(|member| !member.votes) || !self.members.all.iter().all(is_healthy) {
            return false;
        }
        let new = machines.iter().filter(|machine| !machine.is_terminating()).find_map(|machine| {
            let member = member_of(api, machine)?;
            (self.members.on(&member.node).is_none() && is_ready(api, &member.node)).then_some(member)
        });
        let Some(member) = new else { return false };
        let text = format!("successfully added learner member on node {}", member.node);
        self.members.all.push(member);
        self.tell(api, "MemberAddAsLearner", &text);
        true
    }

    /// Removes a member whose machine is to go, if quorum allows it.
    fn remove_one(&mut self, api: &mut ApiServer, machines: &[Arc<Object>], desired: usize) -> bool {
        let leaves = |node: &str| {
            let its = |machine: &&Arc<Object>| machine.text(&["status", "nodeRef", "name"]) == node;
            machines.iter().find(its).is_none_or(|machine| machine.is_terminating())
        };
        if let Some(index) = self.members.all.iter().position(|member| !member.votes && leaves(&member.node))
        {
            self.members.all.remove(index);
            return true;
        }
        let voters: Vec<Voter> = self
            .members
            .voters()
            .map(|member| Voter {
                node: member.node.clone(),
                is_healthy: is_ready(api, &member.node),
                is_leaving: leaves(&member.node),
            })
            .collect();
        match next_removal(&voters, desired) {
            Ok(voter) => {
                let Some(index) = self.members.all.iter().position(|member| member.node == voter.node) else {
                    return false;
                };
                let member = self.members.all.remove(index);
                let text = format!(
                    "successfully removed member: [ url: {}, name: {}, id: {} ] from the cluster",
                    member.address, member.node, index
                );
                self.tell(api, "ScaleDown", &text);
                true
            }
            Err(Kept::NoQuorum { healthy, needed }) => {
                let now = api.now();
                if self.complained.is_none_or(|last| now.since(last) >= COMPLAINT) {
                    self.complained = Some(now);
                    let text = format!(
                        "Ignoring scale down since the number of healthy voting, non-bootstrap etcd members ({healthy}) < minimum required to maintain quorum ({needed})"
                    );
                    self.tell(api, "ScaleDown", &text);
                }
                false
            }
            Err(_) => false,
        }
    }

    /// Lets machines go that have no member any more.
    fn release(&mut self, api: &mut ApiServer, machines: &[Arc<Object>]) -> Result<(), ApiError> {
        for machine in machines.iter().filter(|machine| machine.is_terminating()) {
            let has_hook = hooks(machine, Point::PreDrain).iter().any(|hook| hook["name"] == HOOK.0);
            let node = machine.text(&["status", "nodeRef", "name"]);
            if !has_hook || self.members.on(node).is_some() {
                continue;
            }
            let change = |machine: &mut Object| {
                let mut kept = hooks(machine, Point::PreDrain).to_vec();
                kept.retain(|hook| hook["name"] != HOOK.0);
                machine.set(&["spec", "lifecycleHooks", Point::PreDrain.field()], kept);
            };
            self.writer.change(api, GROUP, "Machine", &machine.object_name(), change)?;
            let text = format!(
                "successfully removed the deletion hook from machine {} as it doesn't have a member",
                machine.name()
            );
            self.tell(api, "MachineDeletionHook", &text);
        }
        Ok(())
    }

    /// Writes which members vote, which learn, and whether there is a quorum.
    fn publish(&self, api: &mut ApiServer) -> Result<(), ApiError> {
        let list = |votes: bool| -> Value {
            let members = self.members.all.iter().filter(|member| member.votes == votes);
            members.map(|member| (member.node.clone(), json!(member.address))).collect::<Map<_, _>>().into()
        };
        let healthy = self.members.voters().filter(|member| is_ready(api, &member.node)).count();
        let has_quorum = healthy >= super::members::quorum(self.members.voters().count());
        let quorum = if has_quorum { "True" } else { "False" };
        for (name, data) in [
            ("etcd-endpoints", list(true)),
            ("etcd-learners", list(false)),
            ("etcd-quorum", json!({"hasQuorum": quorum, "healthyVoters": healthy.to_string()})),
        ] {
            let name = ObjectName::namespaced(NAMESPACE, name);
            if api.find("", "ConfigMap", &name).is_none() {
                let object = json!({
                    "apiVersion": "v1", "kind": "ConfigMap",
                    "metadata": {"name": name.name, "namespace": name.namespace}, "data": data,
                });
                self.writer.create(api, object)?;
            } else {
                self.writer.change(api, "", "ConfigMap", &name, |object| object.set(&["data"], data))?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, api: &mut ApiServer, reason: &str, text: &str) {
        let about = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "etcd-operator", "namespace": NAMESPACE},
        });
        self.recorder.normal(api, &about, reason, text);
    }
}

/// A learner for the node of a machine.
fn member_of(api: &ApiServer, machine: &Object) -> Option<Member> {
    let node = machine.at(&["status", "nodeRef", "name"])?.as_str()?;
    let address = machine.list(&["status", "addresses"]).first().map(|address| address.text(&["address"]));
    Some(Member {
        node: node.to_owned(),
        address: address.unwrap_or_default().to_owned(),
        since: api.now(),
        votes: false,
    })
}

fn is_ready(api: &ApiServer, node: &str) -> bool {
    api.find("", "Node", &ObjectName::cluster(node))
        .is_some_and(|node| node.condition_status("Ready") == "True")
}
