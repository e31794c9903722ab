//! What opm would say of each catalog, and nothing else.

use std::io::{self, Write};

use fbc_app::checked::CheckedCatalog;

pub(super) fn write(catalogs: &[CheckedCatalog], out: &mut dyn Write) -> io::Result<()> {
    for error in catalogs.iter().filter_map(|catalog| catalog.report.opm_error.as_ref()) {
        out.write_all(format!("{error}\n").as_bytes())?;
    }
    Ok(())
}
