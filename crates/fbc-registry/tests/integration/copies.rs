//! Whole images from one registry to another.

use fbc_registry::copy::RegistryImage;
use fbc_registry::observer::BlobOutcome;
use fbc_registry::{CopyOptions, Manifest, block_on, copy_image};

use super::fixture::{client, publish, reference};
use fbc_testing::registry::{Misdeed, Registry};

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
        let platform = fbc_registry::platform::parse("linux/arm64");
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
        let platform = fbc_registry::platform::parse("linux/s390x");
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
