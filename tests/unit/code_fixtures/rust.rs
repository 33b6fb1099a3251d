//! Weighs parcels.
//!
//! In kilograms.

use std::fmt::{self, Display};
use super::scales::{Scale, calibrate as tune};

mod labels;

/// The heaviest parcel, in kilograms.
pub const MAX_WEIGHT: u32 = 30;
const API_KEY: &str = "not-for-records";

/// One thing to send.
#[derive(Debug, Clone)]
pub struct Parcel<'a> {
    raw: &'a [u8], // TODO: use grams
}

pub trait Sendable: Display + Sync {
    const LIMIT: u8;
    type Error;
    fn send(&self) -> Result<(), Self::Error>;
}

impl<'a> Parcel<'a> {
    /* FIXME: round up */
    #[inline]
    pub fn weigh(&self, scale: &Scale) -> u32 {
        tune(scale);
        assert!(self.raw.len() < scale.limit());
        self.raw.iter().map(|b| u32::from(*b)).sum::<u32>()
    }

    fn hide(&self) {}
}

impl<'a> fmt::Display for Parcel<'a> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} // TODO: no comment", "x")
    }
}

pub mod routes {
    /// Where to.
    pub enum Route {
        Land,
        Sea(u8),
    }
    pub(crate) fn secret() {}
}

#[macro_export]
macro_rules! parcel {
    ($x:expr) => { build($x) };
}

/// Żółć sends.
pub async fn żółć(p: &Parcel<'_>) -> u32 {
    p.weigh(&Scale::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sends() {
        assert_eq!(żółć(&make()).await, 1);
    }

    pub fn make() -> Parcel<'static> { Parcel { raw: b"" } }
}
