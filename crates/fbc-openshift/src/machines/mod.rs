//! The Machine API: machines, sets, health checks, hooks, the control plane.
