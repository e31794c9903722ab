//! Signatures and what else is attached to images: through mirrors of one kind, out of two registries into one place, added
//! by several at the same time, and where lists are damaged.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::copies::Source;
use super::support::{Place, done, refused, registry_with_catalog, text};
use fbc_testing::registry::{Registry, digest};

const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Makes the keys `one` and `two`.
fn make_keys(place: &Place) {
    place.write("passphrase", "secret\r\n");
    for key in ["one", "two"] {
        done(place.fbc(&["sign", "--generate-key", key, "--passphrase-file", "passphrase"]));
    }
    // The line break of the file does not belong to the passphrase.
    place.write("passphrase", "secret");
}

fn sign(place: &Place, image: &str, key: &str, more: &[&str]) -> std::process::Output {
    let key = format!("{key}.key");
    place.plain(&[&["sign", image, "--key", &key, "--passphrase-file", "passphrase"], more].concat())
}

fn put(registry: &Registry, repository: &str, tags: &[&str], kind: &str, bytes: &[u8]) -> String {
    let digest = digest(bytes);
    let mut state = registry.state.lock().unwrap();
    let names = tags.iter().map(|tag| format!("{repository}:{tag}"));
    for name in names.chain([format!("{repository}@{digest}")]) {
        state.manifests.insert(name, (kind.to_owned(), bytes.to_vec()));
    }
    digest
}

/// The tag of something that belongs to a digest.
fn tag(digest: &str, suffix: &str) -> String {
    format!("{}.{suffix}", digest.replace(':', "-"))
}

/// The number of layers of an image in a registry.
fn layers(registry: &Registry, name: &str) -> usize {
    let state = registry.state.lock().unwrap();
    let (_, bytes) = state.manifests.get(name).unwrap_or_else(|| panic!("no {name}"));
    let manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    manifest["layers"].as_array().map_or(0, Vec::len)
}

#[test]
fn one_kind_of_mirror_set_is_enough() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    make_keys(&place);
    let (tagged, pinned) =
        ("registry.invalid/them/catalog:v1".to_owned(), format!("registry.invalid/them/catalog@{digest}"));
    done(sign(&place, &image, "one", &["--identity", &tagged]));
    let key = place.path().join("one.pub");
    let signed = json!([{ "type": "sigstoreSigned", "keyPath": key }]);
    let policy = json!({ "default": [{ "type": "reject" }], "transports": { "docker": { "": signed } } });
    place.write("policy.json", policy.to_string());
    let (host, expected) = (&registry.host, done(place.plain(&["render", &image])));
    for (kind, field, image) in [
        ("ImageTagMirrorSet", "imageTagMirrors", &tagged),
        ("ImageDigestMirrorSet", "imageDigestMirrors", &pinned),
    ] {
        let set = format!(
            "kind: {kind}\nspec:\n  {field}:\n  - source: registry.invalid/them\n    mirrors: [{host}/me]\n"
        );
        place.write("set.yaml", set);
        let set = ["--mirror-set", "set.yaml", "--retry", "0"];
        done(place.fbc(&["cache", "clean"]));
        assert_eq!(done(place.plain(&[&["render", image], &set[..]].concat())), expected, "{kind}");
        done(place.fbc(&["cache", "clean"]));
        let target = format!("oci:{kind}");
        let pull = ["pull", image, &target, "--signature-policy", "policy.json", "-q"];
        done(place.plain(&[&pull[..], &set].concat()));
        // Another name asks no mirror of this kind.
        let other = if *image == tagged { &pinned } else { &tagged };
        done(place.fbc(&["cache", "clean"]));
        refused(&place.plain(&[&["render", other], &set[..]].concat()), 2);
    }
    std::fs::remove_file(&key).unwrap();
    let told = refused(&place.plain(&["pull", &image, "oci:x", "--signature-policy", "policy.json"]), 2);
    assert!(told.contains("one.pub, which cannot be read: No such file"), "{told}");
    assert!(!told.contains("fbc sign"), "{told}");
}

#[test]
fn a_signature_that_others_drop_is_added_again() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    make_keys(&place);
    let put = format!("PUT /v2/me/catalog/manifests/{}", tag(&digest, "sig"));
    // It says that it took the list, and somebody else's came behind it.
    registry.answer(&put, "201 Created", "");
    done(sign(&place, &image, "one", &[]));
    done(place.plain(&["verify", &image, "--key", "one.pub"]));
    for _ in 0..21 {
        registry.answer(&put, "201 Created", "");
    }
    let told = refused(&sign(&place, &image, "two", &[]), 2);
    assert!(told.contains("drop this signature again and again"), "{told}");
}

#[test]
fn no_signature_is_added_that_nobody_looks_at() {
    let place = Place::new();
    let (registry, image, root) = registry_with_catalog(&place);
    make_keys(&place);
    let payload = digest(b"x");
    let layer = json!({"mediaType": "text/plain", "digest": payload, "size": 1});
    let signatures = |number: usize| {
        let manifest = json!({"schemaVersion": 2, "mediaType": MANIFEST, "layers": vec![&layer; number],
            "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": payload, "size": 1}});
        put(&registry, "me/catalog", &[&tag(&root, "sig")], MANIFEST, manifest.to_string().as_bytes());
    };
    signatures(200);
    let told = refused(&sign(&place, &image, "one", &[]), 2);
    assert!(told.contains("has 200 signatures, and fbc looks at no more than 200"), "{told}");
    signatures(201);
    let told = refused(&place.plain(&["verify", &image, "--key", "one.pub"]), 1);
    assert!(told.contains("of its 201 signatures only the first 200 were looked at"), "{told}");
}

#[test]
fn keys_and_names_of_signatures() {
    let place = Place::new();
    let (_registry, image, _) = registry_with_catalog(&place);
    make_keys(&place);
    let public =
        done(place.fbc(&["sign", "--key", "one.key", "--public-key", "--passphrase-file", "passphrase"]));
    assert_eq!(public, std::fs::read_to_string(place.path().join("one.pub")).unwrap());
    let told = sign(&place, &image, "one", &["--identity", "quay.io/me/catalog"]);
    let told = text(&told.stderr);
    assert!(
        told.contains("warning: quay.io/me/catalog has no tag: only policies with matchRepository"),
        "{told}"
    );
}

/// An index in an index is signed with all that it lists, and mirrored with all these signatures.
#[test]
fn indexes_in_indexes_are_followed() {
    let source = Source::new();
    let place = &source.place;
    make_keys(place);
    let operand = source.pinned("operand").rsplit_once('@').unwrap().1.to_owned();
    let size = source.registry.state.lock().unwrap().manifests[&format!("team/operand@{operand}")].1.len();
    let mut child = (MANIFEST, operand.clone(), size);
    for tags in [&[][..], &["deep"]] {
        let (kind, digest, size) = &child;
        let index = json!({"schemaVersion": 2, "mediaType": INDEX,
            "manifests": [{"mediaType": kind, "digest": digest, "size": size}]});
        let bytes = index.to_string().into_bytes();
        child = (INDEX, put(&source.registry, "team/operand", tags, INDEX, &bytes), bytes.len());
    }
    let image = format!("{}/team/operand:deep", source.registry.host);
    let told = sign(place, &image, "one", &[]);
    assert!(text(&told.stderr).contains("the index and its 2 images"), "{}", text(&told.stderr));
    let destination = Registry::in_thread();
    let deep = format!("{}/team/operand:deep", super::copies::NAMED);
    let run = source.mirror(&[&Source::index(), "--image", &deep, "--to", &destination.host]);
    let told = text(&run.stderr);
    done(run);
    assert!(told.contains("with them went 3 tags of signatures"), "{told}");
    assert_eq!(layers(&destination, &format!("team/operand:{}", tag(&operand, "sig"))), 1);
}

/// The same repository path and digest in two registries, with a signature each.
struct Twins {
    source: Source,
    other: Registry,
    digest: String,
}

impl Twins {
    fn new() -> Self {
        let (source, other) = (Source::new(), Registry::in_thread());
        make_keys(&source.place);
        let digest = source.pinned("operand").rsplit_once('@').unwrap().1.to_owned();
        let first = format!("{}/team/operand:v1", source.registry.host);
        let second = format!("{}/team/operand:v1", other.host);
        done(source.place.plain(&["push", &first, "-t", &second, "-q"]));
        done(sign(&source.place, &first, "one", &[]));
        done(sign(&source.place, &second, "two", &[]));
        let configuration = std::fs::read_to_string(source.place.path().join("registries.conf")).unwrap();
        let more = format!(
            "[[registry]]\nprefix = \"other.invalid\"\n[[registry.mirror]]\nlocation = \"{}\"\n",
            other.host
        );
        source.place.write("registries.conf", configuration + &more);
        Self { source, other, digest }
    }

    fn mirror(&self, more: &[&str]) -> String {
        let twin = format!("other.invalid/team/operand@{}", self.digest);
        let index = Source::index();
        let output = self.source.mirror(&[&[index.as_str(), "--image", &twin], more].concat());
        let told = text(&output.stderr);
        done(output);
        told
    }
}

#[test]
fn what_two_registries_attach_is_joined() {
    let twins = Twins::new();
    let place = &twins.source.place;
    let signatures = format!("team/operand:{}", tag(&twins.digest, "sig"));
    let direct = Registry::in_thread();
    twins.mirror(&["--to", &direct.host, "--parallel-images", "8"]);
    assert_eq!(layers(&direct, &signatures), 2);
    // By a directory, twice.
    let carried = Registry::in_thread();
    for _ in 0..2 {
        twins.mirror(&["--to-dir", "carried", "--parallel-images", "8"]);
    }
    let carry = ["mirror", "--from-dir", "carried", "--to", &carried.host, "--manifests", "out"];
    done(place.plain(&carry));
    assert_eq!(layers(&carried, &signatures), 2);
    let sets = std::fs::read_to_string(place.path().join("out/idms-oc-mirror.yaml")).unwrap();
    for host in [super::copies::NAMED, "other.invalid"] {
        assert!(sets.contains(&format!("source: {host}/team")), "{sets}");
    }
    let planned = done(place.plain(&[&carry[..], &["--dry-run"]].concat()));
    assert!(
        planned.contains(&format!("oci:carried:{signatures} -> {}/{signatures}", carried.host)),
        "{planned}"
    );
    assert!(!planned.lines().any(|line| line.starts_with(" ->")), "{planned}");
    drop(twins.other);
}

#[test]
fn attestations_are_joined_and_an_sbom_stays() {
    let source = Source::new();
    let operand = source.pinned("operand").rsplit_once('@').unwrap().1.to_owned();
    let destination = Registry::in_thread();
    let artifact = |registry: &Registry, suffix: &str, content: &[u8]| {
        let blob = registry.hold("team/operand", content);
        let config = registry.hold("team/operand", b"{}");
        let manifest = json!({"schemaVersion": 2, "mediaType": MANIFEST,
            "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": config, "size": 2},
            "layers": [{"mediaType": "application/vnd.dsse.envelope.v1+json", "digest": blob, "size": content.len(),
                "annotations": {"dev.cosignproject.cosign/signature": ""}}]});
        put(registry, "team/operand", &[&tag(&operand, suffix)], MANIFEST, manifest.to_string().as_bytes())
    };
    for suffix in ["att", "sbom"] {
        artifact(&source.registry, suffix, b"of the source");
        artifact(&destination, suffix, b"of the destination");
    }
    let run = source.mirror(&[&Source::index(), "--to", &destination.host]);
    let told = text(&run.stderr);
    done(run);
    assert_eq!(layers(&destination, &format!("team/operand:{}", tag(&operand, "att"))), 2);
    let sbom = format!("team/operand:{}", tag(&operand, "sbom"));
    assert!(told.contains(&format!("warning: {sbom} holds another SBOM than the source")), "{told}");
    let state = destination.state.lock().unwrap();
    let bytes = String::from_utf8(state.manifests[&sbom].1.clone()).unwrap();
    assert!(bytes.contains(&digest(b"of the destination")), "{bytes}");
}

#[test]
fn a_list_may_name_what_is_gone() {
    let source = Source::new();
    let place = &source.place;
    make_keys(place);
    let operand = source.pinned("operand").rsplit_once('@').unwrap().1.to_owned();
    let image = format!("{}/team/operand:v1", source.registry.host);
    done(sign(place, &image, "one", &["--store", "referrer"]));
    let name = format!("team/operand:{}", operand.replace(':', "-"));
    {
        let mut state = source.registry.state.lock().unwrap();
        let (_, bytes) = state.manifests.get_mut(&name).unwrap();
        let mut index: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        let mut gone = index["manifests"][0].clone();
        gone["digest"] = json!(digest(b"gone"));
        index["manifests"].as_array_mut().unwrap().push(gone);
        *bytes = index.to_string().into_bytes();
    }
    for (target, more) in [("--to", Registry::in_thread().host), ("--to-dir", "carried".to_owned())] {
        let run = source.mirror(&[&Source::index(), target, &more]);
        let told = text(&run.stderr);
        done(run);
        let expected = format!("warning: {} is listed as an artifact of {operand}", digest(b"gone"));
        assert!(told.contains(&expected) && told.contains("1 list of referrers"), "{target}: {told}");
    }
    // What else fails names the way around it.
    source.registry.answer("GET /v2/team/operand/manifests/sha256-", "403 Forbidden", "");
    let told = refused(&source.mirror(&[&Source::index(), "--to", &Registry::in_thread().host]), 1);
    assert!(told.contains("its attached artifacts: ") && told.contains("--without-attached"), "{told}");
}

/// OpenSSL knows nothing of us: it verifies what we sign, and we verify what it signs.
#[test]
fn openssl_agrees_on_signatures() {
    if !fbc_testing::is_installed("openssl") {
        return;
    }
    let place = Place::new();
    let (registry, image, root) = registry_with_catalog(&place);
    make_keys(&place);
    let openssl = |arguments: &[&str]| {
        let mut command = std::process::Command::new("openssl");
        done(command.args(arguments).current_dir(place.path()).output().unwrap())
    };
    done(sign(&place, &image, "one", &[]));
    let name = format!("me/catalog:{}", tag(&root, "sig"));
    let mut manifest: serde_json::Value = {
        let state = registry.state.lock().unwrap();
        serde_json::from_slice(&state.manifests[&name].1).unwrap()
    };
    let layer = &manifest["layers"][0];
    let payload = registry.state.lock().unwrap().blobs[layer["digest"].as_str().unwrap()].clone();
    let annotation = "dev.cosignproject.cosign/signature";
    let ours = STANDARD.decode(layer["annotations"][annotation].as_str().unwrap()).unwrap();
    place.write("payload", &payload);
    place.write("ours", ours);
    openssl(&["dgst", "-sha256", "-verify", "one.pub", "-signature", "ours", "payload"]);
    // The same payload, signed by keys of other kinds.
    for (kind, options) in [
        ("EC", &["-pkeyopt", "ec_paramgen_curve:P-256"][..]),
        ("EC", &["-pkeyopt", "ec_paramgen_curve:P-384"]),
        ("RSA", &["-pkeyopt", "rsa_keygen_bits:2048"]),
    ] {
        openssl(&[&["genpkey", "-algorithm", kind, "-out", "theirs.key"], options].concat());
        openssl(&["pkey", "-in", "theirs.key", "-pubout", "-out", "theirs.pub"]);
        openssl(&["dgst", "-sha256", "-sign", "theirs.key", "-out", "theirs", "payload"]);
        let theirs = STANDARD.encode(std::fs::read(place.path().join("theirs")).unwrap());
        manifest["layers"][0]["annotations"][annotation] = json!(theirs);
        put(&registry, "me/catalog", &[&tag(&root, "sig")], MANIFEST, manifest.to_string().as_bytes());
        done(place.plain(&["verify", &image, "--key", "theirs.pub"]));
        refused(&place.plain(&["verify", &image, "--key", "one.pub"]), 1);
    }
}

/// Sigstore's own packages for JavaScript know nothing of us: they read and verify the bundles that we write.
#[test]
fn sigstore_verifies_our_bundles() {
    let client = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/sigstore");
    if !fbc_testing::is_installed("node") {
        return;
    }
    if !client.join("node_modules").is_dir() {
        return fbc_testing::skip(
            "the packages of sigstore are not there; `cargo xtask test --only sigstore` fetches them",
        );
    }
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    make_keys(&place);
    done(sign(&place, &image, "one", &["--store", "referrer"]));
    let bundle = {
        let state = registry.state.lock().unwrap();
        let mut blobs = state.blobs.values().map(|bytes| text(bytes));
        blobs.find(|blob| blob.contains("\"dsseEnvelope\"")).unwrap()
    };
    place.write("bundle.json", &bundle);
    let mut other: serde_json::Value = serde_json::from_str(&bundle).unwrap();
    let payload = STANDARD.decode(other["dsseEnvelope"]["payload"].as_str().unwrap()).unwrap();
    let payload = text(&payload).replace("cosign/sign", "cosign/sing");
    other["dsseEnvelope"]["payload"] = json!(STANDARD.encode(payload));
    place.write("other.json", other.to_string());
    let verify = |bundle: &str, key: &str| {
        let script = client.join("verify.mjs").display().to_string();
        place.program("node", &[&script, bundle, key]).output()
    };
    let expected = digest.replace("sha256:", "application/vnd.in-toto+json ");
    assert_eq!(done(verify("bundle.json", "one.pub")).trim(), expected);
    for (bundle, key, expected) in [
        ("other.json", "one.pub", "signature verification failed"),
        ("bundle.json", "two.pub", "the bundle is of the key"),
    ] {
        let told = refused(&verify(bundle, key), 1);
        assert!(told.contains(expected), "{told}");
    }
}
