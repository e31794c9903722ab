//! Controllers that are made for the purpose.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use super::*;
use crate::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use crate::budget::{Budget, SharedWork};
use crate::kind::{Kind, Registry};
use crate::object::ObjectFields;
use crate::time::SECOND;

fn server() -> ApiServer {
    let mut registry = Registry::default();
    registry.register(Kind {
        group: "example.com".into(),
        versions: vec!["v1".into()],
        kind: "Widget".into(),
        plural: "widgets".into(),
        singular: "widget".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: false,
        has_status: true,
        has_generation: true,
    });
    ApiServer::new(registry, 1)
}

fn create(api: &mut ApiServer, name: &str) {
    let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}});
    api.create(&Caller::administrator("test"), object, WriteOptions::default()).unwrap();
}

/// Writes its own name into every widget, as often as it is asked.
struct Painter {
    name: &'static str,
    outcome: Outcome,
    calls: Rc<RefCell<Vec<u64>>>,
}

impl Controller for Painter {
    fn name(&self) -> &'static str {
        self.name
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("example.com", "Widget")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        self.calls.borrow_mut().push(api.now().since(Moment::START));
        let id = api.kind_id("example.com", "Widget").unwrap();
        let patch = Patch::Merge(json!({"spec": {"painter": self.name}}));
        let caller = Caller::administrator(self.name);
        api.patch(&caller, id, request, &patch, Subresource::None, WriteOptions::default()).unwrap();
        self.outcome.clone()
    }
}

fn painter(name: &'static str, outcome: Outcome) -> (Box<Painter>, Rc<RefCell<Vec<u64>>>) {
    let calls = Rc::default();
    (Box::new(Painter { name, outcome, calls: Rc::clone(&calls) }), calls)
}

#[test]
fn changes_wake_controllers_until_all_is_still() {
    let mut cluster = Cluster::new(server());
    create(&mut cluster.api, "early");
    let (controller, calls) = painter("blue", Outcome::Done);
    cluster.add_controller(controller);
    create(&mut cluster.api, "late");
    assert_eq!(cluster.run_until_still(SECOND, Moment::START + 60 * SECOND), Ok(true));
    assert_eq!(cluster.now(), Moment::START + SECOND);
    // Once for each widget, and once more for the change that it made itself.
    assert_eq!(calls.borrow().len(), 4);
    assert!(
        cluster.api.all("example.com", "Widget").all(|widget| widget.text(&["spec", "painter"]) == "blue")
    );
}

#[test]
fn failures_come_again_later_and_later() {
    let mut cluster = Cluster::new(server());
    create(&mut cluster.api, "one");
    let (controller, calls) = painter("blue", Outcome::Failed("no".into()));
    cluster.add_controller(controller);
    let one = ObjectName::cluster("one");
    assert_eq!(cluster.failure("blue", &one), None);
    cluster.run_until(Moment::START + 100).unwrap();
    assert_eq!(cluster.failure("blue", &one), Some("no"));
    assert_eq!(cluster.failure("red", &one), None);
    // The second failure, at once after the first, does not put off the timer of the first.
    assert_eq!(*calls.borrow(), [0, 0, 5, 25, 65]);
}

#[test]
fn routine_does_not_count_as_activity() {
    let mut cluster = Cluster::new(server());
    create(&mut cluster.api, "one");
    let (controller, calls) = painter("blue", Outcome::Routinely(SECOND));
    cluster.add_controller(controller);
    assert!(cluster.next_activity().is_some());
    cluster.run_until(Moment::START + 3 * SECOND).unwrap();
    assert!(calls.borrow().len() > 3);
    assert_eq!(cluster.next_activity(), None);
}

#[test]
fn controllers_that_fight_are_reported() {
    let mut cluster = Cluster::new(server());
    create(&mut cluster.api, "one");
    cluster.add_controller(painter("blue", Outcome::Done).0);
    cluster.add_controller(painter("red", Outcome::Done).0);
    let error = cluster.run_until(Moment::START + SECOND).unwrap_err();
    assert!(error.to_string().contains("Widget one ("), "{error}");
}

/// Counts up in a widget, a thousand times.
struct Counter;

impl Controller for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("example.com", "Widget")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let id = api.kind_id("example.com", "Widget").unwrap();
        let count =
            api.find("example.com", "Widget", request).unwrap().number(&["spec", "count"]).unwrap_or(0);
        if count < 1_000 {
            let patch = Patch::Merge(json!({"spec": {"count": count + 1}}));
            let caller = Caller::administrator("counter");
            api.patch(&caller, id, request, &patch, Subresource::None, WriteOptions::default()).unwrap();
        }
        Outcome::Done
    }
}

#[test]
fn a_count_that_rises_is_no_fight() {
    let mut cluster = Cluster::new(server());
    create(&mut cluster.api, "one");
    cluster.add_controller(Box::new(Counter));
    assert_eq!(cluster.run_until_still(SECOND, Moment::START + 60 * SECOND), Ok(true));
}

#[test]
fn work_ends_with_its_budget() {
    let mut cluster = Cluster::new(server());
    create(&mut cluster.api, "one");
    cluster.add_controller(painter("blue", Outcome::Routinely(SECOND)).0);
    cluster.api.set_budget(Budget { work: 10_000, ..Budget::UNLIMITED });
    let end = Moment::START + 1_000_000 * SECOND;
    assert_eq!(cluster.run_until(end), Err(RunError::Exhausted(Exhausted::Work(10_000))));
    assert!(cluster.now() < Moment::START + 300 * SECOND);
}

#[test]
fn clusters_that_share_work_end_with_its_sum() {
    let run = |most: u64, shared: &SharedWork| {
        let mut cluster = Cluster::new(server());
        create(&mut cluster.api, "one");
        cluster.add_controller(painter("blue", Outcome::Routinely(SECOND)).0);
        cluster.api.set_budget(Budget { work: most, ..Budget::UNLIMITED });
        cluster.api.share_work(shared.clone());
        let end = cluster.run_until(Moment::START + 60 * SECOND);
        (end.is_err(), cluster.api.store().looks())
    };
    let (_, alone) = run(u64::MAX, &SharedWork::default());
    let (shared, most) = (SharedWork::default(), alone * 5 / 2);
    let works: Vec<(bool, u64)> = (0..4).map(|_| run(most, &shared)).collect();
    let all: u64 = works.iter().map(|(_, work)| work).sum();
    let ended: Vec<bool> = works.iter().map(|(is_over, _)| *is_over).collect();
    assert_eq!(ended, [false, false, true, true], "{works:?}");
    assert!((most..most + 500).contains(&all), "no more than one thing to do is begun by each: {works:?}");
}

#[test]
fn equal_runs_have_equal_traces() {
    let run = || {
        let mut cluster = Cluster::new(server());
        let lines: Rc<RefCell<Vec<String>>> = Rc::default();
        let sink = Rc::clone(&lines);
        let sink = Box::new(move |entry: &Value| sink.borrow_mut().push(entry.to_string()));
        cluster.trace_to(Tracer::new(Moment::START, sink));
        cluster.add_controller(painter("blue", Outcome::Done).0);
        create(&mut cluster.api, "one");
        cluster.run_until(Moment::START + SECOND).unwrap();
        lines.take()
    };
    let lines = run();
    assert_eq!(lines, run());
    assert!(lines.iter().any(|line| line.contains(r#""change":"modified""#)), "{lines:?}");
}

#[test]
fn a_removed_controller_leaves_the_others_alone() {
    let mut cluster = Cluster::new(server());
    let (first, first_calls) = painter("blue", Outcome::After(SECOND));
    let (second, second_calls) = painter("red", Outcome::After(SECOND));
    create(&mut cluster.api, "one");
    cluster.add_controller(first);
    cluster.remove_controller("blue");
    cluster.add_controller(second);
    cluster.run_until(Moment::START + 3 * SECOND).unwrap();
    assert!(first_calls.borrow().is_empty());
    assert!(second_calls.borrow().len() >= 3);
}

/// Hears of every widget once a minute, and passes each on to the painter: one at once, one after a while.
struct Foreman;

impl Controller for Foreman {
    fn name(&self) -> &'static str {
        "foreman"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("example.com", "Widget")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.extend(change.before.is_none().then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, _request: &ObjectName, _api: &mut ApiServer) -> Outcome {
        Outcome::Done
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        let one = ObjectName::cluster("one");
        let late = Requeue { after: 5 * SECOND, ..Requeue::now("painter", one.clone()) };
        vec![Requeue::now("painter", one.clone()), late, Requeue::now("nobody", one)]
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(60 * SECOND)
    }
}

#[test]
fn controllers_pass_objects_on_and_hear_of_all_again() {
    let mut cluster = Cluster::new(server());
    let (painter, calls) = painter("painter", Outcome::Done);
    cluster.add_controller(painter);
    cluster.add_controller(Box::new(Foreman));
    create(&mut cluster.api, "one");
    assert_eq!(cluster.run_until_still(SECOND, Moment::START + 30 * SECOND), Ok(true), "waits are routine");
    cluster.run_until(Moment::START + 130 * SECOND).unwrap();
    let rounds: Vec<u64> = calls.borrow().iter().copied().filter(|moment| *moment > 0).collect();
    assert_eq!(rounds, [5_000, 60_000, 65_000, 120_000, 125_000]);
}
