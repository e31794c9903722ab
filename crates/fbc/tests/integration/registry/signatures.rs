//! Signatures, where skopeo knows those of sigstore: skopeo accepts ours and we accept skopeo's, policies are heeded, and mirrors carry signatures along.

use std::process::{Command, Output};

use serde_json::json;

use super::support::{Place, done, refused, testdata, text};
use fbc_testing::is_installed;
use fbc_testing::registry::{Running, start};

/// A directory with a registry, the key `release` and the key `other`.
struct Scene {
    place: Place,
    server: Running,
}

impl Scene {
    fn new() -> Option<Self> {
        if !is_installed("docker-registry") || !is_installed("skopeo") {
            return None;
        }
        let place = Place::new();
        let server = start(place.path(), "http: {addr: HOST}\n");
        place.write("passphrase", "s3cret-of-the-key\n");
        for key in ["release", "other"] {
            done(place.fbc(&["sign", "--generate-key", key, "--passphrase-file", "passphrase"]));
        }
        place.write("registries.d/all.yaml", "default-docker: {use-sigstore-attachments: true}\n");
        Some(Self { place, server })
    }

    fn image(&self, name: &str) -> String {
        format!("{}/{name}", self.server.host)
    }

    /// Builds and pushes the sample catalog.
    fn push(&self, name: &str, more: &[&str]) -> String {
        let image = self.image(name);
        let sample = testdata("sample-catalog");
        done(self.place.plain(&[&["build", &sample, "--push", "-q", "-t", &image], more].concat()));
        image
    }

    fn sign(&self, image: &str, key: &str, more: &[&str]) -> Output {
        let key = format!("{key}.key");
        let flags = ["sign", image, "--key", &key, "--passphrase-file", "passphrase"];
        self.place.plain(&[&flags, more].concat())
    }

    fn verify(&self, image: &str, more: &[&str]) -> Output {
        self.place.plain(&[&["verify", image], more].concat())
    }

    /// Writes a policy that asks for signatures of a key.
    fn policy(&self, key: &str, identity: serde_json::Value) -> String {
        let key = self.place.path().join(format!("{key}.pub"));
        let signed = json!([{ "type": "sigstoreSigned", "keyPath": key, "signedIdentity": identity }]);
        let policy = json!({ "default": [{ "type": "reject" }], "transports": { "docker": { "": signed } } });
        self.place.write("policy.json", policy.to_string()).display().to_string()
    }

    fn skopeo(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("skopeo");
        command.args(["--policy", "policy.json", "--registries.d", "registries.d"]).args(arguments);
        command.current_dir(self.place.path()).env("HOME", self.place.path()).output().unwrap()
    }

    /// Whether skopeo checks these signatures; Debian's does not.
    fn skopeo_knows_signatures(&self) -> bool {
        let image = self.push("me/probe:v1", &[]);
        done(self.sign(&image, "release", &[]));
        self.policy("release", json!({ "type": "matchRepository" }));
        let knows = !text(&self.skopeo_takes(&image).stderr).contains("sigstore disabled");
        if !knows {
            fbc_testing::skip("this skopeo was built without signatures of sigstore");
        }
        knows
    }

    fn skopeo_takes(&self, image: &str) -> Output {
        let source = format!("docker://{image}");
        let system = ["--override-os", "linux", "--override-arch", "amd64"];
        let copy = ["copy", "-q", "--remove-signatures", "--src-tls-verify=false", &source, "oci:taken:v1"];
        self.skopeo(&[&system[..], &copy].concat())
    }
}

#[test]
fn our_signatures_hold_and_skopeo_accepts_them() {
    let Some(scene) = Scene::new() else { return };
    let has_skopeo = scene.skopeo_knows_signatures();
    let skopeo_takes = |image: &str| !has_skopeo || scene.skopeo_takes(image).status.success();
    let skopeo_refuses = |image: &str| !has_skopeo || !scene.skopeo_takes(image).status.success();
    for (name, more) in [("me/one:v1", &[][..]), ("me/two:v1", &["--platform", "linux/amd64,linux/arm64"])] {
        let image = scene.push(name, more);
        let policy = scene.policy("release", json!({ "type": "matchRepoDigestOrExact" }));
        assert!(skopeo_refuses(&image), "an image that is not signed");
        refused(&scene.verify(&image, &["--signature-policy", &policy]), 1);
        done(scene.sign(&image, "other", &[]));
        assert!(skopeo_refuses(&image), "an image with a signature of another key");
        refused(&scene.verify(&image, &["--signature-policy", &policy]), 1);
        let told = scene.sign(&image, "release", &["-a", "by=test"]);
        assert!(text(&told.stderr).starts_with("signed "), "{}", text(&told.stderr));
        assert!(skopeo_takes(&image));
        // Nothing is added twice.
        let again = scene.sign(&image, "release", &["-a", "by=test"]);
        assert!(text(&again.stderr).contains("is signed with this key already"), "{}", text(&again.stderr));
        done(scene.verify(&image, &["--key", "release.pub", "-a", "by=test"]));
        done(scene.verify(&image, &["--signature-policy", &policy]));
        refused(&scene.verify(&image, &["--key", "release.pub", "-a", "by=other"]), 1);
        let lax = r#"{"default": [{"type": "insecureAcceptAnything"}]}"#;
        let lax = scene.place.write("lax.json", lax).display().to_string();
        for more in [&[][..], &["--signature-policy", &lax]] {
            let told = refused(&scene.verify(&image, more), 1);
            assert!(told.contains("no signature required by the policy, so none was verified"), "{told}");
        }
        // The name counts.
        scene.policy("release", json!({ "type": "exactReference", "dockerReference": "else.io/x:1" }));
        assert!(skopeo_refuses(&image));
        refused(&scene.verify(&image, &["--signature-policy", &policy]), 1);
    }
}

#[test]
fn we_accept_signatures_of_skopeo() {
    let Some(scene) = Scene::new().filter(Scene::skopeo_knows_signatures) else { return };
    let (image, copy) = (scene.push("me/catalog:v1", &[]), scene.image("them/catalog:v1"));
    scene.place.write("policy.json", r#"{"default": [{"type": "insecureAcceptAnything"}]}"#);
    scene.place.write("plain-passphrase", "s3cret-of-the-key");
    done(scene.skopeo(&[
        "copy",
        "-q",
        "--src-tls-verify=false",
        "--dest-tls-verify=false",
        "--sign-by-sigstore-private-key",
        "release.key",
        "--sign-passphrase-file",
        "plain-passphrase",
        &format!("docker://{image}"),
        &format!("docker://{copy}"),
    ]));
    let told = done(scene.verify(&copy, &["--key", "release.pub"]));
    assert!(told.contains(&format!("a signature in its tag, signed as {copy}")), "{told}");
    refused(&scene.verify(&copy, &["--key", "other.pub"]), 1);
    refused(&scene.verify(&image, &["--key", "release.pub"]), 1);
}

#[test]
fn bundles_refer_to_their_image() {
    let Some(scene) = Scene::new() else { return };
    let image = scene.push("me/catalog:v1", &["--platform", "linux/amd64,linux/arm64"]);
    done(scene.sign(&image, "release", &["--store", "referrer"]));
    let told = done(scene.verify(&image, &["--key", "release.pub", "-o", "json"]));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["by"], "a sigstore bundle that refers to it");
    refused(&scene.verify(&image, &["--key", "other.pub"]), 1);
    let again = scene.sign(&image, "release", &["--store", "referrer"]);
    assert!(text(&again.stderr).contains("already"), "{}", text(&again.stderr));
    // A bundle proves the digest alone.
    for more in [["-a", "by=test"], ["--signed-as", "else.io/x"]] {
        let told = refused(&scene.verify(&image, &[&["--key", "release.pub"], &more[..]].concat()), 1);
        assert!(told.contains("bundles hold no annotations and no name"), "{told}");
    }
    for more in [["-a", "by=test"], ["--identity", "else.io/x:v1"]] {
        let told = refused(&scene.sign(&image, "other", &[&["--store", "referrer"], &more[..]].concat()), 2);
        assert!(told.contains("bundles hold neither a name nor annotations"), "{told}");
    }
    // A second signature joins the list.
    done(scene.sign(&image, "other", &["--store", "referrer", "--index-only"]));
    done(scene.verify(&image, &["--key", "other.pub"]));
    done(scene.verify(&image, &["--key", "release.pub"]));
}

#[test]
fn policies_are_heeded_by_what_copies() {
    let Some(scene) = Scene::new() else { return };
    let image = scene.push("me/catalog:v1", &[]);
    let policy = scene.policy("release", json!({ "type": "matchRepository" }));
    let flag = ["--signature-policy", &policy];
    let sample = testdata("sample-catalog");
    let pulled = scene.image("pushed/catalog:v1");
    let commands = [
        vec!["pull", &image, "oci:pulled:v1", "-q"],
        vec!["push", &image, "-t", &pulled, "-q"],
        vec!["build", &sample, "--base", &image, "--to", "oci:built:v1", "-q"],
    ];
    for command in &commands {
        let told = refused(&scene.place.plain(&[command.as_slice(), &flag].concat()), 1);
        assert!(told.contains("asks for a signature: it has no signatures"), "{command:?}: {told}");
    }
    assert!(!scene.place.names().iter().any(|name| name == "pulled" || name == "built"));
    // A scope with a tag counts for catalogs that are mirrored in part.
    let key = scene.place.path().join("release.pub");
    let scopes = json!({ &image: [{ "type": "sigstoreSigned", "keyPath": key }] });
    let by_tag =
        json!({ "default": [{ "type": "insecureAcceptAnything" }], "transports": { "docker": scopes } });
    let by_tag = scene.place.write("by-tag.json", by_tag.to_string()).display().to_string();
    let to = scene.image("mirrored");
    let mirror = |more: &[&str]| {
        let what = ["mirror", &image, "--to", &to, "--dry-run", "--signature-policy", &by_tag];
        scene.place.plain(&[&what[..], more].concat())
    };
    for more in [&["-p", "tide-operator"][..], &[]] {
        let told = refused(&mirror(more), 1);
        assert!(told.contains("asks for a signature: it has no signatures"), "{more:?}: {told}");
    }
    done(scene.sign(&image, "release", &[]));
    for command in &commands {
        done(scene.place.plain(&[command.as_slice(), &flag].concat()));
    }
    done(mirror(&["-p", "tide-operator"]));
    let offline = [commands[0].as_slice(), &flag, &["--offline"]].concat();
    let told = refused(&scene.place.plain(&offline), 1);
    assert!(told.contains("asks for a signature, and --offline forbids to look for it"), "{told}");
    let unsupported = json!({ "default": [{ "type": "signedBaseLayer", "baseLayerIdentity": {} }] });
    scene.place.write("policy.json", unsupported.to_string());
    let told = refused(&scene.place.plain(&[commands[0].as_slice(), &flag].concat()), 1);
    assert!(told.contains("asks for signedBaseLayer, which fbc cannot check"), "{told}");
    done(scene.place.plain(&[commands[0].as_slice(), &["--insecure-policy"]].concat()));
    scene.place.write("policy.json", "{}");
    let told = refused(&scene.place.plain(&[commands[0].as_slice(), &flag].concat()), 2);
    assert!(told.contains("is not a policy of signatures: missing field `default`"), "{told}");
    // The policy of the user is taken without a flag.
    scene.place.write(".config/containers/policy.json", r#"{"default": [{"type": "reject"}]}"#);
    let told = refused(&scene.place.plain(&commands[0]), 1);
    assert!(told.contains("rejects the image"), "{told}");
    let mut elsewhere = scene.place.command(&[commands[0].as_slice(), &["--plain-http"]].concat());
    let told = refused(&elsewhere.env("XDG_CONFIG_HOME", scene.place.path()).output(), 1);
    assert!(told.contains("rejects the image"), "{told}");
}

#[test]
fn signatures_are_added_to_what_the_registry_holds_itself() {
    let Some(scene) = Scene::new() else { return };
    let generate = ["sign", "--generate-key", "third", "--passphrase-file", "passphrase"];
    done(scene.place.fbc(&generate));
    refused(&scene.place.fbc(&generate), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let key = std::fs::metadata(scene.place.path().join("third.key")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600);
    }
    let host = &scene.server.host;
    let mirrors = format!(
        "[[registry]]\nprefix = \"{host}/me\"\nlocation = \"{host}/me\"\n\
         [[registry.mirror]]\nlocation = \"{host}/copy/me\"\n"
    );
    let mirrors = scene.place.write("registries.conf", mirrors).display().to_string();
    for store in ["tag", "referrer"] {
        let image = scene.push(&format!("me/{store}:v1"), &[]);
        let sign = |key: &str, more: &[&str]| scene.sign(&image, key, &[&["--store", store], more].concat());
        // The mirror has the image, and what was signed by `other`.
        done(sign("other", &[]));
        let (sample, to) = (testdata("sample-catalog"), scene.image("copy"));
        let what = ["mirror", &sample, "-p", "tide-operator", "--target-catalog", "x:1", "--image", &image];
        let more = ["--to", &to, "--skip-missing", "--retry", "0", "--manifests", "out"];
        scene.place.plain(&[&what[..], &more[..]].concat());
        let copy = image.replace("/me/", "/copy/me/");
        let is_copied = match store {
            "tag" => scene.verify(&copy, &["--key", "other.pub", "--signed-as", &image]),
            _ => scene.verify(&copy, &["--key", "other.pub"]),
        };
        done(is_copied);
        done(sign("release", &[]));
        let again = sign("release", &["--registries-conf", &mirrors]);
        assert!(text(&again.stderr).contains("already"), "{store}: {}", text(&again.stderr));
        done(sign("third", &["--registries-conf", &mirrors]));
        for key in ["other.pub", "release.pub", "third.pub"] {
            done(scene.verify(&image, &["--key", key]));
        }
    }
    let told = done(scene.verify(&scene.image("me/tag:v1"), &["--key", "third.pub", "-o", "json"]));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let pinned = scene.image(&format!("me/tag@{}", told["digest"].as_str().unwrap()));
    let told = refused(&scene.sign(&pinned, "release", &[]), 2);
    assert!(told.contains("has no tag"), "{told}");
    done(scene.sign(&pinned, "release", &["--identity", &scene.image("me/tag:v2")]));
}

#[test]
fn mirrors_carry_signatures() {
    let Some(scene) = Scene::new() else { return };
    let image = scene.push("me/tool:v1", &["--platform", "linux/amd64,linux/arm64"]);
    done(scene.sign(&image, "release", &["--store", "tag", "--store", "referrer"]));
    let (direct, carried) = (scene.image("direct"), scene.image("carried"));
    let sample = testdata("sample-catalog");
    let what =
        ["mirror", &sample, "-p", "tide-operator", "--target-catalog", "me/part:v1", "--image", &image];
    let more = ["--skip-missing", "--retry", "0", "--manifests", "out"];
    let run = |more: &[&str]| scene.place.plain(&[&what[..], more].concat());
    for told in
        [run(&[&more[..], &["--to", &direct]].concat()), run(&[&more[..], &["--to-dir", "archive"]].concat())]
    {
        let told = text(&told.stderr);
        assert!(told.contains("with them went 3 lists of referrers, 3 tags of signatures"), "{told}");
    }
    let back =
        scene.place.plain(&["mirror", "--from-dir", "archive", "--to", &carried, "--manifests", "out"]);
    assert!(text(&back.stderr).contains("with them went"), "{}", text(&back.stderr));
    let repository = scene.image("me/tool");
    // What is signed at the destination stays when it is mirrored again.
    let (first, second) = (format!("{direct}/me/tool:v1"), format!("{carried}/me/tool:v1"));
    for copy in [&first, &second] {
        done(scene.sign(copy, "other", &[]));
    }
    done(scene.sign(&image, "release", &["-a", "by=again"]));
    for _ in 0..2 {
        run(&[&more[..], &["--to", &direct]].concat());
        scene.place.plain(&["mirror", "--from-dir", "archive", "--to", &carried, "--manifests", "out"]);
    }
    for copy in [&first, &second] {
        done(scene.verify(copy, &["--key", "other.pub"]));
    }
    let again = ["--key", "release.pub", "--signed-as", &repository, "-a", "by=again"];
    done(scene.verify(&first, &again));
    let has_skopeo = scene.skopeo_knows_signatures();
    for place in [direct, carried] {
        let copy = format!("{place}/me/tool:v1");
        done(scene.verify(&copy, &["--key", "release.pub", "--signed-as", &repository]));
        let prefix = place;
        let remap = json!({ "type": "remapIdentity", "prefix": prefix, "signedPrefix": scene.server.host });
        let policy = scene.policy("release", remap);
        done(scene.verify(&copy, &["--signature-policy", &policy]));
        assert!(!has_skopeo || scene.skopeo_takes(&copy).status.success());
    }
}
