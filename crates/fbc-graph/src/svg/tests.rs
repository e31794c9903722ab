//! What a drawing must hold, and that lines keep to themselves.

use super::*;
use crate::moves::tests::{catalog, entry};

fn sample() -> fbc_model::Catalog {
    let entries = vec![
        entry("p.v1.4.0", "p.v1.2.0", &["p.v1.3.0"], ">=1.0.0 <1.4.0"),
        entry("p.v1.3.0", "p.v1.2.0", &[], ""),
        entry("p.v1.2.0", "p.v1.0.0", &[], ">=1.0.0 <1.2.0"),
    ];
    catalog(
        &[("a<b", entries), ("c", vec![entry("p.v1.4.0", "", &[], ""), entry("p.v1.1.0", "", &[], "")])],
        &["p.v1.2.0"],
    )
}

#[test]
fn marks_and_edges_are_there() {
    let catalog = sample();
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let picture = draw(&graph, &[0, 1], Semantics::V0);
    for part in [
        "class=\"fbc-graph v0\"",
        "edge replaces",
        "edge skips",
        "edge skip-range",
        " head-v0",
        "dot deprecated",
        " skipped",
        "dot outside",
        "a&lt;b",
        "2 heads",
        "stuck-v0",
    ] {
        assert!(picture.contains(part), "{part} is not in {picture}");
    }
    let one = draw(&graph, &[0], Semantics::V1);
    assert!(one.contains("fbc-graph v1") && !one.contains("2 heads") && !one.contains(">1.1.0<"));
}

#[test]
fn an_empty_package_can_be_drawn() {
    let catalog = fbc_model::Catalog::default();
    assert!(
        draw(&PackageGraph::from_catalog(&catalog, "p"), &[], Semantics::V1)
            .contains("0 bundles, 0 channels")
    );
}

#[test]
fn lines_on_one_track_do_not_meet() {
    let entries: Vec<_> = (0..60)
        .map(|i| {
            let skip = format!("p.v1.{}.0", i / 2);
            let replaces = format!("p.v1.{}.0", i * 2 / 3);
            entry(
                &format!("p.v1.{i}.0"),
                &replaces,
                &[skip.as_str()],
                &format!(">=1.{}.0 <1.{i}.0", i - i % 7),
            )
        })
        .collect();
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let layout = Layout::new(&graph, &[0]);
    let lines = &layout.lanes[0].lines;
    let span = |line: &Line| {
        let rows: Vec<usize> = line.from.iter().chain(&line.to).copied().collect();
        (*rows.iter().min().unwrap(), *rows.iter().max().unwrap())
    };
    for (place, line) in lines.iter().enumerate() {
        for other in &lines[place + 1..] {
            let is_last_track = line.track.abs() >= 14;
            if line.track == other.track && line.track != 0 && !is_last_track {
                let ((a, b), (c, d)) = (span(line), span(other));
                assert!(b < c || d < a, "track {}: {a}-{b} and {c}-{d}", line.track);
            }
        }
    }
}

#[test]
fn texts_have_room() {
    let long = "a-channel-with-a-rather-long-name";
    let channels =
        [(long, vec![entry("p.v1.4.0", "", &[], "")]), ("b", vec![entry("p.v1.10.0-rc.1", "", &[], "")])];
    let catalog = catalog(&channels, &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let layout = Layout::new(&graph, &[0, 1]);
    for (lane, next) in layout.lanes.iter().zip(layout.lanes.iter().skip(1)) {
        assert!(lane.x + lane.width <= next.x);
    }
    for lane in &layout.lanes {
        assert!(lane.width > layout::text_width(&graph.channels[lane.channel].name));
    }
    assert!(layout.label_width > layout::text_width("1.10.0-rc.1") + 28.0);
}

#[test]
fn text_is_escaped() {
    assert_eq!(escaped("<a & \"b\">\u{1}\n"), "&lt;a &amp; &quot;b&quot;&gt;\u{fffd}&#10;");
}
