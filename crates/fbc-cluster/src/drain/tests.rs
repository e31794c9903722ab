//! Which pods go, and how spans are written.

use serde_json::json;

use super::{Choice, Filters, choose, span};
use crate::error::ApiError;
use crate::object::Object;
use crate::time::Moment;

fn pod(name: &str, owner: &str, phase: &str) -> Object {
    let mut pod = json!({
        "metadata": {"name": name, "namespace": "a"}, "spec": {}, "status": {"phase": phase},
    });
    if !owner.is_empty() {
        pod["metadata"]["ownerReferences"] = json!([{"kind": owner, "name": "o", "controller": true}]);
    }
    pod
}

fn chosen(pods: &[Object], filters: Filters) -> Choice {
    choose(pods.to_vec(), &filters, Moment::START, &|_| Ok(()))
}

/// SC-6
#[test]
fn fatal_pods_are_listed_by_reason() {
    let mut with_data = pod("cache", "ReplicaSet", "Running");
    with_data["spec"]["volumes"] = json!([{"name": "d", "emptyDir": {}}]);
    let mut mirror = pod("static", "", "Running");
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "x"});
    let pods = [
        with_data,
        pod("ds", "DaemonSet", "Running"),
        pod("solo", "", "Running"),
        mirror,
        pod("done", "", "Failed"),
    ];
    let strict = chosen(&pods, Filters::default());
    assert_eq!(
        strict.errors,
        [
            "cannot delete Pods with local storage (use --delete-emptydir-data to override): a/cache",
            "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): a/ds",
            "cannot delete Pods that declare no controller (use --force to override): a/solo",
        ]
    );
    let filters =
        Filters { force: true, ignore_daemon_sets: true, delete_empty_dir_data: true, ..Filters::default() };
    let lenient = chosen(&pods, filters);
    assert_eq!(
        lenient.warnings,
        ["ignoring DaemonSet-managed Pods: a/ds", "deleting Pods that declare no controller: a/solo"]
    );
    let names: Vec<&str> = lenient.pods.iter().filter_map(|pod| pod["metadata"]["name"].as_str()).collect();
    assert_eq!((names, lenient.errors.len()), (vec!["cache", "solo", "done"], 0));
}

#[test]
fn a_lost_daemon_set_stops_the_drain_unless_forced() {
    let pods = [pod("ds", "DaemonSet", "Running")];
    let lost = |filters: Filters| {
        choose(pods.to_vec(), &filters, Moment::START, &|name| {
            Err(ApiError::not_found("apps", "daemonsets", &name.name))
        })
    };
    assert_eq!(lost(Filters::default()).errors, ["cannot delete daemonsets.apps \"o\" not found: a/ds"]);
    assert_eq!(lost(Filters { force: true, ..Filters::default() }).pods.len(), 1);
}

#[test]
fn spans_are_written_as_go_does() {
    for (milliseconds, text) in [
        (0, "0s"),
        (250, "250ms"),
        (12_000, "12s"),
        (90_000, "1m30s"),
        (3_600_000, "1h0m0s"),
        (1_500, "1.5s"),
    ] {
        assert_eq!(span(milliseconds), text);
    }
}
