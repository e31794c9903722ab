//! Numbers that look random and are the same on every machine: one generator for each actor, named by it.

/// A generator (SplitMix64). Cheap, and good enough for jitter and suffixes; not for secrets.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of an actor in a run with this seed.
    pub fn of(seed: u64, actor: &str) -> Self {
        // FNV-1a keeps actors apart without depending on the order in which they are made.
        let hash = actor.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash }
    }

    /// The next 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below a limit; 0 if the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        // The high half of a product: no division, and a bias far below what anybody could see.
        let product = u128::from(self.next_bits()) * u128::from(limit);
        u64::try_from(product >> 64).unwrap_or_default()
    }

    /// Five characters as Kubernetes appends to generated names (`kubernetes/apimachinery:pkg/util/rand`).
    pub fn suffix(&mut self) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..5)
            .map(|_| {
                let index = usize::try_from(self.below(ALPHABET.len() as u64)).unwrap_or_default();
                ALPHABET.get(index).map_or('x', |byte| char::from(*byte))
            })
            .collect()
    }

    /// An identifier in the form of a random UUID.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.next_bits(), self.next_bits());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48 & 0x3fff | 0x8000,
            low & 0xffff_ffff_ffff,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_name_decide_everything() {
        let draw = |seed, actor| Random::of(seed, actor).next_bits();
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        let mut random = Random::of(7, "x");
        assert!((0..1000).all(|_| random.below(10) < 10));
        assert_eq!(random.below(0), 0);
        let uuid = random.uuid();
        assert_eq!((uuid.len(), uuid.as_bytes()[14]), (36, b'4'));
    }
}
