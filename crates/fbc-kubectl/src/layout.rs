//! Columns of text: cells end at tabs, and cells below each other get one width.
//!
//! The rules are those of Go's `text/tabwriter` padding with blanks: the last cell of a line belongs to no column, and a
//! line with fewer cells ends the columns that it does not reach. One long cell in a table of many lines does not fill the
//! memory with blanks: what is beyond the allowance is not aligned.

use fbc_go::allowance::Allowance;

/// Lays text out in columns that are at least `minimum` wide and `padding` blanks apart.
///
/// ```
/// assert_eq!(fbc_kubectl::layout::align("a\tb\nccc\td\n", 0, 2), "a    b\nccc  d\n");
/// ```
pub fn align(text: &str, minimum: usize, padding: usize) -> String {
    let lines: Vec<Vec<&str>> = text.split('\n').map(|line| line.split('\t').collect()).collect();
    let mut widths: Vec<Vec<usize>> = lines.iter().map(|line| vec![0; line.len() - 1]).collect();
    let columns = widths.iter().map(Vec::len).max().unwrap_or_default();
    for column in 0..columns {
        let mut start = 0;
        while start < lines.len() {
            let block = widths[start..].iter().take_while(|line| line.len() > column).count();
            let widest = lines[start..start + block].iter().map(|line| line[column].chars().count()).max();
            let width = minimum.max(widest.unwrap_or_default() + padding);
            widths[start..start + block].iter_mut().for_each(|line| line[column] = width);
            start += block.max(1);
        }
    }
    let blanks = Allowance::default();
    let mut out = String::with_capacity(text.len() * 2);
    for (index, (line, widths)) in lines.iter().zip(&widths).enumerate() {
        if index > 0 {
            out.push('\n');
        }
        for (cell, width) in line.iter().zip(widths) {
            out.push_str(cell);
            let missing = width.saturating_sub(cell.chars().count());
            let affordable = if blanks.bytes(missing).is_ok() { missing } else { missing.min(padding) };
            out.extend(std::iter::repeat_n(' ', affordable));
        }
        out.push_str(line.last().copied().unwrap_or_default());
    }
    out
}

/// Lays out as tables of `get` are laid out.
pub(crate) fn align_table(text: &str) -> String {
    align(text, 6, 3)
}

/// Lays out as descriptions are laid out.
pub(crate) fn align_description(text: &str) -> String {
    align(text, 0, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_end_where_a_line_does_not_reach_them() {
        for (text, expected) in [
            ("NAME\tAGE\na\t5s\n", "NAME   AGE\na      5s\n"),
            ("IP\tX\n", "IP    X\n"),
            ("Name:\tlong\nLabels:\tx\nTitle:\n  a:\tb\n", "Name:     long\nLabels:   x\nTitle:\n  a:   b\n"),
            ("a\t\tc\n", "a           c\n"),
            ("", ""),
        ] {
            assert_eq!(align(text, 6, 3), expected, "{text:?}");
        }
        assert_eq!(align("é\tb\nab\tc\n", 0, 2), "é   b\nab  c\n");
    }

    #[test]
    fn one_long_cell_does_not_fill_the_memory() {
        let text = format!("{}\ta\n{}", "x".repeat(3 << 20), "b\tc\n".repeat(1_000));
        let laid_out = align(&text, 6, 3);
        assert!(laid_out.len() < (256 << 20) + (4 << 20), "{}", laid_out.len());
        assert!(laid_out.ends_with("\nb   c\n"));
    }
}
