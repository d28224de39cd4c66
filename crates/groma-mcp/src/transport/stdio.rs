//! Standard input and output: one message on each line.
//!
//! rmcp has such a transport, but it silently drops a line that is not JSON, and answers an invalid request without its
//! id. This one answers both with an error.

use super::message::{self, Read};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Maximum bytes of a message.
const MAX_MESSAGE: usize = 16 << 20;

/// Messages over a pair of byte streams.
pub struct Lines<R, W> {
    reader: BufReader<R>,
    writer: Arc<Mutex<W>>,
    line: Vec<u8>,
    /// Discarding the rest of a line that is too long.
    is_skipping: bool,
}

/// The result of reading some input.
enum Step {
    Line,
    TooLong,
    More,
    End,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    /// A transport that reads from one stream and writes to another.
    pub fn new(reader: R, writer: W) -> Self {
        let reader = BufReader::with_capacity(64 << 10, reader);
        Self { reader, writer: Arc::new(Mutex::new(writer)), line: Vec::new(), is_skipping: false }
    }

    /// Reads available input, up to the end of a line. Cancel-safe.
    async fn step(&mut self) -> io::Result<Step> {
        let available = self.reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(if self.line.is_empty() { Step::End } else { Step::Line });
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        let fits = self.line.len() + taken <= MAX_MESSAGE;
        if fits && !self.is_skipping {
            self.line.extend_from_slice(&available[..taken]);
        }
        self.reader.consume(taken);
        if !fits {
            self.line.clear();
            self.is_skipping = true;
        }
        Ok(match end {
            None => Step::More,
            Some(_) if std::mem::take(&mut self.is_skipping) => Step::TooLong,
            Some(_) => Step::Line,
        })
    }

    async fn reject(&mut self, error: ErrorData, id: Option<RequestId>) -> io::Result<()> {
        let writer = self.writer.clone();
        write(&writer, &ServerJsonRpcMessage::error(error, id)).await
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = self.writer.clone();
        async move { write(&writer, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            match self.step().await.ok()? {
                Step::More => continue,
                Step::End => return None,
                Step::TooLong => {
                    let message = format!("the message is longer than {MAX_MESSAGE} bytes");
                    let error = ErrorData::new(ErrorCode::INVALID_REQUEST, message, None);
                    self.reject(error, None).await.ok()?;
                }
                Step::Line => {
                    let line = std::mem::take(&mut self.line);
                    match message::read(&line) {
                        Read::Message(message) => return Some(*message),
                        Read::Nothing => {}
                        Read::Invalid(error, id) => self.reject(error, id).await.ok()?,
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: &Mutex<W>,
    message: &ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}

/// Serves a surface on standard input and output until end of input or until `stop` is cancelled.
pub async fn serve(
    server: crate::Server,
    stop: tokio_util::sync::CancellationToken,
) -> io::Result<()> {
    let (reader, writer) = rmcp::transport::stdio();
    let transport = Lines::new(reader, writer);
    let running = match rmcp::service::serve_server_with_ct(server, transport, stop).await {
        Ok(running) => running,
        // The client closed the connection before or during the handshake.
        Err(_) => return Ok(()),
    };
    let _ = running.waiting().await;
    Ok(())
}
