//! Addresses and node ports that come and go.

use serde_json::{Value, json};

use super::*;

fn service(spec: Value) -> Object {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec})
}

fn allocated(addresses: &mut ServiceAddresses, spec: Value) -> Result<Object, String> {
    let mut service = service(spec);
    addresses.allocate(None, &mut service, false).map_err(|error| error.message)?;
    Ok(service)
}

#[test]
fn services_get_the_next_free_address() {
    let mut addresses = ServiceAddresses::default();
    let mut next = |spec| allocated(&mut addresses, spec).map(|service| service["spec"].clone());
    let expected = json!({"clusterIP": "10.96.1.1", "clusterIPs": ["10.96.1.1"]});
    assert_eq!(next(json!({})), Ok(expected));
    assert_eq!(next(json!({})).unwrap()["clusterIP"], "10.96.1.2");
    assert_eq!(
        next(json!({"clusterIP": "None"})).unwrap(),
        json!({"clusterIP": "None", "clusterIPs": ["None"]})
    );
    assert_eq!(next(json!({"type": "ExternalName"})), Ok(json!({"type": "ExternalName"})));
    assert_eq!(next(json!({"clusterIP": "10.96.1.3"})).unwrap()["clusterIPs"], json!(["10.96.1.3"]));
    assert_eq!(next(json!({})).unwrap()["clusterIP"], "10.96.1.4");
}

#[test]
fn addresses_that_cannot_be_given_are_refused() {
    let mut addresses = ServiceAddresses::of_network(Ipv4Addr::new(172, 30, 0, 0), 16);
    allocated(&mut addresses, json!({"clusterIP": "172.30.0.9"})).unwrap();
    let cases = [
        ("172.30.0.9", "provided IP is already allocated"),
        (
            "10.0.0.1",
            "the provided IP (10.0.0.1) is not in the valid range. The range of valid IPs is 172.30.0.0/16",
        ),
        (
            "172.30.255.255",
            "the provided IP (172.30.255.255) is not in the valid range. The range of valid IPs is 172.30.0.0/16",
        ),
    ];
    for (address, cause) in cases {
        let expected = format!(
            "Service \"web\" is invalid: spec.clusterIPs: Invalid value: [\"{address}\"]: failed to allocate IP {address}: {cause}"
        );
        assert_eq!(allocated(&mut addresses, json!({"clusterIP": address})), Err(expected));
    }
}

#[test]
fn node_ports_are_handed_out_and_taken_back() {
    let mut addresses = ServiceAddresses::default();
    let ports = |service: &Object| held_ports(service).collect::<Vec<_>>();
    let wish = json!({"type": "NodePort", "ports": [{"name": "a"}, {"name": "b", "nodePort": 30007}]});
    let first = allocated(&mut addresses, wish.clone()).unwrap();
    assert_eq!(ports(&first), [30_086, 30_007]);
    let before = addresses.clone();
    let text = "Service \"web\" is invalid: spec.ports[1].nodePort: Invalid value: 30007: provided port is already allocated";
    assert_eq!(allocated(&mut addresses, wish.clone()), Err(text.to_owned()));
    assert_eq!((&addresses.used, &addresses.ports), (&before.used, &before.ports), "a refusal takes nothing");
    let far = json!({"type": "NodePort", "ports": [{"nodePort": 80}]});
    let text = "Service \"web\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767";
    assert_eq!(allocated(&mut addresses, far), Err(text.to_owned()));
    addresses.release(&first);
    assert!(addresses.used.is_empty() && addresses.ports.is_empty());
    allocated(&mut addresses, wish).unwrap();
}

#[test]
fn a_dry_run_keeps_nothing() {
    let mut addresses = ServiceAddresses::default();
    let mut first = service(json!({}));
    addresses.allocate(None, &mut first, true).unwrap();
    assert_eq!(first["spec"]["clusterIP"], "10.96.1.1");
    assert!(addresses.used.is_empty());
}

#[test]
fn what_a_refused_change_took_is_free_again() {
    let mut addresses = ServiceAddresses::default();
    let before = allocated(&mut addresses, json!({"clusterIP": "10.96.7.1"})).unwrap();
    let mut after =
        service(json!({"type": "NodePort", "clusterIP": "10.96.7.1", "ports": [{"nodePort": 30_000}]}));
    addresses.allocate(Some(&before), &mut after, false).unwrap();
    assert!(addresses.ports.contains(&30_000));
    addresses.revert(Some(&before), &after);
    assert_eq!((addresses.used.len(), addresses.ports.len()), (1, 0));
    addresses.revert(None, &before);
    assert!(addresses.used.is_empty());
}

#[test]
fn changes_keep_what_was_handed_out() {
    let mut addresses = ServiceAddresses::default();
    let ports = json!([{"name": "a", "port": 1}, {"name": "b", "port": 2}]);
    let before = allocated(&mut addresses, json!({"type": "NodePort", "ports": ports})).unwrap();
    let changed = |spec: Value| {
        let mut after = service(spec);
        keep_allocated(&before, &mut after);
        addresses.clone().allocate(Some(&before), &mut after, false).unwrap();
        after["spec"].clone()
    };
    let same = changed(json!({"type": "NodePort", "ports": ports}));
    assert_eq!(same, before["spec"]);
    let other = changed(json!({"type": "NodePort", "ports": [{"name": "b", "port": 3}, {"name": "c"}]}));
    assert_eq!(
        other["ports"],
        json!([{"name": "b", "port": 3, "nodePort": 30_087}, {"name": "c", "nodePort": 30_088}])
    );
    let plain = changed(json!({"type": "ClusterIP", "ports": before["spec"]["ports"]}));
    assert_eq!((&plain["clusterIP"], &plain["ports"]), (&before["spec"]["clusterIP"], &ports));
    let external = changed(json!({"type": "ExternalName", "clusterIP": before["spec"]["clusterIP"]}));
    assert_eq!(external, json!({"type": "ExternalName"}));
}
