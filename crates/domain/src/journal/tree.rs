//! The Merkle tree of RFC 6962, kept as the few hashes that appending needs.

use sha2::{Digest, Sha256};

use super::Hash;

/// An append-only tree. Only the roots of its perfect subtrees are kept, the largest first: one for each
/// bit that is set in the size. So appending and the root take O(log n), and a copy is cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    size: i64,
    peaks: Vec<Hash>,
}

impl Tree {
    /// How many leaves it has.
    pub fn size(&self) -> i64 {
        self.size
    }

    /// Appends a leaf. The journal's leaves are the stored hashes of its events.
    pub fn push(&mut self, leaf: &[u8]) {
        self.push_perfect(0, leaf_hash(leaf));
    }

    /// Appends the leaf of the event with this number. So that the size stays the number of the last event, those that were
    /// left out before it, as a journal was put back, have empty leaves.
    pub fn push_at(&mut self, number: i64, leaf: &[u8]) {
        while self.size < number - 1 {
            let left_out = number - 1 - self.size;
            // The largest subtree of empty leaves that can stand here.
            let height = self.size.trailing_zeros().min(left_out.ilog2());
            let leaf = leaf_hash(&[]);
            let empty = (0..height).fold(leaf, |half, _| node_hash(&half, &half));
            self.push_perfect(height, empty);
        }
        self.push(leaf);
    }

    /// Appends a perfect subtree of this height, of which the size is a multiple.
    fn push_perfect(&mut self, height: u32, mut hash: Hash) {
        // It completes as many subtrees as the size ends in ones, counted from its height.
        for _ in 0..(self.size >> height).trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                hash = node_hash(&left, &hash);
            }
        }
        self.peaks.push(hash);
        self.size += 1 << height;
    }

    /// The Merkle Tree Hash of all leaves (RFC 6962, section 2.1).
    pub fn root(&self) -> Hash {
        let joined = self
            .peaks
            .iter()
            .copied()
            .rev()
            .reduce(|right, left| node_hash(&left, &right));
        joined.unwrap_or_else(|| Sha256::digest([]).into())
    }
}

fn leaf_hash(leaf: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0x00]);
    hasher.update(leaf);
    hasher.finalize().into()
}

fn node_hash(left: &Hash, right: &Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0x01]);
    hasher.update(left);
    hasher.update(right);
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::digest::hex;

    /// The leaves and roots that Certificate Transparency's own tests use.
    #[test]
    fn the_roots_are_those_of_certificate_transparency() {
        let leaves: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let roots = [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let mut tree = Tree::default();
        assert_eq!(hex(&tree.root()), roots[0]);
        for (leaf, root) in leaves.iter().zip(&roots[1..]) {
            tree.push(leaf);
            assert_eq!(hex(&tree.root()), *root, "at {}", tree.size());
        }
    }

    /// The definition, word for word: split at the largest power of two below the size.
    fn defined(leaves: &[Vec<u8>]) -> Hash {
        match leaves {
            [] => Sha256::digest([]).into(),
            [only] => leaf_hash(only),
            more => {
                let split = more.len().next_power_of_two() / 2;
                node_hash(&defined(&more[..split]), &defined(&more[split..]))
            }
        }
    }

    proptest! {
        #[test]
        fn any_tree_is_as_defined(leaves in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 0..200)) {
            let mut tree = Tree::default();
            for leaf in &leaves {
                tree.push(leaf);
            }
            prop_assert_eq!(tree.root(), defined(&leaves));
        }

        #[test]
        fn numbers_that_were_left_out_are_empty_leaves(gaps in prop::collection::vec(0_usize..70, 0..12)) {
            let mut tree = Tree::default();
            let mut leaves = Vec::new();
            for gap in gaps {
                leaves.resize(leaves.len() + gap, Vec::new());
                leaves.push(vec![1]);
                tree.push_at(i64::try_from(leaves.len()).unwrap(), &[1]);
                prop_assert_eq!(tree.root(), defined(&leaves));
            }
        }
    }
}
