//! Retries of failed looks: eight in a row, then nothing until the next event.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/lib/queueinformer/queueinformer_operator.go`.

use std::collections::BTreeMap;

use crate::look_error::LookError;
use fbc_cluster::engine::Outcome;
use fbc_cluster::object::ObjectName;

/// How often a failure is tried again.
const MOST: u32 = 8;

/// Failures in a row of each object.
#[derive(Debug, Default)]
pub struct Retries(BTreeMap<ObjectName, u32>);

impl Retries {
    /// What a look at an object comes to for the queue.
    pub fn outcome(&mut self, request: &ObjectName, result: Result<(), LookError>) -> Outcome {
        match result {
            Ok(()) => {
                self.0.remove(request);
                Outcome::Done
            }
            Err(error) => {
                let count = self.0.entry(request.clone()).or_default();
                if *count < MOST {
                    *count += 1;
                    return Outcome::Failed(error.into());
                }
                self.0.remove(request);
                Outcome::Done
            }
        }
    }
}
