//! What verbs ask of a cluster.

use fbc_cluster::error::ApiError;
use fbc_cluster::kind::{KindId, Registry};
use fbc_cluster::object::{Object, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::Value;

use crate::command_line::{Cascade, PatchType, Validation};

/// What the API server answers. Refusals are boxed, since they are large and rare.
pub type Answer<T> = Result<T, Box<ApiError>>;

/// On whose behalf a request is made, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The user.
    pub user: String,
    /// The user's groups, as far as they were given.
    pub groups: Vec<String>,
    /// Who acts in the name of the user (`--as`), if it is somebody else: name and groups.
    pub impersonator: Option<(String, Vec<String>)>,
    /// The field manager of what is written.
    pub field_manager: String,
    /// The server answers as if it did it, and stores nothing.
    pub dry_run: bool,
    /// What becomes of unknown fields.
    pub validation: Validation,
}

/// How an object is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyMode {
    /// From the annotation with the last applied configuration, as kubectl does it by itself.
    ClientSide,
    /// By the server, with managed fields.
    ServerSide {
        /// Fields of other managers are taken over.
        force: bool,
    },
}

/// What applying an object did.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The object afterwards.
    pub object: Object,
    /// What happened to it.
    pub change: Change,
    /// Lines for standard error, without newlines.
    pub warnings: Vec<String>,
}

/// What happened to an applied object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was not there before.
    Created,
    /// It is different now.
    Configured,
    /// It was so already.
    Unchanged,
}

/// How an object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeleteOptions {
    /// What happens to objects that it owns.
    pub cascade: Cascade,
    /// Seconds that it gets to end; the server decides without.
    pub grace_period: Option<i64>,
}

/// A question to the authoriser.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccessQuestion {
    /// The verb of the request.
    pub verb: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The resource, or a path that begins with `/`.
    pub resource: String,
    /// The part of it, such as `status`.
    pub subresource: String,
    /// The namespace; empty for all.
    pub namespace: String,
    /// The name; empty for any.
    pub name: String,
}

/// A cluster as its API server shows it.
///
/// All reads and writes are authorised for the user of the request. Lists are sorted by namespace and name.
pub trait Server {
    /// The time that ages are counted to.
    fn now(&self) -> Moment;
    /// The kinds that are served.
    fn kinds(&self) -> &Registry;
    /// `additionalPrinterColumns` of a kind's preferred version; none for built-in kinds.
    fn printer_columns(&self, kind: KindId) -> Vec<Value>;

    /// Reads an object.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn get(&self, request: &Request, kind: KindId, name: &ObjectName) -> Answer<Object>;
    /// Reads all objects of a kind, in one namespace or everywhere.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn list(&self, request: &Request, kind: KindId, namespace: Option<&str>) -> Answer<Vec<Object>>;
    /// What clients are warned of since somebody asked last.
    fn take_warnings(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// The paths of fields that the kind of an object does not have.
    fn unknown_fields(&self, _object: &Object) -> Vec<String> {
        Vec::new()
    }
    /// Creates an object.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn create(&mut self, request: &Request, object: Object) -> Answer<Object>;
    /// Replaces an object; without a resource version whatever is there.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn update(&mut self, request: &Request, object: Object) -> Answer<Object>;
    /// Patches an object, or a part of it such as `status`.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn patch(
        &mut self,
        request: &Request,
        kind: KindId,
        name: &ObjectName,
        patch: (PatchType, &Value),
        subresource: Option<&str>,
    ) -> Answer<Object>;
    /// Applies an object.
    ///
    /// # Errors
    /// The refusal of the API server, conflicts among them.
    fn apply(&mut self, request: &Request, object: Object, mode: ApplyMode) -> Answer<Applied>;
    /// Deletes an object, or asks for its deletion if finalizers hold it.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn delete(
        &mut self,
        request: &Request,
        kind: KindId,
        name: &ObjectName,
        options: DeleteOptions,
    ) -> Answer<()>;
    /// Asks for the eviction of a pod, which disruption budgets may refuse; it gets these seconds to end, or its own.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn evict(&mut self, request: &Request, name: &ObjectName, grace_period: Option<u64>) -> Answer<()>;
    /// Answers whether the user of the request may do something.
    fn can_i(&self, request: &Request, question: &AccessQuestion) -> bool;
}
