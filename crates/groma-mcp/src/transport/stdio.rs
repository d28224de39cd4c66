//! Standard input and output: one message on each line.
//!
//! rmcp has such a transport, but it silently drops a line that is not JSON, and answers an invalid request without its
//! id. This one answers both with an error, and batches as their revision has them, and a client that does not read its answers costs a bounded amount: its
//! requests are not read either while `MAX_IN_FLIGHT` are unanswered.

use super::batch::{self, Answered, Batch, Batches};
use super::message::{self, Read};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Maximum bytes of a message.
const MAX_MESSAGE: usize = 16 << 20;

/// Maximum number of requests whose answer has not been written.
const MAX_IN_FLIGHT: usize = 32;

/// Capacity of the queue of messages to write.
const QUEUE: usize = 16;

/// How long a write may block after the end of input, or the last ones at the end of the connection.
const WRITE_TIMEOUT: Duration = Duration::from_millis(500);

/// Messages over a pair of byte streams.
pub struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Discarding the rest of a line that is too long.
    is_skipping: bool,
    /// What was read and waits to be handled or answered: `receive` may be cancelled at any await.
    pending: Option<Pending>,
    /// The rest of a batch.
    batch: VecDeque<ClientJsonRpcMessage>,
    slots: Arc<Semaphore>,
    output: Output,
    writing: Option<JoinHandle<()>>,
}

/// The result of reading some input.
enum Step {
    Line,
    TooLong,
    More,
    End,
}

/// A message that was read.
enum Pending {
    /// To be handled.
    Message(Box<ClientJsonRpcMessage>),
    /// To be answered with an error.
    Rejected(Outgoing),
}

/// A message to write.
struct Outgoing {
    line: Vec<u8>,
    /// The slots of the requests that it answers, free once it is written.
    _slots: Vec<OwnedSemaphorePermit>,
}

/// The slots of requests that are not answered.
type Slots = HashMap<RequestId, OwnedSemaphorePermit>;

/// Batches that are not answered, and the slots of their requests that are.
#[derive(Default)]
struct Collected {
    batches: Batches,
    slots: Vec<OwnedSemaphorePermit>,
}

/// Where messages are written to.
#[derive(Clone)]
struct Output {
    queue: Sender<Outgoing>,
    slots: Arc<Mutex<Slots>>,
    collected: Arc<Mutex<Collected>>,
    /// The revision that was negotiated.
    revision: Arc<OnceLock<String>>,
    progress: Arc<Progress>,
    /// Cancelled if the client will read no more.
    abandoned: CancellationToken,
}

/// How many writes began and ended.
#[derive(Default)]
struct Progress {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Progress {
    fn blocked_write(&self) -> Option<u64> {
        let begun = self.begun.load(Ordering::Relaxed);
        (begun != self.ended.load(Ordering::Relaxed)).then_some(begun)
    }
}

impl Output {
    fn slots(&self) -> std::sync::MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn collected(&self) -> std::sync::MutexGuard<'_, Collected> {
        self.collected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a message. Waits while the queue is full, except for a notification, which is then dropped.
    async fn send(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        let is_notification = matches!(message, JsonRpcMessage::Notification(_));
        let Some(outgoing) = self.outgoing(&message)? else { return Ok(()) };
        if is_notification {
            let _ = self.queue.try_send(outgoing);
            return Ok(());
        }
        tokio::select! {
            queued = self.queue.send(outgoing) => queued.map_err(|_| closed()),
            () = self.abandoned.cancelled() => Err(closed()),
        }
    }

    /// What to write for a message: nothing if it is an answer that waits for others of its batch.
    fn outgoing(&self, message: &ServerJsonRpcMessage) -> io::Result<Option<Outgoing>> {
        let id = match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(said) = &response.result {
                    // A second handshake does not change it.
                    let _ = self.revision.set(said.protocol_version.to_string());
                }
                Some(&response.id)
            }
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let slot = id.and_then(|id| self.slots().remove(id));
        if let Some(id) = id {
            let mut collected = self.collected();
            if collected.batches.contains(id) {
                collected.slots.extend(slot);
                let answer = serde_json::to_value(message)?;
                return collected.take(id, Some(answer));
            }
        }
        Ok(Some(Outgoing { line: line_of(message)?, _slots: slot.into_iter().collect() }))
    }
}

impl Collected {
    /// Takes the answer to a request of a batch, or that it has none; returns what is to be written if it was the last.
    fn take(&mut self, id: &RequestId, answer: Option<Value>) -> io::Result<Option<Outgoing>> {
        match self.batches.answer(id, answer) {
            Answered::Complete(answers) => {
                let _slots = std::mem::take(&mut self.slots);
                Ok(Some(Outgoing { line: line_of(&answers)?, _slots }))
            }
            Answered::Alone | Answered::Kept => Ok(None),
        }
    }
}

fn closed() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

fn line_of(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes messages in order until the queue is closed, a write fails, or the output is abandoned.
async fn write_all(
    mut writer: impl AsyncWrite + Unpin,
    mut queue: Receiver<Outgoing>,
    progress: Arc<Progress>,
    abandoned: CancellationToken,
) {
    let writing = async {
        while let Some(message) = queue.recv().await {
            progress.begun.fetch_add(1, Ordering::Relaxed);
            if writer.write_all(&message.line).await.is_err() || writer.flush().await.is_err() {
                return;
            }
            progress.ended.fetch_add(1, Ordering::Relaxed);
        }
    };
    tokio::select! {
        biased;
        () = abandoned.cancelled() => {}
        () = writing => {}
    }
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// A transport that reads from one stream and writes to another, on a task of its own.
    pub fn new(reader: R, writer: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (queue, messages) = channel(QUEUE);
        let (progress, abandoned) = (Arc::new(Progress::default()), CancellationToken::new());
        let writing = write_all(writer, messages, progress.clone(), abandoned.clone());
        Self {
            reader: BufReader::with_capacity(64 << 10, reader),
            line: Vec::new(),
            is_skipping: false,
            pending: None,
            batch: VecDeque::new(),
            slots: Arc::new(Semaphore::new(MAX_IN_FLIGHT)),
            output: Output {
                queue,
                slots: Arc::default(),
                collected: Arc::default(),
                revision: Arc::default(),
                progress,
                abandoned,
            },
            writing: Some(tokio::spawn(writing)),
        }
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

    /// Handles what was read: returns a message, or answers it with an error. Waits until there is a slot for a request.
    /// Cancel-safe.
    async fn settle(&mut self) -> Option<ClientJsonRpcMessage> {
        match self.pending.as_ref()? {
            Pending::Rejected(_) => {
                let place = self.output.queue.reserve().await;
                if let (Ok(place), Some(Pending::Rejected(outgoing))) = (place, self.pending.take())
                {
                    place.send(outgoing);
                }
                return None;
            }
            Pending::Message(message) => match &**message {
                JsonRpcMessage::Request(request) => {
                    let id = request.id.clone();
                    let slot = self.slots.clone().acquire_owned().await.ok()?;
                    self.output.slots().insert(id, slot);
                }
                // The protocol leaves a cancelled request unanswered.
                JsonRpcMessage::Notification(notification) => {
                    if let ClientNotification::CancelledNotification(cancelled) =
                        &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.output.slots().remove(id);
                        let rest = self.output.collected().take(id, None);
                        if let Ok(Some(rest)) = rest {
                            // A full queue belongs to a client that does not read.
                            let _ = self.output.queue.try_send(rest);
                        }
                    }
                }
                _ => {}
            },
        }
        match self.pending.take()? {
            Pending::Message(message) => Some(*message),
            Pending::Rejected(_) => None,
        }
    }

    fn reject(&mut self, error: &ErrorData, id: Option<RequestId>) -> Option<()> {
        let revision = self.output.revision.get().map(String::as_str);
        self.write(&message::error_response(error, id, revision))
    }

    /// Writes an answer that no handler gave.
    fn write(&mut self, answer: &Value) -> Option<()> {
        let line = line_of(answer).ok()?;
        self.pending = Some(Pending::Rejected(Outgoing { line, _slots: Vec::new() }));
        Some(())
    }

    /// Takes a line: a message, an array of them, or neither, which is answered with an error.
    fn take(&mut self, line: &[u8]) -> Option<()> {
        if let Some(messages) = message::array(line) {
            return self.take_batch(&messages);
        }
        match message::read(line) {
            Read::Message(message) => self.pending = Some(Pending::Message(message)),
            Read::Nothing => {}
            Read::Invalid(error, id) => self.reject(&error, id)?,
        }
        Some(())
    }

    fn take_batch(&mut self, messages: &[Value]) -> Option<()> {
        // Nothing but a message of its own can be the first one.
        let revision = self.output.revision.get().map_or("", String::as_str);
        if let Some(error) = batch::refusal(messages, Some(revision)) {
            return self.reject(&error, None);
        }
        let mut batch = Batch::read(messages);
        // Its requests keep their slots until all are answered.
        if batch.requests() > MAX_IN_FLIGHT {
            let reason = format!("a batch has at most {MAX_IN_FLIGHT} requests");
            return self.reject(&batch::invalid(&reason), None);
        }
        self.batch = std::mem::take(&mut batch.messages).into();
        let answers = self.output.collected().batches.open(batch);
        match answers {
            Some(answers) => self.write(&Value::Array(answers)),
            None => Some(()),
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move { output.send(message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.pending.is_some() {
                if let Some(message) = self.settle().await {
                    return Some(message);
                }
                continue;
            }
            if let Some(message) = self.batch.pop_front() {
                self.pending = Some(Pending::Message(Box::new(message)));
                continue;
            }
            match self.step().await.ok()? {
                Step::More => {}
                Step::End => return None,
                Step::TooLong => {
                    let message = format!("the message is longer than {MAX_MESSAGE} bytes");
                    self.reject(&ErrorData::new(ErrorCode::INVALID_REQUEST, message, None), None)?;
                }
                Step::Line => {
                    let line = std::mem::take(&mut self.line);
                    self.take(&line)?;
                }
            }
        }
    }

    /// Ends once everything is written, or the client does not read it.
    async fn close(&mut self) -> io::Result<()> {
        let (queue, _) = channel(1);
        self.output.queue = queue;
        if let Some(writing) = self.writing.take() {
            let _ = tokio::time::timeout(WRITE_TIMEOUT, writing).await;
        }
        self.output.abandoned.cancel();
        Ok(())
    }
}

/// Serves a surface on standard input and output until end of input or until `stop` is cancelled.
pub async fn serve(server: crate::Server, stop: CancellationToken) -> io::Result<()> {
    let (reader, writer) = rmcp::transport::stdio();
    let transport = Lines::new(reader, writer);
    let (progress, abandoned) =
        (transport.output.progress.clone(), transport.output.abandoned.clone());
    tokio::spawn(abandon_if_blocked(progress, abandoned, stop.clone()));
    let running = match rmcp::service::serve_server_with_ct(server, transport, stop).await {
        Ok(running) => running,
        // The client closed the connection before or during the handshake.
        Err(_) => return Ok(()),
    };
    let _ = running.waiting().await;
    Ok(())
}

/// Ends the connection when the client has closed its end of the input and reads no more of the output: the rest would
/// never be read, and requests that wait for a slot hide the end of input.
async fn abandon_if_blocked(
    progress: Arc<Progress>,
    abandoned: CancellationToken,
    stop: CancellationToken,
) {
    loop {
        let before = progress.blocked_write();
        tokio::time::sleep(WRITE_TIMEOUT / 2).await;
        let is_blocked = before.is_some() && progress.blocked_write() == before;
        if is_blocked && is_input_closed() {
            abandoned.cancel();
            stop.cancel();
            return;
        }
    }
}

/// Whether the other end of standard input is closed, even if some of it has not been read.
#[cfg(unix)]
fn is_input_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = io::stdin();
    let mut input = [PollFd::new(&input, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut input, Some(&now)).is_ok() && input[0].revents().contains(PollFlags::HUP)
}

#[cfg(not(unix))]
fn is_input_closed() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ServerResult;
    use serde_json::Value;
    use tokio::io::{AsyncReadExt, duplex};

    fn ping(id: u64) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")
    }

    /// The next `count` lines.
    async fn lines(from: &mut (impl AsyncRead + Unpin), count: usize) -> Vec<Value> {
        let mut from = BufReader::new(from);
        let mut lines = Vec::new();
        for _ in 0..count {
            let mut line = String::new();
            from.read_line(&mut line).await.unwrap();
            lines.push(serde_json::from_str(&line).unwrap());
        }
        lines
    }

    #[tokio::test]
    async fn a_rejection_survives_a_cancelled_receive() {
        let (mut client, input) = duplex(1 << 16);
        let (output, mut answers) = duplex(1 << 16);
        let mut transport = Lines::new(input, output);
        client.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":3}\n").await.unwrap();
        // As rmcp does whenever something else is ready first: each poll is dropped after one step.
        for _ in 0..100 {
            let received = tokio::time::timeout(Duration::ZERO, transport.receive()).await;
            assert!(received.is_err(), "nothing to handle");
        }
        let answer = &lines(&mut answers, 1).await[0];
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&7.into(), &(-32600).into()));
    }

    #[tokio::test]
    async fn requests_wait_while_their_answers_are_not_read() {
        let (mut client, input) = duplex(1 << 20);
        // Nothing fits into the output, as if the client did not read.
        let (output, mut answers) = duplex(1);
        let mut transport = Lines::new(input, output);
        let count = MAX_IN_FLIGHT as u64 + 5;
        for id in 0..count {
            client.write_all(ping(id).as_bytes()).await.unwrap();
        }
        let mut received = Vec::new();
        while let Ok(message) =
            tokio::time::timeout(Duration::from_millis(50), transport.receive()).await
        {
            let Some(JsonRpcMessage::Request(request)) = message else { panic!("a request") };
            received.push(request.id);
        }
        assert_eq!(received.len(), MAX_IN_FLIGHT);
        let answer = |id| ServerJsonRpcMessage::response(ServerResult::empty(()), id);
        for id in received {
            tokio::spawn(transport.send(answer(id)));
        }
        let reading = tokio::spawn(async move { lines(&mut answers, count as usize).await.len() });
        for _ in MAX_IN_FLIGHT as u64..count {
            let Some(JsonRpcMessage::Request(request)) = transport.receive().await else {
                panic!("a request")
            };
            tokio::spawn(transport.send(answer(request.id)));
        }
        assert_eq!(reading.await.unwrap(), count as usize);
    }

    #[tokio::test]
    async fn closing_does_not_wait_for_a_client_that_does_not_read() {
        let (_client, input) = duplex(64);
        let (output, mut answers) = duplex(1);
        let mut transport = Lines::new(input, output);
        let id = RequestId::Number(1);
        let message = ServerJsonRpcMessage::response(ServerResult::empty(()), id);
        transport.send(message).await.unwrap();
        transport.close().await.unwrap();
        let mut rest = Vec::new();
        answers.read_to_end(&mut rest).await.unwrap();
        assert!(rest.len() <= 1, "the rest was given up");
    }
}
