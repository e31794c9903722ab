//! `oc adm release`, as data.
//!
//! Source: `openshift/oc:pkg/cli/admin/release` (`info.go`, `extract.go`).

use super::flags::{Arguments, Flag, Takes};
use super::{CommandError, Parsed, Verb, VerbSyntax};
use crate::release::{Column, List};

/// What is wanted of release images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleaseVerb {
    /// `info`
    Info {
        /// Images or versions; none for the release of the cluster.
        images: Vec<String>,
        /// `--changes-from`, or the first of two images: what they are compared with.
        from: Option<String>,
        /// What is shown.
        view: View,
    },
    /// `extract`
    Extract {
        /// The image or version; nothing for the release of the cluster.
        image: Option<String>,
        /// `--to`: the directory.
        to: String,
        /// `--file`: a file that is printed instead.
        file: Option<String>,
    },
}

/// What is shown of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// All about it, with a column of its images.
    All(Column),
    /// Its images, one on a line: `-o name` and the like.
    List(List),
    /// All about it as an object: `-o json` and templates.
    Object,
    /// All its files: `--contents`.
    Contents,
    /// `--image-for`: the pull spec of one image.
    ImageFor(String),
}

const INFO_WORDS: &str = "adm release info";
const INFO: &[Flag] = &[
    Flag::new("changes-from", Takes::Value),
    Flag::new("contents", Takes::Nothing),
    Flag::new("size", Takes::Nothing),
    Flag::new("pullspecs", Takes::Nothing),
    Flag::new("commits", Takes::Nothing),
    Flag::new("commit-urls", Takes::Nothing),
    Flag::new("image-for", Takes::Value),
];
const EXTRACT: &[Flag] =
    &[Flag::new("from", Takes::Value), Flag::new("to", Takes::Value), Flag::new("file", Takes::Value)];

pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax { words: INFO_WORDS, flags: &[INFO], read: info },
    VerbSyntax { words: "adm release extract", flags: &[EXTRACT], read: extract },
];

fn text(arguments: &Arguments, name: &str) -> Option<String> {
    arguments.value(name).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Whether `-o` of a verb asks for a list of images, which no other verb has.
pub(super) fn is_list(verb: &str, format: &str) -> bool {
    verb == INFO_WORDS && List::ALL.iter().any(|(known, _)| *known == format)
}

fn info(arguments: &Arguments) -> Parsed<Verb> {
    const FORMATS: [&str; 8] = [
        "json",
        "go-template",
        "go-template-file",
        "template",
        "templatefile",
        "jsonpath",
        "jsonpath-as-json",
        "jsonpath-file",
    ];
    let mut views = Vec::new();
    for (flag, view) in [
        ("commits", View::All(Column::Commit)),
        ("commit-urls", View::All(Column::CommitUrl)),
        ("pullspecs", View::All(Column::PullSpec)),
        ("contents", View::Contents),
        ("size", View::All(Column::Size)),
    ] {
        if arguments.switch(flag)? {
            views.push(view);
        }
    }
    let image_for = text(arguments, "image-for");
    let format =
        text(arguments, "output").or_else(|| text(arguments, "template").map(|_| "template".to_owned()));
    if image_for.is_some() && format.is_some() {
        return Err(CommandError::error("--output and --image-for may not both be specified"));
    }
    views.extend(image_for.map(View::ImageFor));
    if views.len() > 1 {
        return Err(CommandError::error(
            "only one of --commits, --commit-urls, --pullspecs, --contents, --size, --verify may be specified",
        ));
    }
    let view = views.pop().unwrap_or(View::All(Column::Digest));
    let view = match format.as_deref().map(|format| format.split_once('=').map_or(format, |(name, _)| name)) {
        // The files go before formats.
        None => view,
        Some(_) if view == View::Contents => view,
        Some(format) => match List::ALL.iter().find(|(known, _)| *known == format) {
            Some((_, list)) => View::List(*list),
            None if FORMATS.contains(&format) => View::Object,
            None => {
                let known = FORMATS.iter().skip(1).copied();
                let known: Vec<&str> =
                    ["json", "pullspec", "digest", "name"].into_iter().chain(known).collect();
                return Err(CommandError::error(format!("--output only supports {}", known.join(", "))));
            }
        },
    };
    let mut images = arguments.positional.clone();
    let mut from = text(arguments, "changes-from");
    if from.is_none() && images.len() == 2 {
        from = Some(images.remove(0));
    }
    if from.is_some() && images.len() > 1 {
        return Err(CommandError::error(
            "must specify a single release image as argument when comparing to another release image",
        ));
    }
    if from.is_some() && !matches!(view, View::All(_) | View::Contents) {
        return Err(CommandError::refused(
            "what changes between releases is shown as text only in a simulated cluster",
            "`fbc release diff OLD NEW -o json` compares payloads",
        ));
    }
    Ok(Verb::Release(ReleaseVerb::Info { images, from, view }))
}

fn extract(arguments: &Arguments) -> Parsed<Verb> {
    let from = text(arguments, "from");
    if arguments.positional.len() + usize::from(from.is_some()) > 1 {
        return Err(CommandError::error("you may only specify a single image via --from or argument"));
    }
    let (to, file) = (text(arguments, "to"), text(arguments, "file"));
    if to.as_deref().is_some_and(|to| to != ".") && file.is_some() {
        return Err(CommandError::error("only one of --to and --file may be set"));
    }
    let image = from.or_else(|| arguments.positional.first().cloned());
    Ok(Verb::Release(ReleaseVerb::Extract { image, to: to.unwrap_or_else(|| ".".to_owned()), file }))
}
