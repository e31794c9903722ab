//! The walk with the crate `kube`, and a controller with finalizers that runs to completion.

mod berths;
mod walk;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = kube::Client::try_default().await?;
    let directory = std::env::args().nth(1).ok_or("the first argument is the directory of manifests")?;
    walk::walk(&client, &directory).await?;
    berths::run(&client).await
}
