//! Release payloads: loading, inclusion, the graph of tasks.
