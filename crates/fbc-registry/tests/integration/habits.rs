//! Registries that do some things otherwise: images get there all the same.

use bytes::Bytes;
use fbc_registry::attached::referrers_tag;
use fbc_registry::copy::{RegistryImage, copy_image};
use fbc_registry::observer::BlobOutcome;
use fbc_registry::{CopyOptions, block_on};
use fbc_testing::registry::{Counts, Habits, Registry, digest};
use oci_spec::image::Digest;

use crate::fixture::{client, layer, noise, publish, reference, shown};

async fn registry(habits: Habits) -> Registry {
    let registry = Registry::start().await;
    registry.state.lock().unwrap().habits = habits;
    registry
}

#[test]
fn blobs_arrive_in_the_parts_that_a_registry_takes() {
    block_on(async {
        const MIB: usize = 1 << 20;
        let content = noise(5 * MIB);
        let size = content.len();
        let whole = (None, size);
        let parts_of = |length: usize| -> Vec<(Option<String>, usize)> {
            let starts = (0..size).step_by(length);
            let part = |start: usize| (start, length.min(size - start));
            let range = |(start, length)| (Some(format!("{start}-{}", start + length - 1)), length);
            starts.map(part).map(range).collect()
        };
        let ghcr = || Habits { largest_part: Some(4 * MIB), ..Habits::default() };
        let proxy = || Habits { largest_request: Some(4 * MIB), ..Habits::default() };
        let counting = |counts| Habits { counts, ..Habits::default() };
        for (habits, chunk_size, expected) in [
            (Habits::default(), None, vec![whole.clone()]),
            // A blob that comes whole is no part, so that its size does not matter.
            (ghcr(), None, vec![whole.clone()]),
            (ghcr(), Some(size as u64 - 1), parts_of(4 * MIB)),
            (ghcr(), Some(MIB as u64), parts_of(MIB)),
            (proxy(), None, parts_of(4 * MIB)),
            (counting(Counts::OfPart), None, vec![whole.clone()]),
            (counting(Counts::OfPart), Some(MIB as u64), parts_of(MIB)),
            (counting(Counts::Number), None, vec![whole.clone()]),
            (counting(Counts::Number), Some(MIB as u64), parts_of(MIB)),
            (Habits { least_part: Some(MIB), ..Habits::default() }, Some(1000), parts_of(MIB)),
            (Habits { least_part: Some(MIB), ..Habits::default() }, None, vec![whole]),
        ] {
            let registry = registry(habits.clone()).await;
            let fixture = client(|settings| settings.chunk_size = chunk_size);
            let place = reference(&registry.host, "ns/a");
            let source = Bytes::from(content.clone());
            let outcome = fixture.client.put_blob(&place, &layer(&content), &source, None).await;
            let outcome = outcome.unwrap_or_else(|error| panic!("{habits:?}: {error}"));
            assert_eq!(outcome, BlobOutcome::Transferred);
            let state = registry.state.lock().unwrap();
            assert_eq!(state.parts, expected, "{habits:?} {chunk_size:?}");
            assert!(state.blobs[&digest(&content)] == content);
            // Who was misled once asks once.
            let questions = state.log.iter().filter(|line| line.starts_with("GET")).count();
            assert!(questions <= 1, "{:?}", state.log);
        }
    })
    .unwrap();
}

#[test]
fn what_is_too_large_is_said_in_the_words_of_the_registry() {
    block_on(async {
        let content = noise(700_000);
        for (habits, status) in [
            (Habits { largest_request: Some(600_000), ..Habits::default() }, 413),
            (Habits { largest_part: Some(100_000), ..Habits::default() }, 416),
        ] {
            let registry = registry(habits).await;
            let fixture = client(|settings| settings.chunk_size = (status == 416).then_some(200_000));
            let place = reference(&registry.host, "ns/a");
            let source = Bytes::from(content.clone());
            let outcome = fixture.client.put_blob(&place, &layer(&content), &source, None).await;
            let told = shown(&outcome.unwrap_err(), &registry.host);
            let length = if status == 413 { 700_000 } else { 200_000 };
            let wanted = format!(
                "a request of {length} bytes is too large for the registry (status {status}, SIZE_INVALID: the request body \
                 is too large) | send smaller parts with --chunk-size"
            );
            assert!(told.contains(&wanted), "{told}");
        }
    })
    .unwrap();
}

#[test]
fn mounting_is_a_favor() {
    block_on(async {
        let content = noise(1000);
        for status in [400, 401, 403, 404, 405, 422, 500, 502, 503, 504] {
            let registry = registry(Habits { mounts_with: Some(status), ..Habits::default() }).await;
            let fixture = client(|_| {});
            let place = reference(&registry.host, "ns/b");
            registry.hold("ns/a", &content);
            let source = Bytes::from(content.clone());
            let outcome =
                fixture.client.put_blob(&place, &layer(&content), &source, Some("ns/a")).await.unwrap();
            assert_eq!((outcome, fixture.clock.waits()), (BlobOutcome::Transferred, Vec::new()), "{status}");
        }
    })
    .unwrap();
}

#[test]
fn a_manifest_that_is_there_is_not_put_again() {
    block_on(async {
        for (has_no_head, hides_digests) in [(false, false), (true, false), (false, true), (true, true)] {
            let habits = Habits { keeps_tags: true, has_no_head, hides_digests, ..Habits::default() };
            let registry = registry(habits).await;
            let fixture = client(|_| {});
            let client = &fixture.client;
            publish(client, &registry.host, "ns/a").await;
            let source = RegistryImage::new(client, &reference(&registry.host, "ns/a:v1"));
            let target = RegistryImage::new(client, &reference(&registry.host, "ns/b:v1"));
            for is_new in [true, false] {
                registry.log();
                let report = copy_image(&source, &target, &CopyOptions::default()).await.unwrap();
                assert_eq!(report.is_new, is_new);
                let puts = registry.log().iter().filter(|line| line.starts_with("PUT /v2/ns/b/man")).count();
                assert_eq!(puts, if is_new { 3 } else { 0 });
            }
            // Another image under the tag is refused by the registry, in its words.
            let kind = "application/vnd.oci.image.index.v1+json";
            let other = format!(r#"{{"schemaVersion": 2, "mediaType": "{kind}", "manifests": []}}"#);
            let place = reference(&registry.host, "ns/b:v1");
            let error = client.put_manifest(&place, kind, other.into()).await.unwrap_err();
            assert!(error.to_string().contains("TAG_INVALID"), "{error}");
        }
    })
    .unwrap();
}

#[test]
fn a_registry_of_dockers_is_recognized() {
    block_on(async {
        let registry = registry(Habits { is_dockers: true, ..Habits::default() }).await;
        let fixture = client(|_| {});
        let kind = "application/vnd.oci.image.index.v1+json";
        let index = format!(r#"{{"schemaVersion": 2, "mediaType": "{kind}", "manifests": []}}"#);
        let place = reference(&registry.host, "ns/b:v1");
        let error = fixture.client.put_manifest(&place, kind, index.into()).await.unwrap_err();
        assert!(error.problem.may_want_other_format());
        let told = shown(&error, &registry.host);
        assert!(told.contains("status 415, MANIFEST_INVALID") && told.contains("--format docker"), "{told}");
    })
    .unwrap();
}

#[test]
fn an_image_does_not_refer_to_itself() {
    block_on(async {
        let registry = registry(Habits { takes_tags_for_digests: true, ..Habits::default() }).await;
        let fixture = client(|_| {});
        let client = &fixture.client;
        let image: Digest = publish(client, &registry.host, "ns/a").await.parse().unwrap();
        let place = reference(&registry.host, "ns/a:v1");
        // Without an API of referrers, the tag is asked.
        registry.state.lock().unwrap().insists_on = Some((
            "GET /v2/ns/a/referrers/".to_owned(),
            fbc_testing::registry::Misdeed::answer("404 Not Found", ""),
        ));
        assert!(client.find(&place.with_tag(referrers_tag(&image))).await.unwrap().is_some());
        assert_eq!(client.referrers(&place, &image).await.unwrap(), []);
        assert_eq!(client.referrers_at_origin(&place, &image).await.unwrap(), []);
        let artifact = layer(b"an artifact");
        client.list_under_tag(&place, &image, vec![artifact.clone()]).await.unwrap();
        assert_eq!(client.referrers(&place, &image).await.unwrap(), [artifact]);
    })
    .unwrap();
}

#[test]
fn documents_of_other_servers_are_there_or_not() {
    block_on(async {
        let registry = Registry::start().await;
        let fixture = client(|_| {});
        let address = format!("http://{}/store/signature-1", registry.host);
        let get = || fixture.client.get_document("get the signature", &address, 1000);
        registry.answer("GET /store/signature-1", "200 OK", "signed");
        assert_eq!(get().await.unwrap().as_deref(), Some(&b"signed"[..]));
        registry.answer("GET /store/signature-1", "404 Not Found", "no");
        assert_eq!(get().await.unwrap(), None);
        registry.answer("GET /store/signature-1", "403 Forbidden", "");
        let told = shown(&get().await.unwrap_err(), &registry.host);
        assert!(told.contains("cannot get the signature http://HOST/store/signature-1"), "{told}");
        registry.answer("GET /store/signature-1", "200 OK", &"x".repeat(2000));
        assert!(get().await.unwrap_err().to_string().contains("larger than the limit of 1000 bytes"));
    })
    .unwrap();
}
