//! Questions to a gRPC registry.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::try_join_all;
use h2::client::{self, SendRequest};
use http::Request;
use tokio::net::TcpStream;

use crate::error::{Context, TaskError, TaskResult};

/// A message without fields: not packed, no bytes.
const EMPTY_MESSAGE: [u8; 5] = [0; 5];

/// How long answers are counted.
const COUNTED: Duration = Duration::from_secs(2);

/// How many questions are on their way at the same time, over one connection.
const TOGETHER: usize = 64;

/// Asks for the packages, and waits for the first one; the answer is its name.
pub(super) fn first_package(address: &str) -> TaskResult<Vec<u8>> {
    let answer = with_client(address, async |client| {
        ask(client, address, "ListPackages", Bytes::from_static(&EMPTY_MESSAGE), false).await
    })?;
    // A name of less than 128 bytes is the only field of the first message.
    match answer.get(6).map(|length| answer.get(7..7 + usize::from(*length))) {
        Some(Some(name)) if !name.is_empty() => Ok(name.to_vec()),
        _ => Err(TaskError::new("the registry names no package")),
    }
}

/// How many small answers a second one thread gets: each is a package without its bundles.
pub(super) fn answers_a_second(address: &str, package: &[u8]) -> TaskResult<f64> {
    let length = u8::try_from(package.len()).context(|| "the name of the package".to_owned())?;
    let message = [&[0, 0, 0, 0, length + 2, 0x0a, length], package].concat();
    let message = Bytes::from(message);
    with_client(address, async |client| {
        let begun = Instant::now();
        let one_by_one = (0..TOGETHER).map(|_| async {
            let mut count = 0_u32;
            while begun.elapsed() < COUNTED {
                let answer = ask(client, address, "GetPackage", message.clone(), true).await?;
                if answer.len() < 5 {
                    return Err(TaskError::new("the registry does not answer"));
                }
                count += 1;
            }
            Ok(count)
        });
        let counts = try_join_all(one_by_one).await?;
        Ok(f64::from(counts.iter().sum::<u32>()) / begun.elapsed().as_secs_f64())
    })
}

/// Does something with a connection, on this thread alone.
fn with_client<T>(
    address: &str,
    what: impl AsyncFnOnce(&SendRequest<Bytes>) -> TaskResult<T>,
) -> TaskResult<T> {
    let context = || "asking over gRPC".to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context(context)?;
    runtime.block_on(async {
        let stream = TcpStream::connect(address).await.context(context)?;
        stream.set_nodelay(true).context(context)?;
        let (client, connection) = client::handshake(stream).await.context(context)?;
        tokio::spawn(connection);
        what(&client).await
    })
}

/// Asks, and gives the bytes of the answer: all of them, or the first that come.
async fn ask(
    client: &SendRequest<Bytes>,
    address: &str,
    method: &str,
    message: Bytes,
    to_the_end: bool,
) -> TaskResult<Vec<u8>> {
    let context = || format!("asking for {method}");
    let request = Request::post(format!("http://{address}/api.Registry/{method}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .context(context)?;
    let mut client = client.clone().ready().await.context(context)?;
    let (response, mut body) = client.send_request(request, false).context(context)?;
    body.send_data(message, true).context(context)?;
    let mut answer = response.await.context(context)?.into_body();
    let mut bytes = Vec::new();
    while let Some(data) = answer.data().await {
        let data = data.context(context)?;
        answer.flow_control().release_capacity(data.len()).context(context)?;
        bytes.extend_from_slice(&data);
        if !to_the_end {
            break;
        }
    }
    Ok(bytes)
}
