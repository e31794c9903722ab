//! The words of `fbc updates`.

use std::io::{self, Write};

use fbc_cluster::object::ObjectFields as _;
use fbc_openshift::update_service::route::{Exposure, Judged, Route};

use fbc_app::count::counted;
use fbc_app::escape::Lines;
use fbc_simulation::updates::{Answer, Offered};

pub(super) fn write(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Lines::new(out, false);
    for fault in &answer.faults {
        writeln!(out, "fault: {fault}")?;
    }
    match &answer.from {
        None => overview(answer, &mut out),
        Some(from) => offered(from, &mut out),
    }?;
    out.flush()
}

fn overview(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let graph = &answer.graph;
    let conditional: usize = graph.conditional_edges.iter().map(|group| group.edges.len()).sum();
    writeln!(
        out,
        "{}, {}, {} with risks",
        counted(graph.nodes.len(), "release"),
        counted(graph.edges.len(), "recommended update"),
        counted(conditional, "update")
    )?;
    let mut channels: Vec<(String, usize)> = Vec::new();
    for channel in graph.nodes.iter().flat_map(|node| node.channels()) {
        match channels.iter_mut().find(|(name, _)| *name == channel) {
            Some((_, count)) => *count += 1,
            None => channels.push((channel, 1)),
        }
    }
    channels.sort();
    for (channel, count) in channels {
        writeln!(out, "  {channel}: {}", counted(count, "release"))?;
    }
    Ok(())
}

fn offered(from: &Offered, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "from {}", from.version)?;
    if from.recommended.is_empty() {
        writeln!(out, "no recommended updates")?;
    } else {
        writeln!(out, "recommended updates:")?;
        for (version, image) in &from.recommended {
            writeln!(out, "  {version}  {image}")?;
        }
    }
    if !from.conditional.is_empty() {
        writeln!(out, "updates with known issues:")?;
        for (version, image, risks) in &from.conditional {
            writeln!(out, "  {version}  {image}")?;
            told(risks, "    ", out)?;
        }
    }
    let Some((to, route)) = &from.route else { return Ok(()) };
    let Some(Route { hops, equal }) = route else {
        return writeln!(out, "no route from {} to {to}", from.version);
    };
    let others = match equal.saturating_sub(1) {
        0 => String::new(),
        others => format!(", as good as {others} other {}", if others == 1 { "route" } else { "routes" }),
    };
    writeln!(out, "route to {to}: {}{others}", counted(hops.len(), "update"))?;
    for (index, hop) in hops.iter().enumerate() {
        if let Some(moves) = from.moves.get(index) {
            for (operator, version, target) in &moves.first {
                writeln!(out, "  first move {operator} from {version} to {target}")?;
            }
            for (operator, version, why) in &moves.stuck {
                writeln!(out, "  {operator} {version} blocks the update: {why}")?;
            }
        }
        let channels = match hop.channels.as_slice() {
            [] => String::new(),
            channels => {
                let early = if hop.is_early { ", early access and not supported" } else { "" };
                format!(" (channel {}{early})", channels.join(" or "))
            }
        };
        writeln!(out, "  {} to {}{channels}", hop.from, hop.to)?;
        told(&hop.risks, "    ", out)?;
    }
    Ok(())
}

fn told(risks: &[Judged], indent: &str, out: &mut dyn Write) -> io::Result<()> {
    for judged in risks {
        let text = |field: &str| judged.risk.text(&[field]).to_owned();
        let state = match &judged.exposure {
            Exposure::Applies => "applies".to_owned(),
            Exposure::Avoided => continue,
            Exposure::Unknown(reason) => format!("may apply: {reason}"),
        };
        writeln!(out, "{indent}{} {state}", text("name"))?;
        writeln!(out, "{indent}  {} {}", text("message"), text("url"))?;
    }
    Ok(())
}
