//! Whole images from one registry to another.

use bytes::Bytes;
use fbc_image::registry::copy::RegistryImage;
use fbc_image::registry::observer::BlobOutcome;
use fbc_image::registry::{Client, CopyOptions, Manifest, block_on, copy_image};

use crate::fixture::{client, layer, noise, reference};
use fbc_testing::registry::{Misdeed, Registry, digest};

/// Puts an index of two images into a registry and gives the digest of the index.
async fn publish(client: &Client, host: &str, repository: &str) -> String {
    let mut manifests = Vec::new();
    for (number, platform) in ["amd64", "arm64"].iter().enumerate() {
        let config = format!(r#"{{"architecture":"{platform}","os":"linux"}}"#).into_bytes();
        let (shared, own) = (noise(300_000), vec![number as u8; 1000]);
        let place = reference(host, repository);
        for bytes in [&config, &shared, &own] {
            client.put_blob(&place, &layer(bytes), &Bytes::from(bytes.clone()), None).await.unwrap();
        }
        let part = |kind: &str, bytes: &[u8]| serde_json::json!({"mediaType": format!("application/vnd.oci.image.{kind}"), "size": bytes.len(), "digest": digest(bytes)});
        let manifest = serde_json::json!({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": part("config.v1+json", &config), "layers": [part("layer.v1.tar", &shared), part("layer.v1.tar", &own)],
        });
        let bytes = serde_json::to_vec(&manifest).unwrap();
        let pinned = place.with_digest(digest(&bytes).parse().unwrap());
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

#[test]
fn whole_images_are_copied() {
    block_on(async {
        let (from, to) = (Registry::start().await, Registry::start().await);
        let fixture = client(|_| {});
        let root = publish(&fixture.client, &from.host, "ns/a").await;
        let image = |host: &str, rest: &str| RegistryImage::new(&fixture.client, &reference(host, rest));
        to.log();
        // The source and the destination break in the middle.
        from.misbehave("GET /v2/ns/a/blobs/", Misdeed::CutBody(5));
        let options = CopyOptions { parallel: 1, ..CopyOptions::default() };
        let report =
            copy_image(&image(&from.host, "ns/a:v1"), &image(&to.host, "x/y:v2"), &options).await.unwrap();
        assert_eq!(report.root.digest().to_string(), root);
        assert_eq!(report.blobs.len(), 5);
        let last: Vec<String> =
            to.log().into_iter().filter(|line| line.starts_with("PUT /v2/x/y/manifests")).collect();
        assert_eq!(last.len(), 3);
        assert_eq!(last[2], "PUT /v2/x/y/manifests/v2");
        // Within a registry blobs are mounted, and a platform may be chosen.
        let platform = fbc_image::registry::platform::parse("linux/arm64");
        let options = CopyOptions { platform, ..CopyOptions::default() };
        let report =
            copy_image(&image(&to.host, "x/y:v2"), &image(&to.host, "x/z:v3"), &options).await.unwrap();
        assert!(
            report.blobs.len() == 3 && report.blobs.values().all(|outcome| *outcome == BlobOutcome::Mounted)
        );
        let copied = fixture.client.manifest(&reference(&to.host, "x/z:v3")).await.unwrap();
        assert!(matches!(copied.manifest, Manifest::Image(_)));
        let resolved = fixture.client.resolve(&reference(&to.host, "x/z:v3")).await.unwrap();
        assert_eq!(resolved, copied.descriptor);
        let platform = fbc_image::registry::platform::parse("linux/s390x");
        let options = CopyOptions { platform, ..CopyOptions::default() };
        let error =
            copy_image(&image(&to.host, "x/y:v2"), &image(&to.host, "x/z:v4"), &options).await.unwrap_err();
        assert!(
            error.to_string().ends_with("no manifest for linux/s390x; there are linux/amd64, linux/arm64"),
            "{error}"
        );
    })
    .unwrap();
}
