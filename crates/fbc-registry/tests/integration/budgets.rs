//! Registries that are slow, that keep nothing, and that announce more than anybody wants.

use std::time::Duration;

use bytes::Bytes;
use fbc_registry::copy::RegistryImage;
use fbc_registry::{CopyOptions, ImageCache, Origin, PlatformChoice, block_on, copy_image};

use super::faults::download;
use super::fixture::{client, layer, noise, reference, shown};
use fbc_testing::registry::{Misdeed, Registry, digest};

#[test]
fn who_trickles_is_given_up() {
    block_on(async {
        let registry = Registry::start().await;
        let content = noise(100_000);
        registry.hold("ns/a", &content);
        let fixture = client(|settings| settings.timeouts.stall = Duration::from_millis(100));
        let pause = Duration::from_millis(10);
        registry.misbehave("GET /v2/ns/a/blobs/", Misdeed::Trickle(pause));
        let error = download(&fixture.client, &registry.host, &content).await.unwrap_err();
        assert!(
            error.contains("too slow: only ") && error.contains("bytes moved in 0.1 s | try again later"),
            "{error}"
        );
        assert_eq!(registry.log().len(), 1, "it is not asked again");
        assert_eq!(download(&fixture.client, &registry.host, &content).await.unwrap(), content);
        registry
            .state
            .lock()
            .unwrap()
            .manifests
            .insert("ns/a:v1".to_owned(), ("text/plain".to_owned(), content));
        registry.misbehave("GET /v2/ns/a/manifests/", Misdeed::Trickle(pause));
        let error = fixture.client.manifest(&reference(&registry.host, "ns/a:v1")).await.unwrap_err();
        assert!(error.to_string().contains("too slow: it is not whole after 0.2 s"), "{error}");
        // Silence may be a lost connection: the question is repeated once.
        let silent = client(|settings| settings.timeouts.answer = Duration::from_millis(50));
        registry.log();
        for _ in 0..3 {
            registry.misbehave("GET /v2/ns/a/manifests/", Misdeed::Stall(0));
        }
        registry.state.lock().unwrap().says_nothing = true;
        let error = silent.client.manifest(&reference(&registry.host, "ns/a:v1")).await.unwrap_err();
        assert!(error.to_string().contains("too slow: there is no answer after 0.05 s"), "{error}");
        assert_eq!(registry.log().len(), 2);
    })
    .unwrap();
}

#[test]
fn a_registry_that_keeps_nothing_is_given_up() {
    block_on(async {
        let registry = Registry::start().await;
        registry.state.lock().unwrap().keeps_nothing = true;
        let content = noise(1_000_000);
        let bytes = Bytes::from(content.clone());
        for chunk_size in [None, Some(100_000)] {
            let fixture = client(|settings| settings.chunk_size = chunk_size);
            let (target, descriptor) = (reference(&registry.host, "ns/a"), layer(&content));
            let sent = fixture.client.put_blob(&target, &descriptor, &bytes, None);
            let error = sent.await.unwrap_err().to_string();
            assert!(
                error.contains("it takes every part and keeps none: 0 bytes of 1000000 are there"),
                "{error}"
            );
            let parts = registry.log().iter().filter(|line| line.starts_with("PATCH")).count();
            assert_eq!(parts, 6);
        }
    })
    .unwrap();
}

#[test]
fn what_is_too_large_is_not_asked_for() {
    block_on(async {
        let registry = Registry::start().await;
        let content = noise(1000);
        registry.hold("ns/a", &content);
        let fixture = client(|settings| settings.blob_limit = 999);
        let error = download(&fixture.client, &registry.host, &content).await.unwrap_err();
        assert!(error.contains("larger than the limit of 999 bytes | if the image is to be trusted"), "{error}");
        let digest = digest(&content);
        let manifest = format!(
            r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"{digest}","size":1099511627776}},"layers":[]}}"#
        );
        let kind = "application/vnd.oci.image.manifest.v1+json".to_owned();
        registry.state.lock().unwrap().manifests.insert("ns/a:v1".to_owned(), (kind, manifest.into_bytes()));
        let folder = tempfile::tempdir().unwrap();
        let cache = ImageCache::new(folder.path());
        let unlimited = client(|settings| settings.blob_limit = u64::MAX);
        let origin = Origin::Registry(&unlimited.client);
        let image = reference(&registry.host, "ns/a:v1");
        let error = cache.documents(origin, &image, &PlatformChoice::Any).await.unwrap_err().to_string();
        assert!(error.contains("cannot get the configuration") && error.contains("8388608 bytes"), "{error}");
        let to = RegistryImage::new(&unlimited.client, &reference(&registry.host, "ns/b:v1"));
        let from = RegistryImage::new(&unlimited.client, &image);
        let error = copy_image(&from, &to, &CopyOptions::default()).await.unwrap_err().to_string();
        assert!(error.contains("cannot get the configuration") && error.contains("8388608 bytes"), "{error}");
        assert!(!registry.log().iter().any(|line| line.contains("/blobs/")));
    })
    .unwrap();
}

#[test]
fn an_image_of_endless_manifests_is_refused() {
    block_on(async {
        let registry = Registry::start().await;
        let kinds = ["index", "manifest"].map(|kind| format!("application/vnd.oci.image.{kind}.v1+json"));
        let mut children = Vec::new();
        {
            let mut state = registry.state.lock().unwrap();
            for number in 0..1_000 {
                let empty = digest(b"{}");
                let child = serde_json::json!({"schemaVersion": 2, "mediaType": kinds[1], "layers": [],
                    "config": {"mediaType": "application/vnd.oci.empty.v1+json", "digest": empty, "size": 2},
                    "annotations": {"number": number.to_string()}});
                let child = child.to_string().into_bytes();
                let digest = digest(&child);
                children
                    .push(serde_json::json!({"mediaType": kinds[1], "digest": digest, "size": child.len()}));
                state.manifests.insert(format!("ns/a@{digest}"), (kinds[1].clone(), child));
            }
            let index = serde_json::json!({"schemaVersion": 2, "mediaType": kinds[0], "manifests": children});
            state.manifests.insert("ns/a:v1".to_owned(), (kinds[0].clone(), index.to_string().into_bytes()));
        }
        let fixture = client(|_| {});
        let image = reference(&registry.host, "ns/a:v1");
        let to = RegistryImage::new(&fixture.client, &reference(&registry.host, "ns/b:v1"));
        let from = RegistryImage::new(&fixture.client, &image);
        let error = copy_image(&from, &to, &CopyOptions::default()).await.unwrap_err().to_string();
        assert!(error.ends_with("the image has more than 1000 manifests"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let cache = ImageCache::new(folder.path());
        let all = cache.documents(Origin::Registry(&fixture.client), &image, &PlatformChoice::All).await;
        assert!(all.unwrap_err().to_string().ends_with("the image has more than 1000 manifests"));
        // A manifest has a limit of its own, which no flag changes.
        let small = client(|settings| settings.manifest_limit = 100);
        let error = small.client.manifest(&image).await.unwrap_err();
        let told = shown(&error, &registry.host);
        assert!(
            told.contains("larger than the limit of 100 bytes | this limit is that of registries"),
            "{told}"
        );
    })
    .unwrap();
}
