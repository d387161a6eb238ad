//! A name that leads elsewhere the second time: what it leads to is checked whenever it is looked up to connect.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use chrono::DateTime;
use domain::delivery::TryResult;
use futures::FutureExt;
use reqwest::{
    dns::{Addrs, Name, Resolve, Resolving},
    header::HeaderMap,
};
use server::delivery::post::Post;
use service::guard::Guard;
use tokio::net::TcpListener;

use crate::support::receiver::Receiver;

/// Names lead to these addresses, one look after the other.
struct Turning {
    addresses: Mutex<Vec<IpAddr>>,
    looks: AtomicUsize,
}

impl Resolve for Turning {
    fn resolve(&self, _: Name) -> Resolving {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let address = self.addresses.lock().unwrap().remove(0);
        let found: Addrs = Box::new(std::iter::once(SocketAddr::new(address, 0)));
        async move { Ok(found) }.boxed()
    }
}

#[tokio::test]
async fn a_name_that_turns_private_is_refused_at_the_second_look() {
    let receiver = Receiver::start([]).await;
    let port = receiver.addr.port();
    // Somebody else's, inside: nothing may reach it.
    let inside = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let allowed = vec!["127.0.0.1".to_owned()].try_into().unwrap();
    let names = Arc::new(Turning {
        addresses: Mutex::new(vec![receiver.addr.ip(), inside.local_addr().unwrap().ip()]),
        looks: AtomicUsize::new(0),
    });
    let post = Post::new(Arc::new(Guard::new(allowed)), names.clone()).unwrap();
    let address = format!("http://hooks.example:{port}/hook");
    let send = async || {
        let sent = post.send(
            &address,
            HeaderMap::new(),
            b"{}".to_vec(),
            DateTime::UNIX_EPOCH,
        );
        sent.await.reply
    };
    let first = send().await;
    assert!(first.is_success(), "{first:?}");
    let TryResult::Refused(why) = send().await else {
        panic!("it was let through");
    };
    assert!(why.contains("not public"), "{why}");
    assert_eq!(names.looks.load(Ordering::Relaxed), 2);
    assert_eq!(receiver.got().len(), 1);
    assert!(inside.accept().now_or_never().is_none());
}
