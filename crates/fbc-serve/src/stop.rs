//! The signals that end a server.

use tokio::sync::watch;

/// Becomes true when the process is asked to end. A second signal ends it at once.
pub fn asked() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    fbc_staging::ask_on_signals(move || {
        sender.send_replace(true);
    });
    receiver
}

/// Waits until the process is asked to end.
pub async fn wait(mut asked: watch::Receiver<bool>) {
    // The sender lives as long as the process.
    let _ = asked.wait_for(|asked| *asked).await;
}
