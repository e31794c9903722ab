//! Any JSON as what simulations of OpenShift and recorded sessions are read from: it is read or refused.
#![no_main]

use fbc_apiserver::actor::Recorded;
use fbc_openshift::cluster_update::Pool;
use fbc_openshift::setup::Setup;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    if let Ok(setup) = Setup::read(&value) {
        let _ = (setup.namespaces(), setup.definitions());
    }
    if let Ok(pool) = Pool::read("worker", &value) {
        assert_eq!(pool.node_names().count(), pool.nodes);
    }
    let _ = Recorded::read(&value);
});
