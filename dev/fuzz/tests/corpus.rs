//! Every input that was ever of interest, and changed ones, by each target.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its inputs has failed"
)]

use std::{
    collections::BTreeSet,
    env, fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
    time::Instant,
};

use fuzz::{LARGEST, TARGETS};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let files = files(&root().join("corpus").join(target)).into_iter();
    files
        .map(|file| {
            let bytes = fs::read(&file).unwrap();
            (file, bytes)
        })
        .collect()
}

#[test]
fn every_promise_holds_for_every_input_that_is_kept() {
    let mut broken = Vec::new();
    for (name, target) in TARGETS {
        let inputs = inputs(name);
        assert!(inputs.len() > 1, "{name} has no inputs");
        for (file, bytes) in inputs {
            assert!(bytes.len() <= LARGEST, "{}", file.display());
            if catch_unwind(|| target(&bytes)).is_err() {
                broken.push(file);
            }
        }
    }
    assert_eq!(broken, [] as [PathBuf; 0]);
}

/// How often each target is tried with changed inputs; more by `FUZZ_CHANGES`, without libFuzzer.
const CHANGES: u32 = 50;

#[test]
fn every_promise_holds_for_inputs_that_are_changed() {
    let changes = env::var("FUZZ_CHANGES").ok();
    let changes = changes.map_or(CHANGES, |number| number.parse().unwrap());
    let wanted = env::var("FUZZ_TARGETS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|name| !name.is_empty()).collect();
    let words = words();
    let mut broken = Vec::new();
    for (name, target) in TARGETS {
        if !wanted.is_empty() && !wanted.contains(name) {
            continue;
        }
        let inputs: Vec<Vec<u8>> = inputs(name).into_iter().map(|(_, bytes)| bytes).collect();
        let start = Instant::now();
        let mut random = Random::of(name);
        for _ in 0..changes {
            let input = changed(&inputs, &words, &mut random);
            if catch_unwind(|| target(&input)).is_err() {
                broken.push(format!("{name}: {:?}", String::from_utf8_lossy(&input)));
                break;
            }
        }
        eprintln!("{name}: {changes} in {:?}", start.elapsed());
    }
    assert_eq!(broken, [] as [String; 0]);
}

/// An input with some of it changed, as libFuzzer does it without its look at what ran.
fn changed(inputs: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = inputs[random.below(inputs.len())].clone();
    for _ in 0..=random.below(4) {
        let (at, end) = (random.below(input.len() + 1), random.below(input.len() + 1));
        let range = at.min(end)..at.max(end);
        match random.below(6) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => drop(input.drain(at..(at + 1 + random.below(4)).min(input.len()).max(at))),
            2 => {
                let word = &words[random.below(words.len())];
                input.splice(at..at, word.iter().copied());
            }
            3 => {
                let again = input[range].to_vec();
                input.splice(at..at, again);
            }
            4 => {
                let other = &inputs[random.below(inputs.len())];
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => {
                let c = [0x202e, 0x301, 0x5d0, 0x1f980, 0x22, 0x7d][random.below(6)];
                let c = char::from_u32(c).unwrap();
                input.splice(at..at, c.to_string().into_bytes());
            }
        }
        input.truncate(LARGEST);
    }
    input
}

/// Those of `words.dict`.
fn words() -> Vec<Vec<u8>> {
    let file = fs::read_to_string(root().join("words.dict")).unwrap();
    let lines = file
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix('"'));
    lines.map(read_word).collect()
}

fn read_word(line: &str) -> Vec<u8> {
    let mut word = Vec::new();
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => match rest.next() {
                Some(b'x') => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    let digits = str::from_utf8(&digits).unwrap();
                    word.push(u8::from_str_radix(digits, 16).unwrap());
                }
                other => word.extend(other),
            },
            byte => word.push(byte),
        }
    }
    word
}

/// The same numbers every time (xorshift64).
struct Random(u64);

impl Random {
    fn of(name: &str) -> Self {
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |seed: u64, byte| {
            (seed ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Self(seed | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

#[test]
fn each_target_has_a_program_and_a_corpus_and_they_have_each_a_target() {
    let names: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    for folder in ["corpus", "libfuzzer/src/bin"] {
        let found = files(&root().join(folder)).into_iter();
        let found = found.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned());
        assert_eq!(found.collect::<BTreeSet<_>>(), names, "{folder}");
    }
    let size: u64 = names
        .iter()
        .flat_map(|name| files(&root().join("corpus").join(name)))
        .map(|file| file.metadata().unwrap().len())
        .sum();
    assert!(size < 300 * 1024, "the corpus has {size} bytes");
}
