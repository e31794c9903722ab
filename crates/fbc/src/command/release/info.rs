//! `fbc release info`: what a release is, in the words of `oc adm release info`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_kubectl::release::Column;
use serde_json::json;

use super::source::PayloadSource;
use crate::failure::{CLEAN, Failure};
use crate::json_document;
use crate::output_file::write_output;
use crate::registry::ImageArguments;

/// Show what a release is: version, metadata and images
///
/// The words are those of `oc adm release info`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// A directory with `release-manifests`, or a release image
    #[arg(value_name = "PAYLOAD", value_hint = ValueHint::AnyPath)]
    payload: PathBuf,
    /// Show the pull specs of the images instead of their digests
    #[arg(long, conflicts_with_all = ["commits", "commit_urls"])]
    pullspecs: bool,
    /// Show repositories and commits of the sources of the images
    #[arg(long, conflicts_with = "commit_urls")]
    commits: bool,
    /// Show the addresses of these commits
    #[arg(long)]
    commit_urls: bool,
    /// Show nothing but the pull spec of this image of the release
    #[arg(long, value_name = "NAME")]
    image_for: Option<String>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    #[command(flatten)]
    images: ImageArguments,
}

/// The formats of releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What `oc` prints
    #[default]
    Text,
    /// One JSON object
    Json,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.payload]);
    let source = PayloadSource::open(&arguments.payload, &session)?;
    let image = source.release_image();
    let column = match (arguments.pullspecs, arguments.commits, arguments.commit_urls) {
        (true, _, _) => Column::PullSpec,
        (_, true, _) => Column::Commit,
        (_, _, true) => Column::CommitUrl,
        _ => Column::Digest,
    };
    let refused = |text: String| {
        Failure::refusal(text).help("`fbc release verify` tells everything that is wrong with a payload")
    };
    if let Some(name) = &arguments.image_for {
        let found = image.image_for(name).map_err(|text| {
            Failure::refusal(text).help("`fbc release info --pullspecs` lists the images of a release")
        })?;
        write_output(None, |out| Ok(writeln!(out, "{found}")?))?;
        return Ok(CLEAN);
    }
    match arguments.output {
        Format::Text => {
            let text = image.info(column).map_err(refused)?;
            write_output(None, |out| Ok(out.write_all(text.as_bytes())?))?;
        }
        Format::Json => {
            let payload = source.load(&super::Inclusion::default())?;
            let value = json!({
                "image": image.reference, "digest": image.digest, "created": image.created(),
                "platform": image.platform, "release": payload.release.to_value(), "previous": payload.previous,
                "manifests": payload.manifests.len() + payload.excluded.len(), "images": payload.images,
            });
            write_output(None, |out| Ok(json_document::write(out, &value)?))?;
        }
    }
    Ok(CLEAN)
}
