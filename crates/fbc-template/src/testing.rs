//! A source of made-up bundles, and short ways to expand templates, for tests.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fbc_go::base64;
use fbc_model::render::MigrateLevel;
use fbc_model::writer::{Format, write};
use fbc_model::{Bundle, Catalog, Origin, Property, RelatedImage, Value};

use crate::{BundleSource, OpmSemantics, Renderer, SourceError, TemplateError, TemplateKind, render};

/// Bundles by image reference, and which were asked for.
pub(crate) struct Images {
    pub(crate) bundles: BTreeMap<String, Bundle>,
    pub(crate) asked: RefCell<Vec<String>>,
}

impl Images {
    /// Bundles from image, package, version and release.
    pub(crate) fn from_rows(rows: &[(&str, &str, &str, &str)]) -> Self {
        let bundles = rows
            .iter()
            .map(|(image, package, version, release)| {
                ((*image).to_owned(), bundle(image, package, version, release))
            })
            .collect();
        Self { bundles, asked: RefCell::default() }
    }
}

impl BundleSource for Images {
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
        self.asked.borrow_mut().push(reference.to_owned());
        self.bundles.get(reference).cloned().ok_or_else(|| SourceError::Unusable("no such image".to_owned()))
    }
}

pub(crate) fn property(kind: &str, json: &str) -> Property {
    Property { kind: kind.to_owned(), value: Some(Value::from_json(json).unwrap()) }
}

/// A bundle with a cluster service version that has name, version and description only.
pub(crate) fn bundle(image: &str, package: &str, version: &str, release: &str) -> Bundle {
    let name = if release.is_empty() {
        format!("{package}.v{version}")
    } else {
        format!("{package}-v{version}-{release}")
    };
    let manifest = format!(
        "{{\"kind\":\"ClusterServiceVersion\",\"metadata\":{{\"name\":\"{name}\"}},\"spec\":{{\
         \"description\":\"desc {version}\",\"version\":\"{version}\"}}}}"
    );
    let object = format!("{{\"data\":\"{}\"}}", base64::encode(manifest.as_bytes()));
    let package_value = if release.is_empty() {
        format!("{{\"packageName\":\"{package}\",\"version\":\"{version}\"}}")
    } else {
        format!("{{\"packageName\":\"{package}\",\"version\":\"{version}\",\"release\":\"{release}\"}}")
    };
    Bundle {
        origin: Origin::default(),
        name,
        package: package.to_owned(),
        image: image.to_owned(),
        properties: vec![property("olm.bundle.object", &object), property("olm.package", &package_value)],
        related_images: vec![RelatedImage { name: String::new(), image: image.to_owned() }],
    }
}

/// Expands a template with bundles at the highest level; every catalog is valid.
pub(crate) fn expand(kind: TemplateKind, text: &[u8], images: &Images) -> Result<Catalog, TemplateError> {
    expand_as(OpmSemantics::default(), kind, text, images)
}

/// The expansion of an older opm.
pub(crate) fn expand_as(
    semantics: OpmSemantics,
    kind: TemplateKind,
    text: &[u8],
    images: &Images,
) -> Result<Catalog, TemplateError> {
    let renderer = Renderer { source: images, validate: &|_| None, migrate: MigrateLevel::ALL, semantics };
    render(kind, text, &renderer)
}

/// The YAML of an expansion, or its error and the text that the error points at.
pub(crate) fn yaml(kind: TemplateKind, text: &str, images: &Images) -> Result<String, (String, String)> {
    let catalog = expand(kind, text.as_bytes(), images).map_err(|error| shown(&error, text))?;
    let mut out = Vec::new();
    write(&catalog, Format::Yaml, &mut out).unwrap();
    Ok(String::from_utf8(out).unwrap())
}

/// An error and the text that it points at.
pub(crate) fn shown(error: &TemplateError, text: &str) -> (String, String) {
    let place = error.place.as_ref().map(|place| text.get(place.bytes.clone()).unwrap().to_owned());
    (error.to_string(), place.unwrap_or_else(|| "nowhere".to_owned()))
}
