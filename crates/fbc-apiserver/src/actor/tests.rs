//! Slices, budgets, and who is answered between them.

use std::sync::mpsc::{Receiver, channel};

use fbc_cluster::api::ApiServer;
use fbc_cluster::budget::Budget;
use fbc_cluster::engine::{Controller, Outcome, Tracer};
use fbc_cluster::object::ObjectName;
use serde_json::Value;
use tokio::sync::oneshot::error::TryRecvError;

use super::order::PATIENCE;
use super::*;
use crate::tests::{ask, cluster, config_map, deployment, read, request, settings};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

/// The lines of the trace of a cluster.
fn traced(cluster: &mut Cluster) -> Receiver<String> {
    let (sender, lines) = channel();
    let sink = move |entry: &Value| drop(sender.send(entry.to_string()));
    cluster.trace_to(Tracer::new(Moment::START, Box::new(sink)));
    lines
}

fn objects(cluster: &Cluster) -> Vec<Object> {
    cluster.api.store().iter().map(|(_, _, object)| Object::clone(object)).collect()
}

/// Puts a request into the mailbox.
fn send(actor: &mut Actor<'_>, line: &str, body: &Value) -> oneshot::Receiver<Answer> {
    let (sender, receiver) = oneshot::channel();
    actor.receive(Message::Ask(Box::new(request(line, body)), sender));
    receiver
}

/// What the loop of the actor does between two looks into the mailbox.
fn turn(actor: &mut Actor<'_>) {
    actor.slice();
    while let Some(message) = actor.next_waiting() {
        actor.reply(message);
    }
}

#[test]
fn slices_end_where_a_plain_loop_ends() {
    let (mut sliced, mut plain) = (cluster(), cluster());
    let (first, second) = (traced(&mut sliced), traced(&mut plain));
    let line = format!("POST {DEPLOYMENTS}");
    let mut actor = Actor::new(&mut sliced, settings(TimeMode::Still));
    let _answer = send(&mut actor, &line, &deployment(300));
    let mut slices = 0;
    while !actor.is_at_rest() {
        turn(&mut actor);
        slices += 1;
    }
    drop(actor);
    assert!(slices > 10, "{slices} slices");
    let mut actor = Actor::new(&mut plain, settings(TimeMode::Paused));
    ask(&mut actor, &line, deployment(300));
    drop(actor);
    let start = plain.now();
    let Stillness { after_writes, patience, .. } = Stillness::default();
    loop {
        let rest = (plain.last_change().max(start) + after_writes).min(start + patience);
        let Some(at) = plain.next_activity().filter(|at| *at <= rest) else { break };
        plain.step(at).unwrap();
    }
    assert_eq!(sliced.now(), plain.now());
    assert!(objects(&sliced) == objects(&plain), "the objects differ");
    let (first, second): (Vec<String>, Vec<String>) =
        (first.try_iter().collect(), second.try_iter().collect());
    assert!(first.len() > 1_000 && first == second, "the traces differ");
}

#[test]
fn requests_that_need_no_rest_are_answered_between_slices() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    let mut created = send(&mut actor, &format!("POST {DEPLOYMENTS}"), &deployment(300));
    assert_eq!(created.try_recv().unwrap().code, 201, "what follows from it comes later");
    turn(&mut actor);
    assert!(!actor.is_at_rest());
    for path in
        ["/version", "/healthz", "/livez", "/readyz?verbose", "/metrics", "/api", "/apis", "/openapi/v3"]
    {
        let mut answer = send(&mut actor, &format!("GET {path}"), &Value::Null);
        assert_eq!(answer.try_recv().map(|answer| answer.code).ok(), Some(200), "{path}");
    }
    let mut pods = send(&mut actor, "GET /api/v1/namespaces/default/pods", &Value::Null);
    let mut written = send(&mut actor, &format!("POST {MAPS}"), &config_map("a"));
    let mut slices = 0;
    while pods.try_recv().is_err() {
        turn(&mut actor);
        slices += 1;
    }
    assert!(slices > 10, "{slices} slices");
    assert_eq!(written.try_recv().unwrap().code, 201);
}

#[test]
fn patience_ends_and_the_session_gives_the_same_bytes() {
    let (sender, lines) = channel();
    let recorder = Recorder::new(move |line| drop(sender.send(line.clone())));
    let (mut first, mut second) = (cluster(), cluster());
    for cluster in [&mut first, &mut second] {
        cluster.api.set_budget(Budget::USUAL);
    }
    let mut actor =
        Actor::new(&mut first, Settings { recorder: Some(recorder), ..settings(TimeMode::Still) });
    actor.begin();
    let _created = send(&mut actor, &format!("POST {DEPLOYMENTS}"), &deployment(200));
    turn(&mut actor);
    turn(&mut actor);
    let mut pods = send(&mut actor, "GET /api/v1/namespaces/default/pods", &Value::Null);
    let mut written = send(&mut actor, &format!("POST {MAPS}"), &config_map("a"));
    let mut all = send(&mut actor, &format!("DELETE {MAPS}"), &Value::Null);
    let mut time = send(&mut actor, "POST /fbc/time?advance=7", &Value::Null);
    assert_eq!(pods.try_recv().err(), Some(TryRecvError::Empty));
    actor.busy = Budget::USUAL.work;
    turn(&mut actor);
    assert_eq!(pods.try_recv().unwrap().code, 200);
    assert_eq!(written.try_recv().unwrap().code, 201);
    while !actor.is_at_rest() {
        turn(&mut actor);
    }
    assert_eq!((all.try_recv().unwrap().code, time.try_recv().unwrap().code), (200, 200));
    drop(actor);
    let lines: Vec<Recorded> = lines.try_iter().map(|line| Recorded::read(&line).unwrap()).collect();
    assert_eq!(lines.iter().filter(|line| line.steps.is_some()).count(), 3);
    let mut actor = Actor::new(&mut second, settings(TimeMode::Still));
    actor.begin();
    for line in &lines {
        actor.catch_up(line);
        let RecordedInput::Request(_, code) = &line.input else { panic!("{line:?}") };
        assert_eq!(actor.play(line), Some(*code));
    }
    actor.rest();
    drop(actor);
    assert_eq!(first.now(), second.now());
    assert!(objects(&first) == objects(&second), "the objects differ");
}

#[test]
fn a_cluster_without_room_refuses_and_lives() {
    for (most, limit) in [(300, "cluster-objects"), (600_000, "cluster-bytes")] {
        let mut cluster = cluster();
        let budget = match limit {
            "cluster-objects" => Budget { objects: most, ..Budget::USUAL },
            _ => Budget { bytes: cluster.api.store().bytes() + most, ..Budget::USUAL },
        };
        cluster.api.set_budget(budget);
        let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
        actor.begin();
        assert_eq!(ask(&mut actor, &format!("POST {DEPLOYMENTS}"), deployment(1_000)).0, 201);
        assert!(actor.is_at_rest() && actor.unfinished.is_none());
        let mut big = config_map("a");
        big["data"]["a"] = "x".repeat(200_000).into();
        let (code, status) = ask(&mut actor, &format!("POST {MAPS}"), big.clone());
        assert_eq!((code, &status["reason"]), (507, &"InsufficientStorage".into()), "{status}");
        assert!(status["message"].as_str().unwrap().contains(&format!("`--limit {limit}=N`")), "{status}");
        let (code, pods) = ask(&mut actor, "GET /api/v1/namespaces/default/pods", Value::Null);
        assert!(code == 200 && !pods["items"].as_array().unwrap().is_empty());
        let (_, sets) = ask(&mut actor, "GET /apis/apps/v1/namespaces/default/replicasets", Value::Null);
        assert!(sets.to_string().contains("ReplicaFailure"), "{sets}");
        assert_eq!(ask(&mut actor, &format!("DELETE {DEPLOYMENTS}/web"), Value::Null).0, 200);
        assert_eq!(ask(&mut actor, "DELETE /api/v1/namespaces/default/events", Value::Null).0, 200);
        assert_eq!(ask(&mut actor, &format!("POST {MAPS}"), big).0, 201);
    }
}

#[test]
fn controllers_that_do_not_come_to_rest_stop_until_the_next_request() {
    let mut cluster = cluster();
    cluster.api.set_budget(Budget { work: 10_000, ..Budget::USUAL });
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    ask(&mut actor, &format!("POST {DEPLOYMENTS}"), deployment(100));
    assert_eq!(actor.unfinished, Some(Exhausted::Work(10_000)));
    let answer = actor.handle(&request(&format!("POST {MAPS}"), &config_map("a")));
    assert_eq!(answer.headers, [("retry-after", "1".to_owned())]);
    let (code, status) = read(answer);
    assert_eq!((code, &status["reason"]), (429, &"TooManyRequests".into()));
    assert!(status["message"].as_str().unwrap().contains("`--limit cluster-work=N`"), "{status}");
    let (code, _) = ask(&mut actor, "POST /fbc/time?advance=60000", Value::Null);
    assert_eq!(code, 429, "time does not go by within the budget");
    let fewer = serde_json::json!({"spec": {"replicas": 1}});
    assert_eq!(ask(&mut actor, &format!("PATCH {DEPLOYMENTS}/web"), fewer).0, 200);
    let again = (0..100).find(|_| ask(&mut actor, &format!("POST {MAPS}"), config_map("a")).0 == 201);
    assert!(again.is_some(), "each request gives the controllers time to come to rest");
}

#[test]
fn the_end_waits_for_nothing() {
    let mut cluster = cluster();
    let (stop, stopped) = watch::channel(false);
    let mut actor = Actor::new(&mut cluster, Settings { stop: stopped, ..settings(TimeMode::Still) });
    actor.begin();
    let _created = send(&mut actor, &format!("POST {DEPLOYMENTS}"), &deployment(1_000));
    turn(&mut actor);
    let mut pods = send(&mut actor, "GET /api/v1/namespaces/default/pods", &Value::Null);
    stop.send_replace(true);
    turn(&mut actor);
    assert!(actor.is_at_rest());
    assert_eq!(pods.try_recv().unwrap().code, 200, "who waits is answered");
}

/// Looks at something every ten seconds, as nodes do that say that they live.
struct Routine;

impl Controller for Routine {
    fn name(&self) -> &'static str {
        "routine"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn reconcile(&mut self, _: &ObjectName, api: &mut ApiServer) -> Outcome {
        api.count_work(100);
        Outcome::Routinely(10_000)
    }
}

#[test]
fn routine_of_weeks_goes_by_within_the_limit_and_too_much_says_how_far_time_went() {
    let mut cluster = cluster();
    cluster.api.set_budget(Budget { work: 20_000, ..Budget::USUAL });
    cluster.add_controller(Box::new(Routine));
    cluster.poke("routine", ObjectName::cluster("a"));
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Paused));
    actor.begin();
    let before = actor.cluster.api.store().looks();
    let (code, time) = ask(&mut actor, "POST /fbc/time?advance=172800000", Value::Null);
    assert_eq!((code, &time["now"]), (200, &"2026-01-03T00:00:00Z".into()), "{time}");
    assert!(actor.cluster.api.store().looks() - before > 1_000_000, "that was more than one budget");
    assert_eq!(ask(&mut actor, &format!("POST {MAPS}"), config_map("a")).0, 201);
    ask(&mut actor, &format!("POST {DEPLOYMENTS}"), deployment(500));
    let (code, status) = ask(&mut actor, "POST /fbc/time?advance=172800000", Value::Null);
    let text = status["message"].as_str().unwrap();
    assert!(code == 429 && text.contains("time went by until 2026-01-03T00:00:0"), "{status}");
    assert!(actor.unfinished.is_some(), "pods are still on their way");
}

#[test]
fn writes_in_a_row_give_no_budget_each() {
    let mut cluster = cluster();
    cluster.api.set_budget(Budget { work: 200_000, ..Budget::USUAL });
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    ask(&mut actor, &format!("POST {DEPLOYMENTS}"), deployment(1_000));
    assert!(actor.unfinished.is_some());
    let before = actor.cluster.api.store().looks();
    for number in 0..10 {
        let labels = serde_json::json!({"metadata": {"labels": {"a": number.to_string()}}});
        assert_eq!(ask(&mut actor, &format!("PATCH {DEPLOYMENTS}/web"), labels).0, 200);
    }
    let work = actor.cluster.api.store().looks() - before;
    assert!(work > 10_000 && work < 200_000, "{work} units of work for ten writes");
    actor.await_change();
    actor.rest();
    while actor.unfinished.is_some() {
        actor.await_change();
        actor.rest();
    }
    assert_eq!(ask(&mut actor, &format!("POST {MAPS}"), config_map("a")).0, 201, "who waits sees the rest");
}

#[test]
fn who_asks_alone_waits_longer_than_patience() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    let _created = send(&mut actor, &format!("POST {DEPLOYMENTS}"), &deployment(100));
    turn(&mut actor);
    let mut pods = send(&mut actor, "GET /api/v1/namespaces/default/pods", &Value::Null);
    actor.busy = PATIENCE;
    turn(&mut actor);
    assert_eq!(pods.try_recv().err(), Some(TryRecvError::Empty), "nobody else waits");
    let mut other = send(&mut actor, "GET /api/v1/namespaces/default/pods", &Value::Null);
    turn(&mut actor);
    assert_eq!((pods.try_recv().unwrap().code, actor.is_at_rest()), (200, false));
    while !actor.is_at_rest() {
        turn(&mut actor);
    }
    assert_eq!(other.try_recv().unwrap().code, 200);
}

#[test]
fn the_start_leaves_patience_whole_and_ends_when_the_server_does() {
    for is_ending in [false, true] {
        let mut cluster = cluster();
        let caller = Caller::administrator("test");
        let mut object = deployment(100);
        object["metadata"]["namespace"] = "default".into();
        cluster.api.create(&caller, object, WriteOptions::default()).unwrap();
        let (stop, stopped) = watch::channel(false);
        let mut actor = Actor::new(&mut cluster, Settings { stop: stopped, ..settings(TimeMode::Still) });
        actor.settle();
        stop.send_replace(is_ending);
        actor.rest();
        assert_eq!((actor.is_at_rest(), actor.busy), (true, 0));
        let pods = actor.cluster.api.all("", "Pod").count();
        assert_eq!(pods, if is_ending { 0 } else { 100 });
    }
}

#[test]
fn time_that_goes_by_while_many_are_deleted_comes_after_them_in_a_session() {
    let (sender, lines) = channel();
    let recorder = Recorder::new(move |line| drop(sender.send(line.clone())));
    let (mut first, mut second) = (cluster(), cluster());
    for cluster in [&mut first, &mut second] {
        cluster.api.set_budget(Budget::USUAL);
        for number in 0..500 {
            let mut map = config_map(&format!("map-{number}"));
            map["metadata"]["namespace"] = "default".into();
            cluster.api.create(&Caller::administrator("test"), map, WriteOptions::default()).unwrap();
        }
    }
    let mut actor =
        Actor::new(&mut first, Settings { recorder: Some(recorder), ..settings(TimeMode::Flowing) });
    actor.begin();
    let _created = send(&mut actor, &format!("POST {DEPLOYMENTS}"), &deployment(100));
    (0..3).for_each(|_| turn(&mut actor));
    let mut all = send(&mut actor, &format!("DELETE {MAPS}"), &Value::Null);
    actor.busy = Budget::USUAL.work;
    turn(&mut actor);
    assert!(actor.task.is_some() && actor.job.is_some());
    actor.receive(Message::Pass(1_000));
    while !actor.is_at_rest() {
        turn(&mut actor);
    }
    assert_eq!(all.try_recv().unwrap().code, 200);
    drop(actor);
    let lines: Vec<Recorded> = lines.try_iter().map(|line| Recorded::read(&line).unwrap()).collect();
    let shapes = lines.iter().map(|line| (line.steps, matches!(line.input, RecordedInput::Time(1_000))));
    let shapes: Vec<(Option<u64>, bool)> = shapes.collect();
    assert_eq!((shapes.len(), shapes[2]), (3, (Some(0), true)), "{shapes:?}");
    assert!(shapes[1].0.is_some_and(|steps| steps > 0), "{shapes:?}");
    let mut actor = Actor::new(&mut second, settings(TimeMode::Flowing));
    actor.begin();
    for line in &lines {
        actor.catch_up(line);
        actor.play(line);
    }
    actor.rest();
    drop(actor);
    assert_eq!(first.now(), second.now());
    assert!(objects(&first) == objects(&second), "the objects differ");
}

#[test]
fn old_events_make_room_and_refusals_say_what_there_is_most_of() {
    let mut cluster = cluster();
    cluster.api.set_budget(Budget { objects: 400, ..Budget::USUAL });
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    ask(&mut actor, &format!("POST {DEPLOYMENTS}"), deployment(100));
    let events = |actor: &Actor<'_>| actor.cluster.api.all("", "Event").count();
    let before = events(&actor);
    assert!(before > 50, "{before} events");
    let mut refused = None;
    for number in 0..400 {
        let (code, status) = ask(&mut actor, &format!("POST {MAPS}"), config_map(&format!("map-{number}")));
        if code != 201 {
            refused = Some((code, status["message"].as_str().unwrap_or_default().to_owned(), number));
            break;
        }
    }
    let (code, text, number) = refused.unwrap();
    assert_eq!((code, events(&actor)), (507, 0), "{text}");
    assert!(text.ends_with(" of them are configmaps"), "{text}");
    assert!(number > 100, "{number} objects in place of events");
}
