//! Files of a bundle that are not objects.

use fbc_bundle::contents::{BundleFile, FileFault, MANIFESTS, METADATA};
use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::lost::is_catalog_file;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;
use fbc_yaml::Kind;
use fbc_yaml::stream::{Fault, Syntax};

use crate::fbc::go_words;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND002",
    name: "unreadable-manifest",
    since: "0.1.0",
    summary: "A file of a bundle cannot be read, or holds no object",
    explanation: "\
Every file directly in `manifests` must hold one Kubernetes object, as YAML or JSON. opm skips what it cannot
read when it renders a bundle, so that a manifest is missing from the catalog and from the cluster without a
word; opm's and operator-sdk's validation refuse the bundle. Files of `metadata` are only looked at if they
are YAML or JSON by their names.

Move other files (pictures, notes, directories) out of `manifests`, and fix what is broken.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:pkg/lib/bundle/validate.go",
            "ValidateBundleContent",
        ),
        Source::Code("operator-framework/api:pkg/manifests/bundleloader.go", "loadBundle"),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("unreadable_manifest.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for (folder, is_of_manifests) in [(MANIFESTS, true), (METADATA, false)] {
        for (number, file) in context.contents.files_of(folder) {
            if !is_of_manifests && !is_catalog_file(&file.path) {
                continue;
            }
            let Some((message, target)) = fault(file) else { continue };
            // A document of `metadata` without content says nothing, and does no harm.
            if !is_of_manifests
                && target == Spot::File
                && matches!(&file.documents, Ok(list) if list.is_empty())
            {
                continue;
            }
            let origin = Origin { file: number, document: 0 };
            findings.push(
                Finding::new(&RULE, message).at(context.place(origin, target)).about(context.subject()).help(
                    if is_of_manifests {
                        "put one Kubernetes object into each file of `manifests`, and nothing else there"
                    } else {
                        "fix the file or remove it"
                    },
                ),
            );
        }
    }
    for folder in &context.contents.nested_folders {
        if folder.starts_with(MANIFESTS) {
            let message = format!(
                "{} is a directory, and bundles are not read below it",
                quote(&folder.to_string_lossy())
            );
            let place = Place { path: folder.clone(), origin: None, spot: Spot::File };
            findings.push(
                Finding::new(&RULE, message)
                    .at(place)
                    .about(context.subject())
                    .help("move its files directly into `manifests`"),
            );
        }
    }
}

/// What is wrong with the first document of a file, which is the one that counts, and where.
fn fault(file: &BundleFile) -> Option<(String, Spot)> {
    let documents = match &file.documents {
        Err(FileFault::Unreadable(reason)) => {
            let reason = reason.split(" (os error").next().unwrap_or(reason);
            return Some((format!("the file cannot be read: {reason}"), Spot::File));
        }
        Err(FileFault::NotText(byte)) => {
            return Some((format!("the file is not text: byte {byte} is not UTF-8"), Spot::File));
        }
        Ok(documents) => documents,
    };
    let Some(first) = documents.first() else {
        return Some(("the file holds no object".to_owned(), Spot::File));
    };
    match first.object.as_ref().err()? {
        Fault::Rejected(Kind::Null) => Some(("the file holds no object".to_owned(), Spot::File)),
        Fault::Rejected(kind) => {
            let kind = go_words::found_kind(kind.go_name());
            Some((format!("the document is {kind}, not an object"), Spot::Value(String::new())))
        }
        Fault::Malformed { message, byte } => {
            let syntax = match first.syntax {
                Syntax::Yaml => "YAML",
                Syntax::Json => "JSON",
            };
            let message = message.rsplit("yaml: ").next().unwrap_or(message);
            let reason = message.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
            let reason = reason.map_or(message, |(_, reason)| reason);
            Some((format!("the document is not valid {syntax}: {reason}"), Spot::Byte(*byte)))
        }
        Fault::Separator { rest, byte } => {
            Some((format!("{} stands behind a line of dashes", quote(rest)), Spot::Byte(*byte)))
        }
    }
}
