//! What lies beside images where there are mirrors: which endpoint decides, and which mirrors are asked at all.

use std::fmt::Write as _;

use fbc_registry::attached::tag;
use fbc_registry::copy::RegistryImage;
use fbc_registry::mirrors::RegistriesPaths;
use fbc_registry::{
    Client, CopyOptions, ImageCache, Origin, PlatformChoice, Registries, block_on, copy_image,
};
use oci_spec::image::Digest;

use super::fixture::{client, publish, reference};
use fbc_testing::registry::{Registry, digest};

/// A client that asks a mirror before the registry, as `pull-from-mirror` says.
fn with_mirror(origin: &Registry, mirror: &Registry, pull: &str) -> Client {
    let mut text = String::new();
    let (origin, mirror) = (&origin.host, &mirror.host);
    write!(text, "[[registry]]\nprefix = \"{origin}\"\n[[registry.mirror]]\nlocation = \"{mirror}\"\n")
        .unwrap();
    writeln!(text, "pull-from-mirror = \"{pull}\"").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("registries.conf");
    std::fs::write(&file, text).unwrap();
    let paths = RegistriesPaths { main: vec![file], ..RegistriesPaths::default() };
    let registries = Registries::read(&paths).unwrap();
    client(|settings| settings.registries = registries).client
}

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// A manifest that is put as it is, without its blobs.
fn hold(registry: &Registry, name: &str) -> Digest {
    let config = digest(b"{}");
    let manifest = format!(
        r#"{{"schemaVersion":2,"mediaType":"{MANIFEST}","config":{{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"{config}","size":2}},"layers":[]}}"#
    );
    let digest = digest(manifest.as_bytes());
    let mut state = registry.state.lock().unwrap();
    let (repository, _) = name.split_once(':').unwrap();
    for name in [name.to_owned(), format!("{repository}@{digest}")] {
        state.manifests.insert(name, (MANIFEST.to_owned(), manifest.clone().into_bytes()));
    }
    digest.parse().unwrap()
}

#[test]
fn an_endpoint_with_the_image_decides_what_lies_beside_it() {
    block_on(async {
        let (origin, mirror) = (Registry::start().await, Registry::start().await);
        let client = with_mirror(&origin, &mirror, "all");
        let image = reference(&origin.host, "ns/a:v1");
        let digest = hold(&origin, "ns/a:v1");
        let signatures = tag(&digest, "sig");
        let find = async || client.find_beside(&image, &digest, signatures.clone()).await;
        assert!(find().await.unwrap().is_none(), "nobody has signatures");
        // The mirror lacks the image, and the registry fails: that is not an image without signatures.
        origin.answer("GET /v2/ns/a/manifests/sha256-", "403 Forbidden", "");
        assert!(find().await.unwrap_err().to_string().contains("not allowed"));
        hold(&origin, &format!("ns/a:{signatures}"));
        assert!(find().await.unwrap().is_some());
        // The mirror has the image and no signatures: nobody else is asked.
        hold(&mirror, "ns/a:v1");
        origin.log();
        assert!(find().await.unwrap().is_none());
        assert!(origin.log().is_empty());
        mirror.answer("GET /v2/ns/a/manifests/sha256-", "403 Forbidden", "");
        assert!(find().await.unwrap_err().to_string().contains("not allowed"));
    })
    .unwrap();
}

#[test]
fn the_name_of_the_image_chooses_the_mirrors_of_its_parts() {
    block_on(async {
        let (origin, mirror) = (Registry::start().await, Registry::start().await);
        let publisher = client(|_| {});
        let root: Digest = publish(&publisher.client, &mirror.host, "ns/a").await.parse().unwrap();
        let by_tag = reference(&origin.host, "ns/a:v1");
        let by_digest = reference(&origin.host, &format!("ns/a@{root}"));
        for (pull, image) in [("tag-only", by_tag), ("digest-only", by_digest)] {
            let client = with_mirror(&origin, &mirror, pull);
            let folder = tempfile::tempdir().unwrap();
            let cache = ImageCache::new(folder.path());
            let from = Origin::Registry(&client);
            let (_, found) = cache.documents(from, &image, &PlatformChoice::All).await.unwrap();
            let parts = fbc_image::Image::all(&found).unwrap();
            assert_eq!(parts.len(), 2, "{pull}");
            cache.layers(from, &image, &parts[0], 1).await.unwrap();
            let copy = RegistryImage::new(&client, &reference(&mirror.host, "ns/copy:v1"));
            let copied =
                copy_image(&RegistryImage::new(&client, &image), &copy, &CopyOptions::default()).await;
            assert_eq!(copied.unwrap().manifests.len(), 3, "{pull}");
            hold(&mirror, &format!("ns/a:{}", tag(&root, "sig")));
            let beside = client.find_beside(&image, &root, tag(&root, "sig")).await;
            assert!(beside.unwrap().is_some(), "{pull}");
        }
    })
    .unwrap();
}
