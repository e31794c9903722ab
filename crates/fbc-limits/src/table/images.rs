//! What comes from elsewhere: images, registries, git, clients and editors.

#[cfg(feature = "cluster")]
use fbc_apiserver::actor::MOST_WATCHES;
use fbc_image::limits as image;
#[cfg(feature = "registry")]
use fbc_registry::limits as registry;
#[cfg(feature = "serve")]
use fbc_serve::listener::{CONNECTIONS, REQUESTS, STREAMS};
use fbc_source::git::GitLimits;

use super::COULD_NOT_RUN;
use crate::{Limit, Raise, Unit};

pub(super) static LIMITS: &[Limit] = &[
    Limit {
        name: "image-document-bytes",
        most: image::DOCUMENT_BYTES,
        unit: Unit::Bytes,
        of: "a manifest, an index or a configuration of an image",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "blob-bytes",
        most: registry::BLOB_BYTES,
        unit: Unit::Bytes,
        of: "a blob that a registry sends",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-blob-size"),
    },
    Limit {
        name: "unpacked-bytes",
        most: image::UNPACKED_BYTES,
        unit: Unit::Bytes,
        of: "what the layers of an image unpack to",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-bytes"),
    },
    Limit {
        name: "unpacked-entries",
        most: image::UNPACKED_ENTRIES,
        unit: Unit::Count,
        of: "files, directories and links that an image unpacks to",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-entries"),
    },
    Limit {
        name: "unpacked-ratio",
        most: image::UNPACKED_RATIO,
        unit: Unit::Count,
        of: "bytes that a byte of a layer becomes, beyond 64 MiB",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-ratio"),
    },
    Limit {
        name: "path-bytes",
        most: image::PATH_BYTES as u64,
        unit: Unit::Bytes,
        of: "a path in a layer",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "unpacking-steps",
        most: image::STEPS_BY_ENTRY,
        unit: Unit::Count,
        of: "steps along paths, links and whiteouts for each entry that may be unpacked",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-entries"),
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "connect-seconds",
        most: registry::CONNECT.as_secs(),
        unit: Unit::Seconds,
        of: "the time to establish a connection to a registry",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "answer-seconds",
        most: registry::ANSWER.as_secs(),
        unit: Unit::Seconds,
        of: "the time until a registry begins to answer; 300 for a request that changes it",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "stall-seconds",
        most: registry::STALL.as_secs(),
        unit: Unit::Seconds,
        of: "how long a blob may transfer below 1 KiB/s; twice this for a whole manifest or token",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--stall-timeout"),
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "upload-repetitions",
        most: registry::UPLOAD_REPETITIONS,
        unit: Unit::Count,
        of: "times that the bytes of a blob are sent, if a registry does not keep them",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "image-manifests",
        most: registry::MANIFESTS as u64,
        unit: Unit::Count,
        of: "manifests of an image for several platforms, with those of indexes in it",
        beyond: "the image is refused",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "image-manifests-bytes",
        most: registry::MANIFESTS_BYTES,
        unit: Unit::Bytes,
        of: "all manifests of an image",
        beyond: "the image is refused",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "list-bytes",
        most: registry::LIST_BYTES,
        unit: Unit::Bytes,
        of: "a list of tags or of what refers to an image",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "helper-seconds",
        most: registry::HELPER.as_secs(),
        unit: Unit::Seconds,
        of: "the time until a credential helper has answered",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "git-seconds",
        most: GitLimits::USUAL.patience.as_secs(),
        unit: Unit::Seconds,
        of: "the time until git has answered; for each object, where many are read",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "git-bytes",
        most: GitLimits::USUAL.bytes,
        unit: Unit::Bytes,
        of: "the list of the files of a revision, or of those of the index and the work tree, some 200 bytes for each; four times as much for the names of a revision's directories",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "tag-pages",
        most: registry::TAG_PAGES as u64,
        unit: Unit::Count,
        of: "pages of a list of tags or of what refers to an image",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "registry-bytes",
        most: registry::REGISTRY_BYTES,
        unit: Unit::Bytes,
        of: "what the registry of `cluster --registry` holds, with uploads that have begun",
        beyond: "the push is refused: 403, `DENIED`",
        raise: Raise::Limit,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "registry-names",
        most: registry::REGISTRY_NAMES as u64,
        unit: Unit::Count,
        of: "tags and digests under which that registry holds images",
        beyond: "the push is refused: 403, `DENIED`",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "registry-uploads",
        most: registry::UPLOADS as u64,
        unit: Unit::Count,
        of: "uploads to that registry at a time",
        beyond: "one that has waited for a minute ends; without such a one, the upload is refused: 429, `TOOMANYREQUESTS`",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "registry-client-uploads",
        most: registry::UPLOADS_OF_CLIENT as u64,
        unit: Unit::Count,
        of: "uploads to that registry at a time, from one address",
        beyond: "as `registry-uploads`",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "registry")]
    Limit {
        name: "registry-upload-seconds",
        most: registry::UPLOAD_WAIT.as_secs(),
        unit: Unit::Seconds,
        of: "how long an upload to that registry waits for its next part; bodies are held to `stall-seconds`",
        beyond: "the upload ends",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "serve")]
    Limit {
        name: "connections",
        most: CONNECTIONS as u64,
        unit: Unit::Count,
        of: "connections to an address of a server at a time",
        beyond: "more wait until one ends",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "serve")]
    Limit {
        name: "requests",
        most: REQUESTS as u64,
        unit: Unit::Count,
        of: "requests of all connections to an address of a server at a time, watches among them",
        beyond: "the request is refused: 503, or `RESOURCE_EXHAUSTED` over gRPC",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cluster-watches",
        most: MOST_WATCHES as u64,
        unit: Unit::Count,
        of: "watches of a served cluster at a time",
        beyond: "the watch is refused: 429, `TooManyRequests`",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "serve")]
    Limit {
        name: "connection-streams",
        most: STREAMS as u64,
        unit: Unit::Count,
        of: "requests of a connection of HTTP/2 at a time",
        beyond: "the client waits, or the request is refused",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "lsp")]
    Limit {
        name: "editor-bytes",
        most: fbc_lsp::catalog::MAX_BYTES as u64,
        unit: Unit::Bytes,
        of: "a catalog that the language server reads, and a file that an editor opens",
        beyond: "a warning; other files of the catalog are looked at once they are open, such a file is not",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "lsp")]
    Limit {
        name: "editor-message-bytes",
        most: fbc_lsp::transport::MAX_MESSAGE_BYTES as u64,
        unit: Unit::Bytes,
        of: "a message from an editor to `lsp`",
        beyond: "the message is skipped, and the editor shows a message",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "lsp")]
    Limit {
        name: "editor-findings",
        most: fbc_lsp::diagnostics::MOST_DIAGNOSTICS as u64,
        unit: Unit::Count,
        of: "findings that the language server shows in a file",
        beyond: "the findings further down are not shown",
        raise: Raise::Fixed,
    },
];
