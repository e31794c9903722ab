//! Where things stand in the drawing: versions as rows, the newest on top; channels as lanes from left to right.
//!
//! In each lane the entries stand on one vertical line. To the left of it run the lines of `skips`, to the right
//! those of `skipRange` and of `replaces` that pass other entries. Each line has a track of its own, so that lines
//! do not cover each other; ranges that begin at the same version share one.

use std::collections::BTreeMap;

use crate::moves::EdgeKind;
use crate::package::{NodeIndex, PackageGraph};

/// Height of a row.
pub(super) const ROW: f64 = 22.0;
/// Distance of two tracks.
pub(super) const TRACK: f64 = 8.0;
/// Height of the heading with the names of the channels.
pub(super) const HEADING: f64 = 52.0;
/// Width of a character of text of the size used, rounded up.
const CHARACTER: f64 = 7.4;
/// From a line to the edge of its lane.
const MARGIN: f64 = 16.0;
/// More tracks than this on one side of a lane would not be told apart; further lines share the last.
const MOST_TRACKS: usize = 14;

/// The whole drawing.
pub(super) struct Layout {
    /// What is drawn, from the top; the newest version first, what has no version last.
    pub(super) rows: Vec<NodeIndex>,
    /// The row of each node.
    pub(super) row_of: Vec<Option<usize>>,
    /// Width of the column of versions.
    pub(super) label_width: f64,
    /// The lanes from left to right.
    pub(super) lanes: Vec<Lane>,
    /// Width of everything.
    pub(super) width: f64,
    /// Height of everything.
    pub(super) height: f64,
}

/// The lane of a channel.
pub(super) struct Lane {
    /// The channel.
    pub(super) channel: usize,
    /// Its left side.
    pub(super) x: f64,
    /// Its width.
    pub(super) width: f64,
    /// The line of its entries, from its left side.
    pub(super) axis: f64,
    /// The edges.
    pub(super) lines: Vec<Line>,
}

/// A vertical line with branches to rows.
pub(super) struct Line {
    /// What kind of edges it stands for.
    pub(super) kind: EdgeKind,
    /// Rows whose versions are updated, ascending; of a range the first and the last row.
    pub(super) from: Vec<usize>,
    /// Rows of the entries that they are updated to, ascending.
    pub(super) to: Vec<usize>,
    /// Its track: 0 is the line of the entries itself, negative ones are left of it.
    pub(super) track: i32,
    /// Whether all entries that it leads to are skipped.
    pub(super) leads_to_skipped: bool,
}

impl Line {
    fn span(&self) -> (usize, usize) {
        let rows = || self.from.iter().chain(&self.to).copied();
        (rows().min().unwrap_or_default(), rows().max().unwrap_or_default())
    }
}

impl Layout {
    /// Lays out some channels of a package.
    pub(super) fn new(graph: &PackageGraph<'_>, channels: &[usize]) -> Self {
        let mut is_drawn = vec![channels.len() == graph.channels.len(); graph.nodes.len()];
        for channel in channels.iter().filter_map(|&channel| graph.channels.get(channel)) {
            for node in channel.members() {
                if let Some(flag) = is_drawn.get_mut(node) {
                    *flag = true;
                }
            }
        }
        let rows: Vec<NodeIndex> =
            (0..graph.nodes.len()).rev().filter(|&n| is_drawn.get(n) == Some(&true)).collect();
        let mut row_of = vec![None; graph.nodes.len()];
        for (row, &node) in rows.iter().enumerate() {
            if let Some(place) = row_of.get_mut(node) {
                *place = Some(row);
            }
        }
        let label =
            |&node: &NodeIndex| graph.nodes.get(node).map_or(0.0, |node| text_width(&super::row_label(node)));
        let label_width = rows.iter().map(label).fold(80.0, f64::max) + 40.0;
        let mut x = label_width;
        // The channel with the newest version comes first, as the newest version does.
        let newest = |channel: usize| graph.channels.get(channel).and_then(|channel| channel.members().pop());
        let mut channels = channels.to_vec();
        channels.sort_by_cached_key(|&channel| std::cmp::Reverse(newest(channel)));
        let lanes: Vec<Lane> = channels
            .iter()
            .filter_map(|&channel| {
                let lane = lane(graph, channel, &rows, &row_of, x)?;
                x += lane.width;
                Some(lane)
            })
            .collect();
        let height = HEADING + rows.len() as f64 * ROW + 12.0;
        Self { rows, row_of, label_width, lanes, width: x + 12.0, height }
    }
}

/// About how wide a text is, at most.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// The middle of a row.
pub(super) fn row_middle(row: usize) -> f64 {
    HEADING + (row as f64 + 0.5) * ROW
}

fn lane(
    graph: &PackageGraph<'_>,
    number: usize,
    rows: &[NodeIndex],
    row_of: &[Option<usize>],
    x: f64,
) -> Option<Lane> {
    let channel = graph.channels.get(number)?;
    let row = |node: NodeIndex| row_of.get(node).copied().flatten();
    let mut entry_rows: Vec<usize> = channel.members().into_iter().filter_map(row).collect();
    entry_rows.sort_unstable();
    let mut lines = Vec::new();
    // Ranges by the row where they begin, which is their lowest on the page.
    let mut ranges: BTreeMap<usize, Line> = BTreeMap::new();
    for (place, edges) in channel.edges.iter().enumerate() {
        let Some(to) = row(edges.node) else { continue };
        let leads_to_skipped = channel.is_skipped(place);
        if let Some(from) = edges.replaces.and_then(row).filter(|&from| from != to) {
            let (low, high) = (from.min(to), from.max(to));
            let below = entry_rows.partition_point(|&row| row < high);
            let between = below.saturating_sub(entry_rows.partition_point(|&row| row <= low));
            let track = if between == 0 { 0 } else { 1 };
            lines.push(Line {
                kind: EdgeKind::Replaces,
                from: vec![from],
                to: vec![to],
                track,
                leads_to_skipped,
            });
        }
        let mut skips: Vec<usize> = edges.skips.iter().filter_map(|&node| row(node)).collect();
        skips.sort_unstable();
        if !skips.is_empty() {
            lines.push(Line {
                kind: EdgeKind::Skips,
                from: skips,
                to: vec![to],
                track: -1,
                leads_to_skipped,
            });
        }
        for run in &edges.covered {
            // Rows run against the order of nodes.
            let top = rows.partition_point(|&node| node >= run.end);
            let Some(bottom) = rows.partition_point(|&node| node >= run.start).checked_sub(1) else {
                continue;
            };
            if top > bottom {
                continue;
            }
            let line = ranges.entry(bottom).or_insert_with(|| Line {
                kind: EdgeKind::SkipRange,
                from: vec![top, bottom],
                to: Vec::new(),
                track: 1,
                leads_to_skipped: true,
            });
            if let Some(first) = line.from.first_mut() {
                *first = top.min(*first);
            }
            line.to.push(to);
            line.leads_to_skipped &= leads_to_skipped;
        }
    }
    lines.extend(ranges.into_values());
    for line in &mut lines {
        line.to.sort_unstable();
    }
    let left = assign_tracks(&mut lines, -1);
    let right = assign_tracks(&mut lines, 1);
    let heading =
        text_width(&channel.name).max(text_width(&super::channel_note(graph, channel)) * 0.86) + 20.0;
    let axis = MARGIN + left as f64 * TRACK;
    let needed = axis + right as f64 * TRACK + MARGIN;
    let width = needed.max(heading);
    // Lanes that are wide for their name alone have their line in the middle.
    let axis = axis + (width - needed) / 2.0;
    Some(Lane { channel: number, x, width, axis, lines })
}

/// Gives the lines of one side tracks on which they do not meet others, and says how many there are.
fn assign_tracks(lines: &mut [Line], side: i32) -> usize {
    let mut places: Vec<usize> =
        (0..lines.len()).filter(|&i| lines.get(i).is_some_and(|l| l.track == side)).collect();
    // Short lines come first where several begin in one row, so that they end up inside.
    places.sort_by_key(|&place| lines.get(place).map(Line::span));
    let mut ends: Vec<usize> = Vec::new();
    for place in places {
        let Some(line) = lines.get_mut(place) else { continue };
        let (start, end) = line.span();
        let free = ends.iter().position(|&track_end| track_end < start);
        let track = free.unwrap_or_else(|| ends.len().min(MOST_TRACKS - 1));
        match ends.get_mut(track) {
            Some(track_end) => *track_end = end.max(*track_end),
            None => ends.push(end),
        }
        line.track = side * (track as i32 + 1);
    }
    ends.len()
}
