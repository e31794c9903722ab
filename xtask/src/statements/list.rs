//! Lists of statements, and what of them is not shown.

use super::Showing;

/// A statement of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Its id.
    pub(super) id: String,
    /// What is to show it: `sim`, `format`, `cmd` or `doc`.
    pub(super) kind: String,
    /// Its words, shortened.
    pub(super) statement: String,
}

/// What is to show a statement.
const KINDS: [&str; 4] = ["sim", "format", "cmd", "doc"];
/// So many characters of a statement are printed.
const SHOWN: usize = 100;

/// The rows of all tables in a text that hold statements.
pub(super) fn rows(text: &str) -> Vec<Row> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    // A bar with a backslash is part of a cell.
    let line = line.trim().replace("\\|", "\u{0}");
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().replace('\u{0}', "\\|")).collect();
    let id = cells.first()?;
    // A table without a last column is all of what a simulation shows.
    let kind = match cells.len() {
        3 => "sim",
        // What shows it stands in the last column, or before the source.
        _ => KINDS
            .into_iter()
            .find(|kind| cells.get(3..).is_some_and(|cells| cells.iter().any(|cell| cell == kind)))?,
    };
    if !is_id(id) {
        return None;
    }
    let words = cells.get(2)?;
    let mut statement: String = words.chars().take(SHOWN).collect();
    if statement.len() < words.len() {
        statement.push('…');
    }
    Some(Row { id: id.clone(), kind: kind.to_owned(), statement })
}

/// True for `D-EXT-3`, `D-UPD-9a`, `X-13`, `V0-001`.
pub(super) fn is_id(text: &str) -> bool {
    fbc_scenario::is_statement_id(text)
}

/// The statement that a lettered part belongs to: `D-UPD-9` of `D-UPD-9a`.
fn whole(id: &str) -> &str {
    id.trim_end_matches(|letter: char| letter.is_ascii_lowercase())
}

/// Sorts by words, then by number, then by letter.
pub(super) fn sort_key(id: &str) -> (String, u32, String) {
    let (words, number) = whole(id).rsplit_once('-').unwrap_or((id, "0"));
    (words.to_owned(), number.parse().unwrap_or_default(), id.to_owned())
}

/// The statements that something is to show, and nothing does. A lettered part shows the whole.
pub(super) fn missing<'r>(rows: &'r [Row], showings: &[Showing]) -> Vec<&'r Row> {
    let is_shown = |row: &&Row| {
        showings.iter().any(|showing| showing.statement == row.id || whole(&showing.statement) == row.id)
    };
    rows.iter().filter(|row| row.kind != "doc").filter(|row| !is_shown(row)).collect()
}

/// How many statements of each kind there are, and how many of them are shown.
pub(super) fn summary(rows: &[Row], missing: &[&Row]) -> String {
    let mut parts = Vec::new();
    for kind in KINDS.into_iter().filter(|kind| *kind != "doc") {
        let all = rows.iter().filter(|row| row.kind == kind).count();
        let not_shown = missing.iter().filter(|row| row.kind == kind).count();
        if all > 0 {
            parts.push(format!("{kind}: {} of {all} shown", all - not_shown));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_compared() {
        let text = "# Title\n| id | section | statement | shown by |\n|---|---|---|---|\n\
                    | D-EXT-1 | 5.1 | One \\| two. | sim |\n| D-EXT-2 | 5.1 | Words. | doc |\n\
                    | D-UPD-9 | 5.3 | Parts. | cmd |\n| Words | no statement | but a mistake |\n";
        let rows = rows(text);
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["D-EXT-1", "D-EXT-2", "D-UPD-9"]);
        assert_eq!(rows[0].statement, "One \\| two.");
        let showing =
            |statement: &str| Showing { statement: statement.into(), by: "a".into(), result: "tested" };
        let missing_ids = |showings: &[Showing]| -> Vec<String> {
            missing(&rows, showings).iter().map(|row| row.id.clone()).collect()
        };
        assert_eq!(missing_ids(&[]), ["D-EXT-1", "D-UPD-9"]);
        assert_eq!(missing_ids(&[showing("D-EXT-1"), showing("D-UPD-9b")]), [] as [String; 0]);
        assert_eq!(
            summary(&rows, &missing(&rows, &[showing("D-EXT-1")])),
            "sim: 1 of 1 shown, cmd: 0 of 1 shown"
        );
        let mut ids = ["X-2", "D-EXT-10", "D-EXT-2", "D-EXT-2a"];
        ids.sort_by_key(|id| sort_key(id));
        assert_eq!(ids, ["D-EXT-2", "D-EXT-2a", "D-EXT-10", "X-2"]);
    }
}
