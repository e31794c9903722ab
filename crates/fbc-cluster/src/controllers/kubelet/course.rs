//! What one container does from its start on: its runs, its ends, the waits between them, and what probes find.
//!
//! A course is a function of time, so nothing has to be remembered between two looks. Source:
//! `kubernetes/kubernetes:pkg/kubelet/kuberuntime/kuberuntime_manager.go` (`doBackOff`), `client-go:util/flowcontrol/backoff.go`.

use serde_json::Value;

use super::probe::Probe;
use crate::controllers::behaviour::Fate;
use crate::object::ObjectFields;
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// So long the kubelet takes to notice that a container has ended.
const NOTICE: Milliseconds = SECOND;
/// The wait before a container is started again for the second time; every further one doubles it.
const FIRST_WAIT: Milliseconds = 10 * SECOND;
/// The longest wait before a container is started again.
const LONGEST_WAIT: Milliseconds = 300 * SECOND;
/// A container that has run so long begins with the shortest wait again.
const FORGOTTEN: Milliseconds = 10 * MINUTE;
/// So long an image is tried before it is told as a back-off.
const FIRST_PULL: Milliseconds = 10 * SECOND;
/// The exit code of what is killed.
pub(super) const KILLED: i64 = 137;

/// When a container is started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restart {
    Always,
    OnFailure,
    Never,
}

impl Restart {
    /// The policy of a pod.
    pub(super) fn of(pod: &Value) -> Self {
        match pod.text(&["spec", "restartPolicy"]) {
            "Never" => Self::Never,
            "OnFailure" => Self::OnFailure,
            _ => Self::Always,
        }
    }

    fn applies(self, code: i64) -> bool {
        self == Self::Always || self == Self::OnFailure && code != 0
    }
}

/// Why a container ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Itself,
    /// The probe in this field gave it up.
    Probe(&'static str),
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) code: i64,
    pub(super) started: Moment,
    pub(super) finished: Moment,
    pub(super) cause: Cause,
}

/// What a container does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// It waits: a reason, and more in words.
    Waiting(&'static str, String),
    Running(Moment),
    Ended(End),
}

/// A container at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) state: State,
    pub(super) is_ready: bool,
    /// Whether it has started, as its startup probe sees it.
    pub(super) is_started: bool,
    pub(super) restarts: u32,
    /// How the run before ended.
    pub(super) last: Option<End>,
    /// When it becomes another.
    pub(super) next: Option<Moment>,
}

impl Look {
    /// A container that has never run.
    pub(super) fn waiting(reason: &'static str, message: impl Into<String>, next: Option<Moment>) -> Self {
        let state = State::Waiting(reason, message.into());
        Self { state, is_ready: false, is_started: false, restarts: 0, last: None, next }
    }
}

/// A container on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course<'c> {
    pub(super) container: &'c Value,
    pub(super) fate: Fate,
    pub(super) restart: Restart,
    /// How long it has to end when it is told to.
    pub(super) grace: Milliseconds,
    /// When it starts for the first time.
    pub(super) begin: Moment,
    /// What stands behind the container in texts: `NAMESPACE/POD` and uid, as `pod=a_ns(uid)`.
    pub(super) pod: &'c str,
}

/// One run: when it is found to have started, when to be ready and when not any more, and how it ends.
#[derive(Debug, Clone, Copy)]
struct Run {
    started_up: Option<Moment>,
    ready: Option<Moment>,
    unready: Option<Moment>,
    end: Option<End>,
}

impl Course<'_> {
    /// What the container does at a moment, which is not before it begins.
    pub(super) fn look(&self, now: Moment) -> Look {
        if self.fate == Fate::ImagePullError {
            return self.without_image(now);
        }
        let (mut started, mut restarts, mut last) = (self.begin, 0, None);
        let (mut wait, mut waited): (Milliseconds, Option<Moment>) = (FIRST_WAIT, None);
        loop {
            let run = self.run(started);
            let Some(end) = run.end.filter(|end| now >= end.finished) else {
                return running(&run, started, restarts, last, now);
            };
            let ended = |next| Look {
                state: State::Ended(end),
                is_ready: false,
                is_started: false,
                restarts,
                last,
                next,
            };
            if !self.restart.applies(end.code) {
                return ended(None);
            }
            let is_forgotten = waited.is_none_or(|since| end.finished.since(since) > FORGOTTEN);
            let again = end.finished + if is_forgotten { NOTICE } else { wait };
            if now < again && is_forgotten {
                return ended(Some(again));
            }
            if now < again {
                let message = format!(
                    "back-off {} restarting failed container={} pod={}",
                    go_duration(wait),
                    self.name(),
                    self.pod
                );
                let mut look = Look::waiting("CrashLoopBackOff", message, Some(again));
                (look.restarts, look.last) = (restarts, Some(end));
                return look;
            }
            wait = if is_forgotten { FIRST_WAIT } else { (wait * 2).min(LONGEST_WAIT) };
            waited = Some(again);
            (started, last) = (again, Some(end));
            restarts += 1;
        }
    }

    /// When it is found to have started in its first run, if it ever is.
    pub(super) fn starts_up(&self) -> Option<Moment> {
        if self.fate == Fate::ImagePullError { None } else { self.run(self.begin).started_up }
    }

    fn name(&self) -> &str {
        self.container.text(&["name"])
    }

    fn without_image(&self, now: Moment) -> Look {
        let image = self.container.text(&["image"]);
        let later = self.begin + FIRST_PULL;
        if now < later {
            let message = format!("rpc error: code = NotFound desc = failed to pull image {image:?}");
            Look::waiting("ErrImagePull", message, Some(later))
        } else {
            Look::waiting("ImagePullBackOff", format!("Back-off pulling image {image:?}"), None)
        }
    }

    fn run(&self, started: Moment) -> Run {
        // From when to when the application answers, and how it ends by itself.
        let (answers, silent, own_end) = match self.fate {
            Fate::Ready { after } => (Some(started + after), None, None),
            Fate::NeverReady | Fate::ImagePullError => (None, None, None),
            Fate::Hang { after } => (Some(started), Some(started + after), None),
            Fate::Crash { after } => (Some(started), None, Some((after.max(1), 1))),
            Fate::Complete { after } => (Some(started), None, Some((after, 0))),
            Fate::Fail { after, exit_code } => (Some(started), None, Some((after, exit_code))),
        };
        let startup = Probe::of(self.container, "startupProbe");
        let started_up = match &startup {
            None => Some(started),
            Some(probe) => answers.map(|from| probe.succeeds(started, from)).filter(|at| {
                *at <= probe.fails(started, started) && silent.is_none_or(|silent| *at < silent)
            }),
        };
        let readiness = Probe::of(self.container, "readinessProbe");
        let ready = answers.zip(started_up).and_then(|(answers, up)| {
            let from = answers.max(up);
            let at = readiness.map_or(from, |probe| probe.succeeds(started, from));
            (silent.is_none_or(|silent| at < silent) || readiness.is_none()).then_some(at)
        });
        let unready = silent.zip(readiness).map(|(silent, probe)| probe.fails(started, silent));
        let liveness = Probe::of(self.container, "livenessProbe");
        let hangs = silent.zip(started_up).map(|(silent, up)| silent.max(up));
        let killed = match (started_up, &startup, liveness.zip(hangs)) {
            (None, Some(probe), _) => Some((probe.fails(started, started), probe.grace, "startupProbe")),
            (_, _, Some((probe, hangs))) => Some((probe.fails(started, hangs), probe.grace, "livenessProbe")),
            _ => None,
        };
        let own_end = own_end.map(|(after, code)| End {
            code,
            started,
            finished: started + after,
            cause: Cause::Itself,
        });
        let killed = killed.map(|(at, grace, probe)| End {
            code: KILLED,
            started,
            finished: at + grace.unwrap_or(self.grace),
            cause: Cause::Probe(probe),
        });
        let end = own_end.into_iter().chain(killed).min_by_key(|end| end.finished);
        Run { started_up, ready, unready, end }
    }
}

fn running(run: &Run, started: Moment, restarts: u32, last: Option<End>, now: Moment) -> Look {
    let is_over = |at: Option<Moment>| at.is_some_and(|at| at <= now);
    let changes = [run.started_up, run.ready, run.unready, run.end.map(|end| end.finished)];
    Look {
        state: State::Running(started),
        is_ready: is_over(run.ready) && !is_over(run.unready),
        is_started: is_over(run.started_up),
        restarts,
        last,
        next: changes.into_iter().flatten().filter(|at| *at > now).min(),
    }
}

/// `1m20s`, as Go prints durations of whole seconds.
fn go_duration(span: Milliseconds) -> String {
    let seconds = span / SECOND;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds}s"),
        (minutes, seconds) => format!("{minutes}m{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Seconds at which a container changes, and what it is then: `r` runs, `R` ready, `w` waits, `E` ended, with restarts.
    fn told(container: &Value, fate: Fate, restart: Restart, until: u64) -> String {
        let course =
            Course { container, fate, restart, grace: 30 * SECOND, begin: Moment::START, pod: "a_ns(uid)" };
        let (mut now, mut told) = (Moment::START, Vec::new());
        loop {
            let look = course.look(now);
            let state = match look.state {
                State::Running(_) if look.is_ready => 'R',
                State::Running(_) => 'r',
                State::Waiting(..) => 'w',
                State::Ended(_) => 'E',
            };
            told.push(format!("{}{state}{}", now.since(Moment::START) / SECOND, look.restarts));
            match look.next {
                Some(next) if next.since(Moment::START) <= until * SECOND => now = next,
                _ => return told.join(" "),
            }
        }
    }

    #[test]
    fn containers_take_their_course() {
        let none = json!({"name": "c"});
        let readiness = json!({"name": "c", "readinessProbe": {"periodSeconds": 5, "failureThreshold": 2}});
        let liveness =
            json!({"name": "c", "livenessProbe": {"periodSeconds": 5, "terminationGracePeriodSeconds": 2}});
        let startup = json!({"name": "c", "startupProbe": {"periodSeconds": 5}});
        let (second, always) = (SECOND, Restart::Always);
        for (container, fate, restart, until, expected) in [
            (&none, Fate::Ready { after: 3 * second }, always, 60, "0r0 3R0"),
            (&none, Fate::NeverReady, always, 60, "0r0"),
            // The first restart comes at once, further ones after 10, 20, 40 seconds.
            (&none, Fate::Crash { after: second }, always, 40, "0R0 1E0 2R1 3w1 13R2 14w2 34R3 35w3"),
            (&none, Fate::Complete { after: second }, Restart::OnFailure, 60, "0R0 1E0"),
            (&none, Fate::Complete { after: second }, always, 4, "0R0 1E0 2R1 3w1"),
            (&none, Fate::Fail { after: second, exit_code: 3 }, Restart::Never, 60, "0R0 1E0"),
            (&none, Fate::ImagePullError, always, 60, "0w0 10w0"),
            // Ready at the first look after it answers, unready after two looks that fail.
            (&readiness, Fate::Ready { after: 7 * second }, always, 60, "0r0 10R0"),
            (&readiness, Fate::Hang { after: 12 * second }, always, 60, "0R0 20r0"),
            // Three looks that fail, two seconds to end, and a second to notice.
            (&liveness, Fate::Hang { after: 12 * second }, always, 30, "0R0 27E0 28R1"),
            (&startup, Fate::Ready { after: 7 * second }, always, 60, "0r0 10R0"),
            // Given up after three looks, and 30 seconds to end.
            (&startup, Fate::NeverReady, always, 50, "0r0 40E0 41r1"),
        ] {
            assert_eq!(told(container, fate, restart, until), expected, "{container} {fate:?}");
        }
    }

    #[test]
    fn a_container_that_has_run_long_begins_with_the_shortest_wait() {
        let container = json!({"name": "c"});
        let crash = Fate::Crash { after: 700 * SECOND };
        assert_eq!(told(&container, crash, Restart::Always, 1500), "0R0 700E0 701R1 1401E1 1402R2");
    }

    #[test]
    fn durations_are_written_as_in_go() {
        let spans = [10, 80, 300].map(|seconds| go_duration(seconds * SECOND));
        assert_eq!(spans, ["10s", "1m20s", "5m0s"]);
    }
}
