//! Requests that take more than a slice: they are answered when all is done, and others are in between.

use fbc_cluster::access::User;
use fbc_cluster::budget::Exhausted;
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::KindId;
use fbc_cluster::time::Moment;
use tokio::sync::oneshot;

use super::{Actor, Message};
use crate::answer::Answer;
use crate::later::{Deletion, Later, Work};
use crate::request::Request;

/// So many objects are deleted at a time.
const DELETIONS: usize = 200;

/// When a request was begun.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    pub(super) now: Moment,
    /// The version of the store.
    pub(super) revision: u64,
    /// How many things were done since the last line of the session; none at rest.
    pub(super) steps: Option<u64>,
    /// Who asks, if that is written down.
    pub(super) user: Option<User>,
}

/// A request that is being answered.
pub(super) struct Task {
    pub(super) request: Box<Request>,
    pub(super) begun: Begun,
    /// Nobody waits where a session is played again.
    pub(super) reply: Option<oneshot::Sender<Answer>>,
    pub(super) later: Later,
}

impl Actor<'_> {
    pub(super) fn begin_task(&mut self) {
        if let Some(Task { later: Later(Work::Pass(span)), .. }) = &self.task {
            self.begin_pass(*span, true);
        }
    }

    /// Does a part of the task; the answer, if that was the last one.
    pub(super) fn slice_of_task(&mut self) -> Option<Answer> {
        let mut task = self.task.take()?;
        let answer = match &mut task.later.0 {
            Work::Pass(_) => {
                self.slice_of_job();
                match (&self.job, self.short.take()) {
                    (Some(_), _) => None,
                    (None, Some(exhausted)) => Some(Answer::refusal(&self.too_short(exhausted))),
                    (None, None) => Some(self.time_answer()),
                }
            }
            Work::Deletion(deletion) => {
                let done = self.delete_some(deletion);
                done.map(|done| match done {
                    Ok(()) => self.deleted(deletion),
                    Err(error) => Answer::refusal(&error),
                })
            }
        };
        let Some(answer) = answer else {
            self.task = Some(task);
            return None;
        };
        let answer = self.finish_answer(&task.request, &task.begun, answer);
        self.hand_out();
        let Some(reply) = task.reply else { return Some(answer) };
        // A client that is gone needs no answer.
        let _ = reply.send(answer);
        self.follow(&task.request, &task.begun);
        None
    }

    /// The refusal of more time where the controllers do too much in it.
    fn too_short(&self, exhausted: Exhausted) -> ApiError {
        let mut error = exhausted.refusal();
        let (now, limit) = (self.cluster.now(), exhausted.limit());
        error.message = format!(
            "{exhausted} within a minute: time went by until {now}; ask for the rest of it again, or start the cluster with \
             `--limit {limit}=N` to allow more"
        );
        error
    }

    /// Lets the time go by that was held back until a task ended: in a session, what is done in it comes after the line of the
    /// request.
    pub(super) fn pass_held(&mut self) {
        if self.task.is_none() && self.held > 0 {
            let span = std::mem::take(&mut self.held);
            self.receive(Message::Pass(span));
        }
    }

    /// Deletes a part of what is to be deleted. The first refusal ends it.
    fn delete_some(&mut self, deletion: &mut Deletion) -> Option<Result<(), ApiError>> {
        let before = self.cluster.api.store().looks();
        let id: KindId = deletion.resource.id;
        let mut outcome = None;
        for _ in 0..DELETIONS {
            let Some(name) = deletion.names.pop_front() else {
                outcome = Some(Ok(()));
                break;
            };
            match self.cluster.api.delete_listed(&deletion.caller, id, &name, &deletion.options) {
                Ok(object) => deletion.gone.push(object),
                Err(error) => {
                    outcome = Some(Err(error));
                    break;
                }
            }
        }
        self.busy += self.cluster.api.store().looks() - before;
        self.hand_out();
        outcome
    }
}
