//! Keys, certificates and transparency logs that are made for the tests.

mod broken;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, SanType, date_time_ymd,
};
use ring::rand::SystemRandom;
use serde_json::{Value, json};

use super::*;
use crate::bundle;
use crate::key::PrivateKey;
use crate::transparency_log::proposed;

fn name(text: &str) -> ImageName {
    ImageName::parse(text).unwrap()
}

#[test]
fn one_good_signature_is_enough() {
    let random = SystemRandom::new();
    let key = || {
        let (private, _) = PrivateKey::generate(b"", &random).unwrap();
        PrivateKey::read(private.as_bytes(), Some(b""), &random).unwrap()
    };
    let (ours, other) = (key(), key());
    let sign = |key: &PrivateKey, reference: &str, digest: &str| {
        let payload = Payload::new(reference, digest, &BTreeMap::new()).bytes().unwrap();
        Signature { signature: key.sign(&payload, &random).unwrap(), payload, ..Signature::default() }
    };
    let check = |signatures: &[Signature]| {
        let trust = Trust::in_keys(vec![ours.public_key()]);
        check(signatures, &trust, &SignedIdentity::default(), &name("q.io/a:1"), "sha256:1")
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let (good, foreign) = (sign(&ours, "q.io/a:1", "sha256:1"), sign(&other, "q.io/a:1", "sha256:1"));
    assert_eq!(check(&[foreign.clone(), good.clone()]), Ok(()));
    // What no key needs is not read.
    let annotations = [(transparency_log::ANNOTATION, "{}"), (CHAIN_ANNOTATION, "x")];
    let annotations = annotations.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    assert_eq!(check(&[Signature { annotations, ..good }]), Ok(()));
    for (signatures, expected) in [
        (vec![], "it has no signatures"),
        (vec![foreign.clone(), foreign], "no trusted key made this signature"),
        (vec![sign(&ours, "q.io/a:2", "sha256:1")], "a signature is for the name q.io/a:2"),
        (vec![sign(&ours, "q.io/a:1", "sha256:2")], "a signature is for sha256:2"),
    ] {
        assert_eq!(check(&signatures).unwrap_err(), expected);
    }
}

const EMAIL: &str = "me@example.com";
const ISSUER: &str = "https://issuer.example.com";
/// In 2024, when certificates below are valid.
const SIGNED_AT: u64 = 1_720_000_000;

/// An authority and a transparency log, as Fulcio and Rekor are.
struct Sigstore {
    authority: CertifiedIssuer<'static, KeyPair>,
    log: PrivateKey,
}

/// A key with its certificate.
struct Holder {
    key: PrivateKey,
    certificate: rcgen::Certificate,
}

fn private(key: &KeyPair) -> PrivateKey {
    PrivateKey::read(key.serialize_pem().as_bytes(), None, &SystemRandom::new()).unwrap()
}

impl Sigstore {
    fn new() -> Self {
        let mut root = CertificateParams::new(Vec::new()).unwrap();
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(root, KeyPair::generate().unwrap()).unwrap();
        Self { authority, log: private(&KeyPair::generate().unwrap()) }
    }

    fn certify(&self, change: impl FnOnce(&mut CertificateParams)) -> Holder {
        let mut leaf = CertificateParams::new(Vec::new()).unwrap();
        leaf.subject_alt_names = vec![SanType::Rfc822Name(EMAIL.try_into().unwrap())];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
        (leaf.not_before, leaf.not_after) = (date_time_ymd(2024, 1, 1), date_time_ymd(2025, 1, 1));
        let issuer = CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 57264, 1, 1], ISSUER.into());
        leaf.custom_extensions = vec![issuer];
        change(&mut leaf);
        let key = KeyPair::generate().unwrap();
        let certificate = leaf.signed_by(&key, &self.authority).unwrap();
        Holder { key: private(&key), certificate }
    }

    /// What the log promises of an entry.
    fn promise(&self, body: &Value, time: u64) -> String {
        let (body, id) = (STANDARD.encode(body.to_string()), "ab".repeat(32));
        let signed = format!(r#"{{"body":"{body}","integratedTime":{time},"logID":"{id}","logIndex":7}}"#);
        let promise = self.log.sign(signed.as_bytes(), &SystemRandom::new()).unwrap();
        let payload = json!({"body": body, "integratedTime": time, "logIndex": 7, "logID": id});
        json!({"SignedEntryTimestamp": STANDARD.encode(promise), "Payload": payload}).to_string()
    }

    /// A signature without a key of its own, as cosign makes it.
    fn sign(&self, holder: &Holder, time: u64) -> Signature {
        let payload = Payload::new("q.io/a:1", "sha256:1", &BTreeMap::new()).bytes().unwrap();
        let signature = holder.key.sign(&payload, &SystemRandom::new()).unwrap();
        let pem = holder.certificate.pem();
        let entry = self.promise(&proposed(&pem, &signature, &payload), time);
        let annotations = [
            (CERTIFICATE_ANNOTATION, pem),
            (CHAIN_ANNOTATION, self.authority.pem()),
            (transparency_log::ANNOTATION, entry),
        ];
        let annotations = annotations.map(|(name, text)| (name.to_owned(), text)).into();
        Signature { payload, signature, annotations }
    }

    /// A bundle with a certificate, of any payload; `change` is what the log says that it is about.
    fn bundle(&self, holder: &Holder, kind: &str, payload: &[u8], change: impl FnOnce(&mut Value)) -> Value {
        let message = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
        let message = [message.as_bytes(), payload].concat();
        let signature = STANDARD.encode(holder.key.sign(&message, &SystemRandom::new()).unwrap());
        let hash = proposed("", b"", payload)["spec"]["data"]["hash"].clone();
        let mut body = json!({"apiVersion": "0.0.1", "kind": "dsse", "spec": {
            "payloadHash": hash,
            "signatures": [{"signature": signature, "verifier": STANDARD.encode(holder.certificate.pem())}],
        }});
        change(&mut body);
        let promise: Value = serde_json::from_str(&self.promise(&body, SIGNED_AT)).unwrap();
        json!({
            "mediaType": bundle::MEDIA_TYPE,
            "verificationMaterial": {
                "certificate": {"rawBytes": STANDARD.encode(holder.certificate.der())},
                "tlogEntries": [{
                    "logIndex": "7", "logId": {"keyId": STANDARD.encode([0xab; 32])},
                    "integratedTime": SIGNED_AT.to_string(),
                    "inclusionPromise": {"signedEntryTimestamp": promise["SignedEntryTimestamp"]},
                    "canonicalizedBody": promise["Payload"]["body"],
                }],
            },
            "dsseEnvelope": {
                "payload": STANDARD.encode(payload), "payloadType": kind, "signatures": [{"sig": signature}],
            },
        })
    }

    fn logs(&self) -> Vec<Log> {
        vec![self.log.public_key().into()]
    }

    fn authorities(&self) -> Authorities {
        Authorities::new(vec![self.authority.der().to_vec()], Vec::new()).unwrap()
    }

    fn trust(&self, signer: ExpectedSigner) -> Trust {
        let moment = SigningTime::Logged(self.logs());
        Trust::Certificates { authorities: self.authorities(), signer, moment }
    }
}

const STATEMENT: &str = "application/vnd.in-toto+json";

/// A statement about the image `sha256:aa`.
fn statement() -> String {
    bundle::statement("sha256:aa", bundle::SIGNATURE, &json!({})).to_string()
}

fn me() -> ExpectedSigner {
    ExpectedSigner {
        issuer: Some(ISSUER.to_owned()),
        email: Some(EMAIL.to_owned()),
        ..ExpectedSigner::default()
    }
}

fn outcome(signature: &Signature, trust: &Trust) -> Result<(), String> {
    let signatures = std::slice::from_ref(signature);
    check(signatures, trust, &SignedIdentity::default(), &name("q.io/a:1"), "sha256:1")
        .map(drop)
        .map_err(|error| error.to_string())
}

#[test]
fn who_has_a_certificate_signs_without_a_key() {
    let sigstore = Sigstore::new();
    let holder = sigstore.certify(|_| {});
    let good = sigstore.sign(&holder, SIGNED_AT);
    assert_eq!(outcome(&good, &sigstore.trust(me())), Ok(()));
    let whoever = ExpectedSigner { name: Some(EMAIL.to_owned()), ..ExpectedSigner::default() };
    assert_eq!(outcome(&good, &sigstore.trust(whoever)), Ok(()));
    let without = |annotation: &str| {
        let mut signature = good.clone();
        signature.annotations.remove(annotation);
        signature
    };
    let with = |annotation: &str, text: String| {
        let mut signature = good.clone();
        signature.annotations.insert(annotation.to_owned(), text);
        signature
    };
    assert_eq!(outcome(&with(CHAIN_ANNOTATION, String::new()), &sigstore.trust(me())), Ok(()));
    let other = Sigstore::new();
    let elsewhere = Trust::Certificates {
        authorities: other.authorities(),
        signer: me(),
        moment: SigningTime::Logged(sigstore.logs()),
    };
    let unseen = Trust::Certificates {
        authorities: sigstore.authorities(),
        signer: me(),
        moment: SigningTime::Logged(other.logs()),
    };
    let foreign = sigstore.sign(&sigstore.certify(|_| {}), SIGNED_AT);
    let entry_of_foreign = foreign.annotations[transparency_log::ANNOTATION].clone();
    let of_server =
        sigstore.certify(|leaf| leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]);
    let two_issuers = sigstore.certify(|leaf| {
        let text = [&[0x0c, 1][..], b"x"].concat();
        leaf.custom_extensions
            .push(CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 57264, 1, 8], text));
    });
    let expecting = |change: fn(&mut ExpectedSigner)| {
        let mut expected = me();
        change(&mut expected);
        sigstore.trust(expected)
    };
    for (signature, trust, expected) in [
        (without(CERTIFICATE_ANNOTATION), sigstore.trust(me()), "a signature has no certificate"),
        (without(transparency_log::ANNOTATION), sigstore.trust(me()), "a signature has no entry of"),
        (good.clone(), elsewhere, "no trusted authority issued its certificate"),
        (good.clone(), unseen, "its entry of a transparency log is not signed by a log that is trusted"),
        (
            sigstore.sign(&holder, SIGNED_AT * 2),
            sigstore.trust(me()),
            "no trusted authority issued its certificate",
        ),
        (
            with(transparency_log::ANNOTATION, entry_of_foreign),
            sigstore.trust(me()),
            "its entry of a transparency log is about another signature",
        ),
        (
            with(transparency_log::ANNOTATION, "{}".to_owned()),
            sigstore.trust(me()),
            "its entry of a transparency log is malformed",
        ),
        (with(CERTIFICATE_ANNOTATION, "x".to_owned()), sigstore.trust(me()), "its annotation dev.sigstore"),
        (with(CHAIN_ANNOTATION, "x".to_owned()), sigstore.trust(me()), "its annotation dev.sigstore"),
        (
            sigstore.sign(&of_server, SIGNED_AT),
            sigstore.trust(me()),
            "no trusted authority issued its certificate",
        ),
        (sigstore.sign(&two_issuers, SIGNED_AT), sigstore.trust(me()), "its certificate names two issuers"),
        (good.clone(), expecting(|me| me.email = Some("you@x".to_owned())), "its certificate is for me@"),
        (good.clone(), expecting(|me| me.name = Some("you@x".to_owned())), "its certificate is for me@"),
        (good.clone(), expecting(|me| me.host = Some("h".to_owned())), "its certificate is for me@"),
        (
            good.clone(),
            expecting(|me| me.issuer = Some("i".to_owned())),
            "its certificate is from the issuer https://issuer.example.com, not",
        ),
        (good.clone(), Trust::in_keys(vec![sigstore.log.public_key()]), "no trusted key made this signature"),
    ] {
        let reason = outcome(&signature, &trust).unwrap_err();
        assert!(reason.starts_with(expected), "{expected}: {reason}");
    }
}

#[test]
fn other_authorities_certify_hosts_and_no_log_is_asked() {
    let sigstore = Sigstore::new();
    let holder = sigstore.certify(|leaf| {
        leaf.subject_alt_names.push(SanType::DnsName("*.example.com".try_into().unwrap()));
    });
    let mut signature = sigstore.sign(&holder, SIGNED_AT);
    signature.annotations.remove(transparency_log::ANNOTATION);
    let trust = |host: &str, now: u64| Trust::Certificates {
        authorities: sigstore.authorities(),
        signer: ExpectedSigner { host: Some(host.to_owned()), ..ExpectedSigner::default() },
        moment: SigningTime::Now(now),
    };
    assert_eq!(outcome(&signature, &trust("Build.example.com", SIGNED_AT)), Ok(()));
    assert!(outcome(&signature, &trust("a.b.example.com", SIGNED_AT)).is_err());
    assert!(outcome(&signature, &trust("build.example.com", 0)).is_err());
}

#[test]
fn a_log_may_have_to_see_signatures_of_keys() {
    let sigstore = Sigstore::new();
    let key = sigstore.certify(|_| {}).key;
    let random = SystemRandom::new();
    let payload = Payload::new("q.io/a:1", "sha256:1", &BTreeMap::new()).bytes().unwrap();
    let signature = key.sign(&payload, &random).unwrap();
    let entry = sigstore.promise(&proposed(&key.public_key().to_pem(), &signature, &payload), 1);
    let annotations = [(transparency_log::ANNOTATION.to_owned(), entry)].into();
    let signature = Signature { payload, signature, annotations };
    let trust = |keys: Vec<PublicKey>| Trust::Keys { keys, logs: sigstore.logs() };
    assert_eq!(outcome(&signature, &trust(vec![key.public_key()])), Ok(()));
    let silent = Signature { annotations: BTreeMap::new(), ..signature };
    let reason = outcome(&silent, &trust(vec![key.public_key()])).unwrap_err();
    assert_eq!(reason, "a signature has no entry of a transparency log");
}

#[test]
fn bundles_may_hold_certificates() {
    let sigstore = Sigstore::new();
    let holder = sigstore.certify(|_| {});
    let mut written = sigstore.bundle(&holder, STATEMENT, statement().as_bytes(), |_| {});
    let verify = |bundle: &Value, trust: &Trust| {
        bundle::verify(bundle.to_string().as_bytes(), "sha256:aa", trust)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert_eq!(verify(&written, &sigstore.trust(me())), Ok(()));
    let reason = verify(&written, &Trust::in_keys(vec![holder.key.public_key()])).unwrap_err();
    assert!(reason.starts_with("it is signed with a certificate"), "{reason}");
    // One entry that holds is enough, whichever it is.
    let entries = written["verificationMaterial"]["tlogEntries"].as_array_mut().unwrap();
    entries.insert(0, json!({}));
    assert_eq!(verify(&written, &sigstore.trust(me())), Ok(()));
    written["verificationMaterial"]["tlogEntries"][1]["inclusionPromise"] = Value::Null;
    let reason = verify(&written, &sigstore.trust(me())).unwrap_err();
    assert!(reason.contains("has no signed entry timestamp"), "{reason}");
    // Who trusts the key needs no log.
    written["verificationMaterial"] = json!({"tlogEntries": [{}]});
    assert_eq!(verify(&written, &Trust::in_keys(vec![holder.key.public_key()])), Ok(()));
}

#[test]
fn trusted_roots_say_when_they_count() {
    let sigstore = Sigstore::new();
    let root = |end: &str| {
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [{"publicKey": {
                "rawBytes": STANDARD.encode(sigstore.log.public_key().as_der()),
                "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "validFor": {"start": "2021-01-12T11:53:27.000Z"},
            }}],
            "certificateAuthorities": [{
                "certChain": {"certificates": [{"rawBytes": STANDARD.encode(sigstore.authority.der())}]},
                "validFor": {"start": "2021-01-12T11:53:27.000Z", "end": end},
            }],
        })
    };
    let signature = sigstore.sign(&sigstore.certify(|_| {}), SIGNED_AT);
    let of = |root: &Value| crate::TrustedRoot::read(root.to_string().as_bytes());
    let trust = |end: &str| {
        let crate::TrustedRoot { authorities, logs } = of(&root(end)).unwrap();
        Trust::Certificates { authorities, signer: me(), moment: SigningTime::Logged(logs) }
    };
    assert_eq!(outcome(&signature, &trust("2030-01-01T00:00:00Z")), Ok(()));
    let reason = outcome(&signature, &trust("2022-01-01T00:00:00Z")).unwrap_err();
    assert!(reason.starts_with("no trusted authority issued its certificate"), "{reason}");
    for (field, expected) in [
        ("mediaType", "its media type is"),
        ("tlogs", "it names no transparency log"),
        ("certificateAuthorities", "it names no authority"),
    ] {
        let mut root = root("2030-01-01T00:00:00Z");
        root[field] = Value::Null;
        assert!(of(&root).unwrap_err().to_string().starts_with(expected), "{field}");
    }
}
