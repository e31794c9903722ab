//! The keys of `annotations.yaml`.

pub(super) const MEDIA_TYPE: &str = "operators.operatorframework.io.bundle.mediatype.v1";
pub(super) const MANIFESTS_PATH: &str = "operators.operatorframework.io.bundle.manifests.v1";
pub(super) const METADATA_PATH: &str = "operators.operatorframework.io.bundle.metadata.v1";
pub(super) const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";
pub(super) const CHANNELS: &str = "operators.operatorframework.io.bundle.channels.v1";
pub(super) const DEFAULT_CHANNEL: &str = "operators.operatorframework.io.bundle.channel.default.v1";

/// All keys that some tool reads.
pub(super) const KNOWN: [&str; 15] = [
    MEDIA_TYPE,
    MANIFESTS_PATH,
    METADATA_PATH,
    PACKAGE,
    CHANNELS,
    DEFAULT_CHANNEL,
    "operators.operatorframework.io.metrics.builder",
    "operators.operatorframework.io.metrics.mediatype.v1",
    "operators.operatorframework.io.metrics.project_layout",
    "operators.operatorframework.io.test.config.v1",
    "operators.operatorframework.io.test.mediatype.v1",
    "operators.operatorframework.io.index.configs.v1",
    "com.redhat.openshift.versions",
    "com.redhat.delivery.operator.bundle",
    "com.redhat.delivery.backport",
];
