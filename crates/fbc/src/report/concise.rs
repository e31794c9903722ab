//! One line for each finding: `path:line:column: severity[CODE] message`.

use std::io::{self, Write};

use fbc_lint::Severity;

use super::{CheckedCatalog, Style, Summary};
use crate::failure::{ERROR, STRONG, WARNING};

pub(crate) fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for view in style.shown(catalogs) {
        let severity = format!("{}[{}]", view.severity().name(), view.rule().code);
        let message = one_line(view.message());
        if style.color {
            let color = if view.severity() == Severity::Error { ERROR } else { WARNING };
            writeln!(out, "{STRONG}{}{STRONG:#}: {color}{severity}{color:#} {message}", view.position())?;
        } else {
            writeln!(out, "{}: {severity} {message}", view.position())?;
        }
    }
    if let Some(text) = Summary::of(catalogs).left_out(style) {
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// Messages may quote a file; whatever breaks the line, or drives a terminal, is escaped.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect()
}
