//! Addresses and node ports of services: the API server hands them out, keeps them over updates and takes them back.
//!
//! A real server draws them at random; here each is the next free one, so that a run can be repeated.
//!
//! Sources: `kubernetes/kubernetes:pkg/registry/core/service/{strategy,storage/alloc,storage/storage}.go`,
//! `pkg/registry/core/service/ipallocator/`, `pkg/registry/core/service/portallocator/`.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use serde_json::{Value, json};

use super::ApiServer;
use crate::error::{ApiError, FieldError, FieldReason};
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};

/// The ports that nodes open for services.
const NODE_PORTS: std::ops::RangeInclusive<u16> = 30_000..=32_767;
/// As many ports at the beginning are handed out to those only who ask for them.
const STATIC_NODE_PORTS: u16 = 86;

/// The addresses and node ports that services hold.
#[derive(Debug, Clone)]
pub struct ServiceAddresses {
    network: u32,
    prefix: u32,
    used: BTreeSet<u32>,
    ports: BTreeSet<u16>,
    /// How far into the network the last address was that was handed out.
    last: u32,
    last_port: u16,
}

/// What one request took, to give back if it comes to nothing.
#[derive(Debug, Default)]
struct Taken {
    address: Option<u32>,
    ports: Vec<u16>,
}

impl Default for ServiceAddresses {
    /// The network of clusters that kubeadm makes.
    fn default() -> Self {
        Self::of_network(Ipv4Addr::new(10, 96, 0, 0), 12)
    }
}

impl ServiceAddresses {
    /// Addresses of a network with a prefix of so many bits, at most 30.
    pub fn of_network(network: Ipv4Addr, prefix: u32) -> Self {
        Self {
            network: network.to_bits(),
            prefix: prefix.min(30),
            used: BTreeSet::new(),
            ports: BTreeSet::new(),
            last: 0,
            last_port: 0,
        }
    }

    /// The address of the API server itself: the first one.
    pub fn of_api_server(&self) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.network + 1)
    }

    /// Gives a service what it needs and has not got; a refusal takes nothing. With `dry_run` nothing is kept.
    pub(super) fn allocate(
        &mut self,
        before: Option<&Object>,
        service: &mut Object,
        dry_run: bool,
    ) -> Result<(), ApiError> {
        let mut taken = Taken::default();
        let last = (self.last, self.last_port);
        let result = self
            .allocate_address(before, service, &mut taken)
            .and_then(|()| self.allocate_ports(before, service, &mut taken));
        if result.is_err() || dry_run {
            self.used.retain(|address| taken.address != Some(*address));
            self.ports.retain(|port| !taken.ports.contains(port));
            (self.last, self.last_port) = last;
        } else if let Some(before) = before {
            self.replace(before, service);
        }
        result.map_err(|cause| ApiError::invalid("", "Service", service.name(), vec![cause]))
    }

    /// Takes back what a service held.
    pub(super) fn release(&mut self, service: &Object) {
        if let Some(address) = held_address(service) {
            self.used.remove(&address);
        }
        for port in held_ports(service) {
            self.ports.remove(&port);
        }
    }

    /// Takes back what a service holds after a write that came to nothing.
    pub(super) fn revert(&mut self, before: Option<&Object>, service: &Object) {
        match before {
            Some(before) => self.replace(service, before),
            None => self.release(service),
        }
    }

    /// Takes back what a service held, and notes what it holds instead.
    fn replace(&mut self, held: &Object, holds: &Object) {
        self.release(held);
        self.used.extend(held_address(holds));
        self.ports.extend(held_ports(holds));
    }

    fn allocate_address(
        &mut self,
        before: Option<&Object>,
        service: &mut Object,
        taken: &mut Taken,
    ) -> Result<(), FieldError> {
        if !needs_address(service) {
            return Ok(());
        }
        let wanted = service.text(&["spec", "clusterIP"]).to_owned();
        if wanted.is_empty() {
            let address = self.next_address().ok_or_else(|| {
                FieldError::new(
                    "",
                    FieldReason::Internal,
                    "",
                    "failed to allocate a serviceIP: range is full",
                )
            })?;
            taken.address = Some(address);
            service.set(&["spec", "clusterIP"], Ipv4Addr::from_bits(address).to_string());
        } else if let Some(address) = held_address(service)
            && before.and_then(held_address) != Some(address)
        {
            let refuse = |cause: &str| {
                let text = format!("failed to allocate IP {wanted}: {cause}");
                FieldError::new("spec.clusterIPs", FieldReason::Invalid, json!([wanted]).to_string(), text)
            };
            let size = 1_u32 << (32 - self.prefix);
            if !(1..size - 1).contains(&address.wrapping_sub(self.network)) {
                let range = format!("{}/{}", Ipv4Addr::from_bits(self.network), self.prefix);
                return Err(refuse(&format!(
                    "the provided IP ({wanted}) is not in the valid range. The range of valid IPs is {range}"
                )));
            }
            if !self.used.insert(address) {
                return Err(refuse("provided IP is already allocated"));
            }
            taken.address = Some(address);
        }
        let address = service["spec"]["clusterIP"].clone();
        if service.list(&["spec", "clusterIPs"]).is_empty() {
            service.set(&["spec", "clusterIPs"], json!([address]));
        }
        Ok(())
    }

    /// The next free address behind those that are kept for services that ask for one.
    fn next_address(&mut self) -> Option<u32> {
        let size = 1_u32 << (32 - self.prefix);
        let kept = (size / 16).clamp(16, 256).min(size - 2);
        let first = self.last.max(kept) + 1;
        let offset = (first..size - 1)
            .chain(1..first.min(size - 1))
            .find(|offset| !self.used.contains(&(self.network + offset)))?;
        self.last = offset;
        self.used.insert(self.network + offset);
        Some(self.network + offset)
    }

    fn allocate_ports(
        &mut self,
        before: Option<&Object>,
        service: &mut Object,
        taken: &mut Taken,
    ) -> Result<(), FieldError> {
        if !needs_node_ports(service) {
            return Ok(());
        }
        let old: BTreeSet<u16> = before.map(|before| held_ports(before).collect()).unwrap_or_default();
        let Value::Array(ports) = service.place(&["spec", "ports"]) else { return Ok(()) };
        // A number may serve several ports that differ in their protocols.
        let mut of_this_service = BTreeSet::new();
        for (index, port) in ports.iter_mut().enumerate() {
            let field = format!("spec.ports[{index}].nodePort");
            let wanted = port.number(&["nodePort"]).unwrap_or_default();
            if wanted == 0 {
                let number = self.next_port().ok_or_else(|| {
                    let text = "failed to allocate a nodePort: range is full";
                    FieldError::new(field, FieldReason::Internal, "0", text)
                })?;
                taken.ports.push(number);
                of_this_service.insert(number);
                port.set(&["nodePort"], number);
                continue;
            }
            let refuse =
                |cause: &str| FieldError::new(field, FieldReason::Invalid, wanted.to_string(), cause);
            let number = u16::try_from(wanted).ok().filter(|number| NODE_PORTS.contains(number));
            let Some(number) = number else {
                return Err(refuse(&format!(
                    "provided port is not in the valid range. The range of valid ports is {}-{}",
                    NODE_PORTS.start(),
                    NODE_PORTS.end()
                )));
            };
            if old.contains(&number) || of_this_service.contains(&number) {
                continue;
            }
            if !self.ports.insert(number) {
                return Err(refuse("provided port is already allocated"));
            }
            taken.ports.push(number);
            of_this_service.insert(number);
        }
        Ok(())
    }

    fn next_port(&mut self) -> Option<u16> {
        let first = (self.last_port + 1).max(NODE_PORTS.start() + STATIC_NODE_PORTS);
        let number = (first..=*NODE_PORTS.end())
            .chain(*NODE_PORTS.start()..first)
            .find(|number| !self.ports.contains(number))?;
        self.last_port = number;
        self.ports.insert(number);
        Some(number)
    }
}

impl ApiServer {
    /// The service through which pods reach this server, which makes it itself when it starts.
    ///
    /// Source: `kubernetes/kubernetes:pkg/controlplane/controller/kubernetesservice/controller.go`.
    pub(crate) fn own_service(&self) -> Object {
        json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {
                "name": "kubernetes", "namespace": "default",
                "labels": {"component": "apiserver", "provider": "kubernetes"},
            },
            "spec": {
                "type": "ClusterIP", "clusterIP": self.addresses.of_api_server().to_string(),
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            },
        })
    }

    /// Where that service leads: the address of the control plane, in both forms.
    ///
    /// Source: `kubernetes/kubernetes:pkg/controlplane/reconcilers/{endpointsadapter,instancecount}.go`.
    pub(crate) fn own_endpoints(&self) -> [Object; 2] {
        let port = json!({"name": "https", "port": 6443, "protocol": "TCP"});
        let mirrored = "endpointslice.kubernetes.io/skip-mirror";
        [
            json!({
                "apiVersion": "v1", "kind": "Endpoints",
                "metadata": {"name": "kubernetes", "namespace": "default", "labels": {mirrored: "true"}},
                "subsets": [{"addresses": [{"ip": CONTROL_PLANE}], "ports": [port]}],
            }),
            json!({
                "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "metadata": {
                    "name": "kubernetes", "namespace": "default",
                    "labels": {"kubernetes.io/service-name": "kubernetes"},
                },
                "endpoints": [{"addresses": [CONTROL_PLANE], "conditions": {"ready": true}}], "ports": [port],
            }),
        ]
    }
}

/// The address at which pods find the control plane; that of a node that has nothing else.
const CONTROL_PLANE: &str = "172.18.0.2";

/// Whether objects of the kind get addresses.
pub(super) fn is_service(kind: &Kind) -> bool {
    kind.group.is_empty() && kind.kind == "Service"
}

/// Keeps in a changed service what was handed out for its old state, and drops what its new type has no use for.
pub(super) fn keep_allocated(before: &Object, service: &mut Object) {
    let old_type_has_address = !is_external(before);
    if old_type_has_address && !is_external(service) {
        let address = &before["spec"]["clusterIP"];
        if service.text(&["spec", "clusterIP"]).is_empty() && !address.is_null() {
            service.set(&["spec", "clusterIP"], address.clone());
        }
        let addresses = &before["spec"]["clusterIPs"];
        if service.list(&["spec", "clusterIPs"]).is_empty()
            && service["spec"]["clusterIP"] == *address
            && !addresses.is_null()
        {
            service.set(&["spec", "clusterIPs"], addresses.clone());
        }
    } else if old_type_has_address && service["spec"]["clusterIP"] == before["spec"]["clusterIP"] {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            service.remove(&["spec", field]);
        }
    }
    if !needs_node_ports(before) {
        return;
    }
    let old: BTreeSet<u16> = held_ports(before).collect();
    if needs_node_ports(service) {
        let mut used: BTreeSet<u16> = held_ports(service).filter(|port| old.contains(port)).collect();
        let Value::Array(ports) = service.place(&["spec", "ports"]) else { return };
        for port in ports.iter_mut().filter(|port| node_port(port).is_none()) {
            let same = before.list(&["spec", "ports"]).iter().find(|old| old["name"] == port["name"]);
            if let Some(number) = same.and_then(node_port).filter(|number| used.insert(*number)) {
                port.set(&["nodePort"], number);
            }
        }
    } else if held_ports(service).eq(held_ports(before)) {
        let Value::Array(ports) = service.place(&["spec", "ports"]) else { return };
        for port in ports {
            port.remove(&["nodePort"]);
        }
    }
}

fn is_external(service: &Object) -> bool {
    service.text(&["spec", "type"]) == "ExternalName"
}

fn needs_address(service: &Object) -> bool {
    !is_external(service)
}

fn needs_node_ports(service: &Object) -> bool {
    match service.text(&["spec", "type"]) {
        "NodePort" => true,
        "LoadBalancer" => service["spec"]["allocateLoadBalancerNodePorts"] != false,
        _ => false,
    }
}

/// The address of a service; headless services have none.
fn held_address(service: &Object) -> Option<u32> {
    service.text(&["spec", "clusterIP"]).parse().ok().map(Ipv4Addr::to_bits)
}

fn held_ports(service: &Object) -> impl Iterator<Item = u16> {
    service.list(&["spec", "ports"]).iter().filter_map(node_port)
}

fn node_port(port: &Value) -> Option<u16> {
    port.number(&["nodePort"]).and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0)
}
