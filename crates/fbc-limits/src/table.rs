//! All budgets, in the order of the page that is made of them.

#[cfg(feature = "cluster")]
use fbc_apiserver::actor::MOST_WATCHES;
#[cfg(feature = "cluster")]
use fbc_cluster::budget::Budget;
#[cfg(feature = "cluster")]
use fbc_cluster::schema::{CALL_COST, CALL_WORK, REQUEST_COST, UNKNOWN_FIELD_BYTES, VALIDATION_WORK};
use fbc_go::allowance::ExpansionLimits;
use fbc_go::json::MOST_LEVELS;
use fbc_go::regexp;
use fbc_image::limits as image;
#[cfg(feature = "cluster")]
use fbc_openshift::cluster_update::MOST_NODES;
#[cfg(feature = "cluster")]
use fbc_openshift::update_service::facts;
#[cfg(feature = "registry")]
use fbc_registry::limits as registry;
#[cfg(feature = "serve")]
use fbc_serve::listener::{CONNECTIONS, REQUESTS, STREAMS};
use fbc_source::git::GitLimits;
use fbc_yaml::document::MAX_DOCUMENT_BYTES;

use super::{Limit, Raise, Unit};

const COULD_NOT_RUN: &str = "the command ends with exit code 2";

#[cfg(feature = "cluster")]
const NO_ROOM: &str = "the oldest events make room; without any, the command ends with exit code 2, and a cluster that is served refuses \
                       the request with 507 until something is deleted";
#[cfg(feature = "cluster")]
const NO_REST: &str = "the command ends with exit code 2; the controllers of a cluster that is served stop until the next write, which gives them \
                       a hundredth of this (5000 at least), until a client waits for an object or until time goes by; new objects are refused with 429 until \
                       they come to rest";

/// All budgets.
pub static LIMITS: &[Limit] = &[
    Limit {
        name: "file-bytes",
        most: fbc_model::tree::MAX_FILE_BYTES,
        unit: Unit::Bytes,
        of: "a file of a catalog or bundle",
        beyond: "the file cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "input-bytes",
        most: 64 << 20,
        unit: Unit::Bytes,
        of: "a pipe or device that a flag names, such as a program, a baseline or a key",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "input-file-bytes",
        most: 1 << 30,
        unit: Unit::Bytes,
        of: "a file that a flag names, such as a program, a baseline, a key or a report of a shard",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "document-bytes",
        most: MAX_DOCUMENT_BYTES as u64,
        unit: Unit::Bytes,
        of: "a document in a file",
        beyond: "the document cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "nesting",
        most: MOST_LEVELS as u64,
        unit: Unit::Count,
        of: "levels of a document, and of a body, a patch and an object in a cluster, as in Go",
        beyond: "the document cannot be read: a finding; a request is refused with 400",
        raise: Raise::Fixed,
    },
    Limit {
        name: "documents",
        most: 200_000,
        unit: Unit::Count,
        of: "documents of a catalog",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "alias-bytes",
        most: 64 << 20,
        unit: Unit::Bytes,
        of: "what YAML aliases repeat in a catalog: text, and 32 bytes for each value",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "layout-bytes",
        most: fbc_model::writer::MOST_LAYOUT_BYTES,
        unit: Unit::Bytes,
        of: "the indentation of values nested deeper than 100 levels in what `render` writes, and in any other YAML, manifest or output of kubectl",
        beyond: "the command ends with exit code 2; a command of kubectl fails, and a cluster that is served answers in JSON, which is YAML as well",
        raise: Raise::Limit,
    },
    Limit {
        name: "chart-bytes",
        most: fbc_graph::mermaid::MOST_BYTES,
        unit: Unit::Bytes,
        of: "the edges in a chart of `graph -o mermaid`, as text",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "expansion-bytes",
        most: ExpansionLimits::USUAL.bytes,
        unit: Unit::Bytes,
        of: "what Dockerfiles, `ci.yaml`, `release-config.yaml`, `[[catalogs]]`, templates, Go templates and JSONPath make of their variables, lists and patterns, as text; what the commands of a scenario print; of the name of an image 64 KiB",
        beyond: "the command ends with exit code 2; a command of kubectl fails, and an image is not found by its name",
        raise: Raise::Fixed,
    },
    Limit {
        name: "expansion-steps",
        most: ExpansionLimits::USUAL.steps,
        unit: Unit::Count,
        of: "values, rounds of loops and comparisons of the same, and of `.indexignore` files with all files of a catalog; 100000 for a column, and 10000 for the name of an image",
        beyond: "as for `expansion-bytes`",
        raise: Raise::Fixed,
    },
    Limit {
        name: "findings",
        most: fbc_lint::finding::MOST_FINDINGS as u64,
        unit: Unit::Count,
        of: "findings of each rule that are kept",
        beyond: "the others are counted, not shown; a baseline or a comparison ends with exit code 2",
        raise: Raise::Flag("--max-findings"),
    },
    Limit {
        name: "repository-notes",
        most: fbc_repository::MOST_NOTES as u64,
        unit: Unit::Count,
        of: "notes of each kind about what is found in a repository",
        beyond: "the others are counted, not shown",
        raise: Raise::Fixed,
    },
    Limit {
        name: "definition-updates",
        most: fbc_rules::crd::unsafe_upgrade::MAX_UPDATES as u64,
        unit: Unit::Count,
        of: "updates of a package whose definitions `validate` compares",
        beyond: "a finding says which are not compared",
        raise: Raise::Fixed,
    },
    Limit {
        name: "edge-searches",
        most: fbc_app::paths::MOST_EDGES_SEARCHED as u64,
        unit: Unit::Count,
        of: "entries and edges that `paths` goes through for missing edges",
        beyond: "the answer says how many versions were not checked",
        raise: Raise::Fixed,
    },
    Limit {
        name: "query-seconds",
        most: 60,
        unit: Unit::Seconds,
        of: "the time that a program of `query` runs",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--timeout"),
    },
    Limit {
        name: "query-bytes",
        most: 384 << 20,
        unit: Unit::Bytes,
        of: "the memory that a program of `query` takes, in addition to eight times the size of the catalogs",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    #[cfg(feature = "query")]
    Limit {
        name: "program-bytes",
        most: fbc_query::MAX_BYTES as u64,
        unit: Unit::Bytes,
        of: "the text of a program of `query`",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    #[cfg(feature = "query")]
    Limit {
        name: "program-nesting",
        most: fbc_query::MAX_DEPTH as u64,
        unit: Unit::Count,
        of: "brackets within brackets in a program of `query`",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "located-values",
        most: fbc_yaml::locate::MOST_VALUES as u64,
        unit: Unit::Count,
        of: "values of a document that have lines and columns",
        beyond: "findings about later values name the place of what they lie in; keys that are given twice are not looked for",
        raise: Raise::Fixed,
    },
    Limit {
        name: "alias-share",
        most: 99,
        unit: Unit::Count,
        of: "percent of a YAML document that may come from aliases, as in go-yaml: 10 of a very large one",
        beyond: "the document cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "yaml-key",
        most: 1024,
        unit: Unit::Count,
        of: "characters of a key without `?` in YAML, as in libyaml",
        beyond: "the document cannot be read: a finding",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cluster-objects",
        most: Budget::USUAL.objects,
        unit: Unit::Count,
        of: "objects of a simulated cluster at a time",
        beyond: NO_ROOM,
        raise: Raise::Limit,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cluster-bytes",
        most: Budget::USUAL.bytes,
        unit: Unit::Bytes,
        of: "memory of the objects of a simulated cluster, estimated from their values",
        beyond: NO_ROOM,
        raise: Raise::Limit,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cluster-writes",
        most: Budget::USUAL.writes,
        unit: Unit::Count,
        of: "writes of objects in a run of `simulate`; in a cluster that is served, those until it comes to rest, for each minute of `cluster advance`",
        beyond: NO_REST,
        raise: Raise::Limit,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cluster-work",
        most: Budget::USUAL.work,
        unit: Unit::Count,
        of: "objects that controllers look at in a run of `simulate`, 50 for each thing that they do and each write, and one for 16 bundles of a package that OLM chooses from; in a cluster that is served, until it comes to rest, for each minute of `cluster advance`",
        beyond: NO_REST,
        raise: Raise::Limit,
    },
    Limit {
        name: "upgrade-work",
        most: 2_500_000,
        unit: Unit::Count,
        of: "the same work, in place of `cluster-work`, of all clusters on which `simulate upgrade` upgrades the versions of a package",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "upgrade-packages",
        most: 1_000,
        unit: Unit::Count,
        of: "packages whose versions `simulate upgrade` upgrades",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "object-bytes",
        most: fbc_cluster::budget::MOST_OBJECT_BYTES,
        unit: Unit::Bytes,
        of: "an object of a simulated cluster, and what its defaults add to it, as in etcd",
        beyond: "the request is refused, as on a cluster",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "pool-nodes",
        most: MOST_NODES as u64,
        unit: Unit::Count,
        of: "nodes of a pool of a simulated cluster",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "pattern-states",
        most: regexp::MOST_STATES,
        unit: Unit::Count,
        of: "states of all regular expressions of a definition, or of one anywhere else, about: one for a character that is matched, 700 once for a class such as `\\pL`, and again an eighth of them for each group in parentheses",
        beyond: "the definition is refused; elsewhere the expression is not valid",
        raise: Raise::Fixed,
    },
    Limit {
        name: "pattern-steps",
        most: regexp::MOST_STEPS,
        unit: Unit::Count,
        of: "steps of matching the regular expressions of a definition in a request, those of all CEL expressions in a request, those of a PromQL query, or one anywhere else",
        beyond: "the request is refused, the query or the expectation fails",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "validation-work",
        most: VALIDATION_WORK,
        unit: Unit::Count,
        of: "what validating an object against the schema of its definition takes: one for each schema that a value is compared with, for each value of an `enum` and each required field there, for each byte of a text with a format and each 64 bytes of another, 50 for each error, and one for four bytes of its text",
        beyond: "the request is refused, with one error that says so",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "unknown-field-bytes",
        most: UNKNOWN_FIELD_BYTES as u64,
        unit: Unit::Bytes,
        of: "the paths of fields that a definition does not know, in a refusal or a warning",
        beyond: "the others are not shown",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cel-cost",
        most: CALL_COST,
        unit: Unit::Count,
        of: "the cost of one evaluation of a CEL expression, as an API server counts it",
        beyond: "the request is refused in the API server's words, or the policy fails",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cel-request-cost",
        most: REQUEST_COST,
        unit: Unit::Count,
        of: "the cost of all rules of a definition, or of a policy, in one request; a quarter of it for conditions",
        beyond: "the request is refused in the API server's words, or the policy fails",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "cel-work",
        most: CALL_WORK,
        unit: Unit::Count,
        of: "what one evaluation of a CEL expression takes besides, which an API server does not count: values compared or made, 64 bytes of text, a state of a pattern that is compiled; four times as much in one request",
        beyond: "the request is refused, or the policy fails, where a real API server would go on and accept it",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "promql-bytes",
        most: facts::MOST_QUERY_BYTES as u64,
        unit: Unit::Bytes,
        of: "a PromQL query of a risk, or a series of `facts`",
        beyond: "the query fails; for a series, the command ends with exit code 2",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "promql-operators",
        most: facts::MOST_OPERATORS as u64,
        unit: Unit::Count,
        of: "operators and brackets of such a query",
        beyond: "the query fails",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "promql-patterns",
        most: facts::MOST_PATTERN_WEIGHT,
        unit: Unit::Count,
        of: "states of all regular expressions of such a query, about: one for a character that is matched, 700 once for a class such as `\\pL`, and again an eighth of them for each group in parentheses, and 500 for each expression",
        beyond: "the query fails",
        raise: Raise::Fixed,
    },
    #[cfg(feature = "cluster")]
    Limit {
        name: "promql-label-bytes",
        most: facts::MOST_LABEL_BYTES as u64,
        unit: Unit::Bytes,
        of: "labels that such a query makes",
        beyond: "the query fails",
        raise: Raise::Fixed,
    },
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
