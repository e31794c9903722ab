//! What somebody broke on purpose: nothing panics, and nothing counts that nobody signed.

use fbc_testing::broken_variants;
use rcgen::{Certificate, KeyUsagePurpose};

use super::*;

fn verified(bundle: &[u8], trust: &Trust) -> Result<Value, String> {
    bundle::verify(bundle, "sha256:aa", trust).map_err(|error| error.to_string())
}

/// Puts a value in the place of another.
fn with(bundle: &Value, pointer: &str, value: Value) -> Value {
    let mut bundle = bundle.clone();
    *bundle.pointer_mut(pointer).unwrap() = value;
    bundle
}

const ENTRY: &str = "/verificationMaterial/tlogEntries/0";
const SIGNATURES: &str = "/dsseEnvelope/signatures";

#[test]
fn bundles_that_say_something_else_are_refused() {
    let sigstore = Sigstore::new();
    let holder = sigstore.certify(|_| {});
    let trust = sigstore.trust(me());
    let text = statement();
    let bundle = |change: fn(&mut Value)| sigstore.bundle(&holder, STATEMENT, text.as_bytes(), change);
    let good = bundle(|_| {});
    let other = sigstore.bundle(&sigstore.certify(|_| {}), STATEMENT, text.as_bytes(), |_| {});
    let of = |payload: &str| sigstore.bundle(&holder, STATEMENT, payload.as_bytes(), |_| {});
    assert!(verified(good.to_string().as_bytes(), &trust).is_ok());
    let from_other = |pointer: &str| with(&good, pointer, other.pointer(pointer).unwrap().clone());
    let in_entry = |field: &str, value: Value| with(&good, &format!("{ENTRY}{field}"), value);
    let image = r#""subject":[{"digest":{"sha256":"aa"}}]"#;
    assert!(text.contains(image), "{text}");
    for (bundle, expected) in [
        (sigstore.bundle(&holder, "text/plain", text.as_bytes(), |_| {}), "it signs \"text/plain\""),
        (with(&good, "/dsseEnvelope/payloadType", json!("text/plain")), "the key in its certificate did not"),
        (
            with(&good, "/dsseEnvelope/payload", json!(STANDARD.encode(text.replace("aa", "bb")))),
            "its entry of",
        ),
        (of("[]"), "its statement is about another image"),
        (of("{"), "its statement is not JSON"),
        (
            of(&text.replace(image, r#""subject":{"digest":{"sha256":"aa"}}"#)),
            "its statement is about another",
        ),
        (
            of(&text.replace(image, r#""subject":[{"digest":{"sha256":["aa"]}}]"#)),
            "its statement is about another",
        ),
        (of(&text.replace(image, &format!(r#""subject":[],{image}"#))), "its statement is not JSON"),
        (from_other("/verificationMaterial/certificate"), "its entry of a transparency log is about another"),
        (from_other("/verificationMaterial/tlogEntries"), "its entry of a transparency log is about another"),
        (from_other(SIGNATURES), "its entry of a transparency log is about another"),
        (from_other("/verificationMaterial"), "its entry of a transparency log is about another"),
        (in_entry("/logIndex", json!("8")), "its entry of a transparency log is not signed"),
        (in_entry("/logIndex", json!(-7)), "its entry of a transparency log is malformed"),
        (
            in_entry("/logIndex", json!("99999999999999999999")),
            "its entry of a transparency log is malformed",
        ),
        (
            in_entry("/integratedTime", json!((SIGNED_AT + 1).to_string())),
            "its entry of a transparency log is not",
        ),
        (in_entry("/integratedTime", json!(u64::MAX.to_string())), "its entry of a transparency log is not"),
        (in_entry("/integratedTime", json!(7.5)), "its entry of a transparency log is malformed"),
        (in_entry("/logId/keyId", json!("AA==")), "its entry of a transparency log is not signed"),
        (
            in_entry("/inclusionPromise/signedEntryTimestamp", json!("")),
            "its entry of a transparency log is not",
        ),
        (in_entry("/canonicalizedBody", json!("e30=")), "its entry of a transparency log is not signed"),
        (in_entry("", json!([])), "its log entry has no signed entry timestamp"),
        (bundle(|body| body["kind"] = json!("intoto")), "entries of transparency logs of the kind intoto"),
        (bundle(|body| body["spec"] = json!([])), "its entry of a transparency log is about another"),
        (
            bundle(|body| body["spec"]["payloadHash"]["algorithm"] = json!("md5")),
            "its entry of a transparency",
        ),
        (bundle(|body| body["spec"]["signatures"][0]["verifier"] = json!(7)), "its entry of a transparency"),
        (with(&good, SIGNATURES, json!([])), "it is not signed"),
        (with(&good, SIGNATURES, json!({"sig": "AA=="})), "it is not signed"),
        (with(&good, SIGNATURES, json!([{"sig": ["AA=="]}])), "its signature is not base64"),
        (
            with(&good, SIGNATURES, json!(vec![good["dsseEnvelope"]["signatures"][0].clone(); 50_000])),
            "it holds 50000 signatures",
        ),
        (
            with(
                &good,
                "/verificationMaterial/tlogEntries",
                json!(vec![other.pointer(ENTRY).unwrap(); 50_000]),
            ),
            "it holds 50000 entries of transparency logs",
        ),
        (with(&good, "/verificationMaterial/certificate", Value::Null), "a signature has no certificate"),
        (with(&good, "/verificationMaterial/certificate/rawBytes", json!("MAA=")), "its entry of a"),
    ] {
        let reason = verified(bundle.to_string().as_bytes(), &trust).unwrap_err();
        assert!(reason.starts_with(expected), "{expected}: {reason}");
    }
    let twice = good.to_string().replacen('{', "{\"dsseEnvelope\":{},", 1);
    assert!(verified(twice.as_bytes(), &trust).unwrap_err().starts_with("it is not JSON"));
}

/// Whatever is put into a bundle, what is verified is what was signed.
#[test]
fn bundles_that_are_broken_anywhere_say_nothing_new() {
    let sigstore = Sigstore::new();
    let holder = sigstore.certify(|_| {});
    let statement = statement();
    let good = sigstore.bundle(&holder, STATEMENT, statement.as_bytes(), |_| {}).to_string();
    let signed: Value = serde_json::from_str(&statement).unwrap();
    for trust in [sigstore.trust(me()), Trust::in_keys(vec![holder.key.public_key()])] {
        // Long texts of base64 are broken at a few places.
        for broken in broken_variants(&good).step_by(37) {
            if let Ok(found) = verified(broken.as_bytes(), &trust) {
                assert_eq!(found, signed, "{broken}");
            }
        }
    }
}

#[test]
fn entries_that_are_broken_anywhere_say_nothing_new() {
    let sigstore = Sigstore::new();
    let good = sigstore.sign(&sigstore.certify(|_| {}), SIGNED_AT);
    let trust = sigstore.trust(me());
    for annotation in [transparency_log::ANNOTATION, CERTIFICATE_ANNOTATION] {
        let text = &good.annotations[annotation];
        for broken in broken_variants(text).step_by(37) {
            let mut signature = good.clone();
            signature.annotations.insert(annotation.to_owned(), broken.clone());
            // Space, and what stands around a certificate, says nothing.
            let is_same = match LogEntry::read(text) {
                Ok(entry) => LogEntry::read(&broken).is_ok_and(|broken| broken == entry),
                Err(_) => read_pem(broken.as_bytes()).ok() == read_pem(text.as_bytes()).ok(),
            };
            assert!(outcome(&signature, &trust).is_err() || is_same, "{broken}");
        }
    }
    // What a log says of times that do not exist.
    for time in [0, 1, i64::MAX.unsigned_abs(), u64::MAX] {
        let signature = sigstore.sign(&sigstore.certify(|_| {}), time);
        let reason = outcome(&signature, &trust).unwrap_err();
        assert!(reason.starts_with("no trusted authority issued its certificate"), "{time}: {reason}");
    }
}

/// An extension with this content.
fn extension(id: &[u64], content: &[u8], is_critical: bool) -> CustomExtension {
    let mut extension = CustomExtension::from_oid_content(id, content.to_vec());
    extension.set_criticality(is_critical);
    extension
}

#[test]
fn certificates_with_odd_extensions_are_refused() {
    type Change = fn(&mut CertificateParams);
    const OLD_ISSUER: [u64; 9] = [1, 3, 6, 1, 4, 1, 57264, 1, 1];
    const NEW_ISSUER: [u64; 9] = [1, 3, 6, 1, 4, 1, 57264, 1, 8];
    const NAMES: [u64; 4] = [2, 5, 29, 17];
    let sigstore = Sigstore::new();
    let trust = sigstore.trust(me());
    let changes: [(Change, &str); 12] = [
        (|leaf| leaf.is_ca = IsCa::Ca(BasicConstraints::Unconstrained), "no trusted authority"),
        (
            |leaf| leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::TimeStamping],
            "no trusted authority",
        ),
        (|leaf| leaf.not_before = date_time_ymd(2024, 12, 1), "no trusted authority"),
        (|leaf| leaf.not_after = date_time_ymd(2024, 1, 2), "no trusted authority"),
        (
            |leaf| leaf.custom_extensions.push(extension(&[1, 2, 3], b"x", true)),
            "its certificate is malformed",
        ),
        (
            |leaf| leaf.custom_extensions.push(extension(&OLD_ISSUER, b"x", false)),
            "the issuer in its certificate",
        ),
        (|leaf| leaf.custom_extensions = vec![extension(&OLD_ISSUER, b"\xff", false)], "the issuer in its"),
        (
            |leaf| leaf.custom_extensions = vec![extension(&NEW_ISSUER, b"\x0c\x7fx", false)],
            "the issuer in its",
        ),
        (
            |leaf| leaf.custom_extensions = vec![extension(&NEW_ISSUER, b"\x0c\x01xy", false)],
            "the issuer in its",
        ),
        (|leaf| leaf.custom_extensions = vec![], "its certificate is from the issuer nobody"),
        (|leaf| leaf.subject_alt_names = vec![], "its certificate is for nobody"),
        (
            |leaf| leaf.custom_extensions.push(extension(&NAMES, b"\x30\x00", false)),
            "its certificate is malformed",
        ),
    ];
    for (index, (change, expected)) in changes.into_iter().enumerate() {
        let reason = outcome(&sigstore.sign(&sigstore.certify(change), SIGNED_AT), &trust).unwrap_err();
        assert!(reason.starts_with(expected), "{index}: {expected}: {reason}");
    }
    // What signers usually have does no harm.
    let holder = sigstore.certify(|leaf| leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature]);
    assert_eq!(outcome(&sigstore.sign(&holder, SIGNED_AT), &trust), Ok(()));
}

#[test]
fn certificates_that_are_broken_anywhere_are_refused() {
    let sigstore = Sigstore::new();
    let authorities = sigstore.authorities();
    let good: Certificate = sigstore.certify(|_| {}).certificate;
    let der = good.der().to_vec();
    assert!(authorities.signer(&der, &[], SIGNED_AT).is_ok());
    for at in 0..der.len() {
        let cut = der[..at].to_vec();
        let mut other = der.clone();
        other[at] ^= 0x81;
        let long = [&der[..at], &[0xff; 4], &der[at..]].concat();
        for broken in [cut, other, long] {
            assert!(authorities.signer(&broken, &[], SIGNED_AT).is_err(), "{at}");
            // Nor does it matter what comes with it.
            assert!(authorities.signer(&der, &[broken], SIGNED_AT).is_ok(), "{at}");
        }
    }
    assert!(authorities.signer(&[&der[..], b"\0"].concat(), &[], SIGNED_AT).is_err());
}
