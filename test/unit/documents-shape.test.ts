import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { blocksOf, PAGES, readPage } from '../support/pages.ts';

/** The form of the documents: short front page, pages that say for whom they are, blocks that a test can run. */

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

/** The law and its decisions are read by section; the README is for everybody. */
const WITHOUT_READER = ['README.md', 'docs/interface.md', 'docs/decisions.md'];

it.each(PAGES.filter((page) => !WITHOUT_READER.includes(page)))('%s begins with whom it is for', (page) => {
  const [, first = ''] = /^# .+\n\n(?:<!--.+-->\n\n)?(.+)/.exec(readPage(page)) ?? [];
  expect(first).toMatch(/^For [a-z]/);
});

describe('what no test runs', () => {
  const blocks = PAGES.flatMap((page) => blocksOf(page).map((block) => ({ page, ...block })));
  const notRun = blocks.filter(({ note }) => note.startsWith('not-run'));

  /** Why a block may be left out, and how many are. Never raise a number without need. */
  const REASONS: Readonly<Record<string, number>> = {
    'starts a service': 4,
    'takes minutes': 4,
    'needs your PostgreSQL': 2,
    'needs Kafka': 2,
    'needs EventStoreDB': 1,
    'needs Docker': 1,
    'needs an empty log': 1,
  };

  it('has a reason, of which there are few', () => {
    const reasons = notRun.map(({ note }) => note.replace('not-run: ', ''));
    const counts = Object.fromEntries(
      [...new Set(reasons)].map((reason) => [reason, reasons.filter((each) => each === reason).length]),
    );
    expect(counts).toEqual(REASONS);
  });

  it('is shell that can be parsed', () => {
    const wrong = notRun.filter(({ text }) => spawnSync('bash', ['-n'], { input: text }).status !== 0);
    expect(wrong.map(({ page, heading }) => `${page}: ${heading}`)).toEqual([]);
  });

  it('has no other word behind its fence than those that a test reads', () => {
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
