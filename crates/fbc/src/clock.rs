//! The time: of day for the log lines of opm's command line, today's date for waivers that expire, and moments
//! as texts. Nothing else may depend on it.

use std::time::{SystemTime, UNIX_EPOCH};

use fbc_lint::policy::Date;

use fbc_source::Error;

/// Seconds since 1970 of the last day that RFC 3339 can write.
pub(crate) const LAST_SECOND: u64 = 253_402_300_799;

/// Today in UTC; the day of the environment variable `SOURCE_DATE_EPOCH` where it is set, so that a build can
/// be repeated.
///
/// # Errors
/// The variable holds no number of seconds.
pub(crate) fn today() -> Result<Date, Error> {
    let named = source_date_epoch()
        .map_err(|error| Error::new(error.to_string()).help("unset it, or name the day with `--today`"))?;
    let moment = named.unwrap_or_else(Moment::now);
    let day = fbc_go::time::civil(moment.0);
    let [month, day_of_month] = [day.month(), day.day()].map(i8::unsigned_abs);
    Date::new(day.year().unsigned_abs(), month, day_of_month)
        .ok_or_else(|| Error::new("the clock gives no day of the calendar").help("name it with `--today`"))
}

/// The value of `SOURCE_DATE_EPOCH` is not valid.
#[derive(Debug, thiserror::Error)]
#[error("SOURCE_DATE_EPOCH is not a number of seconds since 1970")]
pub(crate) struct InvalidEpoch;

/// The moment that `SOURCE_DATE_EPOCH` names, if it is set.
pub(crate) fn source_date_epoch() -> Result<Option<Moment>, InvalidEpoch> {
    let Some(value) = std::env::var_os("SOURCE_DATE_EPOCH") else { return Ok(None) };
    let seconds: Option<u64> = value.to_str().and_then(|text| text.parse().ok());
    let moment = seconds.filter(|seconds| *seconds <= LAST_SECOND).map(Moment::at);
    moment.map(Some).ok_or(InvalidEpoch)
}

/// A moment: whole seconds since the beginning of 1970, in UTC.
pub(crate) struct Moment(i64);

impl Moment {
    /// Now.
    pub(crate) fn now() -> Self {
        Self::at(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs()))
    }

    /// That of `SOURCE_DATE_EPOCH` where it is set to one, else now.
    pub(crate) fn of_environment() -> Self {
        source_date_epoch().ok().flatten().unwrap_or_else(Self::now)
    }

    /// The moment that many seconds after the beginning of 1970.
    pub(crate) fn at(seconds: u64) -> Self {
        Self(i64::try_from(seconds).unwrap_or(i64::MAX))
    }

    /// Seconds since the beginning of 1970.
    #[cfg(feature = "registry")]
    pub(crate) fn seconds(&self) -> i64 {
        self.0
    }

    /// As logrus writes it: `2026-11-21T05:42:09Z`.
    pub(crate) fn rfc3339(&self) -> String {
        fbc_go::time::rfc3339(self.0)
    }

    /// As Go's log package writes it: `2026/11/21 05:42:09`.
    pub(crate) fn go_log(&self) -> String {
        fbc_go::time::civil(self.0).strftime("%Y/%m/%d %H:%M:%S").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn dates() {
        assert_eq!(Moment::at(0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(Moment::at(951_827_696).rfc3339(), "2000-02-29T12:34:56Z");
        assert_eq!(Moment::at(951_868_800).go_log(), "2000/03/01 00:00:00");
        assert_eq!(Moment::at(4_102_444_799).go_log(), "2099/12/31 23:59:59");
    }
}
