//! One line for each finding: `path:line:column: severity[CODE] message`.

use std::io::{self, Write};

use fbc_app::checked::CheckedCatalog;
use fbc_lint::Severity;

use super::{Style, Summary};
use crate::failure::{ERROR, STRONG, WARNING};

pub(crate) fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for view in style.shown(catalogs) {
        let severity = format!("{}[{}]", view.severity().name(), view.rule().code);
        let message = view.message();
        if style.color {
            let color = if view.severity() == Severity::Error { ERROR } else { WARNING };
            writeln!(out, "{STRONG}{}{STRONG:#}: {color}{severity}{color:#} {message}", view.position())?;
        } else {
            writeln!(out, "{}: {severity} {message}", view.position())?;
        }
    }
    if let Some(text) = Summary::from_catalogs(catalogs).left_out(style) {
        writeln!(out, "{text}")?;
    }
    Ok(())
}
