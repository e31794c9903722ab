//! Mirrors, proxies and credentials as the environment and flags name them.

use base64::Engine as _;

use super::support::{Place, done, refused, registry_with_catalog, text};

#[test]
fn mirrors_stand_in() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    let expected = done(place.plain(&["render", &image]));
    done(place.fbc(&["cache", "clean"]));
    let host = &registry.host;
    let set = format!(
        "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata: {{name: m}}\nspec:\n  \
         imageDigestMirrors:\n  - source: registry.invalid/them\n    mirrors: [{host}/me]\n"
    );
    place.write("set.yaml", set);
    let pinned = format!("registry.invalid/them/catalog@{digest}");
    assert_eq!(done(place.plain(&["render", &pinned, "--mirror-set", "set.yaml"])), expected);
    done(place.fbc(&["cache", "clean"]));
    let configuration = format!(
        "[[registry]]\nprefix = \"registry.invalid/them\"\n[[registry.mirror]]\nlocation = \"{host}/gone\"\n\
         [[registry.mirror]]\nlocation = \"{host}/me\"\n"
    );
    let path = place.write("registries.conf", configuration);
    let only_there = format!("--plain-http={host}");
    for (flag, variable) in [(true, false), (false, true)] {
        let plain = if flag { only_there.as_str() } else { "--plain-http" };
        let tagged = ["render", "registry.invalid/them/catalog:v1", "-v", plain];
        let flags = if flag { vec!["--registries-conf", "registries.conf"] } else { Vec::new() };
        let mut command = place.command(&[&tagged[..], &flags].concat());
        if variable {
            command.env("CONTAINERS_REGISTRIES_CONF", &path);
        }
        let output = command.output();
        let told = text(&output.stderr);
        assert_eq!(done(output), expected);
        assert!(told.contains(&format!("{host}/gone/catalog: the repository has no such tag")), "{told}");
        done(place.fbc(&["cache", "clean"]));
    }
    let told = refused(&place.fbc(&["render", &image, "--registries-conf", "none.conf"]), 2);
    assert!(told.contains("cannot read none.conf"), "{told}");
    let told = refused(&place.fbc(&["render", &image, "--mirror-set", "none.yaml"]), 2);
    assert!(told.contains("none.yaml"), "{told}");
    let told = refused(&place.fbc(&["render", &image, "--cert-dir", "none"]), 2);
    assert!(told.contains("--cert-dir none is not a directory"), "{told}");
}

#[test]
fn proxies_are_used() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    let expected = done(place.plain(&["render", &image]));
    let image = "registry.test/me/catalog:v1";
    let through = |variables: &[(&str, &str)]| {
        let mut command = place.command(&["render", image, "--plain-http", "--retry", "0"]);
        command.envs(variables.iter().copied()).output()
    };
    let proxy = format!("http://{}", registry.host);
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        assert_eq!(done(through(&[(variable, &proxy)])), expected);
    }
    let told = refused(&through(&[("HTTP_PROXY", &proxy), ("NO_PROXY", "registry.test")]), 2);
    assert!(told.contains("help: check host, port, network and proxy"), "{told}");
}

#[test]
fn credentials_are_found_and_told_without_their_value() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    {
        let mut state = registry.state.lock().unwrap();
        state.wanted = Some("Basic bWU6c2VjcmV0".to_owned());
        state.challenge = "Basic realm=\"r\"".to_owned();
    }
    let host = &registry.host;
    let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let file = |auth: &str| format!(r#"{{"auths":{{"{host}/me":{{"auth":"{}"}}}}}}"#, encode(auth));
    let named = place.write("named.json", file("me:secret"));
    let named = named.to_str().unwrap();
    let render = ["render", &image, "--plain-http", "-v"];
    let told = refused(&place.fbc(&render), 2);
    assert!(told.contains("credential tried: none") && told.contains("help: log in"), "{told}");
    for (flags, variable, origin) in [
        (vec!["--creds", "me:secret"], None, "--creds".to_owned()),
        (vec!["--authfile", named], None, format!("entry \"{host}/me\" of {named}")),
        (vec![], Some(named), format!("entry \"{host}/me\" of {named}")),
    ] {
        let mut command = place.command(&[&render[..], &flags].concat());
        if let Some(path) = variable {
            command.env("REGISTRY_AUTH_FILE", path);
        }
        let output = command.output();
        let told = text(&output.stderr);
        done(output);
        assert!(told.contains(&format!("credential for {host}/me/catalog: {origin}")), "{told}");
        assert!(!told.contains("secret") && !told.contains("bWU6c2VjcmV0"), "{told}");
    }
    // Where podman and docker leave theirs.
    for name in [".config/containers/auth.json", ".docker/config.json"] {
        let path = place.write(name, file("me:secret"));
        done(place.fbc(&render));
        std::fs::remove_file(path).unwrap();
    }
    let wrong = place.write("wrong.json", file("me:wrong"));
    let told = refused(&place.fbc(&[&render[..], &["--authfile", wrong.to_str().unwrap()]].concat()), 2);
    assert!(told.contains("help: the credential may be wrong or expired"), "{told}");
    assert!(!told.contains(&encode("me:wrong")), "{told}");
    let told = refused(&place.fbc(&[&render[..], &["--authfile", "none.json"]].concat()), 2);
    assert!(told.contains("cannot take credentials from none.json"), "{told}");
    let told = refused(&place.fbc(&[&render[..], &["--creds", "me"]].concat()), 2);
    assert!(told.contains("write USER:PASSWORD"), "{told}");
}
