//! catalogd: pulls the images of ClusterCatalogs, serves what they hold, and polls for newer ones.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/controllers/core/clustercatalog_controller.go`.

mod label;
pub mod service;
mod status;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use fbc_cluster::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::random::Random;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
pub use label::NameLabel;
use serde_json::json;

use super::Options;
use super::content::{PullError, SharedImages};
use super::names::{CLUSTER_CATALOG, DELETE_SERVER_CACHE, GROUP};

/// What is known of a catalog that was unpacked.
#[derive(Debug, Clone)]
struct Stored {
    canonical: String,
    unpacked_at: Moment,
    polled_at: Moment,
    generation: i64,
}

/// An unpack that takes its time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unpacking {
    canonical: String,
    until: Moment,
}

/// The controller of ClusterCatalogs.
pub struct Catalogd {
    options: Options,
    images: SharedImages,
    caller: Caller,
    random: Random,
    stored: BTreeMap<String, Stored>,
    /// The image of each catalog that lies unpacked on disk, and since when. Outlives failures.
    unpacked: BTreeMap<String, (String, Moment)>,
    unpacking: BTreeMap<String, Unpacking>,
}

/// What a reconciliation came to before its status is written.
enum End {
    Finished,
    PollIn(Milliseconds),
    ComeBackIn(Milliseconds),
    Retry(String),
    Blocked,
}

impl Catalogd {
    /// catalogd over these images. The seed spreads polls.
    pub fn new(options: Options, images: SharedImages, seed: u64) -> Self {
        let caller = options.catalogd();
        Self {
            options,
            images,
            caller,
            random: Random::of(seed, "catalogd"),
            stored: BTreeMap::new(),
            unpacked: BTreeMap::new(),
            unpacking: BTreeMap::new(),
        }
    }

    fn forget(&mut self, name: &str) {
        self.stored.remove(name);
        self.unpacked.remove(name);
        self.unpacking.remove(name);
    }

    /// Everything up to the writes; changes the status and finalizers of the object.
    fn advance(&mut self, catalog: &mut Object, now: Moment) -> End {
        let name = catalog.name().to_owned();
        if catalog.text(&["spec", "availabilityMode"]) == "Unavailable" {
            self.forget(&name);
            status::user_specified_unavailable(catalog, now);
            remove_finalizer(catalog);
            return End::Finished;
        }
        let has_finalizer = catalog.finalizers().any(|finalizer| finalizer == DELETE_SERVER_CACHE);
        if catalog.is_terminating() {
            if has_finalizer {
                self.forget(&name);
                status::not_serving(catalog, now);
                remove_finalizer(catalog);
            }
            return End::Finished;
        }
        if !has_finalizer {
            match catalog.place(&["metadata", "finalizers"]) {
                serde_json::Value::Array(finalizers) => finalizers.push(DELETE_SERVER_CACHE.into()),
                other => *other = json!([DELETE_SERVER_CACHE]),
            }
            return End::Finished;
        }
        if let Some(wait) = self.wait_for_poll(catalog, now) {
            return wait;
        }
        self.unpack(catalog, &name, now)
    }

    /// How the reconciliation ends if nothing needs to be unpacked.
    fn wait_for_poll(&mut self, catalog: &Object, now: Moment) -> Option<End> {
        let stored = self.stored.get(catalog.name())?;
        let mut expected = catalog.clone();
        status::serving(&mut expected, &self.served(catalog.name(), stored), now);
        status::progressing(&mut expected, None, now);
        if stored.generation != catalog.generation() || expected["status"] != catalog["status"] {
            return None;
        }
        let Some(interval) = poll_interval(catalog) else { return Some(End::Finished) };
        if now >= stored.polled_at + interval {
            return None;
        }
        // The reference waits up to a hundredth longer, so that catalogs do not poll at once.
        let jitter = self.random.below(interval / 100);
        Some(End::PollIn((stored.polled_at + interval + jitter).since(now)))
    }

    fn unpack(&mut self, catalog: &mut Object, name: &str, now: Moment) -> End {
        let source = catalog.at(&["spec", "source"]).cloned().unwrap_or_default();
        let source_type = source.text(&["type"]);
        if source_type != "Image" {
            return fail(catalog, terminal(format!("unknown source type {source_type:?}")), now);
        }
        if source.at(&["image"]).is_none() {
            return fail(
                catalog,
                terminal(format!("error parsing ClusterCatalog {name:?}, image source is nil")),
                now,
            );
        }
        let pulled = self.images.borrow().pull_catalog(source.text(&["image", "ref"]));
        let pulled = match pulled {
            Ok(pulled) => pulled,
            Err(error) => {
                self.stored.remove(name);
                self.unpacking.remove(name);
                let message = format!("source catalog content: {error}");
                return fail(catalog, PullError { message, ..error }, now);
            }
        };
        if let Some(wait) = self.still_unpacking(name, &pulled.canonical, now) {
            return End::ComeBackIn(wait);
        }
        if let Some(fault) = &pulled.image.catalog().fault {
            self.stored.remove(name);
            let message = format!("error storing fbc: {fault}");
            return fail(catalog, PullError { message, is_terminal: false }, now);
        }
        let unpacked_at = match self.unpacked.get(name) {
            Some((canonical, at)) if *canonical == pulled.canonical => *at,
            _ => now,
        };
        self.unpacked.insert(name.to_owned(), (pulled.canonical.clone(), unpacked_at));
        let stored = Stored {
            canonical: pulled.canonical,
            unpacked_at,
            polled_at: now,
            generation: catalog.generation(),
        };
        status::progressing(catalog, None, now);
        status::serving(catalog, &self.served(name, &stored), now);
        self.stored.insert(name.to_owned(), stored);
        match poll_interval(catalog) {
            Some(interval) => End::PollIn(interval + self.random.below(interval / 100)),
            None => End::Finished,
        }
    }

    /// How long the unpacking of an image still takes. What is unpacked already takes no time.
    fn still_unpacking(&mut self, name: &str, canonical: &str, now: Moment) -> Option<Milliseconds> {
        let is_unpacked = self.unpacked.get(name).is_some_and(|(present, _)| present == canonical);
        if is_unpacked || self.options.unpack_time == 0 {
            self.unpacking.remove(name);
            return None;
        }
        let until = match self.unpacking.get(name) {
            Some(unpacking) if unpacking.canonical == canonical => unpacking.until,
            _ => now + self.options.unpack_time,
        };
        if now >= until {
            self.unpacking.remove(name);
            return None;
        }
        self.unpacking.insert(name.to_owned(), Unpacking { canonical: canonical.to_owned(), until });
        Some(until.since(now))
    }

    fn served(&self, name: &str, stored: &Stored) -> status::Served {
        status::Served {
            canonical: stored.canonical.clone(),
            url: format!(
                "https://{}.{}.svc/catalogs/{name}",
                service::SERVICE,
                self.options.catalogd_namespace
            ),
            unpacked_at: stored.unpacked_at,
        }
    }

    /// Writes the status first and finalizers afterwards, each only if it changed.
    fn write(&self, before: &Object, after: Object, api: &mut ApiServer) -> Result<(), ApiError> {
        let name = before.object_name();
        let finalizers = after["metadata"]["finalizers"].clone();
        let finalizers_changed = before["metadata"]["finalizers"] != finalizers;
        if before["status"] != after["status"] {
            api.update(&self.caller, after, Subresource::Status, WriteOptions::default())?;
        }
        if finalizers_changed && let Some(id) = api.kind_id(GROUP, CLUSTER_CATALOG) {
            let patch = Patch::Merge(json!({"metadata": {"finalizers": finalizers}}));
            api.patch(&self.caller, id, &name, &patch, Subresource::None, WriteOptions::default())?;
        }
        Ok(())
    }
}

fn terminal(message: String) -> PullError {
    PullError { message, is_terminal: true }
}

fn fail(catalog: &mut Object, error: PullError, now: Moment) -> End {
    status::progressing(catalog, Some(&error), now);
    if error.is_terminal { End::Blocked } else { End::Retry(error.message) }
}

fn poll_interval(catalog: &Object) -> Option<Milliseconds> {
    let minutes = catalog.number(&["spec", "source", "image", "pollIntervalMinutes"])?;
    u64::try_from(minutes).ok().map(|minutes| minutes * MINUTE)
}

fn remove_finalizer(catalog: &mut Object) {
    if let serde_json::Value::Array(finalizers) = catalog.place(&["metadata", "finalizers"]) {
        finalizers.retain(|finalizer| finalizer != DELETE_SERVER_CACHE);
        if !finalizers.is_empty() {
            return;
        }
    }
    catalog.remove(&["metadata", "finalizers"]);
}

impl Controller for Catalogd {
    fn name(&self) -> &'static str {
        "catalogd"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, CLUSTER_CATALOG)]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(before) = api.find(GROUP, CLUSTER_CATALOG, request).cloned() else {
            self.forget(&request.name);
            return Outcome::Done;
        };
        let mut after = Object::clone(&before);
        let end = self.advance(&mut after, api.now());
        if let Err(error) = self.write(&before, after, api) {
            self.stored.remove(&request.name);
            return Outcome::Failed(format!("error updating status: {error}"));
        }
        match end {
            End::Finished | End::Blocked => Outcome::Done,
            End::PollIn(wait) => Outcome::Routinely(wait),
            End::ComeBackIn(wait) => Outcome::After(wait),
            End::Retry(error) => Outcome::Failed(error),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}
