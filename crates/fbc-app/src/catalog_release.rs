//! A bundle goes into the templates and catalogs that its `release-config.yaml` names.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use fbc_model::tree::read_file;
use fbc_model::writer::{self, Format};
use fbc_model::{Bundle, Catalog};
use fbc_repository::ci_file::{self, CATALOGS, Mapping, TEMPLATES};
use fbc_repository::matrix::migrate_level;
use fbc_repository::release::of_directory;
use fbc_repository::release_config::{
    self, NewBundle, ReleaseConfigError, ReleaseTemplate, SCHEMAS, amend, create,
};
use fbc_source::confinement::confining_directory;
use fbc_source::expansion::{CommittedBundles, Expander, Manifests, required_kind};
use fbc_source::image_map::ImageMap;
use fbc_source::template_bundles::render_bundle_image;
use fbc_source::template_bundles::{TemplateBundles, TemplateFolders};
use fbc_source::template_error::opm_error;
use fbc_source::{Error, ErrorKind, Session};
use fbc_template::{BundleSource, OpmSemantics, SourceError, TemplateKind};

use crate::loading::load_tree;
use crate::settings::Settings;

/// What is released.
pub struct Order<'o> {
    /// The directory of the bundle.
    pub directory: &'o Path,
    /// The image that it is released as.
    pub image: &'o str,
    /// Which opm semver templates are expanded as.
    pub semantics: OpmSemantics,
}

/// What a release writes.
pub struct Released {
    /// The root of the repository.
    pub root: PathBuf,
    /// The name of the bundle.
    pub bundle: String,
    /// The files that change.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

/// What is known of a release before anything changes.
struct Release {
    operator: PathBuf,
    package: String,
    bundle: Bundle,
    steps: Vec<(ReleaseTemplate, Mapping)>,
}

/// Works out what a release writes; session and image map are made when the configuration of the release is known to be good.
///
/// # Errors
/// If the configuration is wrong, or a catalog would not be valid.
pub fn release(
    order: &Order<'_>,
    session: &dyn Fn() -> Result<Session, Error>,
    images: &dyn Fn() -> Result<ImageMap, Error>,
    settings: &Settings,
) -> Result<Released, Error> {
    let release = Release::read(order, settings)?;
    let session = session()?;
    let images = images()?;
    let root = release.root();
    let reach = confining_directory(&root);
    let held = OnceCell::new();
    let no_mirrors = BTreeMap::new();
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for (config, mapping) in &release.steps {
        let path = release.operator.join(TEMPLATES).join(&mapping.template);
        let text = release.template(&path, config, mapping, files.get(&path))?;
        let kind = required_kind(&path, &text)?;
        let declared = TemplateKind::from_schema(&mapping.schema).ok();
        if (kind == TemplateKind::Semver) != (declared == Some(TemplateKind::Semver)) {
            return Err(Error::refusal(format!("{} is not of the type that ci.yaml says", path.display()))
                .help(format!("correct the type {:?} in ci.yaml, or the template", mapping.schema)));
        }
        for name in &mapping.catalogs {
            let output = root.join(CATALOGS).join(name).join(&release.package).join("catalog.yaml");
            let committed = output
                .parent()
                .filter(|directory| directory.is_dir())
                .map(|directory| settings.disk_tree(directory));
            let committed = match committed {
                Some(tree) => load_tree(tree.as_ref(), settings)?.bundles,
                None => Vec::new(),
            };
            let level = migrate_level(of_directory(name));
            let not_held = OnceCell::new();
            let source = WithRelease {
                bundle: &release.bundle,
                others: CommittedBundles {
                    not_held: &not_held,
                    own: Some(&committed),
                    catalogs: &|| held.get_or_init(|| release.catalogs(settings)),
                    mirrors: &no_mirrors,
                    wanted: Manifests::from_level(level),
                    others: TemplateBundles {
                        images: &images,
                        folders: TemplateFolders::Within(&reach),
                        session: &session,
                    },
                },
            };
            let expander = Expander { source: &source, level, semantics: order.semantics };
            let catalog = expander.expand(kind, &path, &text)?;
            check(&catalog, &output)?;
            let mut bytes = Vec::new();
            writer::write_within(&catalog, Format::Yaml, settings.budgets.layout_bytes, &mut bytes)?;
            files.insert(output, bytes);
        }
        files.insert(path, text);
    }
    files.retain(|path, bytes| fs::read(path).ok().as_deref() != Some(bytes.as_slice()));
    Ok(Released { root, bundle: release.bundle.name.clone(), files })
}

impl Release {
    fn read(order: &Order<'_>, settings: &Settings) -> Result<Self, Error> {
        let directory = order.directory;
        let operator = match directory.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let name = fs::canonicalize(&operator).ok();
        let name =
            name.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned);
        let package = name.ok_or_else(|| {
            Error::new(format!("{} is not below the directory of an operator", directory.display()))
                .help("name a directory such as operators/beacon/1.2.0")
        })?;
        let path = directory.join(release_config::NAME);
        let text = read_file(&path).map_err(|error| Error::io("read", &path, &error))?;
        let configs = release_config::read(&text).map_err(|error| {
            let message = format!("{}: {error}", path.display());
            match error {
                ReleaseConfigError::TooLarge(exceeded) => Error::expansion(exceeded, message),
                _ => Error::refusal(message),
            }
        })?;
        let path = operator.join("ci.yaml");
        let text = read_file(&path).map_err(|error| Error::io("read", &path, &error))?;
        let mappings = ci_file::mappings(&text)
            .map_err(|error| Error::refusal(format!("{}: {error}", path.display())))?;
        let step = |config: ReleaseTemplate| {
            let mapping = mappings.iter().find(|mapping| mapping.template == config.template).cloned();
            let mapping = mapping.ok_or_else(|| {
                Error::refusal(format!("{} maps no template {:?}", path.display(), config.template))
                    .help("add it to `fbc.catalog_mapping`, or correct release-config.yaml")
            })?;
            if !SCHEMAS.contains(&mapping.schema.as_str()) {
                return Err(Error::refusal(format!(
                    "{} gives template {:?} the type {:?}",
                    path.display(),
                    mapping.template,
                    mapping.schema
                ))
                .help(format!("bundles are released to templates of the types {}", SCHEMAS.join(" and "))));
            }
            Ok((config, mapping))
        };
        let steps = configs.into_iter().map(step).collect::<Result<_, Error>>()?;
        let bundle = render_bundle_image(order.image, settings.disk_tree(directory).as_ref(), directory)
            .map_err(|error| {
                Error::refusal(error.to_string())
                    .help(format!("`fbc bundle validate {}` shows all that is wrong", directory.display()))
            })?;
        Ok(Self { operator, package, bundle, steps })
    }

    /// The root of the repository: the directory around `operators`.
    fn root(&self) -> PathBuf {
        let is_named =
            self.operator.components().filter(|part| matches!(part, Component::Normal(_))).count() > 1;
        match self.operator.parent().and_then(Path::parent) {
            Some(root) if is_named => root.to_path_buf(),
            _ => self.operator.join("../.."),
        }
    }

    /// The catalogs of the package that can be loaded.
    fn catalogs(&self, settings: &Settings) -> Vec<Catalog> {
        let releases = fs::read_dir(self.root().join(CATALOGS)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> =
            releases.map(|release| release.path().join(&self.package)).filter(|path| path.is_dir()).collect();
        paths.sort();
        paths.iter().filter_map(|path| load_tree(settings.disk_tree(path).as_ref(), settings).ok()).collect()
    }

    /// The text of a template with the bundle in it.
    fn template(
        &self,
        path: &Path,
        config: &ReleaseTemplate,
        mapping: &Mapping,
        changed: Option<&Vec<u8>>,
    ) -> Result<Vec<u8>, Error> {
        let bundle = NewBundle { package: &self.package, name: &self.bundle.name, image: &self.bundle.image };
        let old = match changed {
            Some(text) => text.clone(),
            None => match read_file(path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    let mut text = "---\n".to_owned();
                    let document = create(&mapping.schema, config, bundle);
                    fbc_yaml::yaml_writer::write(&mut text, document.root())
                        .map_err(|error| Error::refusal(format!("{}: {error}", path.display())))?;
                    return Ok(text.into_bytes());
                }
                Err(error) => return Err(Error::io("read", path, &error)),
            },
        };
        amend(&old, &mapping.schema, config, bundle).map_err(|error| {
            Error::refusal(format!("{}: {error}", path.display()))
                .help("write this part in plain block style, or change the template in an editor")
        })
    }
}

/// The bundle that is released, and those of catalogs and images.
struct WithRelease<'b> {
    bundle: &'b Bundle,
    others: CommittedBundles<'b>,
}

impl BundleSource for WithRelease<'_> {
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
        match reference == self.bundle.image {
            true => Ok(self.bundle.clone()),
            false => self.others.bundle(reference),
        }
    }
}

fn check(catalog: &Catalog, output: &Path) -> Result<(), Error> {
    match opm_error(catalog) {
        None => Ok(()),
        Some(error) => Err(Error::of_lines(&format!("{} would not be valid: {error}", output.display()))
            .of_kind(ErrorKind::Refused)
            .help("correct release-config.yaml or the template; nothing is written")),
    }
}
