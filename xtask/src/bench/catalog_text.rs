//! The text of the generated catalog, in the form in which opm renders YAML.
//!
//! Half of the bytes of a bundle are base64 in `olm.bundle.object` properties, as in catalogs of the older form, and
//! half are text in an `olm.csv.metadata` property, as in those of the newer form. The catalog is valid: one chain of
//! replacements in each channel, base64 that holds JSON, versions that ascend.

use std::fmt::Write as _;

use crate::random::Random;

/// The words of all descriptions.
const WORDS: [&str; 24] = [
    "operator",
    "cluster",
    "manages",
    "the",
    "lifecycle",
    "of",
    "storage",
    "volumes",
    "and",
    "replicas",
    "with",
    "automatic",
    "upgrades",
    "backup",
    "monitoring",
    "resources",
    "for",
    "each",
    "instance",
    "in",
    "namespace",
    "`spec`",
    "[docs](https://example.com/docs)",
    "\"quoted\"",
];

/// Bundles of the second channel: every tenth one.
const CANDIDATE_STEP: usize = 10;

/// Kinds that each bundle provides.
const KINDS: [&str; 3] = ["Database", "DatabaseBackup", "DatabaseRestore"];

/// The longest line of a literal block.
const LINE_WIDTH: usize = 110;

/// Objects of each bundle in base64.
const OBJECTS: usize = 2;

/// The name of a package, which is the name of its directory too.
pub(super) fn package_name(index: usize) -> String {
    format!("generated-{index:03}")
}

/// The file of one package: `bundles` bundles and `bundles * bundle_bytes` bytes, within one percent.
pub(super) fn package(index: usize, bundles: usize, bundle_bytes: usize) -> String {
    let name = package_name(index);
    let mut random = Random::new(index as u64 + 1);
    let mut text = String::with_capacity(bundles * bundle_bytes + bundle_bytes);
    let _ = write!(
        text,
        "---\ndefaultChannel: stable\ndescription: |-\n  {}\nname: {name}\nschema: olm.package\n",
        sentence(&mut random, LINE_WIDTH)
    );
    text.push_str(&channel(&name, "candidate", (0..bundles).step_by(CANDIDATE_STEP)));
    text.push_str(&channel(&name, "stable", 0..bundles));
    for number in 0..bundles {
        // What package, channels and the rounding of earlier bundles took is spread over the bundles that are left.
        let share = (bundles * bundle_bytes).saturating_sub(text.len()) / (bundles - number);
        bundle(&mut text, &mut random, &name, number, share);
    }
    text
}

fn version(number: usize) -> String {
    format!("1.{}.{}", number / 10, number % 10)
}

/// A channel whose entries replace each other in the given order.
fn channel(package: &str, channel: &str, numbers: impl Iterator<Item = usize>) -> String {
    let mut text = "---\nentries:\n".to_owned();
    let mut replaced = None;
    for number in numbers {
        let version = version(number);
        let _ = writeln!(text, "- name: {package}.v{version}");
        if let Some(replaced) = replaced {
            let _ = writeln!(text, "  replaces: {package}.v{replaced}\n  skipRange: '>=1.0.0 <{version}'");
        }
        replaced = Some(version);
    }
    let _ = writeln!(text, "name: {channel}\npackage: {package}\nschema: olm.channel");
    text
}

/// Appends a bundle of about `bytes` bytes.
fn bundle(text: &mut String, random: &mut Random, package: &str, number: usize, bytes: usize) {
    let end = text.len() + bytes;
    let version = version(number);
    let image = format!("quay.io/example/{package}-bundle@sha256:{}", digest(random));
    let _ =
        writeln!(text, "---\nimage: {image}\nname: {package}.v{version}\npackage: {package}\nproperties:");
    for kind in KINDS {
        let _ = writeln!(
            text,
            "- type: olm.gvk\n  value:\n    group: {package}.example.com\n    kind: {kind}\n    version: v1"
        );
    }
    let _ =
        writeln!(text, "- type: olm.package\n  value:\n    packageName: {package}\n    version: {version}");
    for object in 0..OBJECTS {
        let json =
            custom_resource_definition(random, package, KINDS[object % KINDS.len()], bytes / 2 / OBJECTS);
        let data = base64(json.as_bytes());
        let _ = writeln!(text, "- type: olm.bundle.object\n  value:\n    data: {data}");
    }
    let tail = format!(
        "relatedImages:\n- image: {image}\n  name: \"\"\n- image: quay.io/example/{package}@sha256:{}\n  name: operator\n\
         schema: olm.bundle\n",
        digest(random)
    );
    csv_metadata(text, random, package, end.saturating_sub(tail.len()));
    text.push_str(&tail);
}

/// Appends the property of the newer form; its description fills the text up to `end`.
fn csv_metadata(text: &mut String, random: &mut Random, package: &str, end: usize) {
    text.push_str(
        "- type: olm.csv.metadata\n  value:\n    annotations:\n      alm-examples: |-\n        [\n",
    );
    for (index, kind) in KINDS.iter().enumerate() {
        let comma = if index + 1 < KINDS.len() { "," } else { "" };
        let _ = write!(
            text,
            "          {{\n            \"apiVersion\": \"{package}.example.com/v1\",\n            \"kind\": \"{kind}\",\n            \
             \"metadata\": {{\n              \"name\": \"example\"\n            }},\n            \"spec\": {{\n              \
             \"replicas\": {}\n            }}\n          }}{comma}\n",
            random.next() % 9
        );
    }
    text.push_str(
        "        ]\n      capabilities: Seamless Upgrades\n      createdAt: \"2024-05-01T00:00:00Z\"\n",
    );
    text.push_str(
        "      operators.openshift.io/valid-subscription: '[\"none\"]'\n    apiServiceDefinitions: {}\n",
    );
    text.push_str("    crdDescriptions:\n      owned:\n");
    for kind in KINDS {
        let lower = kind.to_lowercase();
        let _ = writeln!(
            text,
            "      - description: {kind} is the Schema for the {lower}s API\n        displayName: {kind}\n        kind: {kind}\n        \
             name: {lower}s.{package}.example.com\n        version: v1"
        );
    }
    let tail = format!(
        "    displayName: Generated {package}\n    installModes:\n    - supported: false\n      type: OwnNamespace\n    \
         - supported: true\n      type: AllNamespaces\n    keywords:\n    - database\n    links:\n    - name: Home\n      \
         url: https://example.com\n    maintainers:\n    - email: team@example.com\n      name: Team\n    maturity: stable\n    \
         provider:\n      name: Example\n"
    );
    text.push_str("    description: |-\n      # Generated\n");
    while text.len() + tail.len() < end {
        let room = end - text.len() - tail.len();
        let _ = writeln!(text, "      {}", sentence(random, room.min(LINE_WIDTH)));
    }
    text.push_str(&tail);
}

/// Compact JSON whose base64 has about `encoded_bytes` bytes.
fn custom_resource_definition(
    random: &mut Random,
    package: &str,
    kind: &str,
    encoded_bytes: usize,
) -> String {
    let lower = kind.to_lowercase();
    let mut json = format!(
        "{{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\
         \"metadata\":{{\"name\":\"{lower}s.{package}.example.com\"}},\"spec\":{{\"group\":\"{package}.example.com\",\
         \"versions\":[{{\"name\":\"v1\",\"schema\":{{\"openAPIV3Schema\":{{\"properties\":{{"
    );
    let close = "}}},\"served\":true,\"storage\":true}]}}";
    let length = encoded_bytes / 4 * 3;
    let mut field = 0;
    while field == 0 || json.len() + close.len() < length {
        let comma = if field == 0 { "" } else { "," };
        let description = sentence(random, LINE_WIDTH).replace('"', "\\\"");
        let _ =
            write!(json, "{comma}\"field{field}\":{{\"description\":\"{description}\",\"type\":\"string\"}}");
        field += 1;
    }
    json.push_str(close);
    json
}

/// Words up to a width; at least one, and none after the width.
fn sentence(random: &mut Random, width: usize) -> String {
    let mut text = random.choose(&WORDS).copied().unwrap_or_default().to_owned();
    loop {
        let word = random.choose(&WORDS).copied().unwrap_or_default();
        if text.len() + 1 + word.len() > width {
            return text;
        }
        text.push(' ');
        text.push_str(word);
    }
}

/// 64 hexadecimal digits.
fn digest(random: &mut Random) -> String {
    (0..4).map(|_| format!("{:016x}", random.next())).collect()
}

/// Base64 with the standard alphabet and padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| group.get(index).map_or(0, |&byte| u32::from(byte));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for position in 0..4 {
            if position <= group.len() {
                text.push(char::from(ALPHABET[(bits >> (18 - 6 * position) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLES: usize = 50;
    const BYTES: usize = 10_000;

    #[test]
    fn base64_has_the_published_test_vectors() {
        let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xFB, 0xEF, 0xFF]), "++//");
    }

    #[test]
    fn a_package_is_the_same_each_time_and_differs_from_others() {
        assert_eq!(package(3, 5, BYTES), package(3, 5, BYTES));
        assert_ne!(package(3, 5, BYTES), package(4, 5, BYTES).replace("generated-004", "generated-003"));
    }

    #[test]
    fn the_size_is_right_and_half_of_it_is_base64() {
        let text = package(0, BUNDLES, BYTES);
        let wanted = BUNDLES * BYTES;
        assert!(text.len().abs_diff(wanted) < wanted / 100, "{} bytes, want {wanted}", text.len());
        let encoded: usize =
            text.lines().filter_map(|line| line.strip_prefix("    data: ")).map(str::len).sum();
        assert!(encoded.abs_diff(wanted / 2) < wanted / 20, "{encoded} bytes of base64, want {}", wanted / 2);
    }

    #[test]
    fn there_is_a_blob_for_each_bundle_and_one_chain_in_each_channel() {
        let text = package(0, BUNDLES, BYTES);
        let count = |line: &str| text.lines().filter(|candidate| *candidate == line).count();
        assert_eq!(count("schema: olm.package"), 1);
        assert_eq!(count("schema: olm.channel"), 2);
        assert_eq!(count("schema: olm.bundle"), BUNDLES);
        let entries = BUNDLES + BUNDLES.div_ceil(CANDIDATE_STEP);
        assert_eq!(text.matches("  replaces: ").count(), entries - 2);
        assert!(text.contains("- name: generated-000.v1.4.9\n  replaces: generated-000.v1.4.8\n"));
    }

    #[test]
    fn the_objects_are_json() {
        let json = custom_resource_definition(&mut Random::new(1), "p", "Database", 3000);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["metadata"]["name"], "databases.p.example.com");
        assert!(json.len().abs_diff(2250) < 200, "{}", json.len());
    }
}
