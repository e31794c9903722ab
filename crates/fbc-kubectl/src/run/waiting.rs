//! Waiting: conditions that a caller polls as virtual time goes by.

use fbc_cluster::error::Reason;
use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::drain::Draining;
use super::{Failure, Request, Runner, Server, failures_text};
use crate::command_line::{Wait, WaitFor};

/// What a command still waits for.
///
/// Poll it after each change of the cluster, and when virtual time reaches [`Waiting::deadline`].
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    request: Request,
    work: Work,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq)]
enum Work {
    /// Objects become as they should be.
    Checks(Vec<Check>, Option<Moment>),
    /// Pods leave their nodes.
    Draining(Box<Draining>),
}

/// The state of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poll {
    /// What goes to standard output now.
    pub stdout: String,
    /// What goes to standard error now.
    pub stderr: String,
    /// The exit code once the wait is over; it goes on without.
    pub exit_code: Option<u8>,
}

/// One object that is waited for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Check {
    kind: KindId,
    name: ObjectName,
    /// The object's identity, where another one of the same name does not count.
    uid: String,
    goal: Goal,
    /// What was said last, so that nothing is said twice.
    said: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Goal {
    /// The object is gone; nothing is said.
    Gone,
    /// What `wait --for` says.
    Wait(WaitFor),
    /// The rollout is complete.
    RolledOut(Option<i64>),
}

/// What one check found.
enum Finding {
    Met(String),
    Unmet(String),
    Failed(Failure),
}

impl Check {
    fn new(kind: KindId, object: &Object, goal: Goal) -> Self {
        Self { kind, name: object.object_name(), uid: object.uid().to_owned(), goal, said: String::new() }
    }

    /// The object is gone, or another one has its name.
    pub(super) fn gone(kind: KindId, object: &Object) -> Self {
        Self::new(kind, object, Goal::Gone)
    }

    /// The rollout is complete.
    pub(super) fn rolled_out(kind: KindId, object: &Object, revision: Option<i64>) -> Self {
        Self::new(kind, object, Goal::RolledOut(revision))
    }

    fn find<S: Server>(&self, server: &S, request: &Request) -> Finding {
        let object = match server.get(request, self.kind, &self.name) {
            Ok(object) => Some(object),
            Err(error) if error.is_not_found() => None,
            // Who may delete but not read does not wait.
            Err(error) if error.reason == Reason::Forbidden && self.goal == Goal::Gone => None,
            Err(error) => return Finding::Failed(error.into()),
        };
        let object = object.filter(|object| self.uid.is_empty() || object.uid() == self.uid);
        let name = server.kinds().get(self.kind).map_or_else(String::new, |kind| {
            format!("{}/{}", crate::print::qualified_kind(&kind.group, &kind.kind), self.name.name)
        });
        let met = || Finding::Met(format!("{name} condition met\n"));
        match (&self.goal, object) {
            (Goal::Gone, None) => Finding::Met(String::new()),
            (Goal::Wait(WaitFor::Delete), None) => met(),
            (Goal::Wait(WaitFor::Create), None) => Finding::Unmet(String::new()),
            (Goal::Wait(_), None) => {
                let kind = server.kinds().get(self.kind);
                let (group, plural) =
                    kind.map_or(("", ""), |kind| (kind.group.as_str(), kind.plural.as_str()));
                Finding::Failed(
                    fbc_cluster::error::ApiError::not_found(group, plural, &self.name.name).into(),
                )
            }
            (Goal::RolledOut(_), None) => {
                Finding::Failed(Failure::Text("object has been deleted".to_owned()))
            }
            (Goal::Gone | Goal::Wait(WaitFor::Delete), Some(_)) => Finding::Unmet(String::new()),
            (Goal::Wait(wanted), Some(object)) => match is_met(wanted, &object) {
                Ok(true) => met(),
                Ok(false) => Finding::Unmet(String::new()),
                Err(error) => Finding::Failed(Failure::from_error(error)),
            },
            (Goal::RolledOut(revision), Some(object)) => match super::rollout::status(&object, *revision) {
                Ok((text, true)) => Finding::Met(text),
                Ok((text, false)) => Finding::Unmet(text),
                Err(error) => Finding::Failed(Failure::from_error(error)),
            },
        }
    }
}

/// Why what a path finds cannot be compared.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error("given jsonpath expression matches more than one value")]
    SeveralValues,
    #[error("jsonpath leads to a nested object or list which is not supported")]
    Nested,
}

/// True if an object is as it is waited for.
///
/// Source: `kubernetes/kubectl:pkg/cmd/wait/condition.go`, `json.go`.
fn is_met(wanted: &WaitFor, object: &Object) -> Result<bool, Unfit> {
    match wanted {
        WaitFor::Create => Ok(true),
        WaitFor::Delete => Ok(false),
        WaitFor::Condition { name, status } => {
            let same = |condition: &&Value| condition.text(&["type"]).eq_ignore_ascii_case(name);
            let Some(condition) = object.list(&["status", "conditions"]).iter().find(same) else {
                return Ok(false);
            };
            let observed = condition
                .number(&["observedGeneration"])
                .or_else(|| object.number(&["status", "observedGeneration"]));
            let outdated = object
                .number(&["metadata", "generation"])
                .is_some_and(|generation| observed.is_some_and(|observed| observed < generation));
            Ok(!outdated && condition.text(&["status"]).eq_ignore_ascii_case(status))
        }
        WaitFor::JsonPath { template, value, .. } => {
            let Ok(found) = template.find(object) else { return Ok(false) };
            match (found.as_slice(), value) {
                ([], _) => Ok(false),
                ([_, _, ..], _) => Err(Unfit::SeveralValues),
                ([Value::Array(_) | Value::Object(_)], Some(_)) => Err(Unfit::Nested),
                ([_], None) => Ok(true),
                ([Value::String(text)], Some(value)) => Ok(text.trim() == value.trim()),
                ([other], Some(value)) => {
                    let text = other.to_string();
                    Ok(text == value.trim())
                }
            }
        }
    }
}

impl Waiting {
    pub(super) fn new(request: Request, checks: Vec<Check>, deadline: Option<Moment>) -> Self {
        Self { request, work: Work::Checks(checks, deadline) }
    }

    pub(super) fn draining(request: Request, draining: Draining) -> Self {
        Self { request, work: Work::Draining(Box::new(draining)) }
    }

    /// When waiting ends without success; none if it does not end, or ends by what [`Waiting::poll`] does.
    pub fn deadline(&self) -> Option<Moment> {
        match &self.work {
            Work::Checks(_, deadline) => *deadline,
            Work::Draining(_) => None,
        }
    }

    /// When to poll although nothing has changed.
    pub fn next_poll(&self) -> Option<Moment> {
        match &self.work {
            Work::Checks(_, deadline) => *deadline,
            Work::Draining(draining) => draining.next(),
        }
    }

    /// Asks again what is still waited for. The objects are taken in their order, each after the one before is settled.
    pub fn poll<S: Server>(&mut self, server: &mut S) -> Poll {
        let (checks, deadline) = match &mut self.work {
            Work::Checks(checks, deadline) => (checks, *deadline),
            Work::Draining(draining) => return draining.poll(server, &self.request),
        };
        let mut poll = Poll { stdout: String::new(), stderr: String::new(), exit_code: None };
        while let Some(check) = checks.first_mut() {
            match check.find(server, &self.request) {
                Finding::Met(text) => {
                    poll.stdout.push_str(&text);
                    checks.remove(0);
                }
                Finding::Failed(failure) => {
                    poll.stderr.push_str(&failures_text(&[failure]));
                    poll.exit_code = Some(1);
                    return poll;
                }
                Finding::Unmet(text) => {
                    if check.said != text {
                        poll.stdout.push_str(&text);
                        check.said = text;
                    }
                    if deadline.is_some_and(|deadline| server.now() >= deadline) {
                        poll.stderr.push_str(&timed_out(check, server));
                        poll.exit_code = Some(1);
                    }
                    return poll;
                }
            }
        }
        poll.exit_code = Some(0);
        poll
    }
}

fn timed_out<S: Server>(check: &Check, server: &S) -> String {
    let plural = server.kinds().get(check.kind).map_or("", |kind| kind.plural.as_str());
    match check.goal {
        Goal::RolledOut(_) => "error: timed out waiting for the condition\n".to_owned(),
        _ => format!("error: timed out waiting for the condition on {plural}/{}\n", check.name.name),
    }
}

impl<S: Server> Runner<'_, S> {
    pub(super) fn wait(&mut self, wait: &Wait) -> Result<(), Failure> {
        let failures = self.failures.len();
        let goal = || Goal::Wait(wait.condition.clone());
        let found = self.select(&wait.selection)?;
        let mut checks: Vec<Check> = Vec::new();
        for group in &found {
            checks.extend(group.objects.iter().map(|object| {
                let mut check = Check::new(group.kind, object, goal());
                if matches!(wait.condition, WaitFor::Create) {
                    check.uid.clear();
                }
                check
            }));
        }
        let missing = |failure: &Failure| matches!(failure, Failure::Api(error) if error.is_not_found());
        match wait.condition {
            WaitFor::Delete => self.failures.retain(|failure| !missing(failure)),
            WaitFor::Create => {
                self.failures.retain(|failure| !missing(failure));
                for target in super::resolve::targets(self.server.kinds(), &wait.selection)? {
                    if let super::resolve::Selected::Named(kind, name) = target {
                        let name = self.object_name(kind, &name);
                        if !checks.iter().any(|check| check.kind == kind && check.name == name) {
                            checks.push(Check {
                                kind,
                                name,
                                uid: String::new(),
                                goal: goal(),
                                said: String::new(),
                            });
                        }
                    }
                }
            }
            _ => {}
        }
        if checks.is_empty() && self.failures.len() == failures {
            return match wait.condition {
                WaitFor::Delete => Ok(()),
                _ => Err(Failure::Text("no matching resources found".to_owned())),
            };
        }
        if self.failures.len() == failures {
            self.wait_until(checks, Some(wait.timeout));
        }
        Ok(())
    }
}
