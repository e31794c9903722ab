//! The walk with the crate `kube`, and a controller with finalizers that runs to completion.

use std::time::Duration;

mod berths;
mod walk;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = kube::Client::try_default().await?;
    let directory = std::env::args().nth(1).ok_or("the first argument is the directory of manifests")?;
    // A walk takes seconds; one that hangs says so.
    tokio::time::timeout(Duration::from_secs(300), async {
        walk::walk(&client, &directory).await?;
        berths::run(&client).await
    })
    .await?
}
