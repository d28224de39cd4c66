//! A bucket gives as many tokens as it holds.

#[test]
fn an_empty_bucket_says_how_long_to_wait() {
    let mut bucket = limiter::TokenBucket::new(1);
    assert!(bucket.try_acquire(1.0).is_ok());
    assert!(bucket.try_acquire(1.0).is_err());
}
