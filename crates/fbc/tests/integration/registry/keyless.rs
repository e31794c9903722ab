//! Signatures without keys: an authority and a transparency log in a thread take the places of Fulcio and Rekor.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use fbc_signature::{PrivateKey, PublicKey};
use fbc_testing::registry::Registry;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DnType, ExtendedKeyUsagePurpose,
    IsCa, KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData, SanType, SignatureAlgorithm,
};
use ring::rand::SystemRandom;
use serde_json::{Value, json};

use super::support::{Place, done, refused, registry_with_catalog, text};

const EMAIL: &str = "me@example.com";
/// Whom the authority gives a certificate for another key.
const CONFUSED: &str = "confused@example.com";
const ISSUER: &str = "https://issuer.example.com";

/// The authority and the log, and where they answer.
struct Sigstore {
    address: String,
    authority: Vec<u8>,
    log: PublicKey,
}

/// What answers.
struct Services {
    /// The one that is trusted, in PEM.
    root: String,
    /// The one that issues certificates of signers, below it.
    intermediate: CertifiedIssuer<'static, KeyPair>,
    log: PrivateKey,
}

/// A key on the curve P-256 of somebody else.
struct Point(Vec<u8>);

impl PublicKeyData for Point {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ECDSA_P256_SHA256
    }
}

impl Sigstore {
    fn start() -> Self {
        let authority = |name: &str| {
            let mut authority = CertificateParams::new(Vec::new()).unwrap();
            authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            authority.distinguished_name.push(DnType::CommonName, name);
            (authority, KeyPair::generate().unwrap())
        };
        let (root, key) = authority("root");
        let root = CertifiedIssuer::self_signed(root, key).unwrap();
        let (intermediate, key) = authority("intermediate");
        let intermediate = CertifiedIssuer::signed_by(intermediate, key, &root).unwrap();
        let log = PrivateKey::ephemeral(&SystemRandom::new()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let known = Self { address, authority: root.der().to_vec(), log: log.public_key() };
        let services = Services { root: root.pem(), intermediate, log };
        thread::spawn(move || listener.incoming().for_each(|stream| services.answer(stream.unwrap())));
        known
    }

    /// What is trusted, as sigstore publishes it.
    fn trusted_root(&self) -> String {
        let bytes = |bytes: &[u8]| json!({"rawBytes": STANDARD.encode(bytes)});
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [{"publicKey": bytes(self.log.as_der())}],
            "certificateAuthorities": [{"certChain": {"certificates": [bytes(&self.authority)]}}],
        })
        .to_string()
    }

    /// What is trusted, as a policy of the machine says it.
    fn policy(&self, email: &str) -> String {
        let pem = |bytes: &[u8]| {
            let lines = STANDARD.encode(bytes);
            STANDARD.encode(format!("-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"))
        };
        let signed = json!([{
            "type": "sigstoreSigned",
            "fulcio": {"caData": pem(&self.authority), "oidcIssuer": ISSUER, "subjectEmail": email},
            "rekorPublicKeyData": STANDARD.encode(self.log.to_pem()),
            "signedIdentity": {"type": "matchRepository"},
        }]);
        json!({"default": [{"type": "reject"}], "transports": {"docker": {"": signed}}}).to_string()
    }
}

impl Services {
    fn answer(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            match line.trim() {
                "" => break,
                line => lines.push(line.to_lowercase()),
            }
        }
        let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut body).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let (status, answer) = match lines[0].split(' ').nth(1) {
            Some("/api/v2/signingcert") => self.certify(&body),
            Some("/api/v1/log/entries") => ("201 Created", self.note(&body)),
            other => panic!("{other:?}"),
        };
        let answer = answer.to_string();
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
        (&stream).write_all(format!("{head}{answer}").as_bytes()).unwrap();
    }

    fn certify(&self, asked: &Value) -> (&'static str, Value) {
        let token = asked["credentials"]["oidcIdentityToken"].as_str().unwrap();
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
        let claims: Value = serde_json::from_slice(&claims).unwrap();
        let email = claims["email"].as_str().unwrap();
        let key = &asked["publicKeyRequest"];
        let public = PublicKey::read(key["publicKey"]["content"].as_str().unwrap().as_bytes()).unwrap();
        let proof = STANDARD.decode(key["proofOfPossession"].as_str().unwrap()).unwrap();
        if claims["iss"] != ISSUER || !public.verifies(email.as_bytes(), &proof) {
            return ("400 Bad Request", json!({"code": 3, "message": "the token is not of a known issuer"}));
        }
        let mut leaf = CertificateParams::new(Vec::new()).unwrap();
        leaf.subject_alt_names = vec![SanType::Rfc822Name(email.try_into().unwrap())];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
        let issuer = CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 57264, 1, 1], ISSUER.into());
        leaf.custom_extensions = vec![issuer];
        let public = if email == CONFUSED { self.log.public_key() } else { public };
        let point = Point(public.as_der()[public.as_der().len() - 65..].to_vec());
        let certificate = leaf.signed_by(&point, &self.intermediate).unwrap();
        // As Fulcio answers: without the ends of the last lines.
        let chain = [certificate.pem(), self.intermediate.pem(), self.root.clone()];
        let chain = chain.map(|pem| pem.replace("\r\n", "\n").trim().to_owned());
        let chain = json!({"chain": {"certificates": chain}});
        ("201 Created", json!({"signedCertificateEmbeddedSct": chain}))
    }

    fn note(&self, entry: &Value) -> Value {
        assert_eq!(entry["kind"], "hashedrekord");
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let (body, id) = (STANDARD.encode(entry.to_string()), "ab".repeat(32));
        let signed = format!(r#"{{"body":"{body}","integratedTime":{time},"logID":"{id}","logIndex":7}}"#);
        let promise = self.log.sign(signed.as_bytes(), &SystemRandom::new()).unwrap();
        let verification = json!({"signedEntryTimestamp": STANDARD.encode(promise)});
        json!({"uuid": {
            "body": body, "integratedTime": time, "logID": id, "logIndex": 7, "verification": verification
        }})
    }
}

/// Whether a file below a directory holds a text.
fn holds(folder: &std::path::Path, words: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() { holds(&path, words) } else { text(&std::fs::read(&path).unwrap()).contains(words) }
    })
}

fn token(claims: &Value) -> String {
    format!("e30.{}.c2ln\n", URL_SAFE_NO_PAD.encode(claims.to_string()))
}

#[test]
fn who_has_a_token_signs_and_is_known_by_a_certificate() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    let sigstore = Sigstore::start();
    place.write("root.json", sigstore.trusted_root());
    place.write("token", token(&json!({"iss": ISSUER, "email": EMAIL})));
    let sign_with = |token: &str, more: &[&str]| -> Output {
        let urls = ["--fulcio-url", &sigstore.address, "--rekor-url", &sigstore.address];
        // With the pause after which the signature is looked for again.
        let flags = ["--plain-http", "--retry-delay", "1ms"];
        place.fbc(&[&["sign", &image, "--identity-token", token], &urls[..], &flags, more].concat())
    };
    let sign = |token: &str| sign_with(token, &[]);
    let verify = |image: &str, name: &str, issuer: &str, more: &[&str]| {
        let who = ["--certificate-identity", name, "--certificate-oidc-issuer", issuer];
        place.plain(&[&["verify", image, "--trusted-root", "root.json"], &who[..], more].concat())
    };
    refused(&verify(&image, EMAIL, ISSUER, &[]), 1);
    done(sign("token"));
    // Go reads a block only at the beginning of a line.
    let name = format!("me/catalog:{}.sig", digest.replace(':', "-"));
    let manifest: Value = serde_json::from_slice(&registry.state.lock().unwrap().manifests[&name].1).unwrap();
    let annotations = &manifest["layers"][0]["annotations"];
    for (annotation, count) in [("certificate", 1), ("chain", 2)] {
        let text = annotations[format!("dev.sigstore.cosign/{annotation}")].as_str().unwrap();
        assert!(!text.contains("----------") && text.ends_with("-----\n"), "{text}");
        assert_eq!(text.matches("-----BEGIN CERTIFICATE-----\n").count(), count, "{text}");
    }
    let told = done(verify(&image, EMAIL, ISSUER, &[]));
    assert!(told.starts_with("signature verified"), "{told}");
    let told = refused(&verify(&image, "you@example.com", ISSUER, &[]), 1);
    assert!(told.contains("its certificate is for me@example.com"), "{told}");
    let told = refused(&verify(&image, EMAIL, "https://else", &[]), 1);
    assert!(told.contains("its certificate is from the issuer https://issuer.example.com, not"), "{told}");
    // Another authority certified somebody of the same name.
    place.write("root.json", Sigstore::start().trusted_root());
    refused(&verify(&image, EMAIL, ISSUER, &[]), 1);
    place.write("root.json", "{}");
    let told = refused(&verify(&image, EMAIL, ISSUER, &[]), 2);
    assert!(told.contains("root.json: its media type"), "{told}");
    place.write("root.json", sigstore.trusted_root());
    // The policy of a machine asks for the same, and mirrors carry what proves it.
    let policy = place.write("policy.json", sigstore.policy(EMAIL)).display().to_string();
    done(place.plain(&["pull", &image, "oci:pulled:v1", "--signature-policy", &policy]));
    let mirror = Registry::in_thread();
    let copy = format!("{}/me/catalog:v1", mirror.host);
    place.write_image_set(&image);
    let to = ["--to", &mirror.host, "--manifests", "out", "--signature-policy", &policy];
    done(place.plain(&[&["mirror", "--config", "set.yaml"], &to[..]].concat()));
    let source = image.rsplit_once(':').unwrap().0;
    done(verify(&copy, EMAIL, ISSUER, &["--signed-as", source]));
    place.write("policy.json", sigstore.policy("you@example.com"));
    let told = refused(&place.plain(&["pull", &image, "oci:refused:v1", "--signature-policy", &policy]), 1);
    assert!(told.contains("its certificate is for me@example.com"), "{told}");
    // What the authority refuses, and what is not a token.
    place.write("other", token(&json!({"iss": "https://else", "email": EMAIL})));
    let told = refused(&sign("other"), 2);
    assert!(told.contains("the token is not of a known issuer") && told.contains("signingCert"), "{told}");
    place.write("confused", token(&json!({"iss": ISSUER, "email": CONFUSED})));
    let told = refused(&sign("confused"), 2);
    assert!(told.contains("signingCert certifies another key"), "{told}");
    // Whether the authority takes it or not, no token is in an output or a file.
    for (name, is_taken) in [("token", true), ("other", false), ("confused", false)] {
        let token = std::fs::read_to_string(place.path().join(name)).unwrap();
        let output = sign_with(name, &["-v"]);
        assert_eq!(output.status.success(), is_taken, "{output:?}");
        let told = text(&[output.stdout, output.stderr].concat());
        let claims = token.split('.').nth(1).unwrap();
        assert!(!told.contains(claims), "{told}");
        let kept = registry.state.lock().unwrap().blobs.values().any(|blob| text(blob).contains(claims));
        assert!(!kept && !holds(&place.path().join("cache"), claims), "{name}");
    }
    place.write("nothing", "x");
    let told = refused(&sign("nothing"), 2);
    assert!(told.contains("does not hold a token"), "{told}");
    let address = sigstore.address.replace("127.0.0.1", "registry.example.com");
    let told =
        refused(&place.plain(&["sign", &image, "--identity-token", "token", "--fulcio-url", &address]), 2);
    assert!(told.contains("it does not begin with https://"), "{told}");
}
