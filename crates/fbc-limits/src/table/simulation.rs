//! What is simulated: objects, work, patterns and expressions.

#[cfg(feature = "cluster")]
use fbc_cluster::budget::Budget;
#[cfg(feature = "cluster")]
use fbc_cluster::schema::{CALL_COST, CALL_WORK, REQUEST_COST, UNKNOWN_FIELD_BYTES, VALIDATION_WORK};
use fbc_go::regexp;
#[cfg(feature = "cluster")]
use fbc_openshift::cluster_update::MOST_NODES;
#[cfg(feature = "cluster")]
use fbc_openshift::update_service::facts;

use super::COULD_NOT_RUN;
use crate::{Limit, Raise, Unit};

#[cfg(feature = "cluster")]
const NO_ROOM: &str = "the oldest events make room; without any, the command ends with exit code 2, and a cluster that is served refuses \
                       the request with 507 until something is deleted";
#[cfg(feature = "cluster")]
const NO_REST: &str = "the command ends with exit code 2; the controllers of a cluster that is served stop until the next write, which gives them \
                       a hundredth of this (5000 at least), until a client waits for an object or until time goes by; new objects are refused with 429 until \
                       they come to rest";

pub(super) static LIMITS: &[Limit] = &[
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
];
