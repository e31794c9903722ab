//! Volumes, claims and storage classes.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::{Column, Definition, always, name, object_age, scalar, text_or, wide};

pub(super) const TABLES: &[Definition] = &[
    Definition { group: "", kind: "PersistentVolume", columns: VOLUME, cells: volume },
    Definition { group: "", kind: "PersistentVolumeClaim", columns: CLAIM, cells: claim },
    Definition { group: "storage.k8s.io", kind: "StorageClass", columns: CLASS, cells: class },
];

const VOLUME: &[Column] = &[
    always("NAME"),
    always("CAPACITY"),
    always("ACCESS MODES"),
    always("RECLAIM POLICY"),
    always("STATUS"),
    always("CLAIM"),
    always("STORAGECLASS"),
    always("VOLUMEATTRIBUTESCLASS"),
    always("REASON"),
    always("AGE"),
    wide("VOLUMEMODE"),
];
const CLAIM: &[Column] = &[
    always("NAME"),
    always("STATUS"),
    always("VOLUME"),
    always("CAPACITY"),
    always("ACCESS MODES"),
    always("STORAGECLASS"),
    always("VOLUMEATTRIBUTESCLASS"),
    always("AGE"),
    wide("VOLUMEMODE"),
];
const CLASS: &[Column] = &[
    always("NAME"),
    always("PROVISIONER"),
    always("RECLAIMPOLICY"),
    always("VOLUMEBINDINGMODE"),
    always("ALLOWVOLUMEEXPANSION"),
    always("AGE"),
];

const UNSET: &str = "<unset>";

/// Access modes in short, in a fixed order.
fn access_modes(modes: &[Value]) -> String {
    const SHORT: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let present = SHORT.iter().filter(|(mode, _)| modes.iter().any(|given| given == mode));
    present.map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}

fn phase(object: &Value) -> String {
    if object.is_terminating() { "Terminating" } else { object.text(&["status", "phase"]) }.to_owned()
}

/// A quantity in its canonical form, 0 where there is none.
fn amount(value: Option<&Value>) -> String {
    value.and_then(Quantity::from_json).unwrap_or_default().to_string()
}

fn class_name(object: &Value) -> String {
    let annotation = object.annotation("volume.beta.kubernetes.io/storage-class");
    annotation.unwrap_or_else(|| object.text(&["spec", "storageClassName"])).to_owned()
}

fn volume(object: &Value, now: Moment) -> Vec<String> {
    let claim = object.at(&["spec", "claimRef"]).filter(|claim| claim.is_object());
    vec![
        name(object),
        amount(object.at(&["spec", "capacity", "storage"])),
        access_modes(object.list(&["spec", "accessModes"])),
        object.text(&["spec", "persistentVolumeReclaimPolicy"]).to_owned(),
        phase(object),
        claim
            .map(|claim| format!("{}/{}", claim.text(&["namespace"]), claim.text(&["name"])))
            .unwrap_or_default(),
        class_name(object),
        text_or(object, &["spec", "volumeAttributesClassName"], UNSET),
        object.text(&["status", "reason"]).to_owned(),
        object_age(object, now),
        text_or(object, &["spec", "volumeMode"], UNSET),
    ]
}

fn claim(object: &Value, now: Moment) -> Vec<String> {
    let bound = !object.text(&["spec", "volumeName"]).is_empty();
    let capacity = amount(object.at(&["status", "capacity", "storage"]));
    vec![
        name(object),
        phase(object),
        object.text(&["spec", "volumeName"]).to_owned(),
        if bound { capacity } else { String::new() },
        if bound { access_modes(object.list(&["status", "accessModes"])) } else { String::new() },
        class_name(object),
        text_or(object, &["spec", "volumeAttributesClassName"], UNSET),
        object_age(object, now),
        text_or(object, &["spec", "volumeMode"], UNSET),
    ]
}

fn class(object: &Value, now: Moment) -> Vec<String> {
    let default = object.annotation("storageclass.kubernetes.io/is-default-class") == Some("true");
    vec![
        if default { format!("{} (default)", object.name()) } else { name(object) },
        object.text(&["provisioner"]).to_owned(),
        text_or(object, &["reclaimPolicy"], "Delete"),
        text_or(object, &["volumeBindingMode"], "Immediate"),
        scalar(object.at(&["allowVolumeExpansion"])).unwrap_or_else(|| "false".to_owned()),
        object_age(object, now),
    ]
}
