//! Which known names somebody may have meant.
//!
//! Names come out of repositories, so the work is bounded whatever they are: long ones are compared by their beginnings,
//! and only so many letter by letter.

/// Longer names are compared by so many letters at their beginning.
const COMPARED_CHARS: usize = 100;
/// So many letters may differ in a name that somebody has meant, however long it is.
const FARTHEST: usize = 8;
/// So many names are compared letter by letter; the others have to be equal, or part of each other.
const COMPARED_NAMES: usize = 1_000;

/// The names closest to `wanted`, best first, at most `most` of them; nothing that is merely far away.
pub fn near<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>, most: usize) -> Vec<String> {
    let wanted = fold(wanted);
    let letters: Vec<char> = wanted.chars().take(COMPARED_CHARS).collect();
    let reach = (letters.len() / 3).clamp(2, FARTHEST);
    let mut compared = 0;
    let mut scored: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let folded = fold(name);
            let distance = if folded == wanted {
                0
            } else if wanted.len() >= 3 && (folded.contains(&wanted) || wanted.contains(&folded)) {
                1
            } else if folded.len().abs_diff(wanted.len()) > 4 * reach || compared == COMPARED_NAMES {
                return None;
            } else {
                compared += 1;
                let other: Vec<char> = folded.chars().take(COMPARED_CHARS).collect();
                edit_distance(&letters, &other, reach)?
            };
            Some((distance, name))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

/// The name as it compares: letters in lower case, runs of blanks as one.
pub fn fold(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// The number of inserted, deleted or replaced characters between two texts, when it is at most `reach`. Only what lies
/// so near to the diagonal is looked at.
fn edit_distance(a: &[char], b: &[char], reach: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > reach {
        return None;
    }
    let far = reach + 1;
    let mut row: Vec<usize> = (0..=b.len()).map(|at| at.min(far)).collect();
    for (i, from) in a.iter().enumerate() {
        let (first, end) = (i.saturating_sub(reach), (i + far).min(b.len()));
        let mut diagonal = row[first];
        row[first] = if first == 0 { (i + 1).min(far) } else { far };
        let mut least = row[first];
        for j in first..end {
            let replaced = diagonal + usize::from(*from != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1).min(far);
            least = least.min(row[j + 1]);
        }
        if least > reach {
            return None;
        }
    }
    row.last().copied().filter(|&distance| distance <= reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_strangers_do_not() {
        let names = ["spec_create", "spec_list", "plan_create", "build_start"];
        assert_eq!(near("spec_craete", names, 3), ["spec_create"]);
        assert_eq!(near("SPEC_LIST", names, 1), ["spec_list"]);
        assert!(near("weather", names, 3).is_empty());
    }

    #[test]
    fn names_of_any_length_and_number_are_compared_with_bounded_work() {
        // Letter by letter these would be 40 billion steps each.
        let (long, other) = ("a".repeat(200_000) + "c", "b".to_owned() + &"a".repeat(200_000));
        assert_eq!(near(&other, [long.as_str()], 3), [long.as_str()]);
        let many: Vec<String> = (0..50_000).map(|n| format!("{}b{n:05}", "a".repeat(90))).collect();
        let found = near(&format!("{}c00007", "a".repeat(90)), many.iter().map(String::as_str), 1);
        assert_eq!(found, [many[7].as_str()]);
    }

    #[test]
    fn the_distance_is_that_of_the_whole_table() {
        // Every cell, as the textbook has it.
        fn whole(a: &[char], b: &[char]) -> usize {
            let mut row: Vec<usize> = (0..=b.len()).collect();
            for (i, from) in a.iter().enumerate() {
                let mut diagonal = row[0];
                row[0] = i + 1;
                for (j, to) in b.iter().enumerate() {
                    let replaced = diagonal + usize::from(from != to);
                    diagonal = row[j + 1];
                    row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
                }
            }
            row[b.len()]
        }
        let words = [
            "",
            "a",
            "ab",
            "ba",
            "abcabc",
            "bcabca",
            "aaaaaaa",
            "kitten",
            "sitting",
            "intention",
            "execution",
        ];
        for a in words {
            for b in words {
                let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
                let distance = whole(&a, &b);
                for reach in 0..10 {
                    let wanted = (distance <= reach).then_some(distance);
                    assert_eq!(edit_distance(&a, &b, reach), wanted, "{a:?} {b:?} {reach}");
                }
            }
        }
    }

    #[test]
    fn part_of_a_name_finds_it() {
        assert_eq!(near("user-auth", ["1737734400-user-auth", "x"], 3), ["1737734400-user-auth"]);
    }
}
