//! What a request still has to do that takes more than may be done at a time, as data.

use std::collections::VecDeque;
use std::sync::Arc;

use fbc_cluster::api::{Caller, DeleteOptions};
use fbc_cluster::object::{Object, ObjectName};
use fbc_cluster::time::Milliseconds;

use crate::present::Presentation;
use crate::served_resource::ServedResource;

/// What a request still has to do.
#[derive(Debug)]
pub struct Later(pub(crate) Work);

/// The kinds of it.
#[derive(Debug)]
pub(crate) enum Work {
    /// Deleting many objects.
    Deletion(Box<Deletion>),
    /// Letting time go by.
    Pass(Milliseconds),
}

/// The deletion of many objects.
#[derive(Debug)]
pub(crate) struct Deletion {
    pub(crate) caller: Caller,
    pub(crate) resource: ServedResource,
    pub(crate) names: VecDeque<ObjectName>,
    pub(crate) options: DeleteOptions,
    pub(crate) presentation: Presentation,
    pub(crate) gone: Vec<Arc<Object>>,
}
