import leven from 'leven';

export interface Misspelt {
  readonly given: string;
  readonly meant: string;
}

/** A name of up to this length may have one mistake, a longer one two: few names of four letters are far apart. */
const SHORT = 7;

/** Variables that are none of `known` and look like one of them: `PROT` for `PORT`. Each with the nearest. */
export function misspeltVariables(given: readonly string[], known: readonly string[]): Misspelt[] {
  return given
    .filter((name) => !known.includes(name) && /^[A-Z][A-Z0-9_]+$/.test(name))
    .flatMap((name) => {
      const near = known
        .map((meant) => ({ meant, mistakes: mistakesIn(name, meant) }))
        .filter(({ meant, mistakes }) => mistakes <= (meant.length <= SHORT ? 1 : 2))
        .sort((a, b) => a.mistakes - b.mistakes)[0];
      return near === undefined ? [] : [{ given: name, meant: near.meant }];
    });
}

/** The warning for a person. */
export function misspeltWarning({ given, meant }: Misspelt): string {
  return `the variable ${given} is not read; did you mean ${meant}?`;
}

/** The edit distance, in which two neighbouring letters that changed places are one mistake. */
function mistakesIn(name: string, meant: string): number {
  const letters = leven(name, meant);
  return letters === 2 && isSwap(name, meant) ? 1 : letters;
}

function isSwap(name: string, meant: string): boolean {
  if (name.length !== meant.length) return false;
  const at = [...name].findIndex((letter, index) => letter !== meant[index]);
  const swapped = name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
  return swapped === meant;
}
