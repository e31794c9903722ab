//! Registries as people have them: references, credentials, mirrors, trust, and a client that survives bad networks.
//!
//! The client speaks the distribution protocol (`opencontainers/distribution-spec:spec.md`); where people's files come
//! in, it follows `containers/image`. It reads no environment and has no clock: paths, proxies, the time and the
//! patience to wait come in through [`Settings`]. What happens on the way is told to an [`Observer`].
//!
//! Everything is asynchronous, and answers come in boxes ([`Pending`]): the code of a question is compiled once, here. [`block_on`] runs
//! it for callers that are not asynchronous. [`server`] is a registry of our own.

mod answer;
pub mod attached;
pub mod authorities;
mod authorization;
pub mod blob;
pub mod cache;
pub mod challenge;
pub mod client;
pub mod copy;
pub mod credentials;
mod download;
pub mod error;
pub mod limits;
pub mod local;
pub mod manifest;
mod manifests;
pub mod mirrors;
pub mod observer;
pub(crate) mod pace;
pub mod platform;
pub mod reference;
pub mod retry;
mod secret;
pub mod server;
mod service;
pub mod token;
pub mod transport;
pub mod trust;
mod upload;

pub use blob::{BlobSource, BlobStream, BlobTarget};
pub use cache::{CachedImage, ImageCache, Origin};
pub use client::{Client, Guard, Settings, block_on};
pub use copy::{CopyOptions, CopyReport, Sink, Source, copy_image};
pub use credentials::Credentials;
pub use error::{Fault, Pending, Problem, RegistryError, Result};
pub use fbc_image::image::PlatformChoice;
pub use local::{FolderSink, LocalImage};
pub use manifest::{FetchedManifest, Manifest};
pub use mirrors::{Endpoint, Registries, Security};
pub use observer::{NoObserver, Observer};
pub use reference::Reference;
pub use retry::{Clock, RetryPolicy};
