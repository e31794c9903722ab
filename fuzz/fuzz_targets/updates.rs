//! Any answer of an update service: it is refused, or written as what is read the same; routes and offers follow from it.
//! The input is the answer, the query of a client, and two versions, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_openshift::update_service::graph::Graph;
use fbc_openshift::update_service::offer::offer;
use fbc_openshift::update_service::protocol::UpdateService;
use fbc_openshift::update_service::route::{Exposure, route};
use fbc_version::Version;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let [answer, query, from, to] = parts(text);
    let Ok(graph) = Graph::parse(answer.as_bytes()) else { return };
    assert_eq!(Graph::parse(graph.to_value().to_string().as_bytes()).as_ref(), Ok(&graph));
    let _ = (graph.dot(), graph.faults());
    for node in graph.nodes.iter().take(4) {
        let _ = node.release();
        for channel in node.channels().iter().take(4) {
            let _ = graph.of_channel(channel);
        }
    }
    if let (Ok(from), Ok(to)) = (Version::parse(from.trim()), Version::parse(to.trim())) {
        let _ = offer(&graph, &from, "stable-4.19", true);
        for exposure in [Exposure::Applies, Exposure::Avoided, Exposure::Unknown(String::new())] {
            let Some(route) = route(&graph, &from, &to, &mut |_| exposure.clone()) else { continue };
            let hops = &route.hops;
            assert!(hops.windows(2).all(|pair| pair[0].to == pair[1].from), "{hops:?}");
            assert!(route.equal > 0);
        }
    }
    let service = UpdateService::new([("amd64".to_owned(), graph)]);
    let answered = service.answer(query.trim(), Some("application/json"));
    assert!(answered.status != 200 || Graph::parse(answered.body.as_bytes()).is_ok());
});
