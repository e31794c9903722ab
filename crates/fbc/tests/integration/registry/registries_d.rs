//! `registries.d`: where signatures are looked for.

use serde_json::json;

use super::support::{Place, done, refused, registry_with_catalog, testdata};

/// Where `registries.d` forbids to look for signatures, an image whose policy asks for one is refused without a question.
#[test]
fn registries_d_says_where_signatures_are_looked_for() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    place.write("passphrase", "s3cret-of-the-key");
    done(place.fbc(&["sign", "--generate-key", "release", "--passphrase-file", "passphrase"]));
    done(place.plain(&["sign", &image, "--key", "release.key", "--passphrase-file", "passphrase"]));
    let key = place.path().join("release.pub");
    let policy = json!({ "default": [{ "type": "sigstoreSigned", "keyPath": key }] });
    let policy = place.write("policy.json", policy.to_string()).display().to_string();
    let (sample, copy, to) = (
        testdata("sample-catalog"),
        format!("{}/copy/catalog:v1", registry.host),
        format!("{}/mirror", registry.host),
    );
    place.write_image_set(&image);
    let commands = [
        vec!["pull", &image, "oci:pulled:v1", "-q"],
        vec!["push", &image, "-t", &copy, "-q"],
        vec!["build", &sample, "--base", &image, "--to", "oci:built:v1", "-q"],
        vec!["mirror", "--config", "set.yaml", "--to", &to, "--without-attached", "--retry", "0"],
        vec!["verify", &image],
    ];
    let run = |command: &[&str], more: &[&str]| {
        place.plain(&[command, &["--signature-policy", &policy], more].concat())
    };
    let files = ["--registries-d", "files"];
    let (host, forbids) = (&registry.host, "asks for signatures, and registries.d forbids to look for them");
    for (text, is_looked_for) in [
        ("default-docker: {use-sigstore-attachments: false}\n".to_owned(), false),
        (format!("docker: {{'{host}': {{use-sigstore-attachments: false}}}}\n"), false),
        (
            format!(
                "default-docker: {{use-sigstore-attachments: true}}\n\
                 docker: {{'{host}/me/catalog': {{use-sigstore-attachments: false}}}}\n"
            ),
            false,
        ),
        (
            format!(
                "docker:\n  '{host}': {{use-sigstore-attachments: false}}\n  \
                 '{host}/me': {{use-sigstore-attachments: true}}\n"
            ),
            true,
        ),
        ("default-docker: {lookaside: 'https://else.io'}\n".to_owned(), true),
    ] {
        place.write("files/some.yaml", &text);
        for command in &commands {
            registry.log();
            if is_looked_for {
                done(run(command, &files));
                continue;
            }
            // A mirror could have copied other images.
            let code = if command[0] == "mirror" { 2 } else { 1 };
            let told = refused(&run(command, &files), code);
            assert!(told.contains(forbids) && told.contains("policy.json"), "{text}: {command:?}: {told}");
            assert!(!registry.log().iter().any(|line| line.contains(".sig")), "{text}: {command:?}");
            assert!(!place.names().iter().any(|name| name == "pulled" || name == "built"));
        }
    }
    // Of all files in the directory one decides, and two that contradict each other do not.
    place.write(
        "files/another.yaml",
        format!("docker: {{'{host}/me': {{use-sigstore-attachments: false}}}}\n"),
    );
    assert!(refused(&run(&commands[0], &files), 1).contains(forbids));
    place.write("files/some.yaml", format!("docker: {{'{host}/me': {{}}}}\n"));
    let told = refused(&run(&commands[0], &files), 2);
    assert!(told.contains(&format!("`docker.{host}/me` is set in an earlier file")), "{told}");
    assert!(told.contains("help: containers-registries.d(5) describes the form"), "{told}");
    // Those of the user are taken without a flag.
    std::fs::remove_file(place.path().join("files/some.yaml")).unwrap();
    std::fs::create_dir_all(place.path().join(".config/containers")).unwrap();
    std::fs::rename(place.path().join("files"), place.path().join(".config/containers/registries.d"))
        .unwrap();
    assert!(refused(&run(&commands[0], &[]), 1).contains(forbids));
    let told = refused(&run(&commands[0], &["--registries-d", "none"]), 2);
    assert!(told.contains("none"), "{told}");
}
