//! Watches: what is there, if it is wanted, and every change from then on.
//!
//! Source: `kubernetes/apiserver:pkg/storage/cacher/cacher.go`.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use fbc_cluster::error::{ApiError, Reason};
use tokio::sync::mpsc;

use super::list::list_options;
use crate::actor::{Actor, MOST_WATCHES, Seen, WAITING_EVENTS, Watch};
use crate::answer::{Answer, Content, status_of};
use crate::present::{Event, EventKind, Presentation, WatchStream, initial_end};
use crate::request::ListQuery;
use crate::served_resource::ServedResource;

/// How long a watch lasts that names no time. The real server draws a time between this and twice of it.
const LASTS: Duration = Duration::from_secs(1800);

impl Actor<'_> {
    pub(super) fn watch(
        &mut self,
        list: &ListQuery,
        resource: &ServedResource,
        presentation: Presentation,
    ) -> Result<Answer, ApiError> {
        if let Some(wanted) = list.resource_version {
            self.check_not_in_future(wanted)?;
        }
        if self.watches.count() >= MOST_WATCHES {
            let text = format!("{MOST_WATCHES} watches are going on; end some and try again");
            return Err(ApiError::other(Reason::TooManyRequests, text));
        }
        let options = list_options(list, resource);
        let (sender, events) = mpsc::channel(WAITING_EVENTS);
        let watch = Watch {
            api_version: resource.api_version(),
            namespace: options.namespace.clone().unwrap_or_default(),
            labels: list.labels.clone(),
            fields: options.fields.clone(),
            sender,
            waiting: VecDeque::new(),
        };
        let api = &self.cluster.api;
        let present = api.store().revision();
        let mut initial = VecDeque::new();
        let begins_with_all = list.initial_events || list.resource_version.is_none_or(|version| version == 0);
        let mut is_over = false;
        if begins_with_all {
            let objects = api.selected(resource.id, &options);
            initial.extend(objects.map(|object| {
                let object = api.in_version(resource.id, object, &resource.api_version());
                Event::new(EventKind::Added, object)
            }));
            if list.initial_events {
                initial.push_back(initial_end(&resource.api_version(), &resource.kind.kind, present));
            }
        } else {
            let since = list.resource_version.unwrap_or(present);
            match api.store().changes_since(since) {
                Some(changes) => {
                    let changes = changes.filter(|change| change.key.kind == resource.id);
                    initial
                        .extend(changes.filter_map(|change| watch.event(api, change, &mut Seen::default())));
                }
                None => {
                    let oldest = present.saturating_sub(api.store().changes_kept());
                    let text = format!("too old resource version: {since} ({oldest})");
                    let error = ApiError::other(Reason::Expired, text);
                    initial.push_back(Event::new(EventKind::Error, Arc::new(status_of(&error))));
                    is_over = true;
                }
            }
        }
        let waits = list.single_name().is_some() || !resource.place.name.is_empty();
        let stream = WatchStream {
            initial,
            events,
            presentation,
            kind: (resource.api_version(), resource.kind.kind.clone()),
            revision: Arc::clone(&self.revision),
            stop: self.settings.stop.clone(),
            timeout: list.timeout.map_or(LASTS, Duration::from_secs),
            bookmarks: list.bookmarks,
            // Who watches one object waits for it; who watches a kind keeps up with it.
            waiting: if waits { self.mailbox() } else { None },
        };
        if !is_over {
            self.hand_out();
            self.watches.add(resource.id, watch);
        }
        Ok(Answer::new(200, Content::Watch(stream)))
    }
}
