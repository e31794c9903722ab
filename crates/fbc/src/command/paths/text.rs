//! The answer as tables.

use std::io::{self, Write};

use fbc_go::text::padded;

use fbc_app::paths::answer::{Answer, MissingEdge, Scope, Step, VersionRow};

/// As many versions are named in one line; of more the number is told.
const MOST_NAMED: usize = 8;

/// Writes everything.
pub(super) fn write(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    if let Some(name) = &answer.is_supposed {
        writeln!(out, "The catalog does not know this version; its bundle is taken to be called {name}.")?;
        writeln!(out)?;
    }
    if answer.scopes.is_empty() {
        writeln!(out, "package {} has no channels", answer.package)?;
    }
    for (number, scope) in answer.scopes.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        write_scope(out, answer, scope)?;
    }
    Ok(())
}

fn write_scope(out: &mut dyn Write, answer: &Answer, scope: &Scope) -> io::Result<()> {
    let channels = match scope.channels.as_slice() {
        _ if scope.is_any_channel => "any channel".to_owned(),
        [one] => format!("channel {one}"),
        several => format!("channels {}", several.join(", ")),
    };
    let head =
        scope.head_label.as_deref().map_or_else(|| "no head".to_owned(), |head| format!("head {head}"));
    writeln!(out, "{} with OLM {}, following {channels}: {head}", answer.package, answer.semantics)?;
    for objection in &scope.objections {
        writeln!(out, "  opm refuses the channel: {objection}")?;
    }
    if scope.is_refused {
        writeln!(out, "  OLM v0 updates nobody who follows it")?;
    }
    if answer.from.is_some() {
        scope.versions.iter().try_for_each(|row| write_routes(out, answer, row))?;
    } else {
        write_table(out, scope)?;
    }
    write_missing(out, scope)
}

fn write_table(out: &mut dyn Write, scope: &Scope) -> io::Result<()> {
    let headings = ["INSTALLED", "UPDATES TO", "BY", "ENDS AT", "HOPS", "SHORTEST", "NOTE"];
    let number = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let rows = scope.versions.iter().map(|row| {
        let (to, by) = row.next.as_ref().map_or(("-", ""), |step| (step.label.as_str(), step.edge));
        let cells = [
            row.label.as_str(),
            to,
            by,
            &row.end_label,
            &number(row.hops),
            &number(row.shortest),
            &note(row),
        ];
        cells.map(str::to_owned)
    });
    let rows: Vec<[String; 7]> = std::iter::once(headings.map(str::to_owned)).chain(rows).collect();
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in &rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(&format!(" {} ", padded(cell, width)));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn note(row: &VersionRow) -> String {
    let mut notes = Vec::new();
    match row.standing {
        "atHead" => notes.push("head"),
        "stuck" => notes.push("stuck"),
        "stopsShort" => notes.push("stops short of the head"),
        "circle" => notes.push("runs in circles"),
        "nothingNewer" => notes.push("nothing newer"),
        _ => {}
    }
    if !row.is_in_catalog {
        notes.push("not in the catalog");
    } else if !row.is_member {
        notes.push("from another channel");
    }
    if row.is_deprecated {
        notes.push("deprecated");
    }
    notes.join(", ")
}

fn write_routes(out: &mut dyn Write, answer: &Answer, row: &VersionRow) -> io::Result<()> {
    // Nobody asked for the head, and no edge could lead back to it.
    let is_beyond = answer.to.is_none() && row.standing == "nothingNewer";
    let note = note(row);
    let note = if note.is_empty() { note } else { format!(" [{note}]") };
    let route = |steps: &[Step]| -> String {
        steps.iter().map(|step| format!(" -> {} ({})", step.label, step.edge)).collect()
    };
    let steps = row.route.as_deref().unwrap_or_default();
    let actual = if steps.is_empty() { " does not move".to_owned() } else { route(steps) };
    writeln!(out, "  updates:  {}{note}{actual}", row.label)?;
    if is_beyond {
        return Ok(());
    }
    match row.shortest_route.as_deref() {
        Some([]) => {}
        Some(steps) => writeln!(out, "  shortest: {}{}", row.label, route(steps))?,
        None => writeln!(out, "  shortest: no edges lead to the goal")?,
    }
    match row.hops {
        Some(0) => writeln!(out, "  it is at the goal"),
        Some(1) => writeln!(out, "  the goal is reached with 1 update"),
        Some(hops) => writeln!(out, "  the goal is reached with {hops} updates"),
        None => writeln!(out, "  the goal is not reached"),
    }
}

/// The edits that would help, each with all versions that need it.
fn write_missing(out: &mut dyn Write, scope: &Scope) -> io::Result<()> {
    let mut edits: Vec<(&MissingEdge, Vec<&str>)> = Vec::new();
    let mut helpless: Vec<&str> = Vec::new();
    for row in scope.versions.iter().filter(|row| row.needs_help) {
        match &row.missing_edge {
            None => helpless.push(&row.label),
            Some(edit) => match edits.iter_mut().find(|(known, _)| *known == edit) {
                Some((_, versions)) => versions.push(&row.label),
                None => edits.push((edit, vec![&row.label])),
            },
        }
    }
    for (edit, versions) in edits {
        writeln!(out, "  to help {}: {}", named(&versions), sentence(edit))?;
    }
    if scope.not_searched > 0 {
        writeln!(
            out,
            "  {} versions that do not move were not checked; ask for one with --from",
            scope.not_searched
        )?;
    } else if !helpless.is_empty() && scope.versions.iter().any(|row| row.is_unhappy) {
        writeln!(out, "  no edit of one entry helps {}", named(&helpless))?;
    }
    Ok(())
}

fn named(versions: &[&str]) -> String {
    match versions.get(..MOST_NAMED) {
        Some(first) if versions.len() > MOST_NAMED => {
            format!("{} and {} more", first.join(", "), versions.len() - MOST_NAMED)
        }
        _ => versions.join(", "),
    }
}

fn sentence(edit: &MissingEdge) -> String {
    let MissingEdge { channel, entry, field, value, old } = edit;
    match (*field, value.is_empty(), old.is_empty()) {
        ("skips", ..) => format!("add {value} to skips of {entry} in channel {channel}"),
        (_, true, _) => format!("remove replaces: {old} from {entry} in channel {channel}"),
        ("skipRange", _, false) => {
            format!("change skipRange of {entry} in channel {channel} from \"{old}\" to \"{value}\"")
        }
        ("skipRange", ..) => format!("set skipRange: \"{value}\" on {entry} in channel {channel}"),
        _ => format!("set {field}: {value} on {entry} in channel {channel}"),
    }
}
