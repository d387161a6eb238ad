//! How many rows a statement has. Each number of rows makes another statement of it, and few of them stay prepared: so the
//! numbers are powers of two.

const LONGEST: usize = 64;

/// Slices whose lengths are powers of two.
pub(crate) fn in_powers<T>(mut rows: &[T]) -> Vec<&[T]> {
    let mut slices = Vec::new();
    while !rows.is_empty() {
        let length = (1 << rows.len().ilog2()).min(LONGEST);
        let (slice, rest) = rows.split_at(length);
        slices.push(slice);
        rows = rest;
    }
    slices
}

/// One statement where those would be several, for what takes no harm from a row that comes again: the last fills it up to such
/// a length. Whether a row comes for the first time stands beside it. The way to the database and back costs more than some rows.
pub(crate) fn filled<T>(rows: &[T]) -> Vec<Vec<(&T, bool)>> {
    let fill = |slice: &'_ [T]| slice.len().next_power_of_two() - slice.len();
    rows.chunks(LONGEST)
        .map(|slice| {
            let again = slice.last().into_iter().cycle().take(fill(slice));
            let rows = slice.iter().map(|row| (row, true));
            rows.chain(again.map(|row| (row, false))).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_comes_once_and_all_lengths_are_powers_of_two() {
        for count in 0..200 {
            let rows: Vec<usize> = (0..count).collect();
            let slices = in_powers(&rows);
            assert!(slices.iter().all(|it| it.len().is_power_of_two()));
            assert_eq!(slices.concat(), rows);

            let filled = filled(&rows);
            assert!(filled.iter().all(|it| it.len().is_power_of_two()));
            let (first, again): (Vec<_>, Vec<_>) =
                filled.into_iter().flatten().partition(|(_, first)| *first);
            assert!(first.into_iter().map(|(row, _)| row).eq(&rows));
            assert!(again.into_iter().all(|(row, _)| rows.last() == Some(row)));
        }
    }
}
