//! What changes between the objects of two bundles, as a unified diff for each object.

use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use fbc_app::bundle_objects::{Difference, Side};
use similar::{Algorithm, TextDiff};

use crate::failure::{Failure, STRONG};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// Writes the differences.
pub(super) fn write(
    differences: &[Difference],
    old: &Path,
    new: &Path,
    has_color: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for difference in differences {
        let name = |folder: &Path, side: &Option<Side>| match side {
            Some(side) => format!("{}: {}", folder.display(), side.name),
            None => "/dev/null".to_owned(),
        };
        let text = |side: &'_ Option<Side>| side.as_ref().map(|side| side.yaml.clone()).unwrap_or_default();
        let (before, after) = (text(&difference.old), text(&difference.new));
        let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(&before, &after);
        let mut unified = diff.unified_diff();
        let unified = unified.context_radius(CONTEXT);
        let heads =
            [format!("--- {}", name(old, &difference.old)), format!("+++ {}", name(new, &difference.new))];
        for head in heads {
            write_line(out, &head, STRONG, has_color)?;
        }
        for line in unified.to_string().lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => ADDED,
                Some(b'-') => REMOVED,
                Some(b'@') => PLACE,
                _ => Style::new(),
            };
            write_line(out, line, style, has_color)?;
        }
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, line: &str, style: Style, has_color: bool) -> Result<(), Failure> {
    let style = if has_color { style } else { Style::new() };
    Ok(writeln!(out, "{style}{line}{style:#}")?)
}
