//! A bucket of S3, with as much of its interface as a backup uses.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use tokio::net::TcpListener;

type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// It goes with the runtime of its test.
pub(crate) struct Bucket {
    pub(crate) endpoint: String,
    objects: Objects,
}

impl Bucket {
    pub(crate) async fn start() -> Self {
        let objects = Objects::default();
        let routes = Router::new()
            .route("/bucket", get(list).post(delete))
            .route("/bucket/{*key}", any(object))
            .with_state(objects.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async { axum::serve(listener, routes).await });
        Self { endpoint, objects }
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.objects.lock().unwrap().keys().cloned().collect()
    }

    pub(crate) fn change(&self, key: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.objects.lock().unwrap().get_mut(key).unwrap());
    }
}

type Parameters = Query<BTreeMap<String, String>>;

async fn object(
    State(objects): State<Objects>,
    method: Method,
    Path(key): Path<String>,
    Query(parameters): Parameters,
    body: Bytes,
) -> Response {
    let mut objects = objects.lock().unwrap();
    let upload = parameters.get("uploadId");
    // Parts are kept beside, until they become one.
    let part = |upload: &str, number: usize| format!("{upload}#{number:05}");
    match (method.as_str(), upload) {
        ("POST", None) => format!(
            "<InitiateMultipartUploadResult><UploadId>upload-of-{key}</UploadId></InitiateMultipartUploadResult>"
        )
        .into_response(),
        ("PUT", Some(upload)) => {
            let number = parameters["partNumber"].parse().unwrap();
            objects.insert(part(upload, number), body.to_vec());
            ([(header::ETAG, "\"part\"")], "").into_response()
        }
        ("POST", Some(upload)) => {
            let parts: Vec<Vec<u8>> = (1..)
                .map_while(|number| objects.remove(&part(upload, number)))
                .collect();
            objects.insert(key, parts.concat());
            "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>"
                .into_response()
        }
        ("GET" | "HEAD", _) => match objects.get(&key) {
            None => StatusCode::NOT_FOUND.into_response(),
            Some(bytes) => (
                [
                    (header::ETAG, "\"whole\""),
                    (header::LAST_MODIFIED, "Tue, 15 Jan 2030 08:00:00 GMT"),
                ],
                bytes.clone(),
            )
                .into_response(),
        },
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// Several at once, which is how all are removed.
async fn delete(State(objects): State<Objects>, body: String) -> String {
    let mut deleted = String::new();
    for key in body.split("<Key>").skip(1) {
        let (key, _) = key.split_once("</Key>").unwrap();
        objects.lock().unwrap().remove(key).unwrap();
        let _ = write!(deleted, "<Deleted><Key>{key}</Key></Deleted>");
    }
    format!("<DeleteResult>{deleted}</DeleteResult>")
}

async fn list(State(objects): State<Objects>, Query(parameters): Parameters) -> String {
    let objects = objects.lock().unwrap();
    let prefix = parameters.get("prefix").cloned().unwrap_or_default();
    let within = objects.iter().filter(|(key, _)| key.starts_with(&prefix));
    let (mut contents, mut folders) = (String::new(), BTreeSet::new());
    for (key, bytes) in within {
        let rest = &key[prefix.len()..];
        if parameters.contains_key("delimiter")
            && let Some((folder, _)) = rest.split_once('/')
        {
            folders.insert(format!("{prefix}{folder}/"));
            continue;
        }
        let size = bytes.len();
        let _ = write!(
            contents,
            "<Contents><Key>{key}</Key><LastModified>2030-01-15T08:00:00.000Z</LastModified><ETag>\"whole\"</ETag>\
             <Size>{size}</Size></Contents>"
        );
    }
    for folder in folders {
        let _ = write!(
            contents,
            "<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"
        );
    }
    format!("<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>")
}
