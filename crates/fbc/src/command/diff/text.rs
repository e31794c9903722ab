//! The changes for people: by package, the worst first.

use std::io::{self, Write};

use fbc_app::comparison::Compared;
use fbc_app::comparison::grouping::{Group, alike, details};
use fbc_lint::comparison::{Change, Class};

use crate::failure::{ERROR, HELP, STRONG, WARNING};
use crate::settings::Settings;
use crate::terminal::paint;

/// Groups of harmless changes of a package that are shown; `--verbose` shows all.
const HARMLESS_SHOWN: usize = 12;

pub(super) fn write(
    compared: &Compared<'_>,
    title: Option<&str>,
    has_color: bool,
    settings: &Settings,
    out: &mut dyn Write,
) -> io::Result<()> {
    let comparison = compared.comparison;
    if let Some(title) = title.filter(|_| !(settings.quiet && compared.worst().is_none())) {
        writeln!(out, "{}", paint(has_color, STRONG, &format!("=== {title}")))?;
    }
    for package in &comparison.changed_packages {
        let shown: Vec<&Change> = comparison
            .of_package(package)
            .iter()
            .filter(|change| !settings.quiet || change.class != Class::Harmless)
            .collect();
        if shown.is_empty() {
            continue;
        }
        let title = if package.is_empty() { "(no package)" } else { package };
        writeln!(out, "{}", paint(has_color, STRONG, title))?;
        let groups = alike(&shown);
        let mut harmless = 0;
        for group in &groups {
            harmless += usize::from(group.first.class == Class::Harmless);
            if harmless <= HARMLESS_SHOWN || settings.verbose {
                write_group(group, has_color, settings.verbose, out)?;
            }
        }
        if harmless > HARMLESS_SHOWN && !settings.verbose {
            writeln!(out, "  ... and {} more harmless changes (--verbose)", harmless - HARMLESS_SHOWN)?;
        }
        writeln!(out)?;
    }
    if let Some((invalid, command)) = compared.invalid() {
        writeln!(out, "{}  {invalid}; `{command}` shows where", paint(has_color, ERROR, "breaking"))?;
    }
    if settings.quiet && comparison.changes.is_empty() {
        return Ok(());
    }
    let style = match compared.worst() {
        Some(Class::Breaking) => ERROR,
        Some(Class::Risky) => WARNING,
        _ => STRONG,
    };
    writeln!(out, "{}", paint(has_color, style, &compared.summary()))
}

fn write_group(group: &Group<'_>, has_color: bool, is_verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    let change = group.first;
    let (style, word) = match change.class {
        Class::Breaking => (ERROR, "breaking"),
        Class::Risky => (WARNING, "risky   "),
        Class::Harmless => (HELP, "harmless"),
    };
    writeln!(out, "  {}  {}", paint(has_color, style, word), change.message)?;
    let indent = " ".repeat(12);
    if !group.others.is_empty() {
        writeln!(out, "{indent}likewise: {}", group.names(is_verbose))?;
    }
    if change.class == Class::Harmless {
        return Ok(());
    }
    for line in details(change) {
        writeln!(out, "{indent}{}", line)?;
    }
    Ok(())
}
