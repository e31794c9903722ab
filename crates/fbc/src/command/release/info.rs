//! `fbc release info`: what a release is, in the words of `oc adm release info`.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use fbc_cluster::time::Moment;
use fbc_kubectl::release::{Column, ImageSize, List, ReleaseImage, ReleaseImageError};
use fbc_simulation::input::payload::PayloadSource;
use fbc_source::image_source::ImageName;
use fbc_source::{Error, Session};
use rayon::prelude::*;
use serde_json::json;

use super::PayloadArguments;
use crate::clock;
use crate::failure::{CLEAN, Failure};
use crate::output::file::write_output;
use crate::progress::Counter;
use crate::settings::Settings;

/// Show what a release is: version, metadata and images
///
/// The words are those of `oc adm release info`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Show the pull specs of the images instead of their digests
    #[arg(long, group = "shown")]
    pullspecs: bool,
    /// Show repositories and commits of the sources of the images
    #[arg(long, group = "shown")]
    commits: bool,
    /// Show the addresses of these commits
    #[arg(long, group = "shown")]
    commit_urls: bool,
    /// Show how old and how large the images are, and what of it they share; asks their registries
    #[arg(long, group = "shown")]
    size: bool,
    /// Show all files of the payload, concatenated
    #[arg(long, group = "shown")]
    contents: bool,
    /// Show nothing but the pull spec of this image of the release
    #[arg(long, value_name = "NAME", group = "shown")]
    image_for: Option<String>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, value_name = "FORMAT")]
    output: Option<Format>,
    #[command(flatten)]
    payload: PayloadArguments,
}

/// The formats of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What `oc` prints, as without the flag
    Text,
    /// One JSON object
    Json,
    /// The names of the images in the release, one on a line
    Name,
    /// Their pull specs, one on a line
    Pullspec,
    /// Their digests, one on a line
    Digest,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if arguments.shows_a_part() && !matches!(arguments.output, None | Some(Format::Text)) {
        return Err(Failure::new("--output names a format of the whole, and another flag asks for a part")
            .help("leave out one of them"));
    }
    let session = arguments.payload.session(settings);
    let source = PayloadSource::open(&arguments.payload.payload, &session)?;
    let mut image = source.release_image();
    let refused = |error: ReleaseImageError| {
        Failure::refusal(error.to_string())
            .help("`fbc release verify` reports everything that is wrong with a payload")
    };
    let list = match arguments.output {
        Some(Format::Name) => Some(List::Name),
        Some(Format::Pullspec) => Some(List::PullSpec),
        Some(Format::Digest) => Some(List::Digest),
        Some(Format::Text | Format::Json) | None => None,
    };
    if let Some(name) = &arguments.image_for {
        let found = image.image_for(name).map_err(|error| {
            Failure::refusal(error.to_string())
                .help("`fbc release info --pullspecs` lists the images of a release")
        })?;
        write_output(settings, None, |out| Ok(writeln!(out, "{found}")?))?;
    } else if arguments.contents {
        let contents = image.contents().map_err(refused)?;
        write_output(settings, None, |out| Ok(out.write_all(&contents)?))?;
    } else if let Some(list) = list {
        let (text, errors) = image.list(list).map_err(refused)?;
        errors.iter().for_each(|error| Failure::new(error).warn());
        write_output(settings, None, |out| Ok(out.write_all(text.as_bytes())?))?;
    } else if arguments.output == Some(Format::Json) {
        let payload = source.load(&super::Inclusion::default())?;
        let value = json!({
            "image": image.reference, "digest": image.digest, "created": image.created(),
            "platform": image.platform, "release": payload.release.to_value(), "previous": payload.previous,
            "manifests": payload.manifests.len() + payload.excluded.len(), "images": payload.images,
        });
        write_output(settings, None, |out| Ok(fbc_app::output::json_document::write(out, &value)?))?;
    } else {
        if arguments.size {
            image.sizes = sizes(&image, &session, settings).map_err(refused)?;
        }
        let text = image.info(arguments.column(), now()).map_err(refused)?;
        write_output(settings, None, |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    Ok(CLEAN)
}

impl Arguments {
    fn shows_a_part(&self) -> bool {
        self.image_for.is_some() || self.contents || self.column() != Column::Digest
    }

    fn column(&self) -> Column {
        match (self.pullspecs, self.commits, self.commit_urls, self.size) {
            (true, ..) => Column::PullSpec,
            (_, true, ..) => Column::Commit,
            (_, _, true, _) => Column::CommitUrl,
            (.., true) => Column::Size,
            _ => Column::Digest,
        }
    }
}

/// The moment that ages are told from.
fn now() -> Moment {
    Moment(u64::try_from(clock::Moment::of_environment().seconds()).unwrap_or_default() * 1000)
}

/// What the registries say about the layers of the images. An image that cannot be read is a warning, and left out.
fn sizes(
    release: &ReleaseImage,
    session: &Session,
    settings: &Settings,
) -> Result<BTreeMap<String, ImageSize>, ReleaseImageError> {
    let images = release.images()?;
    let progress = Counter::new("asking for images", images.len(), settings.quiet);
    let size = |(name, image): &(String, String)| {
        let image = ImageName::parse(image).map_err(|error| Error::new(error.to_string()));
        let opened = image.and_then(|image| image.open(session.platform(), session));
        let size = opened.map(|opened| {
            let layers = opened.image.manifest.layers().iter();
            let created = opened.image.raw_configuration.get("created").and_then(serde_json::Value::as_str);
            ImageSize {
                created: created.and_then(Moment::parse),
                layers: layers.map(|layer| (layer.digest().to_string(), layer.size())).collect(),
            }
        });
        progress.step();
        (name.clone(), size)
    };
    let answers: Vec<(String, Result<ImageSize, Error>)> = images.par_iter().map(size).collect();
    drop(progress);
    let mut sizes = BTreeMap::new();
    for (name, answer) in answers {
        match answer {
            Ok(size) => drop(sizes.insert(name, size)),
            Err(error) => Failure::from(error.within(&name)).warn(),
        }
    }
    Ok(sizes)
}
