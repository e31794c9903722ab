//! Who is answered when: at once, when the cluster is at rest, or between slices of what it does.

use fbc_cluster::error::ApiError;
use http::Method;
use tokio::sync::mpsc::error::TryRecvError;

use super::task::{Begun, Task};
use super::{Actor, Inbox, Message, TimeMode, WAITING_REQUESTS};
use crate::answer::{Answer, Content};
use crate::request::{Place, Request, place};

/// Who asks for objects waits until the cluster is at rest, so that whoever writes and reads sees what came of it. If others wait
/// as well, nobody waits longer than this work takes: about a second.
pub(super) const PATIENCE: u64 = 1_000_000;
/// So many messages are taken out of the mailbox between two slices at most.
const MESSAGES: usize = 256;

impl Actor<'_> {
    /// Answers requests until nobody can send any more.
    pub fn run(mut self, mut inbox: Inbox) {
        self.mailbox = Some(inbox.sender.clone());
        loop {
            if self.is_at_rest() && self.waiting.is_empty() {
                match inbox.receiver.blocking_recv() {
                    Some(message) => self.receive(message),
                    None => return,
                }
            } else {
                self.slice();
                for _ in 0..MESSAGES {
                    if self.waiting.len() >= WAITING_REQUESTS {
                        break;
                    }
                    match inbox.receiver.try_recv() {
                        Ok(message) => self.receive(message),
                        Err(TryRecvError::Empty) => break,
                        Err(TryRecvError::Disconnected) => return,
                    }
                }
            }
            while let Some(message) = self.next_waiting() {
                self.reply(message);
            }
        }
    }

    /// Whether nothing is left to be done.
    pub(super) fn is_at_rest(&self) -> bool {
        self.job.is_none() && self.task.is_none()
    }

    /// Whether the server ends: whoever waits is answered, and nothing else is done any more.
    pub(super) fn is_ending(&self) -> bool {
        *self.settings.stop.borrow()
    }

    /// How many things were done since the last line of the session; none at rest.
    fn steps_so_far(&self) -> Option<u64> {
        self.job.as_ref().map(|_| self.steps)
    }

    pub(super) fn receive(&mut self, message: Message) {
        match message {
            Message::Pass(span) if self.task.is_some() => self.held = self.held.saturating_add(span),
            Message::Pass(span) => {
                let steps = self.steps_so_far();
                if let Some(recorder) = &mut self.settings.recorder {
                    recorder.time(self.cluster.now(), span, steps);
                }
                self.steps = 0;
                self.begin_pass(span, false);
            }
            // While something happens, nobody need look for something that might.
            Message::Wait if !self.is_at_rest() => {}
            Message::Wait => {
                if let Some(recorder) = &mut self.settings.recorder {
                    recorder.waiting(self.cluster.now());
                }
                self.steps = 0;
                self.await_change();
            }
            message if self.is_answered_at_once(&message) => self.reply(message),
            message => self.waiting.push_back(message),
        }
    }

    fn is_answered_at_once(&self, message: &Message) -> bool {
        self.is_at_rest() && self.waiting.is_empty()
            || matches!(message, Message::Ask(request, _) if self.needs_no_rest(request))
    }

    /// Whether a request has the same answer whether or not the cluster is at rest: it is about no objects, and what is served
    /// depends on no definition that is on its way.
    fn needs_no_rest(&self, request: &Request) -> bool {
        let is_read = !is_write(request);
        match place(&request.path) {
            Place::Resource(_) => false,
            Place::Other(path) if path.starts_with("/openapi/") => is_read && self.are_definitions_settled(),
            Place::Other(_) => is_read,
            Place::Discovery(_) => is_read && self.are_definitions_settled(),
        }
    }

    fn are_definitions_settled(&self) -> bool {
        use fbc_cluster::object::ObjectFields as _;
        let mut definitions = self.cluster.api.all("apiextensions.k8s.io", "CustomResourceDefinition");
        definitions.all(|one| one.condition_status("Established") == "True" && !one.is_terminating())
    }

    /// The work for which who waits does so. One alone holds up nobody: the controllers may come to rest within their budget.
    fn patience(&self) -> u64 {
        if self.waiting.len() > 1 { PATIENCE } else { self.cluster.api.budget().work.max(PATIENCE) }
    }

    /// Who is answered next of those that wait.
    pub(super) fn next_waiting(&mut self) -> Option<Message> {
        if !self.is_at_rest() && self.busy < self.patience() && !self.is_ending() {
            return None;
        }
        // A request that takes several slices is done before another one changes something.
        let has_task = self.task.is_some();
        let may_come = |message: &Message| {
            !has_task || !matches!(message, Message::Ask(request, _) if is_write(request))
        };
        let index = self.waiting.iter().position(may_come)?;
        self.waiting.remove(index)
    }

    pub(super) fn reply(&mut self, message: Message) {
        match message {
            Message::Ask(request, reply) => {
                let (begun, answer) = self.begin_answer(&request);
                match answer.content {
                    Content::Later(later) => {
                        self.task = Some(Task { request, begun, reply: Some(reply), later });
                        self.begin_task();
                    }
                    _ => {
                        let answer = self.finish_answer(&request, &begun, answer);
                        self.hand_out();
                        // A client that is gone needs no answer.
                        let _ = reply.send(answer);
                        self.follow(&request, &begun);
                    }
                }
            }
            Message::Reach { service, path, reply } => {
                let _ = reply.send(self.reach(service, &path));
            }
            Message::Pass(_) | Message::Wait => {}
        }
    }

    /// Answers one request, and lets happen what follows from it: for tests and for sessions that are played again.
    pub fn handle(&mut self, request: &Request) -> Answer {
        let answer = self.answer_whole(request);
        self.rest();
        answer
    }

    /// Answers one request without what follows from it.
    pub(super) fn answer_whole(&mut self, request: &Request) -> Answer {
        let (begun, mut answer) = self.begin_answer(request);
        if let Content::Later(later) = answer.content {
            let request = Box::new(request.clone());
            self.task = Some(Task { request, begun: begun.clone(), reply: None, later });
            self.begin_task();
            answer = loop {
                if let Some(answer) = self.slice_of_task() {
                    break answer;
                }
            };
        } else {
            answer = self.finish_answer(request, &begun, answer);
            self.hand_out();
        }
        self.follow(request, &begun);
        answer
    }

    fn begin_answer(&mut self, request: &Request) -> (Begun, Answer) {
        let identity = self.identify(request);
        // Controllers write between requests; what they are warned of concerns no client.
        drop(self.cluster.api.take_warnings());
        let user = identity.as_ref().ok().filter(|_| self.settings.recorder.is_some());
        let begun = Begun {
            now: self.cluster.now(),
            revision: self.cluster.api.store().revision(),
            steps: self.steps_so_far(),
            user: user.map(|identity| identity.user.clone()),
        };
        let answer = match &identity {
            Ok(identity) => self.respond(request, identity).unwrap_or_else(|error| Answer::refusal(&error)),
            Err(error) => Answer::refusal(error),
        };
        (begun, answer)
    }

    /// Counts and writes down a request that is answered.
    pub(super) fn finish_answer(&mut self, request: &Request, begun: &Begun, answer: Answer) -> Answer {
        let answer = answer.with_warnings(self.cluster.api.take_warnings());
        self.metrics.count(&request.method, answer.code);
        let is_forwarded = matches!(answer.content, Content::Forward(_) | Content::PortForward(_));
        if let (Some(recorder), Some(user)) = (&mut self.settings.recorder, &begun.user)
            && is_write(request)
            && !is_forwarded
        {
            recorder.request(request, begun, user, answer.code);
            self.steps = 0;
        }
        answer
    }

    /// Refuses another object while the controllers do not come to rest with those that there are. What may help them, a change or
    /// a deletion, is never refused.
    pub(crate) fn check_rest(&self) -> Result<(), ApiError> {
        self.unfinished.map_or(Ok(()), |exhausted| Err(exhausted.refusal()))
    }

    /// Lets happen what follows from a request. Also one that was refused because the controllers were not at rest gives them
    /// time to come to it.
    pub(super) fn follow(&mut self, request: &Request, begun: &Begun) {
        let has_written = self.cluster.api.store().revision() != begun.revision;
        let is_unfinished = self.unfinished.is_some() && is_write(request);
        if !has_written && !is_unfinished {
            return;
        }
        self.refill_in_part();
        match self.settings.time {
            TimeMode::Still => self.settle(),
            // What is due at once is done at once.
            TimeMode::Flowing => self.begin_pass(0, false),
            TimeMode::Paused => {}
        }
    }
}

pub(super) fn is_write(request: &Request) -> bool {
    request.method != Method::GET && request.method != Method::HEAD
}
