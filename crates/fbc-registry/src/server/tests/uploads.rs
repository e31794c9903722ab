//! Blobs that come: in parts, slowly, in large numbers, all at once.

use std::net::IpAddr;
use std::sync::Barrier;
use std::time::Duration;

use bytes::Bytes;
use fbc_image::blob::digest_of;
use http::Request;

use super::{HERE, World};
use crate::block_on;
use crate::limits;

#[test]
fn a_blob_comes_in_parts_and_is_read_in_parts() {
    let world = World::new();
    let begun = world.ask("POST", "/v2/a/b/blobs/uploads/", &[], b"");
    assert_eq!(begun.status, 202);
    let place = begun.header("location").to_owned();
    assert_eq!(world.ask("PATCH", &place, &[("content-range", "0-3")], b"abcd").header("range"), "0-3");
    let refused = world.ask("PATCH", &place, &[("content-range", "9-12")], b"wxyz");
    assert_eq!((refused.status.as_u16(), refused.header("range")), (416, "0-3"));
    assert_eq!(world.ask("GET", &place, &[], b"").status, 204);
    let digest = digest_of(b"abcdefgh").to_string();
    let done = world.ask("PUT", &format!("{place}?digest={digest}"), &[], b"efgh");
    assert_eq!((done.status.as_u16(), done.header("docker-content-digest")), (201, digest.as_str()));
    let blob = format!("/v2/a/b/blobs/{digest}");
    assert_eq!(world.ask("GET", &blob, &[], b"").body, "abcdefgh");
    let part = world.ask("GET", &blob, &[("range", "bytes=2-4")], b"");
    assert_eq!((part.status.as_u16(), part.body.as_ref()), (206, b"cde".as_slice()));
    assert_eq!(world.ask("HEAD", &blob, &[], b"").header("content-length"), "8");
    assert_eq!(world.ask("PUT", &format!("{place}?digest={digest}"), &[], b"").code(), "BLOB_UPLOAD_UNKNOWN");
    let mounted = format!("/v2/c/blobs/uploads/?mount={}&from=a/b", digest.replace(':', "%3A"));
    assert_eq!(world.ask("POST", &mounted, &[], b"").status, 201);
}

/// A body that ends with an error.
struct Broken(Vec<u8>);

impl http_body::Body for Broken {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        let bytes = std::mem::take(&mut self.0);
        let frame = match bytes.is_empty() {
            true => Err(std::io::Error::other("gone")),
            false => Ok(http_body::Frame::data(Bytes::from(bytes))),
        };
        std::task::Poll::Ready(Some(frame))
    }
}

#[test]
fn what_came_of_a_part_that_broke_off_is_kept() {
    let world = World::new();
    let place = world.ask("POST", "/v2/a/b/blobs/uploads/", &[], b"").header("location").to_owned();
    world.ask("PATCH", &place, &[], b"abcd");
    let request = Request::builder().method("PATCH").uri(&place).body(Broken(b"ef".to_vec())).unwrap();
    assert_eq!(block_on(world.registry.answer(HERE, request)).unwrap().status(), 400);
    assert_eq!(world.ask("GET", &place, &[], b"").header("range"), "0-5");
    let digest = digest_of(b"abcdefgh").to_string();
    let end = format!("{place}?digest={digest}");
    assert_eq!(world.ask("PUT", &end, &[("content-range", "4-7")], b"efgh").status, 416);
    assert_eq!(world.ask("PUT", &end, &[("content-range", "6-7")], b"gh").status, 201);
}

#[test]
fn an_upload_belongs_to_its_repository_and_has_a_name_that_nobody_guesses() {
    let world = World::new();
    let place = world.begin();
    let id = place.rsplit('/').next().unwrap();
    assert_eq!(id.len(), 32);
    for elsewhere in [
        format!("/v2/c/blobs/uploads/{id}"),
        format!("/v2/a/b/blobs/uploads/+{}", &id[1..]),
        format!("/v2/a/b/blobs/uploads/{}", id.trim_start_matches('0')),
        format!("/v2/a/b/blobs/uploads/{}", id.to_uppercase()),
        "/v2/a/b/blobs/uploads/1".to_owned(),
    ] {
        for method in ["GET", "PATCH", "DELETE"] {
            let refused = world.ask(method, &elsewhere, &[], b"x");
            assert_eq!(refused.status, 404, "{method} {elsewhere}");
        }
        let end = format!("{elsewhere}?digest={}", digest_of(b""));
        assert_eq!(world.ask("PUT", &end, &[], b"").code(), "BLOB_UPLOAD_UNKNOWN", "{elsewhere}");
    }
    assert_eq!(world.ask("PATCH", &place, &[], b"abcd").header("range"), "0-3");
    assert_eq!(world.ask("DELETE", &place, &[], b"").status, 204);
    assert_eq!(world.ask("DELETE", &place, &[], b"").code(), "BLOB_UPLOAD_UNKNOWN");
}

#[test]
fn uploads_that_nobody_continues_end() {
    let world = World::new();
    let (first, second) = (world.begin(), world.begin());
    world.pass(limits::UPLOAD_WAIT - Duration::from_secs(1));
    assert_eq!(world.ask("PATCH", &first, &[], b"abcd").status, 202);
    world.pass(Duration::from_secs(1));
    assert_eq!(world.ask("GET", &first, &[], b"").header("range"), "0-3");
    assert_eq!(world.ask("GET", &second, &[], b"").code(), "BLOB_UPLOAD_UNKNOWN");
}

#[test]
fn a_client_takes_no_more_than_its_share_of_uploads() {
    let world = World::new();
    let first = world.begin();
    world.pass(Duration::from_secs(1));
    (1..limits::UPLOADS_OF_CLIENT).for_each(|_| drop(world.begin()));
    let refused = world.ask("POST", "/v2/a/b/blobs/uploads/", &[], b"");
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "TOOMANYREQUESTS".to_owned()));
    assert_eq!(refused.header("retry-after"), "60");
    // Blobs that come whole are counted as well, and others are not kept from theirs.
    let whole = format!("/v2/a/b/blobs/uploads/?digest={}", digest_of(b"x"));
    assert_eq!(world.ask("POST", &whole, &[], b"x").status, 429);
    let other = IpAddr::from([10, 0, 0, 1]);
    assert_eq!(world.ask_from(other, "POST", &whole, &[], b"x").status, 201);
    // What was left alone makes room.
    world.pass(limits::UPLOAD_LEFT);
    assert_eq!(world.ask("POST", &whole, &[], b"x").status, 201);
    assert_eq!(world.ask("GET", &first, &[], b"").status, 404);
}

#[test]
fn all_clients_together_take_no_more_uploads_than_there_are() {
    let world = World::new();
    let begin = |client: usize| {
        let client = IpAddr::from([10, 0, 0, u8::try_from(client).unwrap()]);
        world.ask_from(client, "POST", "/v2/a/b/blobs/uploads/", &[], b"").status.as_u16()
    };
    let most = limits::UPLOADS / limits::UPLOADS_OF_CLIENT;
    for client in 0..most {
        (0..limits::UPLOADS_OF_CLIENT).for_each(|_| assert_eq!(begin(client), 202));
    }
    assert_eq!(begin(most), 429);
}

#[test]
fn a_body_that_never_comes_does_not_hold_an_upload() {
    let world = World::over(tempfile::tempdir().unwrap(), |options| options.stall = Duration::from_millis(5));
    let place = world.begin();
    let silent =
        || http_body_util::StreamBody::new(futures_util::stream::pending::<Result<_, std::io::Error>>());
    for (method, target) in [("PATCH", place.as_str()), ("PUT", "/v2/a/b/manifests/v1")] {
        let request = Request::builder().method(method).uri(target);
        let request = request.body(http_body_util::combinators::BoxBody::new(silent())).unwrap();
        assert_eq!(block_on(world.registry.answer(HERE, request)).unwrap().status(), 408, "{method}");
    }
    assert_eq!(world.ask("PATCH", &place, &[], b"abcd").status, 202);
}

#[test]
fn two_requests_do_not_write_one_upload() {
    let world = World::new();
    let place = world.begin();
    let id = u128::from_str_radix(place.rsplit('/').next().unwrap(), 16).unwrap();
    let taken = world.registry.sessions().take(id, "a/b", Duration::ZERO).unwrap();
    for method in ["GET", "PATCH", "DELETE"] {
        assert_eq!(world.ask(method, &place, &[], b"x").status, 409, "{method}");
    }
    world.registry.sessions().put_back(id, taken, Duration::ZERO);
    assert_eq!(world.ask("PATCH", &place, &[], b"x").status, 202);
}

#[test]
fn what_the_registry_holds_is_bounded() {
    let world = World::over(tempfile::tempdir().unwrap(), |options| options.bytes = 10);
    let push = |bytes: &[u8]| {
        world.ask("POST", &format!("/v2/a/b/blobs/uploads/?digest={}", digest_of(bytes)), &[], bytes)
    };
    let place = world.begin();
    assert_eq!(world.ask("PATCH", &place, &[], b"12345678").status, 202);
    let refused = push(b"123");
    assert_eq!((refused.status.as_u16(), refused.code()), (403, "DENIED".to_owned()));
    // What is given up, wrong or there already does not count.
    assert_eq!(world.ask("DELETE", &place, &[], b"").status, 204);
    let wrong = format!("/v2/a/b/blobs/uploads/?digest={}", digest_of(b"other"));
    assert_eq!(world.ask("POST", &wrong, &[], b"12345678").status, 400);
    for _ in 0..3 {
        assert_eq!(push(b"1234").status, 201);
    }
    assert_eq!((push(b"123456").status.as_u16(), push(b"1").status.as_u16()), (201, 403));
    assert_eq!(World::over(world.folder, |options| options.bytes = 10).ask("POST", "/v2/a/b/blobs/uploads/?digest=sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b", &[], b"1").status, 403);
}

#[test]
fn what_comes_twice_at_once_counts_once() {
    const ROUNDS: usize = 200;
    const SIZE: usize = 1000;
    // Room for all of it, and for one that is on its way.
    let most = u64::try_from((ROUNDS + 1) * SIZE).unwrap();
    let world = World::over(tempfile::tempdir().unwrap(), |options| options.bytes = most);
    for round in 0..ROUNDS {
        // One for each round: a client that fails leaves nobody waiting.
        let start = Barrier::new(2);
        let client = || {
            start.wait();
            world.push_blob(format!("{round:0SIZE$}").as_bytes());
        };
        std::thread::scope(|scope| {
            scope.spawn(client);
            client();
        });
    }
    world.push_blob(&[b'x'; SIZE]);
}
