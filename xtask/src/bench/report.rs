//! The table of measurements.

use super::measure::Measurement;

/// One catalog and one command.
pub(super) struct Row {
    /// The command without the catalog.
    pub(super) command: String,
    /// The name of the catalog.
    pub(super) input: String,
    /// The size of the catalog.
    pub(super) bytes: u64,
    /// What fbc took, or why there is no measurement.
    pub(super) fbc: Result<Measurement, String>,
    /// The same of opm, when it was asked for.
    pub(super) opm: Option<Result<Measurement, String>>,
}

/// The name of all catalogs together.
pub(super) const ALL: &str = "all of them";

impl Row {
    /// The sum of separate runs, with the highest peak of memory; `None` for no rows.
    pub(super) fn sum(rows: &[Row]) -> Option<Row> {
        let first = rows.first()?;
        Some(Row {
            command: first.command.clone(),
            input: ALL.to_owned(),
            bytes: rows.iter().map(|row| row.bytes).sum(),
            fbc: sum(rows.iter().map(|row| &row.fbc)),
            opm: first.opm.as_ref().map(|_| sum(rows.iter().filter_map(|row| row.opm.as_ref()))),
        })
    }

    fn cells(&self, with_opm: bool) -> Vec<String> {
        let megabytes = self.bytes as f64 / 1e6;
        let mut cells = vec![self.command.clone(), self.input.clone(), format!("{megabytes:.1}")];
        cells.extend(measurement_cells(&self.fbc, megabytes));
        if with_opm {
            let missing = Err("-".to_owned());
            let opm = self.opm.as_ref().unwrap_or(&missing);
            cells.extend(measurement_cells(opm, megabytes));
            cells.extend(match (&self.fbc, opm) {
                (Ok(fbc), Ok(opm)) => [
                    format!("{:.1}x", opm.wall_seconds / fbc.wall_seconds),
                    format!("{:.2}x", fbc.peak_mebibytes / opm.peak_mebibytes),
                ],
                _ => ["-".to_owned(), "-".to_owned()],
            });
        }
        cells
    }
}

/// The rows of all catalogs together as the table of the README; nothing without both programs.
pub(super) fn short_table(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.input == ALL) {
        let Some((Ok(fbc), Ok(opm))) = row.opm.as_ref().map(|opm| (row.fbc.as_ref(), opm.as_ref())) else {
            continue;
        };
        if text.is_empty() {
            text.push_str("| command | fbc | opm | faster |\n|---|---:|---:|---:|\n");
        }
        let cell = |one: &Measurement| format!("{:.2} s, {:.0} MiB", one.wall_seconds, one.peak_mebibytes);
        let faster = opm.wall_seconds / fbc.wall_seconds;
        text.push_str(&format!("| `{}` | {} | {} | {faster:.0}x |\n", row.command, cell(fbc), cell(opm)));
    }
    text
}

fn sum<'a>(
    measurements: impl Iterator<Item = &'a Result<Measurement, String>>,
) -> Result<Measurement, String> {
    let mut total =
        Measurement { exit_code: Some(0), wall_seconds: 0.0, cpu_seconds: 0.0, peak_mebibytes: 0.0 };
    for measurement in measurements {
        let measurement = measurement.as_ref().map_err(String::clone)?;
        total.wall_seconds += measurement.wall_seconds;
        total.cpu_seconds += measurement.cpu_seconds;
        total.peak_mebibytes = total.peak_mebibytes.max(measurement.peak_mebibytes);
    }
    Ok(total)
}

/// Wall time, throughput, CPU time and memory.
fn measurement_cells(measurement: &Result<Measurement, String>, megabytes: f64) -> [String; 4] {
    match measurement {
        Ok(measurement) => [
            format!("{:.3}", measurement.wall_seconds),
            format!("{:.1}", megabytes / measurement.wall_seconds),
            format!("{:.3}", measurement.cpu_seconds),
            format!("{:.1}", measurement.peak_mebibytes),
        ],
        Err(reason) => [reason.clone(), "-".to_owned(), "-".to_owned(), "-".to_owned()],
    }
}

/// The table as a Markdown table with aligned columns, so that it can be pasted into a document.
pub(super) fn table(rows: &[Row], with_opm: bool) -> String {
    let mut header = vec!["command", "catalog", "MB", "fbc s", "MB/s", "CPU s", "peak MiB"];
    if with_opm {
        header.extend(["opm s", "MB/s", "CPU s", "peak MiB", "faster", "memory"]);
    }
    let mut lines = vec![header.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| row.cells(with_opm)));
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            text.push_str(&if column < 2 {
                format!("| {cell:width$} ")
            } else {
                format!("| {cell:>width$} ")
            });
        }
        text.push_str("|\n");
        if index == 0 {
            for (column, &width) in widths.iter().enumerate() {
                let dashes = "-".repeat(width + 1);
                text.push_str(&if column < 2 { format!("|{dashes}-") } else { format!("|{dashes}:") });
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(wall_seconds: f64, peak_mebibytes: f64) -> Measurement {
        Measurement { exit_code: Some(0), wall_seconds, cpu_seconds: wall_seconds * 2.0, peak_mebibytes }
    }

    fn row(input: &str, fbc: Result<Measurement, String>, opm: Option<Result<Measurement, String>>) -> Row {
        Row { command: "validate".to_owned(), input: input.to_owned(), bytes: 10_000_000, fbc, opm }
    }

    #[test]
    fn the_sum_adds_times_and_takes_the_highest_peak() {
        let rows = [row("a", Ok(measurement(1.0, 30.0)), None), row("b", Ok(measurement(3.0, 20.0)), None)];
        let sum = Row::sum(&rows).unwrap();
        assert_eq!((sum.bytes, sum.fbc), (20_000_000, Ok(measurement(4.0, 30.0))));
        assert!(sum.opm.is_none());
        let failed = [row("a", Ok(measurement(1.0, 30.0)), None), row("b", Err("exit 1".to_owned()), None)];
        assert_eq!(Row::sum(&failed).unwrap().fbc, Err("exit 1".to_owned()));
        assert!(Row::sum(&[]).is_none());
    }

    #[test]
    fn the_table_of_fbc_alone() {
        let rows =
            [row("small", Ok(measurement(0.5, 30.0)), None), row("broken", Err("exit 1".to_owned()), None)];
        let expected = "\
| command  | catalog |   MB |  fbc s | MB/s | CPU s | peak MiB |
|----------|---------|-----:|-------:|-----:|------:|---------:|
| validate | small   | 10.0 |  0.500 | 20.0 | 1.000 |     30.0 |
| validate | broken  | 10.0 | exit 1 |    - |     - |        - |
";
        assert_eq!(table(&rows, false), expected);
    }

    #[test]
    fn the_short_table_has_what_both_programs_did() {
        let both = row(ALL, Ok(measurement(0.25, 89.4)), Some(Ok(measurement(7.0, 158.0))));
        let failed = row(ALL, Ok(measurement(0.25, 89.4)), Some(Err("exit 1".to_owned())));
        let alone = row(ALL, Ok(measurement(0.25, 89.4)), None);
        let expected = "\
| command | fbc | opm | faster |
|---|---:|---:|---:|
| `validate` | 0.25 s, 89 MiB | 7.00 s, 158 MiB | 28x |
";
        assert_eq!(short_table(&[failed, both]), expected);
        assert_eq!(short_table(&[alone]), "");
    }

    #[test]
    fn the_ratio_says_how_much_faster_fbc_is_and_what_part_of_the_memory_it_takes() {
        let rows = [row("small", Ok(measurement(0.5, 30.0)), Some(Ok(measurement(5.0, 120.0))))];
        let text = table(&rows, true);
        assert!(text.ends_with("|  10.0x |  0.25x |\n"), "{text}");
        let failed = [row("small", Ok(measurement(0.5, 30.0)), Some(Err("exit 1".to_owned())))];
        assert!(table(&failed, true).ends_with("|      - |      - |\n"));
    }
}
