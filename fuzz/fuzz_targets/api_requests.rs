//! Any requests to a simulated cluster, one after another, of an administrator and of somebody with a token: each is
//! answered, and the controllers live on with what it made.
//! The input is the requests with a line `=======` between them.
#![no_main]

use std::sync::LazyLock;

use fbc_apiserver::actor::{Actor, Settings, Stillness, TimeMode};
use fbc_apiserver::authentication::TokenAuthority;
use fbc_apiserver::request::{Credential, Request};
use fbc_cluster::access::User;
use fbc_cluster::api::ApiServer;
use fbc_cluster::budget::Budget;
use fbc_cluster::control_plane::api_server;
use fbc_cluster::controllers::set::{Workloads, controllers};
use fbc_cluster::engine::Cluster;
use fbc_cluster::time::Moment;
use fbc_fuzz::{collected, parts, request};
use fbc_registry::block_on;
use libfuzzer_sys::fuzz_target;
use ring::rand::SystemRandom;
use ring::signature::Ed25519KeyPair;
use tokio::sync::watch;

/// Requests in a row.
const MOST: usize = 6;
/// Whoever asks for a million pods gets no more than these.
const BUDGET: Budget = Budget { objects: 1_000, bytes: 32 << 20, writes: 3_000, work: 100_000 };

thread_local! {
    static EMPTY: ApiServer = api_server(&[], 1, Moment::START);
}

static KEY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("random numbers");
    key.as_ref().to_vec()
});

/// What a client sends, as the cluster gets it.
fn read(text: &str) -> Option<Request> {
    let (head, body) = request(text)?.into_parts();
    let header = |name: &str| {
        head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    let credential = match header("authorization").strip_prefix("Bearer ") {
        Some(token) => Credential::Token(token.to_owned()),
        None => Credential::Certificate(User::administrator()),
    };
    Some(Request {
        method: head.method.clone(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        accept: header("accept"),
        content_type: header("content-type"),
        user_agent: header("user-agent"),
        if_none_match: header("if-none-match"),
        wants_upgrade: head.headers.contains_key("upgrade"),
        credential,
        impersonation: None,
        body: block_on(collected(body)).expect("a runtime").expect("a body from memory"),
    })
}

fuzz_target!(|text: &str| {
    let settings = Settings {
        address: "127.0.0.1:6443".to_owned(),
        time: TimeMode::Still,
        stillness: Stillness::default(),
        tokens: TokenAuthority::new(&KEY).expect("a key").into(),
        anonymous: false,
        openshift: true,
        stop: watch::channel(false).1,
        recorder: None,
    };
    let mut cluster = Cluster::new(EMPTY.with(ApiServer::copy));
    cluster.api.set_budget(BUDGET);
    let workloads =
        Workloads::Pods { virtual_node: Some("node".to_owned()), behaviours: Vec::new(), older_texts: false };
    for controller in controllers(workloads, 1) {
        cluster.add_controller(controller);
    }
    let mut actor = Actor::new(&mut cluster, settings);
    actor.begin();
    for request in parts::<MOST>(text).into_iter().filter_map(read) {
        let answer = actor.handle(&request);
        assert!((200..600).contains(&answer.code), "{}", answer.code);
    }
});
