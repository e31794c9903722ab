//! What is wrong with volumes, in the words of the API server.

use serde_json::{Value, json};

use super::validate_volumes;

fn texts(volumes: Value) -> Vec<String> {
    let spec = json!({"volumes": volumes});
    let (_, errors) = validate_volumes(&spec, true, "spec");
    super::super::texts(&errors)
}

#[test]
fn sources_are_refused_with_the_texts_of_the_api_server() {
    let cases: Vec<(Value, Vec<&str>)> = vec![
        (json!({"emptyDir": {}}), vec![]),
        (json!({}), vec!["spec.volumes[0]: Required value: must specify a volume type"]),
        (
            json!({"emptyDir": {"sizeLimit": "-1"}, "hostPath": {"path": "/a"}}),
            vec![
                "spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity",
                "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
            ],
        ),
        (
            json!({"hostPath": {"path": "/a/../b", "type": "Dir"}}),
            vec![
                "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
                "spec.volumes[0].hostPath.type: Unsupported value: \"Dir\": supported values: \"\", \"BlockDevice\", \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\"",
            ],
        ),
        (
            json!({"configMap": {"defaultMode": 512, "items": [{"key": "", "path": "/a"}, {"key": "b", "path": "..b"}]}}),
            vec![
                "spec.volumes[0].configMap.name: Required value",
                "spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
                "spec.volumes[0].configMap.items[0].key: Required value",
                "spec.volumes[0].configMap.items[0].path: Invalid value: \"/a\": must be a relative path",
                "spec.volumes[0].configMap.items[1].path: Invalid value: \"..b\": must not start with '..'",
            ],
        ),
        (json!({"secret": {}}), vec!["spec.volumes[0].secret.secretName: Required value"]),
        (
            json!({"persistentVolumeClaim": {"claimName": ""}}),
            vec!["spec.volumes[0].persistentVolumeClaim.claimName: Required value"],
        ),
        (
            json!({"nfs": {"server": "s", "path": "a"}}),
            vec!["spec.volumes[0].nfs.path: Invalid value: \"a\": must be an absolute path"],
        ),
        (
            json!({"downwardAPI": {"items": [{"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}]}}),
            vec![
                "spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: \"spec.nodeName\": supported values: \"metadata.annotations\", \"metadata.labels\", \"metadata.name\", \"metadata.namespace\", \"metadata.uid\"",
            ],
        ),
        (
            json!({"projected": {"sources": [
                {"secret": {"name": "a", "items": [{"key": "k", "path": "p"}]}, "configMap": {"name": "b", "items": [{"key": "k", "path": "p"}]}},
                {"serviceAccountToken": {"expirationSeconds": 60, "path": "t"}},
            ]}}),
            vec![
                "spec.volumes[0].projected: Invalid value: \"b\": conflicting duplicate paths",
                "spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source",
                "spec.volumes[0].projected.sources[1].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes",
            ],
        ),
        (
            json!({"ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["Often"]}}}}),
            vec![
                "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: \"Often\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"",
                "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
            ],
        ),
        (
            json!({"iscsi": {"targetPortal": "p", "iqn": "disk", "lun": 256}}),
            vec![
                "spec.volumes[0].iscsi.iqn: Invalid value: \"disk\": must be valid format starting with iqn, eui, or naa",
                "spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
            ],
        ),
        (json!({"iscsi": {"targetPortal": "p", "iqn": "iqn.2015-02.example.com:storage", "lun": 0}}), vec![]),
        (json!({"gcePersistentDisk": {}}), vec!["spec.volumes[0].persistentDisk.pdName: Required value"]),
    ];
    for (mut volume, expected) in cases {
        volume["name"] = "v".into();
        assert_eq!(texts(json!([volume])), expected, "{volume}");
    }
}

#[test]
fn names_are_labels_and_unique() {
    let volume = |name: &str| json!({"name": name, "emptyDir": {}});
    assert_eq!(texts(json!([volume("a"), volume("a")])), ["spec.volumes[1].name: Duplicate value: \"a\""]);
    assert_eq!(texts(json!([volume("")])), ["spec.volumes[0].name: Required value"]);
    assert!(
        texts(json!([volume("A")]))[0].starts_with("spec.volumes[0].name: Invalid value: \"A\": a lowercase")
    );
}
