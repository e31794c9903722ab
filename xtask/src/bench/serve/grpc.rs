//! One question to a gRPC registry.

use bytes::Bytes;
use h2::client;
use http::Request;
use tokio::net::TcpStream;

use crate::error::{Context, TaskError, TaskResult};

/// A message without fields: not packed, no bytes.
const EMPTY_MESSAGE: [u8; 5] = [0; 5];

/// Asks for the packages, and waits for the first one.
pub(super) fn first_package(address: &str) -> TaskResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context(|| "starting a client".to_owned())?.block_on(ask(address))
}

async fn ask(address: &str) -> TaskResult {
    let what = || "asking for packages over gRPC".to_owned();
    let stream = TcpStream::connect(address).await.context(what)?;
    let (mut client, connection) = client::handshake(stream).await.context(what)?;
    tokio::spawn(connection);
    let request = Request::post(format!("http://{address}/api.Registry/ListPackages"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .context(what)?;
    let (response, mut body) = client.send_request(request, false).context(what)?;
    body.send_data(Bytes::from_static(&EMPTY_MESSAGE), true).context(what)?;
    let mut answer = response.await.context(what)?.into_body();
    match answer.data().await {
        Some(data) => data.map(drop).context(what),
        None => Err(TaskError::new("the registry names no package")),
    }
}
