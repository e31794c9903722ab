//! Composite templates: one contribution, built into several catalogs.
//!
//! The owner of the catalogs says where each lies and which builders it allows; a contributor says for
//! each catalog what to build. [`plan`] puts the two together; running the plan is the caller's. Unlike in opm, what
//! a contributor names does not leave the directory that the owner gave.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/template/composite` as of v1.43,
//! the last release that had it.

mod config;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use config::{CATALOGS, CONTRIBUTION};
use fbc_model::go_type::{self, GoStruct, GoType};
use fbc_model::writer::Format;
use fbc_yaml::Node;

use crate::document::TemplateDocument;
use crate::error::{ComponentFault, CompositeFault, TemplateError, TemplateFault};
use crate::kind::TemplateKind;
use crate::strict::{self, StrictFault};

/// The schema of the catalogs file.
pub const CATALOGS_SCHEMA: &str = "olm.composite.catalogs";

/// The schema of the contribution file.
pub const CONTRIBUTION_SCHEMA: &str = "olm.composite";

/// A builder that catalogs may allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builder {
    /// `olm.builder.basic`
    Basic,
    /// `olm.builder.semver`
    Semver,
    /// `olm.builder.raw`
    Raw,
    /// `olm.builder.custom`
    Custom,
}

impl Builder {
    /// The builder of a schema.
    #[must_use]
    pub fn from_schema(schema: &str) -> Option<Self> {
        match schema {
            "olm.builder.basic" => Some(Self::Basic),
            "olm.builder.semver" => Some(Self::Semver),
            "olm.builder.raw" => Some(Self::Raw),
            "olm.builder.custom" => Some(Self::Custom),
            _ => None,
        }
    }

    /// The name that messages have.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Semver => "semver",
            Self::Raw => "raw",
            Self::Custom => "custom",
        }
    }
}

/// What a step of a plan builds from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A template file, or a catalog file for [`TemplateKind::Raw`].
    Template {
        /// The kind.
        kind: TemplateKind,
        /// Where the file may lie; the first path that exists counts.
        paths: Vec<PathBuf>,
    },
    /// A command that prints a catalog.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
}

/// One catalog file to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the component, which is that of its catalog.
    pub component: String,
    /// What to build from.
    pub input: Input,
    /// The file to write. Its directories may not exist yet.
    pub output: PathBuf,
    /// How to write it.
    pub format: Format,
    /// The directory to validate when the file is written.
    pub directory: PathBuf,
    /// The working directory of the catalog, which neither of them leaves.
    pub root: PathBuf,
}

/// What is to be built, and what cannot be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps, in the order of the contribution.
    pub steps: Vec<Step>,
    /// The components that cannot be built, in the order of the contribution. opm stops at the first of
    /// them, when the components before it are built. Places are in the contribution file.
    pub errors: Vec<TemplateError>,
}

/// A catalog that takes contributions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Destination {
    directory: String,
    builders: BTreeSet<Builder>,
}

/// The catalogs that take contributions, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogs(BTreeMap<String, Destination>);

impl Catalogs {
    /// Reads a catalogs file.
    ///
    /// # Errors
    /// What makes opm refuse the file; places are in it.
    pub fn parse(text: &[u8]) -> Result<Self, TemplateError> {
        let document = read(text, "catalog", &CATALOGS, CATALOGS_SCHEMA)?;
        let mut catalogs = BTreeMap::new();
        let mut without_directory = Vec::new();
        let mut place = None;
        let list = go_type::field(document.root(), "Catalogs");
        for (index, catalog) in list.into_iter().flat_map(Node::items).enumerate() {
            let name = go_type::text(catalog, "Name");
            let destination = go_type::field(catalog, "Destination");
            let directory = destination.map(|node| go_type::text(node, "WorkingDir")).unwrap_or_default();
            if directory.is_empty() {
                without_directory.push(name);
                place.get_or_insert_with(|| document.place(&format!("/catalogs/{index}")));
                continue;
            }
            // Of catalogs with one name the first counts.
            if catalogs.contains_key(&name) {
                continue;
            }
            let mut builders = BTreeSet::new();
            for (number, builder) in go_type::texts(catalog, "Builders").into_iter().enumerate() {
                let Some(known) = Builder::from_schema(&builder) else {
                    let fault = CompositeFault::UnknownBuilder { builder, catalog: name };
                    let place = document.place(&format!("/catalogs/{index}/builders/{number}"));
                    return Err(refuse(fault).at(place));
                };
                builders.insert(known);
            }
            catalogs.insert(name, Destination { directory, builders });
        }
        if without_directory.is_empty() {
            return Ok(Self(catalogs));
        }
        Err(refuse(CompositeFault::NoWorkingDirectory { catalogs: without_directory }).at(place))
    }

    /// The names of the catalogs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn refuse(fault: CompositeFault) -> TemplateError {
    TemplateFault::Composite(fault).into()
}

fn read<'t>(
    text: &'t [u8],
    file: &'static str,
    of: &'static GoStruct,
    schema: &'static str,
) -> Result<TemplateDocument<'t>, TemplateError> {
    let document = TemplateDocument::first(text)
        .map_err(|error| refuse(CompositeFault::Decoding { file, message: error.message }).at(error.place))?;
    go_type::check(document.root(), &GoType::Struct(of)).map_err(|error| {
        let place = document.place(&error.pointer);
        refuse(CompositeFault::Unmarshalling { file, message: error.message }).at(place)
    })?;
    if go_type::text(document.root(), "Schema") == schema {
        return Ok(document);
    }
    let place = document.place("/schema");
    Err(refuse(CompositeFault::Schema { file, expected: schema }).at(place))
}

/// Plans the builds of a contribution file that lies in the given directory.
///
/// # Errors
/// What makes opm refuse the file as a whole.
pub fn plan(
    catalogs: &Catalogs,
    contribution: &[u8],
    contribution_directory: &Path,
    format: Format,
) -> Result<Plan, TemplateError> {
    let document = read(contribution, "composite", &CONTRIBUTION, CONTRIBUTION_SCHEMA)?;
    let mut plan = Plan::default();
    let list = go_type::field(document.root(), "Components");
    for (index, component) in list.into_iter().flat_map(Node::items).enumerate() {
        match step(catalogs, component, contribution_directory, format) {
            Ok(step) => plan.steps.push(step),
            Err((fault, pointer)) => {
                let component = go_type::text(component, "Name");
                let place = document.place(&format!("/components/{index}{pointer}"));
                plan.errors.push(refuse(CompositeFault::Component { component, fault }).at(place));
            }
        }
    }
    Ok(plan)
}

fn step(
    catalogs: &Catalogs,
    component: Node<'_>,
    contribution_directory: &Path,
    format: Format,
) -> Result<Step, (ComponentFault, String)> {
    let name = go_type::text(component, "Name");
    let Some(target) = catalogs.0.get(&name) else {
        let available = catalogs.names().map(str::to_owned).collect();
        return Err((ComponentFault::NoCatalog { available }, "/name".to_owned()));
    };
    let definition =
        go_type::field(component, "Strategy").and_then(|strategy| go_type::field(strategy, "Template"));
    let schema = definition.map(|definition| go_type::text(definition, "Schema")).unwrap_or_default();
    let builder = Builder::from_schema(&schema).filter(|builder| target.builders.contains(builder));
    let Some(builder) = builder else {
        return Err((ComponentFault::NoBuilder { schema }, "/strategy/template/schema".to_owned()));
    };
    let config = definition.and_then(|definition| go_type::field(definition, "Config"));
    let at_config = |pointer: &str| format!("/strategy/template/config{pointer}");
    let config = config.map(|config| strict::decode(config, builder.config())).transpose();
    let config = config.map_err(|(message, pointer)| {
        let message = StrictFault::Decoding(message).message();
        (ComponentFault::Config { builder: builder.name(), message }, at_config(&pointer))
    })?;
    let root = config.as_ref().map(fbc_yaml::Document::root);
    let text = |field| root.map(|root| go_type::text(root, field)).unwrap_or_default();
    let (source, source_field) = match builder {
        Builder::Custom => (text("Command"), "command"),
        _ => (text("Input"), "input"),
    };
    let output = text("Output");
    let fields: Vec<&str> = [(&source, source_field), (&output, "output")]
        .into_iter()
        .filter_map(|(value, field)| value.is_empty().then_some(field))
        .collect();
    if !fields.is_empty() {
        return Err((ComponentFault::MissingFields { builder: builder.name(), fields }, at_config("")));
    }
    let template = |kind| {
        let beside = join([contribution_directory.to_string_lossy().as_ref(), &source]);
        Input::Template { kind, paths: vec![PathBuf::from(&source), beside] }
    };
    let input = match builder {
        Builder::Basic => template(TemplateKind::Basic),
        Builder::Semver => template(TemplateKind::Semver),
        Builder::Raw => template(TemplateKind::Raw),
        Builder::Custom => {
            let arguments = root.map(|root| go_type::texts(root, "Args")).unwrap_or_default();
            Input::Command { program: source, arguments }
        }
    };
    let destination = go_type::field(component, "Destination");
    let path = destination.map(|destination| go_type::text(destination, "Path")).unwrap_or_default();
    let root = join([target.directory.as_str()]);
    let directory = join([target.directory.as_str(), &path]);
    let file = join([target.directory.as_str(), &path, &output]);
    if !is_below(&directory, &root) {
        let fault =
            ComponentFault::Outside { field: "destination.path", path, root: target.directory.clone() };
        return Err((fault, "/destination/path".to_owned()));
    }
    if !is_below(&file, &directory) || file == directory {
        let root = directory.display().to_string();
        return Err((ComponentFault::Outside { field: "output", path: output, root }, at_config("/output")));
    }
    Ok(Step { component: name, input, output: file, format, directory, root })
}

/// Whether a joined path is another one or lies below it.
fn is_below(path: &Path, root: &Path) -> bool {
    match root == Path::new(".") {
        true => !path.is_absolute() && !path.starts_with(".."),
        false => path.starts_with(root),
    }
}

/// Joins paths as Go's `path.Join` does: empty ones do not count, and neither `.` nor `..` is left where
/// it can be resolved in the text.
fn join<'p>(parts: impl IntoIterator<Item = &'p str>) -> PathBuf {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let joined = parts.join("/");
    let is_absolute = joined.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in joined.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (part, kept.last()) {
            ("..", Some(last)) if *last != ".." => {
                kept.pop();
            }
            ("..", None) if is_absolute => {}
            _ => kept.push(part),
        }
    }
    let path = kept.join("/");
    PathBuf::from(match (is_absolute, path.is_empty()) {
        (true, _) => format!("/{path}"),
        (false, true) if !parts.is_empty() => ".".to_owned(),
        _ => path,
    })
}
