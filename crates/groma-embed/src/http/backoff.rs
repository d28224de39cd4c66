//! The delay before a retry: what the service asks for, else exponential backoff.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The maximum delay, whatever the service asks for.
const MAX_DELAY: Duration = Duration::from_secs(24 * 3600);

/// Exponential backoff after `attempt` failures, with deterministic jitter by attempt, so that several processes do not
/// stay in step.
pub(super) fn backoff(attempt: u32, first: Duration) -> Duration {
    let doubled = first.saturating_mul(1 << attempt.saturating_sub(1).min(10));
    doubled + doubled.mul_f32((attempt % 25 * 37 % 25) as f32 / 100.0)
}

/// The delay that the headers of an error response ask for. `header` looks up a lower-case name.
pub(super) fn requested_delay<'h>(
    header: impl Fn(&str) -> Option<&'h str>,
    now: SystemTime,
) -> Option<Duration> {
    let milliseconds = header("retry-after-ms").and_then(|text| text.trim().parse().ok());
    let wait = milliseconds
        .map(Duration::from_millis)
        .or_else(|| retry_after(header("retry-after")?, now))
        .or_else(|| reset(&header, now))?;
    Some(wait.min(MAX_DELAY))
}

/// `Retry-After`: seconds, or a date.
fn retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    seconds(text).or_else(|| Some(date(text)?.duration_since(now).unwrap_or_default()))
}

/// The longest reset of the exhausted rate limits. The headers are not standardised.
fn reset<'h>(header: &impl Fn(&str) -> Option<&'h str>, now: SystemTime) -> Option<Duration> {
    let limits = [
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
        ("ratelimit-remaining", "ratelimit-reset"),
    ];
    let exhausted = |name: &str| header(name).is_none_or(|left| left.trim() == "0");
    limits
        .into_iter()
        .filter(|(remaining, _)| exhausted(remaining))
        .filter_map(|(_, reset)| duration(header(reset)?.trim(), now))
        .max()
}

/// A number of seconds.
fn seconds(text: &str) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

/// A duration such as `1s`, `6m0s`, `20ms` or `1.5`; a large number is a Unix timestamp.
fn duration(text: &str, now: SystemTime) -> Option<Duration> {
    if let Some(found) = seconds(text) {
        let is_timestamp = found > Duration::from_secs(1_000_000_000);
        let timestamp = UNIX_EPOCH.checked_add(found).filter(|_| is_timestamp);
        return Some(timestamp.map_or(found, |at| at.duration_since(now).unwrap_or_default()));
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..].find(|c: char| c.is_ascii_digit());
        let end = unit_end.map_or(rest.len(), |at| digits + at);
        let unit = match &rest[digits..end] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        total = total.checked_add(Duration::try_from_secs_f64(number * unit).ok()?)?;
        rest = &rest[end..];
    }
    Some(total).filter(|_| !text.is_empty())
}

/// An HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let clock: Vec<u64> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = clock[..] else { return None };
    if !(1..=31).contains(&day) || !(1970..10_000).contains(&year) || hours > 23 || minutes > 59 {
        return None;
    }
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let since = (days - 719_468) * 86_400 + hours * 3600 + minutes * 60 + seconds.min(60);
    UNIX_EPOCH.checked_add(Duration::from_secs(since))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 784_111_777;

    fn requested(headers: &[(&str, &'static str)]) -> Option<u64> {
        let find =
            |name: &str| headers.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        let now = UNIX_EPOCH + Duration::from_secs(NOW);
        requested_delay(find, now).map(|wait| wait.as_millis() as u64)
    }

    #[test]
    fn the_requested_delay_is_read_from_headers() {
        assert_eq!(requested(&[]), None);
        assert_eq!(requested(&[("retry-after", "7")]), Some(7_000));
        assert_eq!(requested(&[("retry-after", " 0.5 ")]), Some(500));
        assert_eq!(requested(&[("retry-after-ms", "120"), ("retry-after", "7")]), Some(120));
        assert_eq!(requested(&[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")]), Some(10_000));
        assert_eq!(requested(&[("retry-after", "Sun, 06 Nov 1994 08:49:27 GMT")]), Some(0));
        assert_eq!(requested(&[("x-ratelimit-reset", "12")]), Some(12_000));
        assert_eq!(requested(&[("x-ratelimit-reset-requests", "6m0s")]), Some(360_000));
        assert_eq!(requested(&[("x-ratelimit-reset-tokens", "20ms")]), Some(20));
        let both = [
            ("x-ratelimit-remaining-requests", "59"),
            ("x-ratelimit-reset-requests", "1h2m"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "1.5s"),
        ];
        assert_eq!(requested(&both), Some(1_500));
    }

    #[test]
    fn a_timestamp_is_distinguished_from_a_duration() {
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        assert_eq!(duration("1800000009", now), Some(Duration::from_secs(9)));
        assert_eq!(duration("1700000000", now), Some(Duration::ZERO));
    }

    #[test]
    fn invalid_headers_are_ignored_and_delays_are_bounded() {
        for text in ["", "soon", "-3", "NaN", "1e400", "Sun, 99 Nov 1994 08:49:37 GMT", "1w", "s"] {
            assert_eq!(
                requested(&[("retry-after", ""), ("x-ratelimit-reset", text)]),
                None,
                "{text}"
            );
        }
        for text in
            ["Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 0004 08:49:37 GMT", "a b c d e GMT"]
        {
            assert_eq!(requested(&[("retry-after", text)]), None, "{text}");
        }
        assert_eq!(requested(&[("retry-after", "99999999999")]), Some(86_400_000));
    }

    #[test]
    fn backoff_grows() {
        let first = Duration::from_millis(100);
        let waits: Vec<Duration> = (1..=6).map(|attempt| backoff(attempt, first)).collect();
        assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
        assert!(waits[0] >= first && waits[5] < first * 64);
        assert!(backoff(u32::MAX - 1, Duration::from_secs(1)) < Duration::from_secs(3000));
    }
}
