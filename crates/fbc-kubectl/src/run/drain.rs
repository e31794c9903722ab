//! `drain`: cordons nodes and moves their pods away, one node after another, as time goes by.
//!
//! What goes and how is [`fbc_cluster::drain`]; here are the words of `kubernetes/kubectl:pkg/cmd/drain/drain.go`.

use std::collections::VecDeque;
use std::sync::Arc;

use fbc_cluster::drain::{Choice, Client, Drain, Filters, Progress, Removal, Report, choose};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::selector::LabelSelector;
use fbc_cluster::time::{Moment, SECOND};

use super::{Failure, Poll, Request, Runner, Server, Waiting};
use crate::command_line::{self, Cascade, DryRun, Selection};

/// A drain that goes on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draining {
    nodes: VecDeque<String>,
    current: Option<(String, Drain)>,
    filters: Filters,
    removal: Removal,
    pods: Option<LabelSelector>,
    /// Behind every line: ` (server dry run)`.
    suffix: &'static str,
    /// Pods are only named, not asked for.
    only_names: bool,
    failed: Vec<(String, Vec<String>)>,
    next: Option<Moment>,
}

impl<S: Server> Runner<'_, S> {
    pub(super) fn drain(&mut self, drain: &command_line::Drain) -> Result<(), Failure> {
        let selection = Selection { selector: drain.pod_selector.clone(), ..Selection::default() };
        super::selectors::Selectors::parse(&selection)?;
        let pods = drain
            .pod_selector
            .as_deref()
            .map(LabelSelector::parse)
            .transpose()
            .map_err(Failure::from_error)?;
        let failures = self.failures.len();
        let nodes = self.all_nodes(&drain.nodes, drain.selector.as_deref())?;
        if self.failures.len() > failures {
            return Ok(());
        }
        self.set_unschedulable(&nodes, true, drain.dry_run)?;
        if self.exit_code != 0 {
            return Ok(());
        }
        let seconds = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        let skip = seconds(drain.skip_wait_for_delete_timeout).map(|seconds| seconds * SECOND);
        "kubectl-drain".clone_into(&mut self.request.field_manager);
        self.waiting = Some(Waiting::draining(
            self.request.clone(),
            Draining {
                nodes: nodes.iter().map(|node| node.name().to_owned()).collect(),
                current: None,
                filters: Filters {
                    force: drain.force,
                    ignore_daemon_sets: drain.ignore_daemon_sets,
                    delete_empty_dir_data: drain.delete_empty_dir_data,
                    skip_wait_for_delete: skip,
                },
                removal: Removal {
                    without_eviction: drain.disable_eviction,
                    grace_period: seconds(drain.grace_period),
                    timeout: drain.timeout,
                    skip_wait_for_delete: skip,
                    dry_run: drain.dry_run != DryRun::None,
                    retry: None,
                },
                pods,
                suffix: drain.dry_run.suffix(),
                only_names: drain.dry_run == DryRun::Client,
                failed: Vec::new(),
                next: None,
            },
        ));
        Ok(())
    }
}

impl Draining {
    /// When something is due again.
    pub(super) fn next(&self) -> Option<Moment> {
        self.next
    }

    pub(super) fn poll<S: Server>(&mut self, server: &mut S, request: &Request) -> Poll {
        let mut poll = Poll { stdout: String::new(), stderr: String::new(), exit_code: None };
        loop {
            let Some((node, mut drain)) = self.current.take() else {
                let Some(node) = self.nodes.pop_front() else { break };
                self.begin(&node, server, request, &mut poll);
                continue;
            };
            let mut reports = Vec::new();
            let progress = drain.advance(&mut ServerClient { server, request }, &mut reports);
            for report in reports {
                self.print(&report, &mut poll);
            }
            match progress {
                Progress::Waiting(next) => {
                    self.next = Some(next);
                    self.current = Some((node, drain));
                    return poll;
                }
                Progress::Over(errors) if errors.is_empty() => self.drained(&node, &mut poll),
                Progress::Over(errors) => {
                    let pending = self.choose(&node, server, request).map(|choice| choice.pods);
                    let pending = pending.unwrap_or_default();
                    if !pending.is_empty() {
                        let text = aggregate(&errors);
                        poll.stderr.push_str(&format!(
                            "There are pending pods in node {node:?} when an error occurred: {text}\n"
                        ));
                        let lines = pending.iter().map(|pod| format!("pod/{}\n", pod.name()));
                        poll.stderr.extend(lines);
                    }
                    self.fail(node, errors, &mut poll);
                }
            }
        }
        if !self.failed.is_empty() {
            poll.stderr.push_str("There are pending nodes to be drained:\n");
            poll.stderr.extend(self.failed.iter().map(|(node, _)| format!(" {node}\n")));
            let errors = self.failed.iter().flat_map(|(_, errors)| errors);
            poll.stderr.extend(errors.map(|error| format!("{error}\n")));
        }
        poll.exit_code = Some(u8::from(!self.failed.is_empty()));
        poll
    }

    /// Chooses the pods of a node, and stops there if some may not go.
    fn begin<S: Server>(&mut self, node: &str, server: &mut S, request: &Request, poll: &mut Poll) {
        let choice = match self.choose(node, server, request) {
            Ok(choice) => choice,
            Err(error) => return self.fail(node.to_owned(), vec![error.message], poll),
        };
        if !choice.errors.is_empty() {
            return self.fail(node.to_owned(), choice.errors, poll);
        }
        if !choice.warnings.is_empty() {
            poll.stderr.push_str(&format!("Warning: {}\n", choice.warnings.join("; ")));
        }
        if self.only_names {
            for pod in &choice.pods {
                self.print(&Report::Evicting(pod.object_name()), poll);
            }
            return self.drained(node, poll);
        }
        let drain = Drain::new(&choice.pods, self.removal, server.now());
        self.current = Some((node.to_owned(), drain));
    }

    fn choose<S: Server>(&self, node: &str, server: &S, request: &Request) -> Result<Choice, Box<ApiError>> {
        let kinds = server.kinds();
        let Some((pods, _)) = kinds.find("", "Pod") else { return Ok(Choice::default()) };
        let sets = kinds.find("apps", "DaemonSet").map(|(id, _)| id);
        let mut pods = server.list(request, pods, None)?;
        pods.retain(|pod| {
            pod.text(&["spec", "nodeName"]) == node
                && self.pods.as_ref().is_none_or(|selector| selector.matches_object(pod))
        });
        let has_daemon_set = |name: &ObjectName| match sets {
            Some(kind) => server.get(request, kind, name).map(drop).map_err(|error| *error),
            None => Ok(()),
        };
        Ok(choose(pods, &self.filters, server.now(), &has_daemon_set))
    }

    fn print(&self, report: &Report, poll: &mut Poll) {
        let suffix = self.suffix;
        match report {
            Report::Evicting(pod) => poll.stdout.push_str(&format!("evicting pod {pod}{suffix}\n")),
            Report::Retrying(ObjectName { namespace, name }, error) => poll.stderr.push_str(&format!(
                "error when evicting pods/{name:?} -n {namespace:?} (will retry after 5s): {error}\n"
            )),
            Report::Gone(pod) => {
                let done = if self.removal.without_eviction { "deleted" } else { "evicted" };
                poll.stdout.push_str(&format!("pod/{} {done}{suffix}\n", pod.name));
            }
        }
    }

    fn drained(&self, node: &str, poll: &mut Poll) {
        poll.stdout.push_str(&format!("node/{node} drained{}\n", self.suffix));
    }

    fn fail(&mut self, node: String, errors: Vec<String>, poll: &mut Poll) {
        let text = aggregate(&errors);
        poll.stderr.push_str(&format!(
            "error: unable to drain node {node:?} due to error: {text}, continuing command...\n"
        ));
        self.failed.push((node, errors));
    }
}

/// Several errors as Go's aggregate writes them.
fn aggregate(errors: &[String]) -> String {
    match errors {
        [only] => only.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// A server on behalf of whoever runs the command.
struct ServerClient<'s, S> {
    server: &'s mut S,
    request: &'s Request,
}

impl<S: Server> Client for ServerClient<'_, S> {
    fn now(&self) -> Moment {
        self.server.now()
    }

    fn pod(&self, name: &ObjectName) -> Result<Option<Arc<Object>>, ApiError> {
        let Some((kind, _)) = self.server.kinds().find("", "Pod") else { return Ok(None) };
        match self.server.get(self.request, kind, name) {
            Ok(pod) => Ok(Some(Arc::new(pod))),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(*error),
        }
    }

    fn evict(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError> {
        self.server.evict(self.request, name, removal.grace_period).map_err(|error| *error)
    }

    fn delete(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError> {
        let Some((kind, _)) = self.server.kinds().find("", "Pod") else { return Ok(()) };
        let grace_period = removal.grace_period.and_then(|seconds| i64::try_from(seconds).ok());
        let options = super::DeleteOptions { cascade: Cascade::Background, grace_period };
        self.server.delete(self.request, kind, name, options).map_err(|error| *error)
    }
}
