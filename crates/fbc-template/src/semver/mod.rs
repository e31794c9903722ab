//! Semver templates: lists of bundles by stability, from which channels, edges and the default channel
//! follow.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/template/semver/semver.go`.

mod channels;
pub(crate) mod template;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use fbc_go::allowance::Allowance;
use fbc_graph::bundle_version;
use fbc_model::go_type::{self, GoType};
use fbc_model::{Bundle, Catalog, Icon, Origin, Package, bundle_object, go_types};
use fbc_version::Version;

use crate::OpmSemantics;
use crate::error::{SemverBundleFault, TemplateError, TemplateFault, VersionClash};
use crate::render::{RenderedBundle, Renderer};
use channels::{Member, generate};
use template::Item;
pub(crate) use template::SemverTemplate;

/// The schema of the template.
pub(crate) const SCHEMA: &str = "olm.semver";

/// The lists of a template, from the least to the most stable.
pub(crate) const ARCHETYPES: [&str; 3] = ["candidate", "fast", "stable"];

/// What the versions of a channel have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelKind {
    /// The major version.
    Major,
    /// Major and minor version.
    Minor,
}

impl std::fmt::Display for ChannelKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Major => "major",
            Self::Minor => "minor",
        })
    }
}

/// Expands a semver template.
pub(crate) fn render(text: &[u8], renderer: &Renderer<'_>) -> Result<Catalog, TemplateError> {
    let (template, document) = SemverTemplate::parse(text)?;
    let mut bundles: Vec<RenderedBundle> = Vec::new();
    let mut bundle_of_image: HashMap<&str, usize> = HashMap::new();
    for item in template.lists.iter().flatten() {
        if !bundle_of_image.contains_key(item.image.as_str()) {
            let rendered = renderer.bundle(&item.image).map_err(|fault| {
                let fault = TemplateFault::Bundle(fault);
                TemplateError::new(fault).at(document.place(&format!("{}/image", item.pointer)))
            })?;
            bundle_of_image.insert(&item.image, bundles.len());
            bundles.push(rendered);
        }
    }
    if bundles.is_empty() {
        return Err(TemplateError::new(TemplateFault::NoBundles).at(document.place("")));
    }
    let mut package = None;
    let mut lists = Vec::new();
    for list in &template.lists {
        let listed = list.iter().filter_map(|item| {
            let bundle = bundles.get(*bundle_of_image.get(item.image.as_str())?)?;
            Some((item, &bundle.bundle))
        });
        let members = members(listed, &mut package).map_err(|(fault, pointer)| {
            TemplateError::new(TemplateFault::SemverBundles(fault)).at(document.place(&pointer))
        })?;
        lists.push(members);
    }
    let package = package.unwrap_or_default();
    let generated = generate(&template, &package, &lists, renderer.semantics, &Allowance::default())
        .map_err(|exceeded| TemplateError::new(TemplateFault::TooLarge(exceeded)))?;
    let mut package = Package {
        origin: Origin::default(),
        name: package,
        default_channel: generated.default_channel,
        icon: None,
        description: String::new(),
        properties: Vec::new(),
    };
    let head = generated
        .channels
        .iter()
        .find(|channel| channel.name == package.default_channel)
        .and_then(|channel| channel.entries().last());
    if renderer.semantics >= OpmSemantics::V1_65
        && let Some(head) = head
        && let Some(rendered) = bundles.iter().find(|rendered| rendered.bundle.name == head.name)
    {
        describe(&mut package, &rendered.original);
    }
    Ok(Catalog {
        packages: vec![package],
        channels: generated.channels,
        bundles: bundles.into_iter().map(|rendered| rendered.bundle).collect(),
        ..Catalog::default()
    })
}

type Refusal = (SemverBundleFault, String);

/// The bundles of a list with their versions. The first bundle of all names the package.
fn members<'b>(
    listed: impl Iterator<Item = (&'b Item, &'b Bundle)>,
    package: &mut Option<String>,
) -> Result<Vec<Member<'b>>, Refusal> {
    let mut members: Vec<Member<'_>> = Vec::new();
    let mut pointers: Vec<&str> = Vec::new();
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (item, bundle) in listed {
        let refuse = |fault| (fault, item.pointer.clone());
        let version =
            bundle_version::require(bundle).map_err(|error| refuse(SemverBundleFault::Version(error)))?;
        let found = bundle.property_values(bundle_version::PROPERTY_TYPE).next();
        let found = found.map(|value| go_type::text(value, "packageName")).unwrap_or_default();
        match package {
            // An empty name is not a name: the next bundle gives one.
            Some(package) if !package.is_empty() => {
                if *package != found {
                    return Err(refuse(SemverBundleFault::OtherPackage {
                        bundle: bundle.name.clone(),
                        found,
                        package: package.clone(),
                    }));
                }
            }
            _ => *package = Some(found),
        }
        if let Some(first) = names.insert(&bundle.name, members.len()) {
            let first = members.get(first).map(|member| member.bundle.image.clone()).unwrap_or_default();
            let images = [first, item.image.clone()];
            return Err(refuse(SemverBundleFault::DuplicateName { name: bundle.name.clone(), images }));
        }
        members.push(Member { bundle, version });
        pointers.push(&item.pointer);
    }
    let clashes = clashes(&members);
    match clashes.first().map(|(index, _)| pointers.get(*index).copied().unwrap_or_default()) {
        None => Ok(members),
        Some(pointer) => {
            let clashes = clashes.into_iter().map(|(_, clash)| clash).collect();
            Err((SemverBundleFault::VersionClash { clashes }, pointer.to_owned()))
        }
    }
}

/// The members, by their number, whose version comes again in the list but for build metadata.
fn clashes(members: &[Member<'_>]) -> Vec<(usize, VersionClash)> {
    let mut seen: BTreeMap<String, &Bundle> = BTreeMap::new();
    let mut clashes = Vec::new();
    for (index, Member { bundle, version }) in members.iter().enumerate() {
        let core = version.clone().without_build().to_string();
        let Some(other) = seen.get(&core) else {
            seen.insert(core, bundle);
            continue;
        };
        let release = |bundle| bundle_version::find(bundle).map(|found| found.release);
        clashes.push((
            index,
            VersionClash {
                bundle: bundle.name.clone(),
                version: version.to_string(),
                core,
                image: bundle.image.clone(),
                other: other.name.clone(),
                other_image: other.image.clone(),
                has_releases: release(bundle) != release(other),
            },
        ));
    }
    clashes
}

const ICONS: GoType = GoType::List("[]registry.Icon", &GoType::Struct(&go_types::ICON));

/// Gives the package description and icon of a bundle's cluster service version.
pub(crate) fn describe(package: &mut Package, bundle: &Bundle) {
    let Some(version) = bundle_object::cluster_service_version(bundle) else {
        return;
    };
    let Some(spec) = version.root().get("spec") else {
        return;
    };
    if let Some(description) = spec.get_str("description") {
        package.description = description.to_owned();
    }
    if let Some(icons) = spec.get("icon")
        && go_type::check(icons, &ICONS).is_ok()
        && let Some(icon) = icons.item(0)
    {
        package.icon = Some(Icon {
            data: go_type::bytes(icon, "base64data"),
            media_type: go_type::text(icon, "mediatype"),
        });
    }
}

/// The name of the channel that a version belongs to.
pub(crate) fn channel_name(archetype: &str, kind: ChannelKind, version: &Version) -> String {
    match kind {
        ChannelKind::Major => format!("{archetype}-v{}", version.major()),
        ChannelKind::Minor => format!("{archetype}-v{}.{}", version.major(), version.minor()),
    }
}
