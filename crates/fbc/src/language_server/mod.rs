//! What the language server asks of the program: files on disk, configuration, and the checks of files that are not
//! catalogs.

use std::path::{Path, PathBuf};

use fbc_app::configuration::{self, Configuration, PolicyChoice};
use fbc_app::memory;
use fbc_lsp::{CatalogConfiguration, FileKind, Host, HostError, Problem, Simulated};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::Tree;
use fbc_simulation::problems;
use fbc_source::CatalogSource;

use crate::failure::Failure;
use crate::settings::Settings;

mod simulation;

/// The disk, and `fbc.toml` around each catalog.
pub(crate) struct DiskHost {
    pub(crate) settings: Settings,
}

fn open(catalog: &Path, settings: &Settings) -> Result<(Configuration, CatalogSource), Failure> {
    let configuration = Configuration::resolve(&PolicyChoice::default(), &[catalog.to_path_buf()], settings)?;
    let source = match catalog.exists() {
        true => CatalogSource::open(catalog, &settings.session())?,
        // A directory that an editor has in mind only.
        false => CatalogSource::of_tree(settings.disk_tree(catalog), catalog),
    };
    Ok((configuration, source))
}

fn refused(failure: Failure) -> HostError {
    HostError::Refused(failure.message().to_owned())
}

impl Host for DiskHost {
    fn tree(&self, folder: &Path) -> Box<dyn Tree> {
        self.settings.disk_tree(folder)
    }

    fn configuration(&self, catalog: &Path) -> Result<CatalogConfiguration, HostError> {
        let (configuration, source) = open(catalog, &self.settings).map_err(refused)?;
        Ok(CatalogConfiguration {
            policy: configuration.policy_for(catalog, &source),
            set_aside: Box::new(move |report| configuration.leave_counting(report, &source)),
        })
    }

    fn configuration_file(&self, catalog: &Path) -> PathBuf {
        configuration::file_for(catalog)
    }

    fn problems(&self, kind: FileKind, path: &Path, text: &str, buffers: &FileVersions) -> Vec<Problem> {
        problems::find(kind, path, text, buffers, &self.settings)
    }

    fn catalog_loaded(&self) {
        memory::give_back();
    }

    fn simulate(&self, path: &Path) -> Result<Simulated, HostError> {
        simulation::play_file(path, &self.settings).map_err(refused)
    }
}
