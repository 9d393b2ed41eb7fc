import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { blocksOf, PAGES, readPage } from '../../support/pages.ts';

/** The form of the documents: a short README, pages that name their reader, blocks that a test can run. */

const LONGEST_README = 150;

it(`the README has at most ${LONGEST_README} lines`, () => {
  expect(readPage('README.md').split('\n').length - 1).toBeLessThanOrEqual(LONGEST_README);
});

it('the README has one line to run the service, and one line to test it', () => {
  const commands = blocksOf('README.md').filter(({ note }) => note.startsWith('not-run'));
  expect(commands.map(({ text }) => text)).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n']);
});

it('the README links every page', () => {
  const readme = readPage('README.md');
  expect(PAGES.slice(1).filter((page) => !readme.includes(`(${page})`))).toEqual([]);
});

/** Pages without a named reader: the interface and its decisions are read by section, and the README is for all. */
const WITHOUT_READER = ['README.md', 'docs/interface.md', 'docs/decisions.md'];

it.each(PAGES.filter((page) => !WITHOUT_READER.includes(page)))('%s begins with its reader', (page) => {
  const [, first = ''] = /^# .+\n\n(?:<!--.+-->\n\n)?(.+)/.exec(readPage(page)) ?? [];
  expect(first).toMatch(/^For [a-z]/);
});

describe('a block that no test runs', () => {
  const blocks = PAGES.flatMap((page) => blocksOf(page).map((block) => ({ page, ...block })));
  const notRun = blocks.filter(({ note }) => note.startsWith('not-run'));

  /** The reasons to leave out a block, with the number of such blocks. Raise a number only if needed. */
  const REASONS: Readonly<Record<string, number>> = {
    'starts a service': 7,
    'takes minutes': 4,
    'needs your PostgreSQL': 2,
    'needs Kafka': 3,
    'needs EventStoreDB': 2,
    'needs Docker': 3,
    'needs a file': 2,
    'needs Kubernetes': 1,
    'needs ClickHouse or S3': 2,
    'needs an empty log': 1,
    'needs a stopped service': 1,
    'needs the ids of a client': 1,
    'needs a restored log': 1,
  };

  it('has one of few reasons', () => {
    const reasons = notRun.map(({ note }) => note.replace('not-run: ', ''));
    const counts = Object.fromEntries(
      [...new Set(reasons)].map((reason) => [reason, reasons.filter((each) => each === reason).length]),
    );
    expect(counts).toEqual(REASONS);
  });

  it('is valid shell', () => {
    const wrong = notRun.filter(({ text }) => spawnSync('bash', ['-n'], { input: text }).status !== 0);
    expect(wrong.map(({ page, heading }) => `${page}: ${heading}`)).toEqual([]);
  });

  it('has only words behind its fence that a test reads', () => {
    const notes = new Set(
      blocks.filter(({ note }) => !note.startsWith('not-run')).map((b) => `${b.language} ${b.note}`),
    );
    const known = ['answer', 'audience', 'error', 'webhook'].map((note) => `json ${note}`);
    const marked = [...notes].filter((each) => !each.endsWith(' '));
    expect(marked.sort()).toEqual([...known, 'text answer'].sort());
  });
});

it('every JSON block is JSON', () => {
  const wrong = PAGES.flatMap((page) =>
    blocksOf(page)
      .filter(({ language, text }) => language === 'json' && !isJson(text))
      .map(({ heading }) => `${page}: ${heading}`),
  );
  expect(wrong).toEqual([]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
