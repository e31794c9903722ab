//! The pictures of the README: `docs/images/session.svg`, a terminal with commands and what they print, and
//! `docs/images/graph.svg`, an upgrade graph.

use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};

use super::Generated;
use crate::dist::fbc;
use crate::error::{Context as _, TaskResult};

/// What is typed, in the root of the workspace.
const COMMANDS: [&str; 2] = [
    "validate testdata/broken-catalog/graph --select GRF001",
    "paths testdata/sample-catalog lighthouse-operator",
];

/// What draws the graph.
const GRAPH: [&str; 6] = ["graph", "testdata/sample-catalog", "-p", "lighthouse-operator", "-o", "svg"];

/// The pictures.
pub(super) fn session(root: &Path) -> TaskResult<Vec<Generated>> {
    let prompt: Style = AnsiColor::Green.on_default().bold();
    let mut text = String::new();
    for command in COMMANDS {
        let arguments: Vec<&str> = ["--color", "always"].into_iter().chain(command.split(' ')).collect();
        let printed =
            String::from_utf8(fbc(root, &arguments)?).context(|| format!("reading fbc {command}"))?;
        text.push_str(&format!("{prompt}${prompt:#} fbc {command}\n{}\n\n", printed.trim_end()));
    }
    let picture = anstyle_svg::Term::new().render_svg(text.trim_end());
    let content = format!("{}\n", picture.trim_end());
    let graph = String::from_utf8(fbc(root, &GRAPH)?).context(|| "reading fbc graph".to_owned())?;
    Ok(vec![
        Generated { path: PathBuf::from("docs/images/session.svg"), content },
        Generated { path: PathBuf::from("docs/images/graph.svg"), content: graph },
    ])
}
