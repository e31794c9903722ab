//! Operators that a cluster has, as flags name them, and the catalog that they are looked up in.

use std::path::PathBuf;
use std::sync::Arc;

use fbc_openshift::update_service::operators::{Operators, UnknownOperator};
use fbc_resolve::{CatalogIndex, Rules};
use fbc_source::Session;
use fbc_version::Target;

use fbc_app::loading::Loader;
use fbc_app::settings::Settings;
use fbc_model::closest::closest;
use fbc_source::Error;

/// Opens the catalog that operators were, or are to be, installed from.
pub fn open_catalog(
    catalog: &PathBuf,
    session: &Session,
    settings: &Settings,
) -> Result<Arc<CatalogIndex>, Error> {
    let loaded = Loader::new(session, settings).all(std::slice::from_ref(catalog))?;
    let Some(loaded) = loaded else {
        return Err(Error::refusal(format!("{} has faults", catalog.display()))
            .help(format!("`fbc validate {}` shows them", catalog.display())));
    };
    Ok(Arc::new(CatalogIndex::new(loaded, Rules::from_target(Target::default()))))
}

/// Reads flags `PACKAGE=VERSION` and looks them up.
pub fn operators_of_flags(flags: &[String], catalog: &CatalogIndex) -> Result<Operators, Error> {
    let mut operators = Operators::default();
    for flag in flags {
        let Some((package, version)) = flag.split_once('=') else {
            return Err(Error::new(format!("--operator: {flag:?} is not PACKAGE=VERSION")));
        };
        operators.add(package, version, catalog).map_err(|unknown| match unknown {
            UnknownOperator::Package => {
                let failure = Error::new(format!("--operator: the catalog has no package {package:?}"));
                match closest(package, catalog.package_names()) {
                    Some(name) => failure.help(format!("there is {name:?}")),
                    None => failure,
                }
            }
            UnknownOperator::Version => {
                Error::new(format!("--operator: the catalog has no version {version} of {package}"))
            }
        })?;
    }
    Ok(operators)
}
