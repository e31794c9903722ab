//! Names of rendered configurations: a hash of the content, so that equal content has one name.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/render/hash.go` (MC-3).

use md5::{Digest, Md5};

/// What the hash begins with.
const SALT: [u8; 80] = [
    16, 124, 206, 228, 139, 56, 175, 175, 79, 229, 134, 118, 157, 154, 211, 110, 25, 93, 47, 253, 172, 106,
    37, 7, 174, 13, 160, 185, 110, 17, 87, 52, 219, 131, 12, 206, 218, 141, 116, 135, 188, 181, 192, 151,
    233, 62, 126, 165, 64, 83, 179, 119, 15, 168, 208, 197, 146, 107, 58, 227, 133, 188, 238, 26, 33, 26,
    235, 202, 32, 173, 31, 234, 41, 144, 148, 79, 6, 206, 23, 22,
];

/// The name of a rendered MachineConfig of a pool, from the YAML of its specification as Go writes it.
pub fn rendered_name(pool: &str, specification: &str) -> String {
    let digest = Md5::new().chain_update(SALT).chain_update(specification).finalize();
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("rendered-{pool}-{hash}")
}
