//! What is told while images travel: bars on a terminal, lines about credentials, repetitions and mirrors.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fbc_registry::Observer;
use fbc_registry::credentials::CredentialOrigin;
use fbc_registry::observer::BlobOutcome;
use fbc_source::progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use oci_spec::image::{Descriptor, Digest};

use crate::failure::HELP;
use crate::progress::Counter;

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Voice {
    /// Nothing but errors.
    Quiet,
    /// What takes long, and why.
    #[default]
    Normal,
    /// Also which credential is used and which endpoints are asked.
    Verbose,
}

impl Voice {
    /// What flags say.
    pub(super) fn new(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Verbose,
            (false, false) => Self::Normal,
        }
    }
}

/// Blobs and images smaller than this get no bar, in bytes: they are there before it is drawn.
const SMALL: u64 = 256 << 10;

/// Tells on standard error.
pub(super) struct Progress {
    voice: Voice,
    bars: Option<MultiProgress>,
    drawn: Mutex<Drawn>,
    /// Hosts that were asked again.
    retried: Mutex<BTreeSet<String>>,
}

/// The bars that are drawn.
#[derive(Default)]
struct Drawn {
    /// Of blobs that belong to no image with a bar, by digest.
    blobs: BTreeMap<String, ProgressBar>,
    /// Of images, by a number of their own.
    images: BTreeMap<u64, Image>,
    /// The last number.
    last: u64,
}

/// An image on its way.
struct Image {
    bar: ProgressBar,
    /// Of each blob how many bytes are through, and its size.
    blobs: BTreeMap<String, (u64, u64)>,
}

/// As those who carry images know it.
pub(super) struct SharedProgress(pub(super) Arc<Progress>);

/// The bar of an image; it goes when this is dropped.
struct ImageBar {
    progress: Arc<Progress>,
    number: u64,
}

/// How many images there are, and how many are done; it goes when this is dropped.
struct ImageCount(ProgressBar);

impl progress::Count for ImageCount {
    fn advance(&self) {
        self.0.inc(1);
    }
}

impl Drop for ImageCount {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl progress::ImageProgress for ImageBar {
    fn blob_is_there(&self, descriptor: &Descriptor) {
        self.progress.drawn().move_blob(descriptor.digest().as_ref(), None);
    }
}

impl Drop for ImageBar {
    fn drop(&mut self) {
        if let Some(image) = self.progress.drawn().images.remove(&self.number) {
            image.bar.finish_and_clear();
        }
    }
}

impl Drawn {
    /// Moves the bars of all images that a blob belongs to, to its end if no position is given; whether there are any.
    fn move_blob(&mut self, digest: &str, position: Option<u64>) -> bool {
        let mut found = false;
        for image in self.images.values_mut() {
            let Some((through, size)) = image.blobs.get_mut(digest) else { continue };
            found = true;
            *through = position.unwrap_or(*size);
            image.bar.set_position(image.blobs.values().map(|(through, _)| through).sum());
        }
        found
    }
}

impl Progress {
    pub(super) fn new(voice: Voice) -> Self {
        let has_bars = voice != Voice::Quiet && std::io::stderr().is_terminal();
        let bars = has_bars.then(MultiProgress::new);
        Self { voice, bars, drawn: Mutex::default(), retried: Mutex::default() }
    }

    /// Takes the bars away that are left, so that what is told next stands alone.
    fn clear(&self) {
        let Drawn { blobs, images, .. } = std::mem::take(&mut *self.drawn());
        let bars = blobs.into_values().chain(images.into_values().map(|image| image.bar));
        bars.for_each(|bar| bar.finish_and_clear());
    }

    /// One bar for all blobs of an image; nothing where none are drawn, or the image is small.
    fn image(self: &Arc<Self>, name: &str, blobs: &[Descriptor]) -> Option<ImageBar> {
        let bars = self.bars.as_ref()?;
        let blobs: BTreeMap<String, (u64, u64)> =
            blobs.iter().map(|blob| (blob.digest().to_string(), (0, blob.size()))).collect();
        let size = blobs.values().map(|(_, size)| size).sum();
        if size < SMALL {
            return None;
        }
        let bar = bars.add(bar_of("{prefix:40!} {bar:24} {bytes}/{total_bytes} {bytes_per_sec}", size));
        bar.set_prefix(fbc_app::escape::line(name).to_string());
        let mut drawn = self.drawn();
        drawn.last += 1;
        let number = drawn.last;
        drawn.images.insert(number, Image { bar, blobs });
        Some(ImageBar { progress: Arc::clone(self), number })
    }

    /// A bar above the others that counts images.
    fn count(&self, images: usize) -> Option<ImageCount> {
        let bars = self.bars.as_ref().filter(|_| images > 1)?;
        Some(ImageCount(bars.insert(0, bar_of("{pos}/{len} images", images as u64))))
    }

    fn drawn(&self) -> MutexGuard<'_, Drawn> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, line: &str) {
        let write = || {
            // Nothing is left to tell it to if this fails.
            let _ = writeln!(crate::terminal::stderr(), "{HELP}note{HELP:#}: {line}");
        };
        match &self.bars {
            Some(bars) => bars.suspend(write),
            None => write(),
        }
    }
}

fn bar_of(template: &str, length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}

impl Observer for Progress {
    fn credential(&self, repository: &str, origin: Option<&CredentialOrigin>) {
        if self.voice == Voice::Verbose {
            match origin {
                Some(origin) => self.tell(&format!("credential for {repository}: {origin}")),
                None => self.tell(&format!("no credential for {repository}")),
            }
        }
    }

    fn retry(&self, what: &str, why: &str, wait: Duration) {
        match self.voice {
            Voice::Quiet => {}
            Voice::Normal => {
                // Whoever waits learns once for each host why.
                let host =
                    what.split_once("://").and_then(|(_, rest)| rest.split('/').next()).unwrap_or(what);
                let mut hosts = self.retried.lock().unwrap_or_else(PoisonError::into_inner);
                if hosts.insert(host.to_owned()) {
                    let why = why.rsplit_once(", after ").map_or(why, |(why, _)| why);
                    self.tell(&format!("{host}: {why}; trying again"));
                }
            }
            Voice::Verbose => {
                let wait = wait.as_secs_f64();
                self.tell(&format!("cannot {what}: {why}; trying again in {wait} s"));
            }
        }
    }

    fn next_endpoint(&self, failed: &str, why: &str) {
        if self.voice == Voice::Verbose {
            self.tell(&format!("{failed}: {why}"));
        }
    }

    fn blob_moved(&self, digest: &Digest, position: u64, size: u64) {
        let Some(bars) = &self.bars else { return };
        let mut drawn = self.drawn();
        if drawn.move_blob(digest.as_ref(), Some(position)) || size < SMALL {
            return;
        }
        let bar = drawn.blobs.entry(digest.to_string()).or_insert_with(|| {
            let short: String = digest.digest().chars().take(12).collect();
            let bar = bar_of("{prefix} {bar:30} {bytes}/{total_bytes} {bytes_per_sec}", size);
            bars.add(bar).with_prefix(short)
        });
        bar.set_position(position);
    }

    fn blob_done(&self, digest: &Digest, _outcome: BlobOutcome) {
        let mut drawn = self.drawn();
        drawn.move_blob(digest.as_ref(), None);
        if let Some(bar) = drawn.blobs.remove(digest.as_ref()) {
            bar.finish_and_clear();
        }
    }
}

impl Observer for SharedProgress {
    fn credential(&self, repository: &str, origin: Option<&CredentialOrigin>) {
        self.0.credential(repository, origin);
    }

    fn retry(&self, what: &str, why: &str, wait: Duration) {
        self.0.retry(what, why, wait);
    }

    fn next_endpoint(&self, failed: &str, why: &str) {
        self.0.next_endpoint(failed, why);
    }

    fn blob_moved(&self, digest: &Digest, position: u64, size: u64) {
        self.0.blob_moved(digest, position, size);
    }

    fn blob_done(&self, digest: &Digest, outcome: BlobOutcome) {
        self.0.blob_done(digest, outcome);
    }
}

impl progress::Progress for SharedProgress {
    fn image(&self, name: &str, blobs: &[Descriptor]) -> Option<Box<dyn progress::ImageProgress>> {
        self.0.image(name, blobs).map(|bar| Box::new(bar) as Box<dyn progress::ImageProgress>)
    }

    fn images(&self, total: usize) -> Option<Box<dyn progress::Count>> {
        self.0.count(total).map(|count| Box::new(count) as Box<dyn progress::Count>)
    }

    fn questions(&self, total: usize) -> Option<Box<dyn progress::Count>> {
        Some(Box::new(Counter::new("asking for images", total, self.0.voice == Voice::Quiet)))
    }

    fn clear(&self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use fbc_source::progress::ImageProgress as _;
    use indicatif::ProgressDrawTarget;
    use oci_spec::image::MediaType;

    use super::*;

    #[test]
    fn an_image_has_one_bar_for_its_blobs() {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let progress = Arc::new(Progress {
            voice: Voice::Normal,
            bars: Some(bars),
            drawn: Mutex::default(),
            retried: Mutex::default(),
        });
        let blob = |digit: &str, size: u64| {
            let digest: Digest = format!("sha256:{}", digit.repeat(64)).parse().unwrap();
            Descriptor::new(MediaType::ImageLayer, size, digest)
        };
        let (shared, own, other) = (blob("a", 300_000), blob("b", 200_000), blob("c", 400_000));
        assert!(progress.image("small", std::slice::from_ref(&own)).is_none());
        let one = progress.image("one", &[shared.clone(), own.clone()]).unwrap();
        let two = progress.image("two", std::slice::from_ref(&shared)).unwrap();
        let positions = || -> Vec<(u64, Option<u64>)> {
            progress.drawn().images.values().map(|image| (image.bar.position(), image.bar.length())).collect()
        };
        progress.blob_moved(shared.digest(), 100, shared.size());
        assert_eq!(positions(), [(100, Some(500_000)), (100, Some(300_000))]);
        progress.blob_done(shared.digest(), BlobOutcome::Transferred);
        one.blob_is_there(&own);
        assert_eq!(positions(), [(500_000, Some(500_000)), (300_000, Some(300_000))]);
        // What belongs to no image has a bar of its own.
        progress.blob_moved(other.digest(), 100, other.size());
        assert_eq!(progress.drawn().blobs.len(), 1);
        drop((one, two));
        assert!(progress.drawn().images.is_empty());
        progress.blob_done(other.digest(), BlobOutcome::Existed);
        assert!(progress.drawn().blobs.is_empty());
    }
}
