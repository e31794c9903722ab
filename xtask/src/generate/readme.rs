//! The table of commands in `README.md`, between two comments; the rest of the page is written by hand.

use std::fs;
use std::path::{Path, PathBuf};

use super::Generated;
use super::commands::overview;
use crate::error::{Context as _, TaskError, TaskResult};

/// What the table stands between.
const MARKS: [&str; 2] = ["<!-- commands: written by `cargo xtask gen` -->\n", "<!-- /commands -->"];

/// The page with today's table.
pub(super) fn page(root: &Path) -> TaskResult<Vec<Generated>> {
    let path = PathBuf::from("README.md");
    let text = fs::read_to_string(root.join(&path)).context(|| "reading README.md".to_owned())?;
    let mut line = fbc::command_line();
    line.build();
    let table = overview(&line, |name| format!("docs/reference/commands.md#fbc-{name}"));
    let content = with_table(&text, &table)
        .ok_or_else(|| TaskError::new("README.md lacks the comments around the table of commands"))?;
    Ok(vec![Generated { path, content }])
}

fn with_table(text: &str, table: &str) -> Option<String> {
    let [begin, end] = MARKS;
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}{table}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_replaced() {
        let [begin, end] = MARKS;
        let page = format!("a\n{begin}old\n{end}\nb\n");
        assert_eq!(with_table(&page, "\nnew\n").unwrap(), format!("a\n{begin}\nnew\n\n{end}\nb\n"));
        assert_eq!(with_table("a", "new"), None);
    }
}
