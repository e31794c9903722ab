//! `oc adm release`, as data.
//!
//! Source: `openshift/oc:pkg/cli/admin/release` (`info.go`, `extract.go`).

use super::flags::{Arguments, Flag, Takes};
use super::{CommandError, Parsed, Verb, VerbSyntax};
use crate::release::Column;

/// What is wanted of release images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleaseVerb {
    /// `info`: an image or a version, nothing for the release of the cluster.
    Info {
        /// The image or version.
        image: Option<String>,
        /// What is shown of its images.
        column: Column,
        /// `--image-for`
        image_for: Option<String>,
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

const INFO: &[Flag] = &[
    Flag::new("pullspecs", Takes::Nothing),
    Flag::new("commits", Takes::Nothing),
    Flag::new("commit-urls", Takes::Nothing),
    Flag::new("image-for", Takes::Value),
];
const EXTRACT: &[Flag] =
    &[Flag::new("from", Takes::Value), Flag::new("to", Takes::Value), Flag::new("file", Takes::Value)];

pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax { words: "adm release info", flags: &[INFO], read: info },
    VerbSyntax { words: "adm release extract", flags: &[EXTRACT], read: extract },
];

fn text(arguments: &Arguments, name: &str) -> Option<String> {
    arguments.value(name).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn info(arguments: &Arguments) -> Parsed<Verb> {
    if arguments.positional.len() > 1 {
        return Err(CommandError::refused(
            "two releases are not compared in a simulated cluster",
            "`fbc release diff OLD NEW` compares payloads",
        ));
    }
    let mut column = Column::Digest;
    for (flag, wanted) in
        [("pullspecs", Column::PullSpec), ("commits", Column::Commit), ("commit-urls", Column::CommitUrl)]
    {
        if arguments.switch(flag)? {
            column = wanted;
        }
    }
    Ok(Verb::Release(ReleaseVerb::Info {
        image: arguments.positional.first().cloned(),
        column,
        image_for: text(arguments, "image-for"),
    }))
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
