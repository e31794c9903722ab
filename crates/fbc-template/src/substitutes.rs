//! Substitutes templates: a catalog, and bundles that take the places of others in its channels.
//!
//! Source of the behaviour:
//! `operator-framework/operator-registry:alpha/template/substitutes/substitutes.go`.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_model::{Bundle, Catalog, Channel, ChannelEntry};
use fbc_yaml::Node;

use crate::document::{ENTRIES, SCHEMA as SCHEMA_FIELD, TemplateDocument};
use crate::error::{DocumentFault, SubstitutesFault, SubstitutionFault, TemplateError, TemplateFault};
use crate::render::Renderer;
use crate::version_release::version_release;

/// The schema of the template.
pub(crate) const SCHEMA: &str = "olm.template.substitutes";

static SUBSTITUTE: GoStruct = GoStruct {
    name: "substitutes.Substitute",
    fields: &[
        GoField { name: "name", kind: STRING, omit_empty: false },
        GoField { name: "base", kind: STRING, omit_empty: false },
    ],
};

static TEMPLATE: GoStruct = GoStruct {
    name: "substitutes.SubstitutesTemplateData",
    fields: &[
        SCHEMA_FIELD,
        ENTRIES,
        GoField {
            name: "substitutions",
            kind: GoType::List("[]substitutes.Substitute", &GoType::Struct(&SUBSTITUTE)),
            omit_empty: false,
        },
    ],
};

/// A bundle that takes the place of another.
struct Substitution {
    /// The image of the bundle.
    name: String,
    /// The bundle whose place it takes.
    base: String,
}

/// Expands a substitutes template.
pub(crate) fn render(text: &[u8], renderer: &Renderer<'_>) -> Result<Catalog, TemplateError> {
    let refuse = |fault| TemplateError::new(TemplateFault::Substitutes(fault));
    let template = TemplateDocument::first(text).map_err(|error| {
        refuse(SubstitutesFault::Document(DocumentFault::Decoding(error.message))).at(error.place)
    })?;
    template
        .decode(&TEMPLATE, SCHEMA)
        .map_err(|error| refuse(SubstitutesFault::Document(error.message)).at(error.place))?;
    let mut catalog = template
        .catalog()
        .map_err(|error| refuse(SubstitutesFault::Entry { message: error.message }).at(error.place))?;
    if let Some(message) = (renderer.validate)(&catalog) {
        // Other templates take a bundle with an image alone; this one does not pull it.
        let with_image_only =
            catalog.bundles.iter().find(|bundle| bundle.package.is_empty() && !bundle.image.is_empty());
        let place = with_image_only
            .map_or_else(|| "/entries".to_owned(), |bundle| format!("/entries/{}", bundle.origin.document));
        let image = with_image_only.map(|bundle| bundle.image.clone());
        return Err(refuse(SubstitutesFault::InvalidEntries { message, image }).at(template.place(&place)));
    }
    let mut bases = HashSet::new();
    let mut names: HashMap<String, String> = HashMap::new();
    let list = go_type::field(template.root(), "substitutions");
    for (index, node) in list.into_iter().flat_map(Node::items).enumerate() {
        let place = |field: &str| template.place(&format!("/substitutions/{index}{field}"));
        let Substitution { name, base } =
            Substitution { name: go_type::text(node, "name"), base: go_type::text(node, "base") };
        if !bases.insert(base.clone()) {
            return Err(refuse(SubstitutesFault::ReusedBase { base }).at(place("/base")));
        }
        if let Some(first) = names.insert(name.clone(), base.clone()) {
            let fault = SubstitutesFault::ReusedSubstitute { name, first, second: base };
            return Err(refuse(fault).at(place("/name")));
        }
        let substitution = Substitution { name, base };
        apply(&mut catalog, &substitution, renderer).map_err(|fault| {
            let place = place(field_to_blame(&fault));
            let Substitution { name, base } = substitution;
            refuse(SubstitutesFault::Substitution { base, name, fault }).at(place)
        })?;
    }
    Ok(catalog)
}

fn field_to_blame(fault: &SubstitutionFault) -> &'static str {
    match fault {
        SubstitutionFault::NoName
        | SubstitutionFault::Bundle { .. }
        | SubstitutionFault::SubstituteVersion { .. } => "/name",
        SubstitutionFault::NoBase
        | SubstitutionFault::NoSuchBase { .. }
        | SubstitutionFault::BaseVersion { .. } => "/base",
        _ => "",
    }
}

fn apply(
    catalog: &mut Catalog,
    substitution: &Substitution,
    renderer: &Renderer<'_>,
) -> Result<(), SubstitutionFault> {
    let substitute = checked(catalog, substitution, renderer)?;
    for channel in &mut catalog.channels {
        substitute_in(channel, &substitution.base, &substitute.name);
    }
    catalog.bundles.push(substitute);
    match (renderer.validate)(catalog) {
        None => Ok(()),
        Some(message) => Err(SubstitutionFault::InvalidResult { message }),
    }
}

/// The bundle of a substitution that is newer than its base.
fn checked(
    catalog: &Catalog,
    Substitution { name, base }: &Substitution,
    renderer: &Renderer<'_>,
) -> Result<Bundle, SubstitutionFault> {
    if name.is_empty() {
        return Err(SubstitutionFault::NoName);
    }
    if base.is_empty() {
        return Err(SubstitutionFault::NoBase);
    }
    if name == base {
        return Err(SubstitutionFault::SameNames);
    }
    let rendered =
        renderer.bundle(name).map_err(|fault| SubstitutionFault::Bundle { name: name.clone(), fault })?;
    let newer = version_release(&rendered.bundle)
        .map_err(|error| SubstitutionFault::SubstituteVersion { name: name.clone(), error })?;
    let bundle = catalog
        .bundles
        .iter()
        .find(|bundle| bundle.name == *base)
        .ok_or_else(|| SubstitutionFault::NoSuchBase { base: base.clone() })?;
    let older = version_release(bundle)
        .map_err(|error| SubstitutionFault::BaseVersion { base: base.clone(), error })?;
    if older.compare_precedence(&newer).is_lt() {
        Ok(rendered.bundle)
    } else {
        Err(SubstitutionFault::NotLess { base: base.clone(), name: name.clone() })
    }
}

/// Lets a bundle take over the edges of another one in a channel that has it.
fn substitute_in(channel: &mut Channel, base: &str, substitute: &str) {
    let Some(entries) = channel.entries.as_mut() else {
        return;
    };
    let mut added = Vec::new();
    for entry in entries.iter_mut().filter(|entry| entry.name == base) {
        let old = std::mem::replace(entry, ChannelEntry { name: base.to_owned(), ..ChannelEntry::default() });
        let mut new = ChannelEntry { name: substitute.to_owned(), ..old };
        new.skips.push(base.to_owned());
        added.push(new);
    }
    for entry in entries.iter_mut() {
        if entry.replaces == base {
            entry.replaces = substitute.to_owned();
            entry.skips.push(base.to_owned());
        } else if entry.skips.iter().any(|skip| skip == base) {
            entry.skips.push(substitute.to_owned());
            entry.skips.retain(|skip| skip != base);
        }
    }
    entries.extend(added.into_iter().rev());
}
