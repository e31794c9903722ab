//! Debian's registry as the server, skopeo as the other client, where they are installed.

use std::process::Command;

use bytes::Bytes;
use fbc_registry::copy::RegistryImage;
use fbc_registry::trust::TrustSettings;
use fbc_registry::{Client, CopyOptions, Credentials, Manifest, Problem, Security, block_on, copy_image};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use super::fixture::{client, layer, login, noise, reference};
use fbc_testing::is_installed;
use fbc_testing::registry::digest;
use fbc_testing::registry::{skopeo, start};

/// Pushes a small image and gives the digest of its manifest and of its big layer.
async fn push(client: &Client, host: &str, rest: &str) -> (String, Vec<u8>) {
    let place = reference(host, rest);
    let content = noise(3_000_000);
    // skopeo wants to know the layers, not to unpack them.
    let config = serde_json::to_vec(&serde_json::json!({
        "architecture": "amd64", "os": "linux", "config": {"Labels": {"of": "a test"}},
        "rootfs": {"type": "layers", "diff_ids": [digest(&content)]},
    }))
    .unwrap();
    for bytes in [&content, &config] {
        client.put_blob(&place, &layer(bytes), &Bytes::from(bytes.clone()), None).await.unwrap();
    }
    let kind = "application/vnd.oci.image.manifest.v1+json";
    let manifest = serde_json::to_vec(&serde_json::json!({
        "schemaVersion": 2, "mediaType": kind,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "size": config.len(), "digest": digest(&config)},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", "size": content.len(), "digest": digest(&content)}],
    }))
    .unwrap();
    (client.put_manifest(&place, kind, manifest.into()).await.unwrap().to_string(), content)
}

#[test]
fn images_go_there_and_back() {
    if !is_installed("docker-registry") || !is_installed("skopeo") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), "http: {addr: HOST}\n");
    let host = &running.host;
    block_on(async {
        for (tag, chunk) in [("whole", None), ("parts", Some(1_000_000))] {
            let fixture = client(|settings| settings.chunk_size = chunk);
            let repository = format!("ns/{tag}");
            let (pushed, content) = push(&fixture.client, host, &format!("{repository}:v1")).await;
            let image = format!("docker://{host}/{repository}:v1");
            let told = skopeo(&["inspect", "--tls-verify=false", &image]);
            assert!(told.contains(&pushed) && told.contains("a test"), "{told}");
            // What skopeo copied on is read back.
            let copied = format!("docker://{host}/ns/copied-{tag}:v2");
            let flags = ["copy", "--src-tls-verify=false", "--dest-tls-verify=false"];
            skopeo(&[&flags[..], &["--format=v2s2", &image, &copied]].concat());
            let place = reference(host, &format!("ns/copied-{tag}:v2"));
            let manifest = fixture.client.manifest(&place).await.unwrap();
            assert_eq!(fixture.client.resolve(&place).await.unwrap(), manifest.descriptor);
            let Manifest::Image(copied) = manifest.manifest else { panic!("an index") };
            let descriptor = copied.layers().first().unwrap();
            let mut back = Vec::new();
            fixture.client.blob(&place, descriptor, &mut back).await.unwrap();
            assert_eq!(digest(&back), descriptor.digest().to_string());
            assert!(back == content || back.starts_with(&[0x1f, 0x8b]));
            assert_eq!(fixture.client.tags(&place).await.unwrap(), ["v2"]);
        }
        let fixture = client(|_| {});
        let image = |rest: &str| RegistryImage::new(&fixture.client, &reference(host, rest));
        let report =
            copy_image(&image("ns/whole:v1"), &image("other/mounted:v1"), &CopyOptions::default()).await;
        assert!(report.unwrap().blobs.values().all(|outcome| format!("{outcome:?}") == "Mounted"));
        for (rest, is_known) in [("ns/whole:none", true), ("ns/unknown:v1", true)] {
            let error = fixture.client.manifest(&reference(host, rest)).await.unwrap_err();
            assert_eq!(matches!(error.problem, Problem::NotFound(_)), is_known, "{error}");
        }
    })
    .unwrap();
}

#[test]
fn passwords_are_asked_for() {
    if !is_installed("docker-registry") || !is_installed("htpasswd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let passwords = Command::new("htpasswd").args(["-Bbn", "me", "secret"]).output().unwrap();
    let file = folder.path().join("htpasswd");
    std::fs::write(&file, passwords.stdout).unwrap();
    let further =
        format!("http: {{addr: HOST}}\nauth: {{htpasswd: {{realm: r, path: {}}}}}\n", file.display());
    let running = start(folder.path(), &further);
    block_on(async {
        let mine = client(|settings| settings.credentials = login(&running.host, "me", "secret"));
        push(&mine.client, &running.host, "ns/a:v1").await;
        for (credentials, expected) in
            [(Credentials::none(), "none"), (login(&running.host, "me", "wrong"), "--creds")]
        {
            let fixture = client(|settings| settings.credentials = credentials);
            let error = fixture.client.manifest(&reference(&running.host, "ns/a:v1")).await.unwrap_err();
            assert!(error.to_string().contains(&format!("credential tried: {expected}")), "{error}");
        }
    })
    .unwrap();
}

#[test]
fn certificates_are_checked() {
    if !is_installed("docker-registry") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut parameters = CertificateParams::new([]).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = ["127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (certificate, key) =
        (write("server.pem", certificate.pem()), write("server.key.pem", key.serialize_pem()));
    let further = format!("http: {{addr: HOST, tls: {{certificate: {certificate}, key: {key}}}}}\n");
    let running = start(folder.path(), &further);
    write(&format!("certs.d/{}/ca.crt", running.host), authority.pem());
    block_on(async {
        let place = reference(&running.host, "ns/a:v1");
        let trusting =
            TrustSettings { certificate_folders: vec![folder.path().join("certs.d")], ..Default::default() };
        let own =
            client(|settings| (settings.security, settings.trust) = (Some(Security::Verified), trusting));
        push(&own.client, &running.host, "ns/a:v1").await;
        let careless = client(|settings| settings.security = Some(Security::Unverified));
        careless.client.manifest(&place).await.unwrap();
        let strict = client(|settings| settings.security = Some(Security::Verified));
        let error = strict.client.manifest(&place).await.unwrap_err();
        assert!(matches!(error.problem, Problem::Certificate { unknown_authority: true, .. }), "{error}");
        assert!(error.advice().unwrap().contains("certs.d"));
        let plain_folder = tempfile::tempdir().unwrap();
        let plain = start(plain_folder.path(), "http: {addr: HOST}\n");
        push(&careless.client, &plain.host, "ns/a:v1").await;
        let error = strict.client.manifest(&reference(&plain.host, "ns/a:v1")).await.unwrap_err();
        assert!(matches!(error.problem, Problem::NotHttps(_)), "{error}");
    })
    .unwrap();
}
