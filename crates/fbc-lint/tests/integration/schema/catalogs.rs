//! Real catalogs fit the schemas.

use fbc_lint::schema::{self, BlobKind};
use fbc_yaml::json_reader;

#[test]
fn catalogs_that_opm_has_written_have_no_violations() {
    let Some(root) = fbc_testing::recordings("catalogs") else { return };
    let mut blobs = 0;
    for catalog in ["kueue-v4.18", "kueue-v4.20"] {
        let bytes = std::fs::read(root.join(catalog).join("kueue-operator/catalog.json")).unwrap();
        let mut at = json_reader::skip_space(&bytes, 0);
        while at < bytes.len() {
            let (document, end) = json_reader::read_value(&bytes, at).unwrap();
            let (blob, kind) = (document.root(), BlobKind::from_blob(document.root()));
            assert_eq!(schema::violations(blob, kind), [], "{:?}", blob.get_str("name"));
            assert!(schema::is_valid(blob, kind));
            assert!(!matches!(kind, BlobKind::Other | BlobKind::Reserved));
            blobs += 1;
            at = json_reader::skip_space(&bytes, end);
        }
    }
    eprintln!("{blobs} blobs");
}
