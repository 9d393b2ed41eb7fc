import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents } from '../../support/documents.ts';
import { type Prose, paragraphsOf, proseOf } from '../../support/prose.ts';
import { PACKAGE_FOLDERS, ROOT, sourceFiles } from '../../support/source-files.ts';

/**
 * Comments, log lines, test names and documents use plain words, and the words of the glossary (ARCHITECTURE.md). The
 * phrases below are riddles, or other words for a thing that the glossary names.
 */

interface Phrase {
  readonly phrase: RegExp;
  /** The words to write. */
  readonly instead: string;
  /** Where the phrase is allowed: kinds of text, or places. */
  readonly except?: (piece: Prose) => boolean;
}

/** SQL keeps the column `lane` and the table `lanes`, since stored data stay. */
const isSql = ({ kind, text }: Prose): boolean =>
  kind === 'template' ||
  /^'lanes?'$/.test(text) ||
  /, lane,/.test(text) ||
  /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|WHERE|ORDER BY)\b/.test(text);

/** The account `nobody` of the operating system. */
const isAccountName = ({ place }: Prose): boolean => /server-user\.ts|embedded-postgres-users\.test\.ts/.test(place);

const PHRASES: readonly Phrase[] = [
  { phrase: /\bwhoever\b/i, instead: 'the named actor' },
  { phrase: /\bnobody\b/i, instead: 'the named actor, or "no client", "no sender"', except: isAccountName },
  { phrase: /\b(?:is|are|was|were|be|been) told\b/i, instead: 'what is shown, answered or passed' },
  { phrase: /\bput(?:ting)?[ -]off\b/i, instead: 'deferred' },
  { phrase: /\bset(?:s|ting)? aside\b/i, instead: 'dead-lettered' },
  { phrase: /\bjudge[ds]?\b|\bjudging\b/i, instead: 'validated, decided' },
  { phrase: /\blanes?\b/i, instead: 'partition; of the sender: send queue', except: isSql },
  { phrase: /\bbreaths?\b/i, instead: 'pause' },
  { phrase: /\bcouriers?\b/i, instead: 'sender' },
  { phrase: /\bstations?\b/i, instead: 'the field’s term' },
  { phrase: /\bbells?\b|\brings?\b/i, instead: 'notifier, wakes' },
  { phrase: /\bpictures?\b/i, instead: 'read model, snapshot' },
  { phrase: /\btrouble\b/i, instead: 'failure' },
  { phrase: /\bwhat is the matter\b/i, instead: 'the error' },
  { phrase: /\bwhat stands\b/i, instead: 'the thing’s name' },
  { phrase: /\bcomes? to nothing\b/i, instead: 'has no effect' },
  { phrase: /\b(?:go|goes|gone|going|went) on\b/i, instead: 'continues, resumes' },
  { phrase: /\b(?:comes?|came) about\b/i, instead: 'happens' },
  { phrase: /\b(?:some|every)body\b/i, instead: 'the named actor, or "every recipient"' },
  { phrase: /\banew\b/i, instead: 'again, rebuilt' },
  { phrase: /\bfor ever\b/i, instead: 'forever' },
  { phrase: /\bit (?:cannot|could not) be\b/i, instead: '"failed to X"' },
  { phrase: /\bmeanwhile\b/i, instead: 'during the named step, until the named event, at the same time' },
  { phrase: /\bwhom\b/i, instead: '"that", or the named user' },
  { phrase: /\bas far as\b/i, instead: 'up to, the part that' },
  { phrase: /\bso long\b/i, instead: 'for this time, while' },
  { phrase: /\bthereof\b|\bsuch a one\b/i, instead: 'the thing’s name' },
  { phrase: /^(?:\/\*\*|\/\/) *(?:what|who|whom|whose)\b/i, instead: 'the name of the thing, or what a function does' },
  { phrase: /\bof (?:its|their|our) own\b(?! \w)/i, instead: 'its, separate' },
  { phrase: /\bbeside\b/i, instead: 'besides, next to, during', except: ({ place }) => place.startsWith('console/') },
  { phrase: /\bsome \d/i, instead: 'about' },
  { phrase: /, too,/i, instead: 'also' },
  { phrase: /\bth(?:ose|at) (?:whose|which)\b/i, instead: 'the noun' },
];

const ALLOWED_HERE = 'test/unit/house/language.test.ts';

const prose = [
  ...['src', 'test', 'bench', 'demo', 'docs', 'console/src', ...PACKAGE_FOLDERS]
    .flatMap(sourceFiles)
    .filter(({ path }) => path !== ALLOWED_HERE)
    .flatMap(proseOf),
  ...documents()
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((path) => paragraphsOf(path, read(path))),
];

it.each(PHRASES)('no text says $phrase: write $instead', ({ phrase, except }) => {
  const every = new RegExp(phrase, 'gi');
  const found = prose
    .filter((piece) => except?.(piece) !== true)
    .flatMap(({ place, text }) => [...text.matchAll(every)].map(({ index }) => `${place}: ${around(text, index)}`));
  expect(found).toEqual([]);
});

describe('the texts of a source file', () => {
  const texts = (text: string): string[] =>
    proseOf({ path: 'a.ts', text, files: [], imports: [], loads: [], packages: [] }).map((p) => p.text);

  it('are its comments, strings and templates', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text with a template
    expect(texts("/** One.\n * Two. */\nlog(`a ${of('b')} c`, 'd'); // e")).toEqual([
      '/** One. Two. */',
      'a ${',
      "'b'",
      ' c`',
      "'d'",
      '// e',
    ]);
  });

  it('are neither code, names of modules nor regular expressions', () => {
    expect(texts("import { nobody } from '../nobody.ts';\nconst whoever = text.match(/it's '/);")).toEqual([]);
  });
});

function around(text: string, index: number): string {
  return text.slice(Math.max(0, index - 40), index + 60);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
