import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedCalls } from '../../packages/client/generate/methods-file.ts';

/** The reference of the client for JavaScript: its calls from openapi.json, its other exports from their declarations. */

const SRC = join(import.meta.dirname, '../../packages/client/src');
const read = (file: string): string => readFileSync(join(SRC, file), 'utf8');

export function clientReference(note: string): string {
  const calls = namedCalls();
  const groups = [...new Set(calls.map(({ group }) => group))];
  return `# Reference of the client for JavaScript

${note}

For programmers who use \`@botledger/client\`. After this page you know each method, option and error. Begin with [the client's own
page](../packages/client/README.md); the fields of each call are in [the HTTP API](http-api.md), and in the types of the package.

## Calls

A method that reads takes the fields of its query, one that acts takes the body. Both take the options of a call after that, and give the
\`data\` of the answer. \`client.get(path, query)\` and \`client.post(path, body)\` do the same by the path.

${groups.map((group) => sectionOf(group, calls)).join('\n\n')}

## Everything else

${declarations()}
`;
}

function sectionOf(group: string, calls: ReturnType<typeof namedCalls>): string {
  const rows = calls
    .filter((call) => call.group === group)
    .map(
      ({ name, method, path, summary }) =>
        `| \`${group}.${name}\` | \`${method} ${path}\` | ${summary.replaceAll('|', '\\|')} |`,
    );
  return [`### ${group}`, ['| method | call | meaning |', '|---|---|---|', ...rows].join('\n')].join('\n\n');
}

/** The declarations that index.ts exports, file by file. */
function declarations(): string {
  const files = [...read('index.ts').matchAll(/from '\.\/(.+?\.ts)'/g)].map(([, file]) => file!);
  const ofIndex = [...new Set(files)].filter((file) => !['methods.ts', 'types.ts'].includes(file));
  const spool = `With \`@botledger/client/spool\`:\n\n${declarationsOf('spool.ts')}`;
  return [...ofIndex.map(declarationsOf), spool].join('\n\n');
}

function declarationsOf(file: string): string {
  const named = namesFrom(file);
  const parts = [
    ...read(file).matchAll(/^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:interface|class|type|function|const) (\w+)/gm),
  ]
    .filter(([, , name]) => named === undefined || named.has(name!))
    .map((found) => declarationAt(read(file), found.index!));
  return `\`\`\`ts\n${parts.join('\n\n')}\n\`\`\``;
}

/** The names that index.ts exports of a file; undefined: all. */
function namesFrom(file: string): ReadonlySet<string> | undefined {
  const [, list] =
    new RegExp(`export (?:type )?\\{([^}]*)\\} from '\\./${file.replace('.', '\\.')}'`).exec(read('index.ts')) ?? [];
  return list === undefined
    ? undefined
    : new Set(
        list
          .split(',')
          .map((each) => each.trim().replace(/^type /, ''))
          .filter(Boolean),
      );
}

/** A declaration with its comment. Of a function or a constant the head; of a class the fields. */
function declarationAt(text: string, start: number): string {
  const rest = text.slice(start);
  const head = rest.search(/^export /m);
  const [line = ''] = rest.slice(head).split('\n');
  if (line.endsWith(';')) return rest.slice(0, head + line.length);
  const body = rest.slice(head);
  const close = body.search(/^\}/m);
  const whole = body.slice(0, close + 1);
  const comment = rest.slice(0, head);
  if (/^export function/.test(line)) return `${comment}${body.slice(0, body.search(/ \{$/m))};`;
  if (/^export class/.test(line)) return comment + whole.replace(/\n\n? {2}constructor\([\s\S]*?\n {2}\}\n/, '\n');
  return comment + whole;
}
