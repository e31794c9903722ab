//! The catalogs and Dockerfiles of every release, from the templates of a repository.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use fbc_lint::comparison::compare_packages;
use fbc_model::edit::same_blobs;
use fbc_model::icon::media_type;
use fbc_model::load::load_bytes;
use fbc_model::overlay_tree::FileVersions;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::tree::Tree;
use fbc_model::tree::read_file;
use fbc_model::writer::{self, Format};
use fbc_model::{Catalog, Icon};
use fbc_repository::adjust::{Absent, adjust};
use fbc_repository::matrix::{Entry, Layout};
use fbc_repository::{CONFIGURATION, Note, split};
use fbc_source::confinement::{confining_directory, require_inside};
use fbc_source::expansion::{CommittedBundles, Expander, Manifests, catalogs_of, required_kind};
use fbc_source::image_map::ImageMap;
use fbc_source::template_bundles::{TemplateBundles, TemplateFolders};
use fbc_source::template_error::opm_error;
use fbc_source::{Error, ErrorKind, Session};
use fbc_template::OpmSemantics;
use fbc_version::OpenShiftRelease;

use crate::dockerfile::Dockerfile;
use crate::layout::find;
use crate::loading::load_tree;
use crate::repository_notes;
use crate::settings::Settings;

/// The file of a catalog that has none yet.
const DEFAULT_FILE: &str = "catalog.yaml";

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    read_file(path).map_err(|error| Error::io("read", path, &error))
}

/// What the configuration says, or what it would say if it were written now.
///
/// # Errors
/// If there are none, or the configuration cannot be read.
pub fn entries(tree: &dyn Tree, root: &Path) -> Result<Vec<Entry>, Error> {
    let found = find(tree)?;
    if found.catalogs.is_empty() {
        return Err(Error::refusal(format!("no catalogs are found in {}", root.display()))
            .help(format!("write them to {CONFIGURATION} as `[[catalogs]]`")));
    }
    // What it would say is missing in what is generated.
    if let Some(note) = found.notes.iter().find(|note| matches!(note, Note::LeadsOut(_))) {
        return Err(Error::refusal(repository_notes::words(note)).help("put the file itself there"));
    }
    let closed =
        |path: &Path| tree.list(path).err().filter(|error| error.kind() == io::ErrorKind::PermissionDenied);
    for catalog in &found.catalogs {
        if let Some(error) = closed(&catalog.path) {
            return Err(Error::io("read", &root.join(&catalog.path), &error));
        }
    }
    let text = match tree.read(Path::new(CONFIGURATION)) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::io("read", &root.join(CONFIGURATION), &error)),
    };
    let (declared, faults) = declared(&text, &root.join(CONFIGURATION))?;
    if !faults.is_empty() {
        return Err(Error::of_reasons(faults).help(format!("correct {}", root.join(CONFIGURATION).display())));
    }
    Ok(match declared.is_empty() {
        false => declared,
        true => fbc_repository::matrix::entries_of(&fbc_repository::declaration::declaration(tree, &found)),
    })
}

/// The entries of the configuration, and what is wrong with them.
fn declared(text: &str, path: &Path) -> Result<(Vec<Entry>, Vec<String>), Error> {
    let table = toml::de::DeTable::parse(text)
        .map_err(|error| Error::new(format!("{}: {}", path.display(), error.message())))?;
    let (entries, faults) = fbc_repository::matrix::entries(table.get_ref());
    let told = faults.into_iter().map(|fault| {
        let (line, column) = fbc_yaml::locate::line_and_column(text.as_bytes(), fault.place.start);
        format!("{}:{line}:{column}: {} ({})", path.display(), fault.message, fault.help)
    });
    Ok((entries, told.collect()))
}

/// The generation of the catalogs of a repository, one cell after another.
pub struct Run<'r> {
    /// The root of the repository.
    root: &'r Path,
    /// Whether all bundles are pulled, and none taken from the catalogs of the repository.
    is_fresh: bool,
    tree: &'r dyn Tree,
    session: &'r Session,
    images: &'r ImageMap,
    /// The outputs so far, with the level of their bundles: releases may share a catalog.
    done: BTreeMap<PathBuf, (MigrateLevel, OpenShiftRelease)>,
    /// All catalogs of the repository, once somebody asks for a bundle of another release.
    catalogs: OnceCell<Vec<Catalog>>,
}

/// A cell that cannot be expanded, and what is known of it all the same.
#[derive(Debug)]
pub struct Unknown {
    /// Why it cannot be expanded.
    pub error: Error,
    /// The digest that its template names and the catalog does not hold, so that the catalog is stale whatever the bundle
    /// is.
    pub not_held: Option<String>,
}

impl<'r> Run<'r> {
    /// A run over the repository at a root, of which the tree is.
    #[must_use]
    pub fn new(
        root: &'r Path,
        is_fresh: bool,
        tree: &'r dyn Tree,
        session: &'r Session,
        images: &'r ImageMap,
    ) -> Self {
        Self { root, is_fresh, tree, session, images, done: BTreeMap::new(), catalogs: OnceCell::new() }
    }

    /// The files of a release that are not what they should be.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn check(
        &mut self,
        entry: &Entry,
        release: Option<OpenShiftRelease>,
        settings: &Settings,
    ) -> Result<FileVersions, Box<Unknown>> {
        let not_held = OnceCell::new();
        self.expanded(entry, release, &not_held, settings).map_err(|error| {
            // What a release does without, its catalog need not hold.
            let leaves_out = release.is_some_and(|release| entry.leaves_out(release));
            Box::new(Unknown { error, not_held: not_held.into_inner().filter(|_| !leaves_out) })
        })
    }

    /// The files of a release that are not what they should be.
    ///
    /// # Errors
    /// If a template cannot be expanded, or an output cannot be read.
    pub fn cell(
        &mut self,
        entry: &Entry,
        release: Option<OpenShiftRelease>,
        settings: &Settings,
    ) -> Result<FileVersions, Error> {
        self.check(entry, release, settings).map_err(|unknown| unknown.error)
    }

    /// Files with blobs that lie beside the outputs, in the same directories, and that no template makes: opm reads them as
    /// parts of the catalogs.
    #[must_use]
    pub fn strays(&self, entries: &[Entry]) -> Vec<PathBuf> {
        let cells = entries.iter().flat_map(|entry| entry.cells().into_iter().map(move |cell| (entry, cell)));
        let made = cells.filter(|(entry, _)| entry.template.is_some() && entry.layout == Layout::File);
        let outputs: BTreeMap<PathBuf, PathBuf> = made
            .map(|(entry, release)| {
                let catalog = entry.place(release).path;
                (self.output(entry, release, &catalog), catalog)
            })
            .collect();
        let directories: BTreeSet<&Path> = outputs
            .iter()
            // Of a catalog that is a file, nothing beside it is a part.
            .filter(|(output, catalog)| output != catalog)
            .filter_map(|(output, _)| output.parent())
            .collect();
        let files = directories.into_iter().flat_map(|directory| {
            let entries = self.tree.list(directory).unwrap_or_default();
            entries.into_iter().filter(|entry| !entry.is_directory).map(|entry| directory.join(entry.name))
        });
        files
            .filter(|path| !outputs.contains_key(path) && fbc_repository::is_blob_file(self.tree, path))
            .collect()
    }

    fn expanded(
        &mut self,
        entry: &Entry,
        release: Option<OpenShiftRelease>,
        not_held: &OnceCell<String>,
        settings: &Settings,
    ) -> Result<FileVersions, Error> {
        let place = entry.place(release);
        let named = release
            .map_or_else(|| place.path.display().to_string(), |release| format!("OpenShift {release}"));
        let mut files = FileVersions::new();
        self.dockerfile(entry, release, &mut files)?;
        if let Some((path, error)) = fbc_repository::unreadable_part(self.tree, &place.path) {
            return Err(Error::io("read", &self.root.join(path), &error));
        }
        let Some(template) = place.templates.first() else { return Ok(files) };
        let level = entry.migrate_level(release);
        let mut output = self.output(entry, release, &place.path);
        if let Some((other, first)) = self.done.get(&output) {
            return match *other == level {
                true => Ok(files),
                false => Err(Error::refusal(format!(
                    "OpenShift {first} and {named} share {}, and want its bundles at different levels",
                    output.display()
                ))
                .help("give each a `path` of its own, or both one `migrate-level`")),
            };
        }
        if let Some(release) = release {
            self.done.insert(output.clone(), (level, release));
        }
        let root = self.root;
        let path = root.join(&template.path);
        require_inside(root, &path, "the template")?;
        require_inside(root, &root.join(&output), "the output")?;
        let text = read(&path)?;
        let kind = required_kind(&path, &text)?;
        let semantics = entry.opm_semantics.as_deref().map(OpmSemantics::parse).transpose();
        let semantics = semantics.map_err(|error| Error::new(format!("`opm-semantics`: {error}")))?;
        let old = self.committed(entry, &output, settings)?;
        let reach = confining_directory(root);
        let source = CommittedBundles {
            own: (!self.is_fresh).then_some(&old.bundles),
            catalogs: &|| self.catalogs.get_or_init(|| catalogs_of(self.root, self.session.reading())),
            mirrors: &entry.mirrors,
            wanted: Manifests::from_level(level),
            not_held,
            others: TemplateBundles {
                images: self.images,
                folders: TemplateFolders::Within(&reach),
                session: self.session,
            },
        };
        let expander = Expander { source: &source, level, semantics: semantics.unwrap_or_default() };
        let mut new = expander.expand(kind, &path, &text)?;
        adjust(&mut new, entry, release).map_err(|absent| refused(&absent, &path, &named))?;
        let leaves_out = release.is_some_and(|release| entry.leaves_out(release));
        if let Some(error) = leaves_out.then(|| opm_error(&new)).flatten() {
            return Err(unsound(&error, &named));
        }
        if let Some(icon) = &entry.icon {
            let icon = self.icon(Path::new(&icon.fill(release)))?;
            new.packages.iter_mut().for_each(|package| package.icon = Some(icon.clone()));
        }
        // A catalog that is not there yet has a directory for its package, unless its image has that already.
        let is_new = self.tree.list(&place.path).is_err() && output == place.path.join(DEFAULT_FILE);
        if let ([package], true, None, None) =
            (new.packages.as_slice(), is_new, &entry.file, &entry.image_path)
        {
            output = place.path.join(&package.name).join(DEFAULT_FILE);
            require_inside(root, &root.join(&output), "the output")?;
        }
        if !old.files.is_empty()
            && old.faults.is_empty()
            && compare_packages(&old, &new, &|_| true).changes.is_empty()
        {
            return Ok(files);
        }
        match entry.layout {
            Layout::File => {
                let format = if output.extension().is_some_and(|end| end == "json") {
                    Format::Json
                } else {
                    Format::Yaml
                };
                let mut bytes = Vec::new();
                writer::write_within(&new, format, settings.budgets.layout_bytes, &mut bytes)?;
                files.insert(output, Some(bytes));
            }
            Layout::Split => {
                let parts = split::split(&new, &old)?;
                let gone = old.files.iter().map(|file| &file.path);
                let gone = gone.filter(|path| split::is_ours(path) && !parts.contains_key(*path));
                files.extend(gone.map(|path| (output.join(path), None)));
                let changed = parts
                    .into_iter()
                    .filter(|(path, bytes)| !self.says_so_already(&output.join(path), bytes));
                files.extend(changed.map(|(path, bytes)| (output.join(path), Some(bytes))));
            }
        }
        Ok(files)
    }

    /// The file or directory that the template expands to.
    fn output(&self, entry: &Entry, release: Option<OpenShiftRelease>, catalog: &Path) -> PathBuf {
        if let Some(file) = &entry.file {
            return catalog.join(file.fill(release));
        }
        match (entry.layout, fbc_repository::output_of(self.tree, catalog)) {
            (Layout::Split, _) => catalog.to_path_buf(),
            (Layout::File, Some((Layout::File, path))) => path,
            (Layout::File, _) => catalog.join(DEFAULT_FILE),
        }
    }

    /// The icon that a file holds.
    fn icon(&self, path: &Path) -> Result<Icon, Error> {
        let root = self.root;
        let path = root.join(path);
        require_inside(root, &path, "the icon")?;
        let data = read(&path)?;
        match media_type(&data).filter(|found| found.starts_with("image/")) {
            Some(found) => Ok(Icon { media_type: found.to_owned(), data: Some(data) }),
            None => Err(Error::new(format!("{} is not an image", path.display())).help(
                "an icon is an SVG, PNG, JPEG, GIF or WebP image, the file itself and not its base64 text",
            )),
        }
    }

    /// Whether a file of the repository has the same blobs, however they are written.
    fn says_so_already(&self, path: &Path, bytes: &[u8]) -> bool {
        let blobs = |bytes: &[u8]| {
            let mut catalog = load_bytes(path, bytes);
            let is_good = catalog.faults.is_empty() && prepare(&mut catalog, MigrateLevel::None).is_ok();
            is_good.then_some(catalog)
        };
        let old = self.tree.read(path).ok().and_then(|old| blobs(&old));
        old.zip(blobs(bytes)).is_some_and(|(old, new)| same_blobs(&old, &new))
    }

    /// What the repository holds in the place of the output.
    fn committed(&self, entry: &Entry, output: &Path, settings: &Settings) -> Result<Catalog, Error> {
        let path = self.root.join(output);
        match entry.layout {
            Layout::Split if path.is_dir() => load_tree(settings.disk_tree(&path).as_ref(), settings),
            Layout::File if path.is_file() => {
                let name = output.file_name().unwrap_or_default();
                let tree: fbc_model::tree::MemoryTree = [(name, read(&path)?)].into_iter().collect();
                load_tree(&tree, settings)
            }
            _ => Ok(Catalog::default()),
        }
    }

    /// A Dockerfile that is built on another image than the configuration says, or that is not there yet. What else one
    /// says is its author's.
    fn dockerfile(
        &self,
        entry: &Entry,
        release: Option<OpenShiftRelease>,
        files: &mut FileVersions,
    ) -> Result<(), Error> {
        let (Some(dockerfile), Some(base)) = (&entry.dockerfile, entry.base_image(release)) else {
            return Ok(());
        };
        let path = PathBuf::from(dockerfile.fill(release));
        let text = match self.tree.read(&path) {
            Ok(bytes) => fbc_repository::dockerfile::with_base(&String::from_utf8_lossy(&bytes), &base),
            Err(_) => Some(new_dockerfile(entry, release, &path, &base)?),
        };
        if let Some(text) = text {
            files.insert(path, Some(text.into_bytes()));
        }
        Ok(())
    }
}

/// A Dockerfile as opm writes it, which serves and fills the cache with the base image.
fn new_dockerfile(
    entry: &Entry,
    release: Option<OpenShiftRelease>,
    path: &Path,
    base: &str,
) -> Result<String, Error> {
    let catalog = PathBuf::from(entry.path.fill(release));
    // The context of a build is the directory of the Dockerfile if the catalog is in it, else the root.
    let directory = path.parent().unwrap_or(Path::new(""));
    let folder = catalog.strip_prefix(directory).unwrap_or(&catalog).display().to_string();
    let target = match &entry.image_path {
        Some(below) => format!("/configs/{}", below.fill(release)),
        None => "/configs".to_owned(),
    };
    let labels = BTreeMap::new();
    let new = Dockerfile { base_image: base, builder_image: base, folder: &folder, target: &target, labels };
    new.check()?;
    Ok(new.text())
}

fn refused(absent: &Absent, template: &Path, release: &str) -> Error {
    let shown = template.display();
    let failure = match absent {
        Absent::Channel(name) => {
            format!("{release} is to differ in channel {name:?}, which {shown} does not have")
        }
        Absent::Bundle(name) => {
            format!("{release} is to do without bundle {name:?}, which {shown} does not have")
        }
        Absent::Head { channel, bundle } => {
            format!(
                "{release} is to end channel {channel:?} with {bundle:?}, which it does not have in {shown}"
            )
        }
    };
    Error::refusal(failure).help(format!("correct `[[catalogs.releases]]` in {CONFIGURATION}"))
}

fn unsound(error: &str, release: &str) -> Error {
    Error::of_lines(&format!("the catalog of {release} would not be valid: {error}"))
        .of_kind(ErrorKind::Refused)
        .help(format!("correct `[[catalogs.releases]]` in {CONFIGURATION}; nothing is written"))
}
