//! What the client does when a registry misbehaves. Nothing here waits.

use bytes::Bytes;
use fbc_registry::credentials::CredentialPaths;
use fbc_registry::observer::BlobOutcome;
use fbc_registry::{Client, Credentials, Fault, Problem, RetryPolicy, block_on};

use super::fixture::{client, layer, login, noise, reference, shown};
use fbc_testing::registry::{Misdeed, Registry, digest};

pub(crate) async fn download(client: &Client, host: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut target = Vec::new();
    let outcome = client.blob(&reference(host, "ns/a"), &layer(bytes), &mut target).await;
    outcome.map(|()| target).map_err(|error| shown(&error, host))
}

#[test]
fn downloads_go_on_where_they_broke_off() {
    block_on(async {
        let content = noise(300_000);
        for ignores_ranges in [false, true] {
            for cut in [0, 1, 65_536, 299_999] {
                let registry = Registry::start().await;
                registry.state.lock().unwrap().ignores_ranges = ignores_ranges;
                registry.hold("ns/a", &content);
                registry.misbehave("GET /v2/ns/a/blobs/", Misdeed::CutBody(cut));
                registry.misbehave("GET /v2/ns/a/blobs/", Misdeed::LoseAnswer);
                let fixture = client(|_| {});
                assert!(
                    download(&fixture.client, &registry.host, &content).await.unwrap() == content,
                    "{cut}"
                );
                assert_eq!(fixture.clock.waits(), [500, 500], "{cut}");
                let last = registry.log().pop().unwrap();
                assert_eq!(last.ends_with(&format!("bytes={cut}-")), cut > 0, "{last}");
            }
        }
    })
    .unwrap();
}

#[test]
fn half_a_file_of_an_earlier_run_is_used_and_a_wrong_one_replaced() {
    block_on(async {
        let content = noise(100_000);
        let registry = Registry::start().await;
        registry.hold("ns/a", &content);
        let fixture = client(|_| {});
        for (begin, requests) in
            [(content[..70_000].to_vec(), 1), (vec![7; 10], 2), (vec![7; 200_000], 1), (content.clone(), 0)]
        {
            let mut target = begin;
            fixture
                .client
                .blob(&reference(&registry.host, "ns/a"), &layer(&content), &mut target)
                .await
                .unwrap();
            assert!(target == content);
            assert_eq!(registry.log().len(), requests);
        }
    })
    .unwrap();
}

#[test]
fn wrong_content_is_refused() {
    block_on(async {
        let content = noise(1000);
        for (misdeed, expected) in [
            (Misdeed::WrongBytes, "the content has the digest"),
            (Misdeed::answer("200 OK", "abcde"), "the content has 5 bytes, expected 1000"),
            (
                Misdeed::Answer(format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", "a".repeat(2000))),
                "the content has",
            ),
        ] {
            let registry = Registry::start().await;
            registry.hold("ns/a", &content);
            registry.misbehave("GET", misdeed);
            let fixture = client(|_| {});
            let mut target = Vec::new();
            let error = fixture
                .client
                .blob(&reference(&registry.host, "ns/a"), &layer(&content), &mut target)
                .await
                .unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(error.fault(), Fault::Registry);
            assert_eq!(target, [] as [u8; 0]);
        }
    })
    .unwrap();
}

#[test]
fn busy_registries_are_waited_for() {
    block_on(async {
        let content = noise(10);
        for (head, waits) in [
            ("429 Too Many\r\nRetry-After: 7", vec![7000]),
            ("503 Busy\r\nRetry-After: Fri, 15 Jan 2027 08:00:20 GMT", vec![20_000]),
            ("500 Oops", vec![500]),
            ("502 Oops\r\nRetry-After: later", vec![500]),
        ] {
            let registry = Registry::start().await;
            registry.hold("ns/a", &content);
            registry.answer("GET", head, "");
            let fixture = client(|_| {});
            assert_eq!(download(&fixture.client, &registry.host, &content).await.unwrap(), content);
            assert_eq!(fixture.clock.waits(), waits, "{head}");
        }
        let registry = Registry::start().await;
        for _ in 0..3 {
            registry.answer("GET", "429 Too Many", r#"{"errors":[{"code":"TOOMANYREQUESTS","message":"slow down"}]}"#);
        }
        let fixture = client(|settings| settings.retry = RetryPolicy { attempts: 3, ..RetryPolicy::default() });
        let error = fixture.client.manifest(&reference(&registry.host, "ns/a:v1")).await.unwrap_err();
        assert_eq!(
            shown(&error, &registry.host),
            "cannot get the manifest http://HOST/ns/a:v1: the registry allows no more requests now (status 429, \
             TOOMANYREQUESTS: slow down), after 3 attempts | try again later, or log in for a higher limit"
        );
        assert_eq!(fixture.clock.waits(), [500, 1000]);
        registry.answer("GET", "429 Too Many\r\nRetry-After: 3600", "");
        let error = fixture.client.manifest(&reference(&registry.host, "ns/a:v1")).await.unwrap_err();
        assert!(shown(&error, &registry.host).ends_with("try again in 3600 seconds, or log in for a higher limit"));
    })
    .unwrap();
}

#[test]
fn errors_say_what_where_and_what_to_do() {
    block_on(async {
        let registry = Registry::start().await;
        let fixture = client(|_| {});
        let ask = async || {
            let error = fixture.client.manifest(&reference(&registry.host, "ns/a:v1")).await.unwrap_err();
            shown(&error, &registry.host)
        };
        assert_eq!(
            ask().await,
            "cannot get the manifest http://HOST/ns/a:v1: the repository has no such tag, manifest or blob (status 404, \
             MANIFEST_UNKNOWN: the registry says MANIFEST_UNKNOWN) | check the tag or digest; the repository may have \
             dropped it"
        );
        registry.answer("GET", "404 X", r#"{"errors":[{"code":"NAME_UNKNOWN"}]}"#);
        assert!(ask().await.contains("the registry knows no such repository (status 404, NAME_UNKNOWN)"));
        registry.answer("GET", "403 X", "<html>");
        assert!(ask().await.contains("not allowed (status 403); credential tried: none"));
        registry.answer("GET", "200 OK", "<html>");
        assert!(ask().await.contains("the manifest is not JSON"));
        registry.answer("GET", "418 X", "");
        assert!(ask().await.contains("unexpected answer: status 418"));
        let gone = reference("127.0.0.1:1", "ns/a");
        let error = fixture.client.manifest(&gone).await.unwrap_err();
        assert!(matches!(error.problem, Problem::Unreachable { attempts: 3, .. }), "{error}");
        assert_eq!(error.fault(), Fault::Network);
    })
    .unwrap();
}

#[test]
fn basic_credentials_and_their_origin() {
    block_on(async {
        let registry = Registry::start().await;
        let content = noise(10);
        registry.hold("ns/a", &content);
        {
            let mut state = registry.state.lock().unwrap();
            state.wanted = Some("Basic dTpwYXNzd29yZA==".to_owned());
            state.challenge = "Basic realm=\"x\"".to_owned();
        }
        let fixture = client(|settings| settings.credentials = login(&registry.host, "u", "password"));
        assert_eq!(download(&fixture.client, &registry.host, &content).await.unwrap(), content);
        assert_eq!(*fixture.notes.0.lock().unwrap(), [format!("{}/ns/a: --creds", registry.host)]);
        let wrong = client(|settings| settings.credentials = login(&registry.host, "u", "hunter2"));
        let error = download(&wrong.client, &registry.host, &content).await.unwrap_err();
        assert!(error.contains("credential tried: --creds | the credential may be wrong"), "{error}");
        assert!(!error.contains("hunter2"));
        let nobody = client(|_| {});
        let error = download(&nobody.client, &registry.host, &content).await.unwrap_err();
        assert!(error.contains("credential tried: none | log in"), "{error}");
    })
    .unwrap();
}

#[test]
fn tokens_are_fetched_kept_and_renewed() {
    block_on(async {
        let registry = Registry::start().await;
        let content = noise(10);
        registry.hold("ns/a", &content);
        let token = |name: &str| (200, format!(r#"{{"token":"{name}","expires_in":100}}"#));
        {
            let mut state = registry.state.lock().unwrap();
            state.wanted = Some("Bearer one".to_owned());
            state.challenge = format!("Bearer realm=\"http://{}/token\",service=\"s\",scope=\"repository:ns/a:pull\"", registry.host);
            state.tokens = [token("one"), token("two"), token("three")].into();
        }
        let fixture = client(|settings| settings.credentials = login(&registry.host, "u", "p"));
        let fetches = || registry.log().iter().filter(|line| line.starts_with("GET /token")).cloned().collect::<Vec<_>>();
        let get = async || download(&fixture.client, &registry.host, &content).await.unwrap();
        get().await;
        assert_eq!(fetches(), ["GET /token?service=s&scope=repository%3Ans%2Fa%3Apull&account=u Basic dTpw"]);
        fixture.clock.advance(99);
        get().await;
        assert_eq!(fetches().len(), 0);
        // It expires by our clock: a new one before the request.
        fixture.clock.advance(1);
        registry.state.lock().unwrap().wanted = Some("Bearer two".to_owned());
        get().await;
        assert_eq!(fetches().len(), 1);
        // It is refused before its time: a new one after the request.
        registry.state.lock().unwrap().wanted = Some("Bearer three".to_owned());
        get().await;
        assert_eq!(fetches().len(), 1);
        registry.state.lock().unwrap().wanted = Some("Bearer four".to_owned());
        registry.state.lock().unwrap().tokens = [(401, r#"{"details":"no"}"#.to_owned())].into();
        let error = download(&fixture.client, &registry.host, &content).await.unwrap_err();
        assert!(error.starts_with("cannot get a token from http://HOST/token: not authenticated (status 401, no); credential tried: --creds"), "{error}");
    })
    .unwrap();
}

#[test]
fn no_credential_goes_to_another_host() {
    block_on(async {
        let (registry, storage) = (Registry::start().await, Registry::start().await);
        let content = noise(10);
        storage.hold("ns/a", &content);
        {
            let mut state = registry.state.lock().unwrap();
            state.wanted = Some("Basic dTpw".to_owned());
            state.challenge = "Basic".to_owned();
        }
        let path = format!("/v2/ns/a/blobs/{}", digest(&content));
        let fixture = client(|settings| settings.credentials = login(&registry.host, "u", "p"));
        // The first request earns the challenge, so that the next one shows the credential at once.
        assert!(fixture.client.manifest(&reference(&registry.host, "ns/a")).await.is_err());
        registry.log();
        registry.answer("GET", &format!("307 X\r\nLocation: http://{}{path}", storage.host), "");
        assert_eq!(download(&fixture.client, &registry.host, &content).await.unwrap(), content);
        assert_eq!(registry.log(), [format!("GET {path} Basic dTpw")]);
        assert_eq!(storage.log(), [format!("GET {path}")]);
        registry.answer("GET", "307 X\r\nLocation: file:///etc/passwd", "");
        let error = download(&fixture.client, &registry.host, &content).await.unwrap_err();
        assert!(error.contains("a redirect to an invalid URL"), "{error}");
        for _ in 0..20 {
            registry.answer("GET", &format!("302 X\r\nLocation: {path}"), "");
        }
        let error = download(&fixture.client, &registry.host, &content).await.unwrap_err();
        assert!(error.contains("more than 10 redirects"), "{error}");
    })
    .unwrap();
}

#[test]
fn uploads_survive() {
    block_on(async {
        let content = noise(700_000);
        let patch = "PATCH /v2/ns/a/blobs/uploads/";
        for (name, chunk, misdeeds) in [
            ("nothing", None, vec![]),
            ("half a part", None, vec![(patch, Misdeed::CutRequest(300_000))]),
            ("nothing kept", None, vec![(patch, Misdeed::CutRequest(0))]),
            (
                "parts",
                Some(100_000),
                vec![(patch, Misdeed::CutRequest(50_000)), (patch, Misdeed::LoseAnswer)],
            ),
            ("session lost", None, vec![(patch, Misdeed::Forget)]),
            ("answer lost", None, vec![("PUT", Misdeed::LoseAnswer)]),
            ("server error", None, vec![(patch, Misdeed::answer("503 X", ""))]),
        ] {
            let registry = Registry::start().await;
            for (request, misdeed) in misdeeds {
                registry.misbehave(request, misdeed);
            }
            let fixture = client(|settings| settings.chunk_size = chunk);
            let place = reference(&registry.host, "ns/a");
            let source = Bytes::from(content.clone());
            let outcome = fixture.client.put_blob(&place, &layer(&content), &source, None).await;
            assert_eq!(outcome.unwrap_or_else(|error| panic!("{name}: {error}")), BlobOutcome::Transferred);
            assert!(registry.state.lock().unwrap().blobs[&digest(&content)] == content, "{name}");
            assert!(registry.state.lock().unwrap().misdeeds.is_empty(), "{name}");
            registry.log();
            let again = fixture.client.put_blob(&place, &layer(&content), &source, None).await.unwrap();
            assert_eq!((again, registry.log().len()), (BlobOutcome::Existed, 1), "{name}");
            let neighbour = reference(&registry.host, "ns/b");
            let mounted =
                fixture.client.put_blob(&neighbour, &layer(&content), &source, Some("ns/a")).await.unwrap();
            assert_eq!(mounted, BlobOutcome::Mounted);
        }
    })
    .unwrap();
}

#[test]
fn wrong_bytes_are_not_sent() {
    block_on(async {
        let registry = Registry::start().await;
        let fixture = client(|_| {});
        let place = reference(&registry.host, "ns/a");
        for (content, expected) in
            [(vec![1; 10], "has the digest"), (vec![2; 11], "has 11 bytes, expected 10")]
        {
            let source = Bytes::from(content);
            let error = fixture.client.put_blob(&place, &layer(&[3; 10]), &source, None).await.unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert_eq!(registry.state.lock().unwrap().blobs.len(), 0);
    })
    .unwrap();
}

#[test]
fn mirrors_are_asked_first_and_wrong_ones_passed_over() {
    block_on(async {
        let (mirror, origin) = (Registry::start().await, Registry::start().await);
        let content = noise(1000);
        mirror.hold("m/a", &content);
        origin.hold("ns/a", &content);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("registries.conf");
        let text = format!(
            "[[registry]]\nlocation = '{}/ns'\n[[registry.mirror]]\nlocation = '{}/m'",
            origin.host, mirror.host
        );
        std::fs::write(&file, text).unwrap();
        let paths = fbc_registry::mirrors::RegistriesPaths { main: vec![file], ..Default::default() };
        let fixture =
            client(|settings| settings.registries = fbc_registry::Registries::read(&paths).unwrap());
        assert_eq!(download(&fixture.client, &origin.host, &content).await.unwrap(), content);
        assert_eq!((mirror.log().len(), origin.log().len()), (1, 0));
        mirror.misbehave("GET", Misdeed::WrongBytes);
        assert_eq!(download(&fixture.client, &origin.host, &content).await.unwrap(), content);
        assert_eq!((mirror.log().len(), origin.log().len()), (1, 1));
        let error = fixture.client.manifest(&reference(&origin.host, "ns/a:v1")).await.unwrap_err();
        assert!(matches!(&error.problem, Problem::Endpoints(errors) if errors.len() == 2), "{error}");
    })
    .unwrap();
}

#[test]
fn proxies_are_used_except_where_they_are_not() {
    block_on(async {
        let proxy = Registry::start().await;
        let content = noise(10);
        proxy.hold("ns/a", &content);
        for (no_proxy, expected) in [(None, true), (Some("other.test,.test"), false)] {
            let fixture = client(|settings| {
                settings.proxies.http = Some(format!("http://{}", proxy.host));
                settings.proxies.no_proxy = no_proxy.map(str::to_owned);
                settings.retry.attempts = 1;
            });
            let found = download(&fixture.client, "registry.test", &content).await;
            assert_eq!(found.is_ok(), expected, "{found:?}");
        }
    })
    .unwrap();
}

#[test]
fn identity_tokens_are_exchanged() {
    block_on(async {
        let registry = Registry::start().await;
        let content = noise(10);
        registry.hold("ns/a", &content);
        {
            let mut state = registry.state.lock().unwrap();
            state.wanted = Some("Bearer T".to_owned());
            state.challenge = format!("Bearer realm=\"http://{}/token\"", registry.host);
            state.tokens = [(200, r#"{"access_token":"T"}"#.to_owned())].into();
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("auth.json");
        let text = format!(r#"{{"auths": {{"{}/ns": {{"identitytoken": "refresh-me"}}}}}}"#, registry.host);
        std::fs::write(&file, text).unwrap();
        let paths = CredentialPaths { authfile: Some(file), ..CredentialPaths::default() };
        let fixture = client(|settings| settings.credentials = Credentials::read(&paths).unwrap());
        assert_eq!(download(&fixture.client, &registry.host, &content).await.unwrap(), content);
        let state = registry.state.lock().unwrap();
        let form = "grant_type=refresh_token&client_id=fbc&service=&scope=repository%3Ans%2Fa%3Apull&refresh_token=refresh-me";
        assert_eq!(state.last_form, form);
        let notes = fixture.notes.0.lock().unwrap();
        assert!(notes[0].contains("/ns\" of ") && !notes[0].contains("refresh-me"), "{notes:?}");
    })
    .unwrap();
}
