//! Operators that a cluster has, as flags name them, and the catalog that they are looked up in.

use std::path::PathBuf;
use std::sync::Arc;

use fbc_openshift::update_service::operators::{Operators, UnknownOperator};
use fbc_resolve::{CatalogIndex, Rules};
use fbc_source::Session;
use fbc_version::Target;

use crate::failure::{Failure, closest};
use crate::loading;

/// Opens the catalog that operators were, or are to be, installed from.
pub(crate) fn open_catalog(catalog: &PathBuf, session: &Session) -> Result<Arc<CatalogIndex>, Failure> {
    let loaded = loading::load(std::slice::from_ref(catalog), None, session)?;
    let Some(loaded) = loaded else {
        return Err(Failure::refusal(format!("{} has faults", catalog.display()))
            .help(format!("`fbc validate {}` shows them", catalog.display())));
    };
    Ok(Arc::new(CatalogIndex::new(loaded, Rules::from_target(Target::default()))))
}

/// Reads flags `PACKAGE=VERSION` and looks them up.
pub(crate) fn operators_of_flags(flags: &[String], catalog: &CatalogIndex) -> Result<Operators, Failure> {
    let mut operators = Operators::default();
    for flag in flags {
        let Some((package, version)) = flag.split_once('=') else {
            return Err(Failure::new(format!("--operator: {flag:?} is not PACKAGE=VERSION")));
        };
        operators.add(package, version, catalog).map_err(|unknown| match unknown {
            UnknownOperator::Package => {
                let failure = Failure::new(format!("--operator: the catalog has no package {package:?}"));
                match closest(package, catalog.package_names()) {
                    Some(name) => failure.help(format!("there is {name:?}")),
                    None => failure,
                }
            }
            UnknownOperator::Version => {
                Failure::new(format!("--operator: the catalog has no version {version} of {package}"))
            }
        })?;
    }
    Ok(operators)
}
