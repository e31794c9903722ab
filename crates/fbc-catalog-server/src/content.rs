//! A catalog, loaded and checked.

use std::sync::Arc;
use std::time::SystemTime;

use fbc_lint::{Located, Profile, Severity};
use fbc_model::Catalog;
use fbc_model::load::{load_tree, load_with_documents};
use fbc_model::tree::Tree;
use fbc_serve::catalogs::content::unnamed_file;
use fbc_serve::catalogs::store::{Storage, Store};
use fbc_serve::catalogs::{SchemaFault, packages};
use fbc_serve::registry::{Registry, RegistryError};

use fbc_source::Error;

/// What a catalog becomes for each API; absent where the API is not served.
pub struct Content {
    /// For the gRPC API.
    pub registry: Option<Arc<Registry>>,
    /// For the HTTP API.
    pub store: Option<Arc<Store>>,
    pub(super) catalog: Option<Arc<Catalog>>,
    /// How many packages and bundles it has.
    pub(super) packages: usize,
    pub(super) bundles: usize,
}

/// Which APIs a catalog is loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The gRPC API.
    pub registry: bool,
    /// The HTTP API.
    pub store: bool,
    /// The pages for browsers.
    pub pages: bool,
    /// Whether the store answers questions in GraphQL.
    pub graphql: bool,
}

/// Why a catalog cannot be served.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says in its text what it is")]
pub enum ContentError {
    /// opm's text for what is wrong with it, the place of the first error, and how many errors there are.
    #[error("{error}")]
    Refused { error: String, place: Option<String>, errors: usize },
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Schema(#[from] SchemaFault),
}

impl ContentError {
    /// The failure of a catalog of that name, with the place of the first error.
    pub(super) fn into_failure(self, catalog: &str) -> Error {
        let failure = Error::of_lines(&self.to_string());
        let Self::Refused { place, errors, .. } = self else { return failure };
        let place = place.map(|place| format!(", at {place}")).unwrap_or_default();
        failure.help(match errors {
            0 | 1 => format!("the error is in catalog {catalog}{place}; `fbc validate` says more"),
            errors => format!(
                "the first of {errors} errors is in catalog {catalog}{place}; `fbc validate` shows all"
            ),
        })
    }
}

/// The file and the line of a finding.
fn place(located: &Located) -> Option<String> {
    let path = &located.finding.place.as_ref()?.path;
    Some(match &located.span {
        Some(span) => format!("{}:{}", path.display(), span.start.0),
        None => path.display().to_string(),
    })
}

impl Content {
    /// Loads a catalog that opm accepts. The tree is read once; what no API answers from is gone afterwards.
    pub fn load(tree: &dyn Tree, wanted: Wanted, modified: SystemTime) -> Result<Self, ContentError> {
        // The rules of opm's profile do not ask whether blobs fit the documented schemas, so nothing looks for that.
        let (catalog, documents) = if wanted.store {
            let (catalog, documents) = load_with_documents(tree);
            (catalog, Some(documents))
        } else {
            (load_tree(tree), None)
        };
        let report = fbc_rules::lint(&catalog, tree, Profile::Opm);
        let errors = report.count(Severity::Error);
        if let Some(error) = report.opm_error {
            let first = report.findings.iter().find(|one| one.finding.severity == Severity::Error);
            return Err(ContentError::Refused { error, place: first.and_then(place), errors });
        }
        let catalog = Arc::new(catalog);
        let (package_count, bundle_count) = (catalog.packages.len(), catalog.bundles.len());
        let registry = match wanted.registry {
            true => Some(Arc::new(Registry::new(Arc::clone(&catalog))?)),
            false => None,
        };
        let packages = if wanted.store { packages::summaries(&catalog) } else { String::new() };
        // Where no API needs the catalog, it goes before the lines are written: its memory is used again for them.
        let catalog = wanted.pages.then_some(catalog);
        let store = match documents {
            Some(documents) => {
                let storage = Storage { modified, file: unnamed_file(), graphql: wanted.graphql, packages };
                Some(Arc::new(Store::new(documents, storage)?))
            }
            None => None,
        };
        Ok(Self { registry, store, catalog, packages: package_count, bundles: bundle_count })
    }
}
