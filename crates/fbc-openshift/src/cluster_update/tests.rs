//! Whole updates.

use proptest::prelude::*;

use super::*;
use crate::cluster_operators::{Behaviour, Trouble};

fn pool(name: &str, nodes: usize, max: u64) -> Pool {
    Pool { name: name.to_owned(), nodes, max_unavailable: json!(max), is_paused: false }
}

fn plan(from: &str, to: &str) -> Plan {
    Plan {
        from: Arc::new(sample::payload(from, 8, 40)),
        to: Arc::new(sample::payload(to, 8, 40)),
        operators: Vec::new(),
        nodes: Vec::new(),
        pools: vec![pool("master", 3, 1), pool("worker", 5, 3)],
        is_forced: false,
        limit: 12 * HOUR,
        seed: 1,
        restarts: Vec::new(),
    }
}

fn behaviour(operator: &str) -> Behaviour {
    Behaviour { operator: operator.to_owned(), ..Behaviour::default() }
}

/// The bars of operators, by runlevel.
fn levels(report: &Report) -> BTreeMap<String, Vec<&Bar>> {
    let mut levels: BTreeMap<String, Vec<&Bar>> = BTreeMap::new();
    for bar in report.bars.iter().filter(|bar| bar.kind == BarKind::Operator) {
        levels.entry(bar.group.clone()).or_default().push(bar);
    }
    levels
}

fn keeps_order(report: &Report) -> bool {
    let levels: Vec<Vec<&Bar>> = levels(report).into_values().collect();
    levels.windows(2).all(|pair| {
        let end = pair[0].iter().map(|bar| bar.to).max().flatten();
        pair[1].iter().all(|bar| end.is_some_and(|end| bar.from >= end))
    })
}

/// Shows D-CVO-1, D-CVO-25, D-CVO-32, D-CVO-34, D-CVO-35, D-CVO-36, D-CVO-39, D-CVO-40, D-CVO-44
#[test]
fn a_cluster_gets_through() {
    let report = simulate(&plan("4.19.0", "4.19.1")).unwrap();
    let (control_plane, nodes) = (report.control_plane.unwrap(), report.nodes.unwrap());
    assert!(control_plane <= nodes, "{control_plane} {nodes}");
    assert!(report.obstacles.is_empty(), "{:?}", report.obstacles);
    let levels = levels(&report);
    assert!(levels.len() > 3 && levels.values().any(|bars| bars.len() > 1), "{levels:#?}");
    assert!(keeps_order(&report), "{levels:#?}");
    assert_eq!(report.most_unavailable["master"], 1);
    assert_eq!(report.most_unavailable["worker"], 3);
    let updated = report.bars.iter().filter(|bar| bar.kind == BarKind::Node && bar.to.is_some()).count();
    assert_eq!(updated, 8);
}

/// Shows D-CVO-45
#[test]
fn an_update_of_the_expected_length_is_not_called_slow() {
    let mut plan = plan("4.19.0", "4.19.1");
    let names = (0..7).map(|number| format!("operator-{number:02}")).chain(["machine-config".to_owned()]);
    plan.operators = names.map(|name| Behaviour { takes: 15 * MINUTE, ..behaviour(&name) }).collect();
    let report = simulate(&plan).unwrap();
    let control_plane = report.control_plane.unwrap();
    assert!((HOUR..=2 * HOUR).contains(&control_plane), "{control_plane}");
    assert!(report.obstacles.is_empty(), "{:?}", report.obstacles);
}

/// Shows D-CVO-30, D-CVO-31, D-CVO-32
#[test]
fn what_stops_an_update_is_named() {
    let stops = |change: &dyn Fn(&mut Plan)| {
        let mut plan = plan("4.19.0", "4.20.0");
        change(&mut plan);
        let report = simulate(&plan).unwrap();
        (report.control_plane.is_some(), report.obstacles.join("; "))
    };
    let (done, why) = stops(&|plan| {
        let reason = Some(("Old".to_owned(), "storage is too old".to_owned()));
        plan.operators = vec![Behaviour { not_upgradeable: reason, ..behaviour("olm") }];
    });
    assert!(!done && why.contains("storage is too old"), "{why}");
    let (done, why) = stops(&|plan| {
        let trouble = Trouble { condition: "Degraded", message: "no".to_owned(), lasts: None };
        plan.operators = vec![Behaviour { trouble: Some(trouble), ..behaviour("operator-02") }];
        plan.limit = 2 * HOUR;
    });
    assert!(!done && why.contains("operator-02 is degraded"), "{why}");
    let (done, why) = stops(&|plan| {
        plan.operators =
            vec![Behaviour { after: vec!["operator-06".to_owned()], ..behaviour("operator-00") }];
        plan.limit = 2 * HOUR;
    });
    assert!(!done && why.contains("waiting on operator-00"), "{why}");
    let (done, why) = stops(&|plan| {
        plan.pools[1].is_paused = true;
        plan.limit = 4 * HOUR;
    });
    assert!(done && why.contains("pool worker has 0 of 5 nodes updated, and it is paused"), "{why}");
    let (done, why) = stops(&|plan| {
        let failure = Some((daemon::State::Degraded, "disk full".to_owned()));
        plan.nodes =
            vec![daemon::Behaviour { node: "master-1".to_owned(), failure, ..daemon::Behaviour::default() }];
        plan.limit = 4 * HOUR;
    });
    assert!(!done && why.contains("pool master is degraded"), "{why}");
}

#[test]
fn two_minor_versions_at_once_are_refused() {
    let report = simulate(&plan("4.18.0", "4.20.0")).unwrap();
    assert!(report.control_plane.is_none());
    assert!(
        report.obstacles.join(" ").contains("more than one minor version beyond"),
        "{:?}",
        report.obstacles
    );
    let forced = Plan { is_forced: true, ..plan("4.18.0", "4.20.0") };
    assert!(simulate(&forced).unwrap().control_plane.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Whatever the sizes and times: runlevels in order, no more nodes out than may be, and everything gets through.
    #[test]
    fn order_and_limits_hold(
        sizes in proptest::collection::vec((1_usize..6, 1_u64..4), 1..3),
        times in proptest::collection::vec(0_u64..600, 8),
        seed in 1_u64..100,
    ) {
        let mut plan = plan("4.19.0", "4.19.1");
        plan.seed = seed;
        plan.pools = vec![pool("master", 3, 1)];
        plan.pools.extend(sizes.iter().enumerate().map(|(index, (nodes, max))| {
            pool(if index == 0 { "worker" } else { "infra" }, *nodes, *max)
        }));
        plan.operators = times.iter().enumerate().map(|(index, seconds)| Behaviour {
            takes: seconds * SECOND,
            ..behaviour(&format!("operator-{index:02}"))
        }).collect();
        let report = simulate(&plan).unwrap();
        prop_assert!(report.nodes.is_some(), "{:?}", report.obstacles);
        prop_assert!(keeps_order(&report), "{:#?}", levels(&report));
        for pool in &plan.pools {
            let most = report.most_unavailable.get(&pool.name).copied().unwrap_or_default();
            prop_assert!(most as u64 <= pool.max_unavailable.as_u64().unwrap(), "{}: {most}", pool.name);
        }
    }

    /// An operator that ends at any moment and is started anew comes to the same end.
    #[test]
    fn interrupted_and_resumed_comes_to_the_same_end(restarts in proptest::collection::vec(0_u64..1800, 1..4)) {
        let whole = simulate(&plan("4.19.0", "4.19.1")).unwrap();
        let mut plan = plan("4.19.0", "4.19.1");
        plan.restarts = restarts.iter().map(|seconds| seconds * SECOND).collect();
        let report = simulate(&plan).unwrap();
        prop_assert!(report.nodes.is_some(), "{:?}", report.obstacles);
        prop_assert_eq!(&report.objects, &whole.objects);
        prop_assert!(keeps_order(&report));
    }
}
