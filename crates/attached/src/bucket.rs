//! Buckets of S3.

use std::{sync::Arc, time::Duration};

use object_store::{
    ClientOptions, ObjectStore, RetryConfig,
    aws::AmazonS3Builder,
    client::{HttpClient, HttpConnector},
    path::Path,
};

/// How often what failed is asked for again.
const RETRIES: usize = 2;
/// A large part may be so long on its way.
const PART: Duration = Duration::from_secs(300);
/// Until when what failed is asked for again.
const AGAIN: Duration = Duration::from_secs(30);

/// The bucket and the folder in it of an address `s3://BUCKET/FOLDER`, for large files. The variables `AWS_…` say where it is and
/// who comes, as for all programs that use S3.
///
/// # Errors
/// Why it cannot be used. The address is not repeated: a secret may stand in it. Whether the bucket is there is not looked at.
pub fn bucket(url: &str) -> Result<(Arc<dyn ObjectStore>, Path), String> {
    let named = url.strip_prefix("s3://").and_then(bucket_of);
    let (bucket, below) = named.ok_or(
        "a bucket is named as `s3://BUCKET/FOLDER`, where BUCKET is of letters, digits, dots, hyphens and underscores; who comes \
         is said by the variables `AWS_…` alone",
    )?;
    open(AmazonS3Builder::from_env(), bucket, below, AGAIN, PART)
}

/// `silence`: how long a connection may take, and until when what failed is asked for again; `patience`: how long a request may take.
pub(crate) fn open(
    builder: AmazonS3Builder,
    bucket: &str,
    below: &str,
    silence: Duration,
    patience: Duration,
) -> Result<(Arc<dyn ObjectStore>, Path), String> {
    let place = builder
        .with_bucket_name(bucket)
        .with_retry(RetryConfig {
            max_retries: RETRIES,
            retry_timeout: silence,
            ..RetryConfig::default()
        })
        .with_http_connector(Client(client(silence, patience)?))
        .build();
    let below = Path::parse(below.trim_end_matches('/'));
    Ok((
        Arc::new(place.map_err(|error| error.to_string())?),
        below.map_err(|error| error.to_string())?,
    ))
}

/// The name of a bucket, and the folder in it.
pub(crate) fn bucket_of(rest: &str) -> Option<(&str, &str)> {
    let (bucket, below) = rest.split_once('/').unwrap_or((rest, ""));
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let is_name = !bucket.is_empty() && bucket.chars().all(is_of_name);
    is_name.then_some((bucket, below))
}

/// Trusts whom everything here trusts.
#[derive(Debug)]
struct Client(reqwest::Client);

impl HttpConnector for Client {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

fn client(silence: Duration, patience: Duration) -> Result<reqwest::Client, String> {
    let tls = machine::tls::client_config().map_err(|error| format!("{error:#}"))?;
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .timeout(patience)
        .connect_timeout(silence)
        .build();
    client.map_err(|error| error.to_string())
}
