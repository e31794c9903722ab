//! `release-config.yaml` of a bundle: into which templates it goes, and where in them.
//!
//! Source: `redhat-openshift-ecosystem/operator-pipelines:operatorcert/schemas/release-config-schema.json`,
//! `operatorcert/entrypoints/add_bundle_to_fbc.py`.

use fbc_go::allowance::{Allowance, Exceeded};
use fbc_model::go_type;
use fbc_yaml::edit::{Action, Change, EditError, Editor, document};
use fbc_yaml::stream;
use fbc_yaml::{Built, Document, DocumentBuilder, Kind, Node, YamlError};

/// The name of the file, in the directory of a bundle.
pub const NAME: &str = "release-config.yaml";

/// Where a bundle goes in a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseTemplate {
    /// The name of the file in `catalog-templates`.
    pub template: String,
    /// The channels; of a semver template `Candidate`, `Fast` and `Stable`.
    pub channels: Vec<String>,
    /// The default channel of a package whose template does not exist yet.
    pub default_channel: Option<String>,
    /// The bundle that it replaces.
    pub replaces: Option<String>,
    /// Bundles that it skips.
    pub skips: Vec<String>,
    /// The range of versions that it skips.
    pub skip_range: Option<String>,
}

impl ReleaseTemplate {
    /// Every channel gets an entry with all that is skipped.
    fn charge(&self, allowance: &Allowance) -> Result<(), Exceeded> {
        let texts = self.skips.iter().chain(&self.replaces).chain(&self.skip_range);
        let entry = texts.fold(size_of::<Self>(), |bytes, text| bytes + size_of::<String>() + text.len());
        allowance.bytes(self.channels.len().saturating_mul(entry))
    }
}

/// The bundle that is released.
#[derive(Clone, Copy, Debug)]
pub struct NewBundle<'b> {
    /// Its package.
    pub package: &'b str,
    /// Its name.
    pub name: &'b str,
    /// Its image.
    pub image: &'b str,
}

/// The schemas of templates that bundles are released to.
pub const SCHEMAS: [&str; 2] = ["olm.template.basic", SEMVER];

const SEMVER: &str = "olm.semver";
const KEYS: [&str; 2] = ["catalog_templates", "merge"];

/// Why the file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseConfigError {
    /// It is not YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// It has a key that nobody knows.
    #[error("unknown key `{0}`; there are {known}", known = KEYS.join(", "))]
    UnknownKey(String),
    /// It names no templates.
    #[error("`catalog_templates` is not a list with at least one entry")]
    NoTemplates,
    /// An entry is not valid.
    #[error("`catalog_templates[{index}]`{fault}")]
    Entry {
        /// Its number, from 0.
        index: usize,
        /// What is wrong with it.
        fault: EntryFault,
    },
    /// Its channels with what they skip are more than a limit allows.
    #[error("`catalog_templates` {0}")]
    TooLarge(Exceeded),
}

/// What is wrong with the entry of a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// It is not an object.
    #[error(" is not an object")]
    NoObject,
    /// A key must be there, and is not.
    #[error(" has no `{0}`")]
    Missing(&'static str),
    /// A value is not a text.
    #[error(": `{0}` is not a string")]
    NoText(&'static str),
    /// A value is not a list of texts.
    #[error(": `{0}` is not a list of strings with at least one entry")]
    NoTexts(&'static str),
    /// The default channel is another one.
    #[error(": `defaultChannel` {0:?} is not among its channels")]
    DefaultChannel(String),
    /// The template does not lie in the directory of templates.
    #[error(": {0:?} is not the name of a file")]
    TemplateName(String),
}

/// Reads the file.
///
/// # Errors
/// [`ReleaseConfigError`]
pub fn read(text: &[u8]) -> Result<Vec<ReleaseTemplate>, ReleaseConfigError> {
    let document = stream::read_one(text)?;
    let root = document.root();
    if let Some((key, _)) = root.members().find(|(key, _)| !KEYS.contains(key)) {
        return Err(ReleaseConfigError::UnknownKey(key.to_owned()));
    }
    let list = root.get("catalog_templates").filter(|list| list.kind() == Kind::Array && !list.is_empty());
    let list = list.ok_or(ReleaseConfigError::NoTemplates)?;
    let entry = |(index, item)| template(item).map_err(|fault| ReleaseConfigError::Entry { index, fault });
    let templates: Vec<ReleaseTemplate> = list.items().enumerate().map(entry).collect::<Result<_, _>>()?;
    let allowance = Allowance::default();
    templates.iter().try_for_each(|one| one.charge(&allowance)).map_err(ReleaseConfigError::TooLarge)?;
    Ok(templates)
}

fn template(item: Node<'_>) -> Result<ReleaseTemplate, EntryFault> {
    if item.kind() != Kind::Object {
        return Err(EntryFault::NoObject);
    }
    let text = |key: &'static str| match item.get(key) {
        None => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(EntryFault::NoText(key)),
        },
    };
    let texts = |key: &'static str| match item.get(key) {
        None => Ok(Vec::new()),
        Some(value) => {
            let texts: Option<Vec<String>> =
                value.items().map(|text| text.as_str().map(str::to_owned)).collect();
            let texts = texts.filter(|texts| value.kind() == Kind::Array && !texts.is_empty());
            texts.ok_or(EntryFault::NoTexts(key))
        }
    };
    // Other keys are the pipelines' own.
    let template = ReleaseTemplate {
        template: text("template_name")?.ok_or(EntryFault::Missing("template_name"))?,
        channels: texts("channels")?,
        default_channel: text("defaultChannel")?,
        replaces: text("replaces")?,
        skips: texts("skips")?,
        skip_range: text("skipRange")?,
    };
    if template.channels.is_empty() {
        return Err(EntryFault::Missing("channels"));
    }
    if let Some(default) = &template.default_channel
        && !template.channels.contains(default)
    {
        return Err(EntryFault::DefaultChannel(default.clone()));
    }
    if template.template.contains(['/', '\\']) || template.template.starts_with('.') {
        return Err(EntryFault::TemplateName(template.template));
    }
    Ok(template)
}

/// The template with the bundle in its channels; what it has already stays as it is.
///
/// # Errors
/// The text cannot be read, or is written in a way that cannot be edited safely.
pub fn amend(
    text: &[u8],
    schema: &str,
    config: &ReleaseTemplate,
    bundle: NewBundle<'_>,
) -> Result<Vec<u8>, EditError> {
    let text = &without_first_mark(text);
    let read = stream::read_one(text).map_err(|_| EditError::NoDocument)?;
    let changes = match schema {
        SEMVER => semver(read.root(), config, bundle),
        _ => basic(read.root(), config, bundle),
    };
    let mut editor = Editor::new(text);
    changes.iter().try_for_each(|change| editor.change(0, change))?;
    editor.finish()
}

/// The text without a `---` behind comments at its beginning: opm takes them for the template, and refuses it.
fn without_first_mark(text: &[u8]) -> Vec<u8> {
    let mut begins = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let ends = begins + line.len();
        match line.trim_ascii() {
            b"---" if begins > 0 => return [&text[..begins], &text[ends..]].concat(),
            [] | [b'#', ..] => begins = ends,
            _ => break,
        }
    }
    text.to_vec()
}

fn basic(root: Node<'_>, config: &ReleaseTemplate, bundle: NewBundle<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    let items: Vec<Node<'_>> = root.get("entries").into_iter().flat_map(Node::items).collect();
    let is_channel = |item: &Node<'_>, name: &str| {
        item.get_str("schema") == Some("olm.channel") && item.get_str("name") == Some(name)
    };
    let entry = document(|builder| channel_entry(builder, config, bundle));
    let mut count = items.len();
    let mut append = |item: Document| {
        changes.push(Change::new("/entries", Action::Insert { index: count, item }));
        count += 1;
    };
    for name in &config.channels {
        if !items.iter().any(|item| is_channel(item, name)) {
            append(document(|builder| channel(builder, name, config, bundle)));
        }
    }
    let has_bundle = items.iter().any(|item| {
        item.get_str("schema") == Some("olm.bundle") && item.get_str("image") == Some(bundle.image)
    });
    if !has_bundle {
        append(document(|builder| bundle_entry(builder, bundle)));
    }
    for (index, item) in items.iter().enumerate() {
        if !config.channels.iter().any(|name| is_channel(item, name)) {
            continue;
        }
        let known = item.get("entries");
        let wanted = entry.root().to_json();
        if known.is_some_and(|known| known.items().any(|one| one.to_json() == wanted)) {
            continue;
        }
        let length = known.map_or(0, Node::len);
        let insert = Action::Insert { index: length, item: entry.clone() };
        changes.push(Change::new(format!("/entries/{index}/entries"), insert));
    }
    changes
}

fn semver(root: Node<'_>, config: &ReleaseTemplate, bundle: NewBundle<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for channel in &config.channels {
        let known = go_type::member(root, channel);
        // An empty one is replaced: `{}` has no lines to add to.
        let is_filled = |value: &Node<'_>| value.kind() == Kind::Object && !value.is_empty();
        let Some((key, value)) = known.filter(|(_, value)| is_filled(value)) else {
            let key = known.map_or(channel.as_str(), |(key, _)| key).to_owned();
            let value = document(|builder| stability(builder, bundle));
            if known.is_some_and(|(_, value)| value.kind() == Kind::Object) {
                changes.push(Change::new("", Action::Unset { key: key.clone() }));
            }
            changes.push(Change::new("", Action::Set { key, value }));
            continue;
        };
        let Some((bundles, list)) =
            go_type::member(value, "Bundles").filter(|(_, list)| list.kind() == Kind::Array)
        else {
            let list = go_type::member(value, "Bundles").map_or("Bundles", |(word, _)| word).to_owned();
            let pointer = format!("/{key}");
            let value = document(|builder| bundle_list(builder, bundle));
            changes.push(Change::new(pointer, Action::Set { key: list, value }));
            continue;
        };
        let images = || list.items().filter_map(|item| go_type::member(item, "Image"));
        if images().any(|(_, image)| image.as_str() == Some(bundle.image)) {
            continue;
        }
        let word = images().next().map_or("Image", |(word, _)| word);
        let item = document(|builder| {
            let mark = builder.open();
            let image = builder.string(bundle.image);
            builder.push_member(word, image);
            builder.close_object(mark)
        });
        let insert = Action::Insert { index: list.len(), item };
        changes.push(Change::new(format!("/{key}/{bundles}"), insert));
    }
    changes
}

/// A template that does not exist yet, as a value in the order in which it is written.
#[must_use]
pub fn create(schema: &str, config: &ReleaseTemplate, bundle: NewBundle<'_>) -> Document {
    document(|builder| {
        let mark = builder.open();
        if schema == SEMVER {
            let schema = builder.string(schema);
            builder.push_member("Schema", schema);
            for key in ["GenerateMajorChannels", "GenerateMinorChannels"] {
                let value = builder.boolean(true);
                builder.push_member(key, value);
            }
            for channel in &config.channels {
                let value = stability(builder, bundle);
                builder.push_member(channel, value);
            }
            return builder.close_object(mark);
        }
        let schema = builder.string(schema);
        builder.push_member("schema", schema);
        let entries = builder.open();
        let package = object(
            builder,
            &[
                ("schema", "olm.package"),
                ("name", bundle.package),
                (
                    "defaultChannel",
                    config.default_channel.as_ref().or(config.channels.first()).map_or("", String::as_str),
                ),
            ],
        );
        builder.push_item(package);
        for name in &config.channels {
            let channel = channel(builder, name, config, bundle);
            builder.push_item(channel);
        }
        let item = bundle_entry(builder, bundle);
        builder.push_item(item);
        let entries = builder.close_array(entries);
        builder.push_member("entries", entries);
        builder.close_object(mark)
    })
}

fn object(builder: &mut DocumentBuilder, members: &[(&str, &str)]) -> Built {
    let mark = builder.open();
    for (key, value) in members {
        let value = builder.string(value);
        builder.push_member(key, value);
    }
    builder.close_object(mark)
}

fn bundle_entry(builder: &mut DocumentBuilder, bundle: NewBundle<'_>) -> Built {
    object(builder, &[("schema", "olm.bundle"), ("image", bundle.image)])
}

fn channel(
    builder: &mut DocumentBuilder,
    name: &str,
    config: &ReleaseTemplate,
    bundle: NewBundle<'_>,
) -> Built {
    let mark = builder.open();
    for (key, value) in [("schema", "olm.channel"), ("name", name), ("package", bundle.package)] {
        let value = builder.string(value);
        builder.push_member(key, value);
    }
    let entries = builder.open();
    let entry = channel_entry(builder, config, bundle);
    builder.push_item(entry);
    let entries = builder.close_array(entries);
    builder.push_member("entries", entries);
    builder.close_object(mark)
}

fn channel_entry(builder: &mut DocumentBuilder, config: &ReleaseTemplate, bundle: NewBundle<'_>) -> Built {
    let mark = builder.open();
    let name = builder.string(bundle.name);
    builder.push_member("name", name);
    if let Some(replaces) = &config.replaces {
        let value = builder.string(replaces);
        builder.push_member("replaces", value);
    }
    if !config.skips.is_empty() {
        let list = builder.open();
        for skip in &config.skips {
            let value = builder.string(skip);
            builder.push_item(value);
        }
        let list = builder.close_array(list);
        builder.push_member("skips", list);
    }
    if let Some(range) = &config.skip_range {
        let value = builder.string(range);
        builder.push_member("skipRange", value);
    }
    builder.close_object(mark)
}

fn stability(builder: &mut DocumentBuilder, bundle: NewBundle<'_>) -> Built {
    let mark = builder.open();
    let list = bundle_list(builder, bundle);
    builder.push_member("Bundles", list);
    builder.close_object(mark)
}

fn bundle_list(builder: &mut DocumentBuilder, bundle: NewBundle<'_>) -> Built {
    let list = builder.open();
    let item = object(builder, &[("Image", bundle.image)]);
    builder.push_item(item);
    builder.close_array(list)
}

#[cfg(test)]
mod tests;
