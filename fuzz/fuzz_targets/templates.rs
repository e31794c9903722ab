//! Any bytes as a template of every kind: it is refused, or expanded twice the same; opm's conversion never panics.
#![no_main]

use fbc_model::render::MigrateLevel;
use fbc_model::{Bundle, load};
use fbc_template::{
    BundleSource, ConversionTarget, OpmSemantics, Renderer, SourceError, TemplateKind, convert, detect,
    render,
};
use libfuzzer_sys::fuzz_target;

/// Every image is a bundle, whose version is what follows the last `v`.
struct Bundles;

impl BundleSource for Bundles {
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
        let version = reference.rsplit('v').next().unwrap_or_default();
        let blob = serde_json::json!({
            "schema": "olm.bundle", "package": "p", "name": format!("p.v{version}"), "image": reference,
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": version}}],
        });
        let mut catalog = load::load_bytes("bundle.json".as_ref(), blob.to_string().as_bytes());
        catalog.bundles.pop().ok_or_else(|| SourceError::Unusable("there is no such image".to_owned()))
    }
}

fuzz_target!(|text: &[u8]| {
    let _ = detect(text);
    let _ = fbc_template::kind_of(text);
    let _ = fbc_template::entry_places(text);
    for kind in [
        TemplateKind::Basic,
        TemplateKind::Semver,
        TemplateKind::Substitutes,
        TemplateKind::Raw,
        TemplateKind::Stream,
    ] {
        for semantics in [OpmSemantics::default(), OpmSemantics::parse("1.50.0").unwrap_or_default()] {
            let renderer =
                Renderer { source: &Bundles, validate: &|_| None, migrate: MigrateLevel::None, semantics };
            match (render(kind, text, &renderer), render(kind, text, &renderer)) {
                (Ok(once), Ok(again)) => assert_eq!(once.channels, again.channels),
                (Err(once), Err(again)) => assert_eq!(once.to_string(), again.to_string()),
                _ => panic!("once it is refused"),
            }
        }
    }
    for target in [ConversionTarget::Basic, ConversionTarget::Substitutes] {
        let _ = convert(target, text, fbc_model::writer::Format::Yaml);
    }
});
