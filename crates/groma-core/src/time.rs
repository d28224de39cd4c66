//! Times as text: ISO 8601 in UTC, to the second, or to the millisecond where their order matters; and from the
//! nanoseconds of a file stamp.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: i64 = 86_400;

/// A time as `2025-01-15T10:00:00Z`.
pub fn iso(time: SystemTime) -> String {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_secs() as i64,
        Err(before) => -(before.duration().as_secs_f64().ceil() as i64),
    };
    let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, date) = civil(day);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

/// A time as `2025-01-15T10:00:00.125Z`, so that events within a second keep their order.
pub fn iso_exact(time: SystemTime) -> String {
    let millisecond = time.duration_since(UNIX_EPOCH).unwrap_or_default().subsec_millis();
    let whole = iso(time);
    format!("{}.{millisecond:03}Z", whole.trim_end_matches('Z'))
}

/// Parses a time, to the millisecond: a date, or a date and a time of day in UTC. `None` for anything else,
/// and for times before 1970.
pub fn from_iso(text: &str) -> Option<SystemTime> {
    let text = text.trim().trim_end_matches('Z');
    let (date, clock) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
    let mut date = date.splitn(3, '-').map(|field| field.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut clock = clock.splitn(3, ':').map(|field| field.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let fits = (1970..10_000).contains(&year) && hour < 24 && minute < 60 && second < 61;
    let day = days(year, month, day).filter(|_| fits)?;
    let seconds = u64::try_from(day * DAY).ok()? + hour * 3600 + minute * 60 + second;
    UNIX_EPOCH
        .checked_add(Duration::from_secs(seconds) + Duration::from_millis(milliseconds(fraction)?))
}

/// The time `nanoseconds` after (or before) 1970; 1970 if the platform's clock cannot represent it.
pub fn from_unix_nanos(nanoseconds: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
    let time = if nanoseconds < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(UNIX_EPOCH)
}

/// Milliseconds of the digits after the point.
fn milliseconds(fraction: &str) -> Option<u64> {
    let are_digits = fraction.bytes().all(|digit| digit.is_ascii_digit());
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    digits.parse().ok().filter(|_| are_digits)
}

/// Days since 1970 of a date, if there is such a date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    // Years begin in March here, so that the leap day is the last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * m + 2) / 5 + day - 1;
    let number = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    (civil(number) == (year, month, day)).then_some(number)
}

/// Year, month and day of a number of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_736_935_200, "2025-01-15T10:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
        ];
        for (seconds, text) in cases {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(iso(time), text);
            assert_eq!(from_iso(text), Some(time));
        }
        assert_eq!(iso(UNIX_EPOCH - Duration::from_secs(1)), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn nanoseconds_before_1970_are_moments() {
        assert_eq!(from_unix_nanos(0), UNIX_EPOCH);
        assert_eq!(from_unix_nanos(1_500_000_000), UNIX_EPOCH + Duration::from_millis(1500));
        assert_eq!(from_unix_nanos(-1_000_000_000), UNIX_EPOCH - Duration::from_secs(1));
    }

    #[test]
    fn other_forms() {
        let morning = from_iso("2025-01-15T10:00:00Z").unwrap();
        let quarter = morning + Duration::from_millis(250);
        assert_eq!(from_iso("2025-01-15 10:00:00.25Z"), Some(quarter));
        assert_eq!(from_iso(&iso_exact(quarter)), Some(quarter));
        assert_eq!(iso_exact(quarter), "2025-01-15T10:00:00.250Z");
        assert_eq!(iso(quarter), "2025-01-15T10:00:00Z");
        assert_eq!(from_iso("2025-01-15"), from_iso("2025-01-15T00:00:00Z"));
        for wrong in [
            "",
            "2025",
            "2025-02-30",
            "2025-13-01",
            "1969-12-31",
            "2025-01-15T25:00:00",
            "x-y-z",
            "2025-01-15T10:00:00.x",
        ] {
            assert_eq!(from_iso(wrong), None, "{wrong}");
        }
    }
}
