import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './source-files.ts';

/**
 * The hand-written documents and their fenced blocks. The words after a fence's language are for the tests:
 *
 * - `sh`: one shell per page runs these blocks in the order of the page. It only parses `sh not-run: REASON`.
 * - `json answer`, `text answer`: the output of the last command of the `sh` block before it. `…` stands for any text.
 * - `json`: parsed.
 */
export interface Block {
  readonly language: string;
  /** The words after the language. */
  readonly note: string;
  readonly text: string;
  /** The last heading above the block. */
  readonly heading: string;
}

/** Paths of the hand-written pages: README.md and every Markdown file of docs/. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The fenced blocks of a page, from top to bottom. */
export function blocksOf(page: string): Block[] {
  let heading = '';
  return [...readPage(page).matchAll(/^#+ (.+)$|^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, title, language, note, text]) => {
      if (title !== undefined) heading = title;
      return language === undefined ? [] : [{ language, note: note!, text: text!, heading }];
    },
  );
}

/** Blocks that a shell runs. */
export const isRun = ({ language, note }: Block): boolean => language === 'sh' && !note.startsWith('not-run');

const MARK = '\u241e';

/**
 * Runs blocks one after the other in one bash, as a reader who copies them does.
 * @returns per block the output of each command; each `curl` and `npx botledger` has one entry for all of its lines
 * @throws Error at the first command that fails; curl fails at a status of 400 and above
 */
export async function runBlocks(
  blocks: readonly string[],
  variables: Readonly<Record<string, string>>,
  cwd: string = ROOT,
): Promise<string[][]> {
  const asOneLine = `| tr '\\n' '\\v'; echo; }\n`;
  const functions = [
    // A page that fails half-way leaves no server behind.
    `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n`,
    // A change that the read models do not show yet is answered with "lagging": a reader looks again a little later.
    `curl() { local answer; answer=$(command curl --fail --show-error "$@")
      if [[ $answer == *'"lagging":true'* ]]; then sleep 5; fi
      printf '%s\\n' "$answer" ${asOneLine}`,
    `npx() { shift; node '${join(ROOT, 'bin/botledger.js')}' "$@" ${asOneLine}`,
  ];
  const script = [...functions, ...blocks.map((block) => `echo '${MARK}'\n${block}`)].join('\n');
  const options = { cwd, env: { PATH: process.env['PATH'], ...variables } };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
  return stdout
    .split(`${MARK}\n`)
    .slice(1)
    .map((printed) =>
      printed
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replaceAll('\v', '\n').trimEnd())
        .filter((line) => line !== ''),
    );
}
