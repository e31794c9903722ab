//! `fbc diff --index`: which channels and bundles of a catalog a released index has.

use std::io::Write as _;
use std::path::PathBuf;

use fbc_app::comparison::released::{self, Row, Standing, State, Wanted, standings};
use fbc_app::escape::Lines;
use fbc_go::text::padded;
use fbc_repository::matrix::Pattern;

use super::{Arguments, DiffFormat, load};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::destination::Destination;
use crate::output::file::write_output;
use crate::settings::Settings;

pub(super) fn run(arguments: &Arguments, index: &str, settings: &Settings) -> Result<u8, Failure> {
    if arguments.new.is_some() {
        return Err(Failure::new("--index takes one catalog or repository")
            .help("leave the second one out; it is the index that the first is compared with"));
    }
    let destinations = arguments.destinations();
    if destinations.iter().any(|one| !matches!(one.format, DiffFormat::Text | DiffFormat::Json)) {
        return Err(Failure::new("--index writes text or JSON").help("give -o text or -o json"));
    }
    let pattern = Pattern::new(index).ok_or_else(|| {
        Failure::new(format!("{index:?} is not an index"))
            .help("only {ocp}, {major} and {minor} may be in braces")
    })?;
    let session = arguments.images.session([&arguments.old, &PathBuf::from(index)], settings);
    let standings = standings::<Failure>(
        &arguments.old,
        &pattern,
        &Wanted { releases: &arguments.ocp, packages: &arguments.packages },
        &session,
        settings,
        &|path, source| Ok(load(path, source, settings)?.map(|(catalog, _)| catalog)),
    )?;
    let Some(standings) = standings else { return Ok(FINDINGS) };
    let worst = standings.iter().flat_map(|one| &one.rows).filter_map(|row| row.state.class()).min();
    for Destination { format, file } in destinations {
        write_output(settings, file, |out| match format {
            DiffFormat::Json => {
                Ok(fbc_app::output::json_document::write(out, &released::document(&standings))?)
            }
            _ => {
                let mut text = Vec::new();
                tell(&standings, &mut Lines::new(&mut text, false))?;
                Ok(out.write_all(&text)?)
            }
        })?;
    }
    Ok(if arguments.fail_on.applies(worst) { FINDINGS } else { CLEAN })
}

fn tell(standings: &[Standing], out: &mut Lines<&mut Vec<u8>>) -> Result<(), Failure> {
    for (number, Standing { catalog, index: (index, exists), rows }) in standings.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        let note = if *exists { "" } else { ", which does not exist yet" };
        writeln!(out, "{} in {index}{note}", catalog.title())?;
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
        let mut package = None;
        for row in rows {
            if package != Some(&row.package) {
                writeln!(out, "  package {}", row.package)?;
                package = Some(&row.package);
            }
            writeln!(out, "    {:<7}  {}  {}", row.kind, padded(&row.name, width), row.state.words())?;
        }
        let counts: Vec<String> = ["channel", "bundle"].iter().map(|kind| count(rows, kind)).collect();
        writeln!(out, "  {}", counts.join(", "))?;
    }
    Ok(())
}

fn count(rows: &[Row], kind: &str) -> String {
    let of_kind: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
    let released = of_kind.iter().filter(|row| row.state != State::NotReleased).count();
    format!("{released} of {} {kind}s are released", of_kind.len())
}
