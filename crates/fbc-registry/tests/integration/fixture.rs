//! A clock that only counts, an observer that writes down, and a client for a registry on the loopback interface.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use fbc_registry::credentials::CredentialOrigin;
use fbc_registry::{Client, Clock, Credentials, Observer, Reference, RegistryError, Security, Settings};
use futures_util::future::BoxFuture;
use oci_spec::image::{Descriptor, MediaType};

/// Sleeping moves the time and returns at once.
pub(crate) struct CountingClock(pub(crate) Mutex<(SystemTime, Vec<Duration>)>);

impl CountingClock {
    pub(crate) fn waits(&self) -> Vec<u64> {
        self.0.lock().unwrap().1.iter().map(|wait| wait.as_millis() as u64).collect()
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.0.lock().unwrap().0 += Duration::from_secs(seconds);
    }
}

impl Clock for CountingClock {
    fn now(&self) -> SystemTime {
        self.0.lock().unwrap().0
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        let mut state = self.0.lock().unwrap();
        state.0 += duration;
        state.1.push(duration);
        Box::pin(async {})
    }
}

/// Writes down which credentials are used.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) Mutex<Vec<String>>);

impl Observer for Notes {
    fn credential(&self, repository: &str, origin: Option<&CredentialOrigin>) {
        let origin = origin.map_or_else(|| "none".to_owned(), ToString::to_string);
        self.0.lock().unwrap().push(format!("{repository}: {origin}"));
    }
}

pub(crate) struct Fixture {
    pub(crate) client: Client,
    pub(crate) clock: Arc<CountingClock>,
    pub(crate) notes: Arc<Notes>,
}

/// A client over plain HTTP, changed as a test needs it.
pub(crate) fn client(change: impl FnOnce(&mut Settings)) -> Fixture {
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let clock = Arc::new(CountingClock(Mutex::new((noon, Vec::new()))));
    let notes = Arc::new(Notes::default());
    let mut settings = Settings::new(Arc::<CountingClock>::clone(&clock));
    settings.security = Some(Security::PlainHttp);
    settings.observer = Arc::<Notes>::clone(&notes);
    change(&mut settings);
    Fixture { client: Client::new(settings), clock, notes }
}

/// A user and password for one registry.
pub(crate) fn login(host: &str, user: &str, password: &str) -> Credentials {
    let mut credentials = Credentials::none();
    credentials.add(host, "--creds", user, password);
    credentials
}

pub(crate) fn reference(host: &str, rest: &str) -> Reference {
    Reference::parse(&format!("{host}/{rest}")).unwrap()
}

pub(crate) fn layer(bytes: &[u8]) -> Descriptor {
    let digest: oci_spec::image::Digest = fbc_testing::registry::digest(bytes).parse().unwrap();
    Descriptor::new(MediaType::ImageLayer, bytes.len() as u64, digest)
}

/// Bytes that are no repetition of anything.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(next).collect()
}

/// An error as users see it, with the advice, without the changing host.
pub(crate) fn shown(error: &RegistryError, host: &str) -> String {
    let advice = error.advice().map(|advice| format!(" | {advice}")).unwrap_or_default();
    format!("{error}{advice}").replace(host, "HOST")
}

/// Puts an index of two images into a registry and gives the digest of the index.
pub(crate) async fn publish(client: &Client, host: &str, repository: &str) -> String {
    let mut manifests = Vec::new();
    for (number, platform) in ["amd64", "arm64"].iter().enumerate() {
        let (shared, own) = (noise(300_000), vec![number as u8; 1000]);
        let layers = [&shared, &own].map(|bytes| fbc_testing::registry::digest(bytes));
        let config = serde_json::json!({
            "architecture": platform, "os": "linux", "rootfs": {"type": "layers", "diff_ids": layers},
        });
        let config = serde_json::to_vec(&config).unwrap();
        let place = reference(host, repository);
        for bytes in [&config, &shared, &own] {
            client.put_blob(&place, &layer(bytes), &Bytes::from(bytes.clone()), None).await.unwrap();
        }
        let part = |kind: &str, bytes: &[u8]| serde_json::json!({"mediaType": format!("application/vnd.oci.image.{kind}"), "size": bytes.len(), "digest": fbc_testing::registry::digest(bytes)});
        let manifest = serde_json::json!({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": part("config.v1+json", &config), "layers": [part("layer.v1.tar", &shared), part("layer.v1.tar", &own)],
        });
        let bytes = serde_json::to_vec(&manifest).unwrap();
        let pinned = place.with_digest(fbc_testing::registry::digest(&bytes).parse().unwrap());
        client
            .put_manifest(&pinned, "application/vnd.oci.image.manifest.v1+json", bytes.clone().into())
            .await
            .unwrap();
        let mut descriptor = part("manifest.v1+json", &bytes);
        descriptor["platform"] = serde_json::json!({"os": "linux", "architecture": platform});
        manifests.push(descriptor);
    }
    let kind = "application/vnd.oci.image.index.v1+json";
    let index = serde_json::json!({"schemaVersion": 2, "mediaType": kind, "manifests": manifests});
    let bytes = serde_json::to_vec(&index).unwrap();
    let digest =
        client.put_manifest(&reference(host, &format!("{repository}:v1")), kind, bytes.into()).await.unwrap();
    digest.to_string()
}
