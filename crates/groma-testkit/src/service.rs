//! An embedding service over real HTTP on this machine, which misbehaves on demand.
//!
//! It speaks OpenAI's protocol and cortex-embed's, remembers every request, and counts how many it had at once.

use crate::embed;
use groma_core::Locked;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What the service does instead of answering.
#[derive(Clone, Debug)]
pub enum Misbehaviour {
    /// Answers with a status, headers and a body.
    Status(u16, &'static str, &'static str),
    /// Answers after a delay.
    Late(Duration),
    /// Sends its answer a byte at a time, with a delay between them.
    Drip(Duration),
    /// Answers 200 with this body.
    Body(&'static str),
    /// Announces more than it sends, and closes the connection.
    Truncated,
    /// Closes the connection without an answer.
    HangsUp,
    /// Sends vectors of this many dimensions.
    Dimensions(usize),
    /// Sends the vectors in the reverse order, each with its index.
    Shuffled,
    /// Does not send the last vector.
    OneTooFew,
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct Received {
    /// The path.
    pub path: String,
    /// The `authorization` header.
    pub authorization: Option<String>,
    /// The body.
    pub body: Value,
}

impl Received {
    /// The texts to be embedded.
    pub fn texts(&self) -> Vec<String> {
        let texts = if self.path == "/embed" { &self.body["texts"] } else { &self.body["input"] };
        let texts = texts.as_array().into_iter().flatten();
        texts.map(|text| text.as_str().unwrap_or_default().to_string()).collect()
    }
}

/// What the service takes at most.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// Texts in one request.
    pub texts: usize,
    /// Bytes in one text.
    pub bytes: usize,
}

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    plan: Locked<VecDeque<Misbehaviour>>,
    requests: Locked<Vec<Received>>,
    connections: Locked<Vec<TcpStream>>,
    takes: Locked<Option<Takes>>,
    /// A text with this word is refused.
    refuses: Locked<Option<&'static str>>,
    now: AtomicUsize,
    peak: AtomicUsize,
}

/// An embedding service; dropping it stops it.
pub struct Service {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Starts it.
    pub fn start() -> Self {
        Self::start_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    /// Starts it at an address where it was before.
    pub fn start_at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let thread = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if own.stopped.load(SeqCst) {
                    return;
                }
                let shared = own.clone();
                own.connections.lock().extend(stream.try_clone());
                thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// Its address, to be started at again.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as settings have it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Misbehaves like this for the next requests, one after the other; later ones are answered.
    pub fn misbehave(&self, plan: impl IntoIterator<Item = Misbehaviour>) {
        self.shared.plan.lock().extend(plan);
    }

    /// Refuses with 413 what is more than this.
    pub fn takes(&self, takes: Takes) {
        *self.shared.takes.lock() = Some(takes);
    }

    /// Refuses with 400 every request with this word in a text.
    pub fn refuses(&self, word: &'static str) {
        *self.shared.refuses.lock() = Some(word);
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.requests.lock().clone()
    }

    /// How many requests it had at the same time.
    pub fn peak_concurrency(&self) -> usize {
        self.shared.peak.load(SeqCst)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.shared.stopped.store(true, SeqCst);
        // Connects once to wake the thread that accepts connections, which then sees the flag.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        for connection in self.shared.connections.lock().drain(..) {
            let _ = connection.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// Answers the requests of one connection until it is closed.
fn serve(stream: &TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = receive(&mut reader) {
        shared.peak.fetch_max(shared.now.fetch_add(1, SeqCst) + 1, SeqCst);
        shared.requests.lock().push(request.clone());
        let planned = shared.plan.lock().pop_front();
        let stays = answer(stream, shared, &request, planned);
        shared.now.fetch_sub(1, SeqCst);
        if !matches!(stays, Ok(true)) {
            break;
        }
    }
    let _ = stream.shutdown(std::net::Shutdown::Both);
}

fn receive(reader: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_string();
    let (mut length, mut authorization) = (0, None);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "authorization" => authorization = Some(value.to_string()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Received { path, authorization, body }))
}

/// Answers a request, or misbehaves. Whether the connection stays open.
fn answer(
    mut stream: &TcpStream,
    shared: &Shared,
    request: &Received,
    planned: Option<Misbehaviour>,
) -> io::Result<bool> {
    match planned {
        Some(Misbehaviour::HangsUp) => return Ok(false),
        Some(Misbehaviour::Status(status, headers, body)) => reply(stream, status, headers, body)?,
        Some(Misbehaviour::Body(body)) => reply(stream, 200, "", body)?,
        Some(Misbehaviour::Late(time)) => {
            thread::sleep(time);
            reply(stream, 200, "", &vectors(request, None))?;
        }
        Some(Misbehaviour::Drip(time)) => {
            for byte in message(200, "", &vectors(request, None)).into_bytes() {
                stream.write_all(&[byte])?;
                thread::sleep(time);
            }
        }
        Some(Misbehaviour::Truncated) => {
            let whole = message(200, "", &vectors(request, None));
            stream.write_all(&whole.as_bytes()[..whole.len() - 20])?;
            return Ok(false);
        }
        planned => match rejection(shared, request) {
            Some((status, body)) => reply(stream, status, "", body)?,
            None => reply(stream, 200, "", &vectors(request, planned))?,
        },
    }
    Ok(true)
}

/// The status and message of a request that the service rejects.
fn rejection(shared: &Shared, request: &Received) -> Option<(u16, &'static str)> {
    let texts = request.texts();
    let takes = *shared.takes.lock();
    if takes.is_some_and(|takes| texts.len() > takes.texts) {
        return Some((422, r#"{"error": "batch size is over the maximum"}"#));
    }
    if takes.is_some_and(|takes| texts.iter().any(|text| text.len() > takes.bytes)) {
        return Some((413, ""));
    }
    let refused = *shared.refuses.lock();
    let holds = |word| texts.iter().any(|text| text.contains(word));
    refused.filter(|word| holds(*word)).map(|_| (400, r#"{"error": {"message": "not this"}}"#))
}

fn reply(mut stream: &TcpStream, status: u16, headers: &str, body: &str) -> io::Result<()> {
    stream.write_all(message(status, headers, body).as_bytes())
}

fn message(status: u16, headers: &str, body: &str) -> String {
    let headers = if headers.is_empty() { String::new() } else { format!("{headers}\r\n") };
    let length = body.len();
    format!("HTTP/1.1 {status} Said\r\n{headers}content-length: {length}\r\n\r\n{body}")
}

/// The body of an answer: texts with the same words point the same way.
fn vectors(request: &Received, planned: Option<Misbehaviour>) -> String {
    let components = |text: &String| -> Vec<f32> {
        let vector = embed(text);
        vector.values.iter().map(|value| vector.scale * f32::from(*value)).collect()
    };
    let mut vectors: Vec<Vec<f32>> = request.texts().iter().map(components).collect();
    if let Some(Misbehaviour::Dimensions(count)) = planned {
        vectors.iter_mut().for_each(|vector| vector.resize(count, 0.5));
    }
    if matches!(planned, Some(Misbehaviour::OneTooFew)) {
        vectors.pop();
    }
    if request.path == "/embed" {
        return json!({ "embeddings": vectors }).to_string();
    }
    let items = vectors.iter().enumerate();
    let mut data: Vec<Value> =
        items.map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
    if matches!(planned, Some(Misbehaviour::Shuffled)) {
        data.reverse();
    }
    json!({ "object": "list", "data": data }).to_string()
}
