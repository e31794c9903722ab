//! Debian's registry: plain, with passwords, with TLS, with certificates of clients, and read-only.

use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};

use super::support::{Place, done, refused, testdata, text};
use fbc_testing::is_installed;
use fbc_testing::registry::start;

/// D-FBC-48: a catalog becomes an image and is pushed. D-FBC-49: the whole catalog comes out of its image again.
#[test]
fn images_go_there_and_back() {
    if !is_installed("docker-registry") {
        return;
    }
    let place = Place::new();
    let server = start(place.path(), "http: {addr: HOST}\n");
    let host = &server.host;
    let sample = testdata("sample-catalog");
    let all = ["--platform", "linux/amd64,linux/arm64"];
    let built = done(place.fbc(&[&["build", &sample, "-q", "-o", "oci:layout"], &all[..]].concat()));
    for (form, tag) in
        [("oci:layout", "a"), ("layout", "b"), ("oci-archive:archive.tar", "c"), ("archive.tar", "d")]
    {
        if form.starts_with("oci-archive") {
            done(place.plain(&["pull", &format!("{host}/me/catalog:a"), form, "-q"]));
        }
        let image = format!("{host}/me/catalog:{tag}");
        let file = format!("digest-{tag}");
        let pushed = done(place.plain(&["push", form, "-q", "-t", &image, "--digest-file", &file]));
        assert_eq!(pushed, built, "{form}");
        assert_eq!(std::fs::read_to_string(place.path().join(file)).unwrap(), built.trim());
        for words in [&["render"][..], &["render", "-o", "yaml"], &["render", "-o", "json"]] {
            let expected = done(place.fbc(&[words, &[&sample]].concat()));
            assert_eq!(done(place.plain(&[words, &[&image]].concat())), expected);
        }
        let unpacked = format!("out-{tag}");
        done(place.plain(&["unpack", &image, &unpacked, "--path", "/configs", "--platform", "linux/arm64"]));
        done(place.fbc(&["validate", &unpacked]));
    }
    // docker's form has one platform, and layers without compression.
    let image = format!("{host}/me/catalog:a");
    done(place.plain(&["pull", &image, "docker-archive:d.tar", "-q", "--platform", "linux/arm64"]));
    done(place.plain(&["push", "d.tar", "-q", "-t", &format!("{host}/me/docker:v1")]));
    done(place.plain(&["validate", &format!("{host}/me/docker:v1")]));
    // Two names, of which the second costs nothing; and an image on top of another.
    let tags = [format!("{host}/me/one:v1"), format!("{host}/me/two:v1")];
    let output = place.plain(&["build", &sample, "--push", "-t", &tags[0], "-t", &tags[1]]);
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("me/two:v1; blobs: 2 mounted from another repository"), "{told}");
    let output =
        place.plain(&["build", &sample, "--push", "--base", &image, "-t", &format!("{host}/me/three:v1")]);
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("built for linux/amd64, linux/arm64"), "{told}");
    assert!(told.contains("1 mounted from another repository"), "{told}");
    done(place.plain(&["validate", &format!("{host}/me/three:v1")]));
    // From registry to registry.
    let copied = format!("{host}/other/catalog:v1");
    assert_eq!(done(place.plain(&["push", &format!("docker://{image}"), "-q", "-t", &copied])), built);
    let chunked =
        place.plain(&["push", "layout", "-q", "-t", &format!("{host}/c/c:v1"), "--chunk-size", "65536"]);
    assert_eq!(done(chunked), built);
    let told = refused(&place.plain(&["push", "nothing", "-t", &copied]), 2);
    assert!(told.contains("nothing is neither a layout, nor an archive, nor an image"), "{told}");
}

#[test]
fn passwords_are_asked_for() {
    if !is_installed("docker-registry") || !is_installed("htpasswd") {
        return;
    }
    let place = Place::new();
    let passwords = Command::new("htpasswd").args(["-Bbn", "me", "secret"]).output().unwrap();
    let file = place.write("htpasswd", passwords.stdout);
    let further =
        format!("http: {{addr: HOST}}\nauth: {{htpasswd: {{realm: r, path: {}}}}}\n", file.display());
    let server = start(place.path(), &further);
    let image = format!("{}/me/catalog:v1", server.host);
    let push = ["build", &testdata("sample-catalog"), "--push", "-q", "-t", &image];
    let told = refused(&place.plain(&push), 2);
    assert!(told.contains("credential tried: none") && told.contains("help: log in"), "{told}");
    let told = refused(&place.plain(&[&push[..], &["--creds", "me:wrong"]].concat()), 2);
    assert!(told.contains("credential tried: --creds") && !told.contains("wrong;"), "{told}");
    done(place.plain(&[&push[..], &["--creds", "me:secret"]].concat()));
    done(place.plain(&["render", &image, "--creds", "me:secret"]));
    if is_installed("skopeo") {
        // What `skopeo login` leaves is found.
        let login = ["login", "--tls-verify=false", "--authfile", "auth.json", "-u", "me", "-p", "secret"];
        let mut command = Command::new("skopeo");
        done(command.args(login).arg(&server.host).current_dir(place.path()).output().unwrap());
        done(place.plain(&["pull", &image, "oci:image", "-q", "--authfile", "auth.json"]));
    }
}

#[test]
fn certificates_are_checked_and_shown() {
    if !is_installed("docker-registry") {
        return;
    }
    let mut parameters = CertificateParams::new([]).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap();
    for wants_certificate in [false, true] {
        let place = Place::new();
        let key = KeyPair::generate().unwrap();
        let names = ["127.0.0.1".to_owned()];
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
        let certificate = place.write("server.pem", certificate.pem());
        let key = place.write("server.key.pem", key.serialize_pem());
        let ca = place.write("ca/ca.crt", authority.pem());
        let clients =
            if wants_certificate { format!(", clientcas: [{}]", ca.display()) } else { String::new() };
        let further = format!(
            "http: {{addr: HOST, tls: {{certificate: {}, key: {}{clients}}}}}\n",
            certificate.display(),
            key.display()
        );
        let server = start(place.path(), &further);
        let image = format!("{}/me/catalog:v1", server.host);
        let push = ["build", &testdata("sample-catalog"), "--push", "-q", "-t", &image];
        let told = refused(&place.fbc(&push), 2);
        assert!(told.contains("the certificate is not trusted") && told.contains("--cert-dir"), "{told}");
        let trusting = [&push[..], &["--cert-dir", "ca", "--retry", "0"]].concat();
        if wants_certificate {
            let told = refused(&place.fbc(&trusting), 2);
            assert!(told.contains("cannot look for the blob"), "{told}");
            let key = KeyPair::generate().unwrap();
            let mut parameters = CertificateParams::new([]).unwrap();
            parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            let ours = parameters.signed_by(&key, &authority).unwrap();
            place.write("ca/client.cert", ours.pem());
            place.write("ca/client.key", key.serialize_pem());
        } else {
            done(place.fbc(&[&push[..], &["--tls-verify=false"]].concat()));
            done(place.fbc(&[&push[..], &["--insecure-skip-tls-verify"]].concat()));
            done(place.fbc(&["opm", "render", &image, "--skip-tls-verify"]));
            let told = refused(&place.plain(&["pull", &image, "oci:x"]), 2);
            assert!(told.contains("cannot get the manifest http://"), "{told}");
        }
        done(place.fbc(&trusting));
        // Where podman looks.
        for name in std::fs::read_dir(place.path().join("ca")).unwrap() {
            let name = name.unwrap();
            let to = format!(".config/containers/certs.d/{}/{}", server.host, name.file_name().display());
            place.write(&to, std::fs::read(name.path()).unwrap());
        }
        done(place.fbc(&["validate", &image]));
    }
}

#[test]
fn a_read_only_registry_is_read() {
    if !is_installed("docker-registry") {
        return;
    }
    let place = Place::new();
    let image = {
        let server = start(place.path(), "http: {addr: HOST}\n");
        let image = format!("{}/me/catalog:v1", server.host);
        done(place.plain(&["build", &testdata("sample-catalog"), "--push", "-q", "-t", &image]));
        image
    };
    let server = start(place.path(), "  maintenance: {readonly: {enabled: true}}\nhttp: {addr: HOST}\n");
    let (_, rest) = image.split_once('/').unwrap();
    let image = format!("{}/{rest}", server.host);
    done(place.plain(&["validate", &image]));
    let new = format!("{}/me/new:v1", server.host);
    let told = refused(&place.plain(&["build", &testdata("sample-catalog"), "--push", "-q", "-t", &new]), 2);
    assert!(told.contains("405") || told.contains("UNSUPPORTED"), "{told}");
}
