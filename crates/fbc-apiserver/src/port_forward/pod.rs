//! A pod whose ports are carried, as data.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;

/// A pod whose ports a client may reach.
#[derive(Debug, Clone)]
pub struct ForwardedPod {
    /// Its name.
    pub(crate) name: String,
    /// Its uid.
    pub(crate) uid: String,
    /// Where what answers at its ports listens on this machine.
    pub(crate) ports: BTreeMap<u16, SocketAddr>,
    /// What follows `?` in the request, where a WebSocket says which ports it wants.
    pub(crate) query: String,
}

impl ForwardedPod {
    /// What a client reads whose connection to a port fails.
    pub(super) fn fault(&self, port: u16, why: &io::Error) -> String {
        format!("error forwarding port {port} to pod {}, uid {}: {why}", self.name, self.uid)
    }

    /// Where a port is reached.
    pub(super) fn address(&self, port: u16) -> io::Result<SocketAddr> {
        self.ports.get(&port).copied().ok_or_else(|| {
            let known: Vec<String> = self.ports.keys().map(u16::to_string).collect();
            let known = known.join(", ");
            io::Error::other(format!("the pod is simulated, and of its ports only {known} can be reached"))
        })
    }
}
