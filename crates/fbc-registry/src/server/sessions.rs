//! Uploads that have begun: whose they are, how long they wait, and how many there may be.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use super::refusal::Refusal;
use super::space::Staged;
use crate::limits;

/// The name of an upload, which nobody can guess.
pub(super) type Id = u128;

/// An upload.
struct Session {
    repository: String,
    client: IpAddr,
    /// Since when it waits for its next part.
    since: Duration,
    /// What came so far; nothing while a request is at work on it.
    staged: Option<Staged>,
}

/// All uploads.
#[derive(Default)]
pub(super) struct Sessions(BTreeMap<Id, Session>);

impl Sessions {
    /// Begins an upload, at which the request that begins it is at work.
    pub(super) fn begin(
        &mut self,
        id: Id,
        repository: &str,
        client: IpAddr,
        now: Duration,
    ) -> Result<(), Refusal> {
        self.end_old(now);
        self.make_room(|session| session.client == client, limits::UPLOADS_OF_CLIENT, now)?;
        self.make_room(|_| true, limits::UPLOADS, now)?;
        let session = Session { repository: repository.to_owned(), client, since: now, staged: None };
        self.0.insert(id, session);
        Ok(())
    }

    /// Takes what came of an upload, for a request that goes on with it.
    pub(super) fn take(&mut self, id: Id, repository: &str, now: Duration) -> Result<Staged, Refusal> {
        self.end_old(now);
        let session = self.0.get_mut(&id).filter(|session| session.repository == repository);
        session.ok_or_else(Refusal::upload_unknown)?.staged.take().ok_or_else(Refusal::upload_busy)
    }

    /// Lets an upload wait for its next part.
    pub(super) fn put_back(&mut self, id: Id, staged: Staged, now: Duration) {
        if let Some(session) = self.0.get_mut(&id) {
            (session.staged, session.since) = (Some(staged), now);
        }
    }

    /// Ends an upload.
    pub(super) fn end(&mut self, id: Id) {
        self.0.remove(&id);
    }

    /// Ends uploads that nobody goes on with.
    pub(super) fn end_old(&mut self, now: Duration) {
        self.0.retain(|_, session| session.waits(now) < limits::UPLOAD_WAIT);
    }

    /// Makes room for another upload among some: in place of the one that waits longest, if that seems to be left alone.
    fn make_room(
        &mut self,
        is_meant: impl Fn(&Session) -> bool,
        most: usize,
        now: Duration,
    ) -> Result<(), Refusal> {
        let meant = || self.0.iter().filter(|(_, session)| is_meant(session));
        if meant().count() < most {
            return Ok(());
        }
        let (id, longest) =
            meant().max_by_key(|(_, session)| session.waits(now)).ok_or_else(Refusal::too_many)?;
        if longest.waits(now) < limits::UPLOAD_LEFT {
            return Err(Refusal::too_many());
        }
        let id = *id;
        self.end(id);
        Ok(())
    }
}

impl Session {
    /// How long it has been waiting; one that a request is at work on does not wait.
    fn waits(&self, now: Duration) -> Duration {
        self.staged.as_ref().map_or(Duration::ZERO, |_| now.saturating_sub(self.since))
    }
}
