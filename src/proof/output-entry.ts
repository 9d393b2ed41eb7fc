import type { Hash } from './merkle-tree.ts';

/**
 * An entry of the output log, the only log that is signed: the trees of all partitions and the map of accounts at one
 * moment. As text of lines, so that people can read it.
 */
export interface OutputEntry {
  /** When it was made, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** The public key that account keys are checked with. */
  readonly vrfKey: Uint8Array;
  readonly map: { readonly accounts: number; readonly root: Hash };
  /** By partition. */
  readonly trees: readonly { readonly size: number; readonly root: Hash }[];
}

const FIRST_LINE = 'botledger-output/v1';

export function outputEntryText({ at, vrfKey, map, trees }: OutputEntry): string {
  const lines = [
    FIRST_LINE,
    `time ${at}`,
    `vrf ${base64(vrfKey)}`,
    `map ${map.accounts} ${base64(map.root)}`,
    ...trees.map(({ size, root }, partition) => `tree ${partition} ${size} ${base64(root)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Parses the text of an entry; null: it is not exactly of that form. */
export function parseOutputEntry(text: string): OutputEntry | null {
  const [first, time, vrf, map, ...trees] = text.split('\n');
  const at = /^time (\d{1,15})$/.exec(time ?? '');
  const key = /^vrf (\S{44})$/.exec(vrf ?? '');
  const mapped = /^map (\d{1,15}) (\S{44})$/.exec(map ?? '');
  if (first !== FIRST_LINE || at === null || key === null || mapped === null) return null;
  const entry = {
    at: Number(at[1]),
    vrfKey: Buffer.from(key[1]!, 'base64'),
    map: { accounts: Number(mapped[1]), root: Buffer.from(mapped[2]!, 'base64') },
    trees: trees.slice(0, -1).map((line) => {
      const [, , size, root = ''] = line.split(' ');
      return { size: Number(size), root: Buffer.from(root, 'base64') };
    }),
  };
  return outputEntryText(entry) === text ? entry : null;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
