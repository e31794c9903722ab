//! Whole updates.

use fbc_cluster::time::{HOUR, SECOND};
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
        companions: None,
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
        let ends: Option<Vec<Moment>> = pair[0].iter().map(|bar| bar.to).collect();
        let end = ends.and_then(|ends| ends.into_iter().max());
        pair[1].iter().all(|bar| end.is_some_and(|end| bar.from >= end))
    })
}

/// Shows D-CVO-1, D-CVO-25, D-CVO-32, D-CVO-34, D-CVO-35, D-CVO-36, D-CVO-39, D-CVO-40, D-CVO-44
#[test]
fn a_cluster_gets_through() {
    let report = simulate(&plan("4.19.0", "4.19.1")).unwrap();
    let (control_plane, nodes) = (report.control_plane.unwrap(), report.nodes.unwrap());
    let ends = |kind| report.bars.iter().filter(move |bar| bar.kind == kind).filter_map(|bar| bar.to);
    // Conditions have whole seconds.
    let last = ends(BarKind::Pool).max().unwrap().since(report.start);
    assert!((nodes..nodes + SECOND).contains(&last), "{nodes} {last}");
    assert!(ends(BarKind::Node).max().unwrap().since(report.start) <= last);
    assert!(control_plane > 0 && report.given_up.is_none());
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
        let is_refused = report.obstacles.iter().any(|text| text.contains("is not upgradeable"));
        assert_eq!(report.given_up, (!is_refused).then_some(plan.limit), "{:?}", report.obstacles);
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
    let report = simulate(&plan("4.19.0", "4.21.0")).unwrap();
    assert!(report.control_plane.is_none());
    assert!(
        report.obstacles.join(" ").contains("more than one minor version beyond"),
        "{:?}",
        report.obstacles
    );
    let forced = Plan { is_forced: true, ..plan("4.19.0", "4.21.0") };
    assert!(simulate(&forced).unwrap().control_plane.is_some());
    // The operator of 4.18 has no such check.
    assert!(simulate(&plan("4.18.0", "4.20.0")).unwrap().control_plane.is_some());
}

/// Only what blocks is named, and by the operator that says it: that no channel is set is a warning.
#[test]
fn an_operator_that_blocks_is_named() {
    for from in ["4.18.0", "4.22.0", "5.0.0"] {
        let version = fbc_version::Version::parse(from).unwrap();
        let to = format!("{}.{}.0", version.major(), version.minor() + 1);
        let mut plan = plan(from, &to);
        plan.operators = vec![Behaviour {
            not_upgradeable: Some(("NotUpgradeable".to_owned(), "Old CSI drivers are in use".to_owned())),
            ..behaviour("storage")
        }];
        let report = simulate(&plan).unwrap();
        let [only] = report.obstacles.as_slice() else { panic!("{from}: {:?}", report.obstacles) };
        assert!(
            only.starts_with("operator storage is not upgradeable: Old CSI drivers are in use ("),
            "{from}: {only}"
        );
    }
}

#[test]
fn masters_that_reboot_together_take_the_quorum() {
    let losses = |max: u64| {
        let mut plan = plan("4.19.0", "4.19.1");
        plan.pools = vec![pool("master", 3, max), pool("worker", 3, 3)];
        simulate(&plan).unwrap().quorum_loss
    };
    assert_eq!(losses(1), None);
    let loss = losses(3).unwrap();
    assert!(loss.unavailable >= 2 && loss.masters == 3 && loss.quorum() == 2, "{loss:?}");
}

/// A pool of any size, with a number or a percentage as its limit, that may be paused.
fn any_pool() -> impl Strategy<Value = Pool> {
    let limit = prop_oneof![
        (0_u64..4).prop_map(|number| json!(number)),
        (1_u64..=100).prop_map(|percent| json!(format!("{percent}%"))),
    ];
    (0_usize..7, limit, proptest::bool::weighted(0.2)).prop_map(|(nodes, max_unavailable, is_paused)| Pool {
        max_unavailable,
        is_paused,
        ..Pool::new("", nodes)
    })
}

/// How many nodes of a pool may be out at once (MC-6).
fn allowed(pool: &Pool) -> usize {
    let number = match pool.max_unavailable.as_str().and_then(|text| text.strip_suffix('%')) {
        Some(percent) => pool.nodes * percent.parse::<usize>().unwrap() / 100,
        None => pool.max_unavailable.as_u64().unwrap() as usize,
    };
    if pool.is_paused { 0 } else { number.max(1) }
}

/// What the properties are judged by finds faults.
#[test]
fn disorder_is_seen() {
    let report = simulate(&plan("4.19.0", "4.19.1")).unwrap();
    assert!(keeps_order(&report));
    let is_operator = |bar: &Bar| bar.kind == BarKind::Operator;
    let mut early = report.clone();
    let last = early.bars.iter().rposition(is_operator).unwrap();
    early.bars[last].from = report.start;
    assert!(!keeps_order(&early));
    let mut open = report.clone();
    let first = open.bars.iter().position(is_operator).unwrap();
    open.bars[first].to = None;
    assert!(!keeps_order(&open));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Whatever the sizes, limits and times: runlevels in order, no more nodes out than may be, none of a paused pool, and
    /// everything else gets through.
    #[test]
    fn order_and_limits_hold(
        pools in proptest::collection::vec(any_pool(), 1..4),
        times in proptest::collection::vec(0_u64..600, 8),
        seed in 1_u64..100,
    ) {
        let mut plan = plan("4.19.0", "4.19.1");
        plan.seed = seed;
        plan.limit = 3 * HOUR;
        plan.pools = vec![pool("master", 3, 1)];
        plan.pools.extend(pools.into_iter().enumerate().map(|(index, pool)| {
            Pool { name: ["worker", "infra", "edge"][index].to_owned(), ..pool }
        }));
        plan.operators = times.iter().enumerate().map(|(index, seconds)| Behaviour {
            takes: seconds * SECOND,
            ..behaviour(&format!("operator-{index:02}"))
        }).collect();
        let report = simulate(&plan).unwrap();
        prop_assert!(report.control_plane.is_some(), "{:?}", report.obstacles);
        prop_assert!(keeps_order(&report), "{:#?}", levels(&report));
        let waits = plan.pools.iter().any(|pool| pool.is_paused && pool.nodes > 0);
        prop_assert_eq!(report.nodes.is_none(), waits, "{:?}", report.obstacles);
        for pool in &plan.pools {
            let most = report.most_unavailable.get(&pool.name).copied().unwrap_or_default();
            prop_assert!(most <= allowed(pool), "{}: {most}", pool.name);
            let updated = report.bars.iter().filter(|bar| bar.kind == BarKind::Node && bar.group == pool.name);
            prop_assert_eq!(updated.count(), if pool.is_paused { 0 } else { pool.nodes }, "{}", pool.name);
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
