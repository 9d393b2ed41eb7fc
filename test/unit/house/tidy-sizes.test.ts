import { parseSync, Visitor } from 'vite';
import { expect, it } from 'vitest';
import { PACKAGE_FOLDERS, type SourceFile, sourceFiles } from '../../support/source-files.ts';

/** House rules over the sizes of files and functions. */

const src = sourceFiles('src');
const others = ['test', 'demo', 'docs', 'console/src', ...PACKAGE_FOLDERS].flatMap(sourceFiles);

const MAX_FILE_LINES = 300;
const MAX_OTHER_FILE_LINES = 350;
const linesOf = (text: string): number => text.split('\n').length - 1;
const longer = (files: readonly SourceFile[], most: number): string[] =>
  files.filter(({ text }) => linesOf(text) > most).map(({ path }) => path);

it(`no file of src has more than ${MAX_FILE_LINES} lines, and no other file more than ${MAX_OTHER_FILE_LINES}`, () => {
  const long = [...longer(src, MAX_FILE_LINES), ...longer(others, MAX_OTHER_FILE_LINES)];
  expect(long).toEqual([]);
});

const MAX_FUNCTION_LINES = 80;

it(`no function of src has more than ${MAX_FUNCTION_LINES} lines`, () => {
  expect(src.flatMap(longFunctions)).toEqual([]);
});

it('measures functions of every form', () => {
  const body = `{${'\n'.repeat(MAX_FUNCTION_LINES)}}`;
  const forms = [
    `function one() ${body}`,
    `const two = () => ${body};`,
    `class C { three() ${body} }`,
    `({ get four() ${body} });`,
  ];
  const found = (text: string): number => longFunctions({ path: 'a.ts', text }).length;
  expect(forms.map(found)).toEqual([1, 1, 1, 1]);
  expect(forms.map((form) => found(form.replace('\n', '')))).toEqual([0, 0, 0, 0]);
});

/** The long functions of a file, by their names, or by `?` without a name. */
function longFunctions({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const found: string[] = [];
  const visit = (node: {
    readonly start: number;
    readonly end: number;
    readonly id?: { name: string } | null;
  }): void => {
    if (linesOf(text.slice(node.start, node.end)) + 1 > MAX_FUNCTION_LINES)
      found.push(`${path} ${node.id?.name ?? '?'}`);
  };
  const { program } = parseSync(path, text);
  new Visitor({ FunctionDeclaration: visit, FunctionExpression: visit, ArrowFunctionExpression: visit }).visit(program);
  return found;
}
