//! A page's socket: opened as a browser does, and what comes by it.

use app::desk::frames::{ClientFrame, ServerFrame};
use futures::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{
        Error, Message, client::IntoClientRequest, http::HeaderValue,
        protocol::frame::coding::CloseCode,
    },
};

use super::app::TestApp;

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub(crate) async fn connect(app: &TestApp, cookie: &str, origin: &str) -> Result<Socket, Error> {
    let mut request = format!("ws://{}/ws", app.addr).into_client_request()?;
    let headers = request.headers_mut();
    headers.insert("cookie", HeaderValue::from_str(cookie)?);
    headers.insert("origin", HeaderValue::from_str(origin)?);
    Ok(connect_async(request).await?.0)
}

pub(crate) async fn resumed(app: &TestApp, cookie: &str, after: i64) -> Socket {
    let mut socket = connect(app, cookie, &app.url("")).await.unwrap();
    let resume = serde_json::to_string(&ClientFrame::Resume { after }).unwrap();
    socket.send(Message::text(resume)).await.unwrap();
    let hello = next(&mut socket).await;
    assert!(matches!(hello, ServerFrame::Hello { .. }), "{hello:?}");
    socket
}

/// The next frame that is not a ping.
pub(crate) async fn next(socket: &mut Socket) -> ServerFrame {
    loop {
        let message = socket.next().await.unwrap().unwrap();
        match serde_json::from_str(message.to_text().unwrap()).unwrap() {
            ServerFrame::Ping => {}
            frame => return frame,
        }
    }
}

pub(crate) async fn closed_with(socket: &mut Socket) -> CloseCode {
    loop {
        if let Message::Close(Some(frame)) = socket.next().await.unwrap().unwrap() {
            return frame.code;
        }
    }
}
