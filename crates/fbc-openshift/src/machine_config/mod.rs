//! The Machine Config Operator: pools, nodes, drains.
