import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonDocument, onePerLine } from '../../../src/cli/json-documents.ts';

async function linesOf(given: string, pieceBytes: number): Promise<string[]> {
  const bytes = Buffer.from(given);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return (await text(onePerLine(pieces()))).split('\n').filter((line) => line !== '');
}

const objects = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 3 }), {
  maxLength: 5,
});
const form = fc.record({ indent: fc.constantFrom(0, 2, '\t'), pieceBytes: fc.integer({ min: 1, max: 40 }) });

describe('JSON that is not one object a line', () => {
  it('has each element of a list on its own line', async () => {
    await fc.assert(
      fc.asyncProperty(objects, form, async (values, { indent, pieceBytes }) => {
        const given = `\uFEFF ${JSON.stringify(values, null, indent)}\n`;
        expect(isJsonDocument(Buffer.from(given))).toBe(true);
        expect((await linesOf(given, pieceBytes)).map((line) => JSON.parse(line))).toEqual(
          values.map((value) => JSON.parse(JSON.stringify(value))),
        );
      }),
    );
  });

  it('has each of the objects that follow each other on its own line', async () => {
    await fc.assert(
      fc.asyncProperty(objects, form, async (values, { pieceBytes }) => {
        const given = values.map((value) => JSON.stringify({ a: 1, ...value }, null, 2)).join('\r\n');
        if (values.length > 0) expect(isJsonDocument(Buffer.from(given))).toBe(true);
        expect((await linesOf(given, pieceBytes)).map((line) => JSON.parse(line))).toEqual(
          values.map((value) => JSON.parse(JSON.stringify({ a: 1, ...value }))),
        );
      }),
    );
  });

  it('differs from lines in its beginning', () => {
    for (const lines of ['{"a":1}\n{"b":2}', '', '{', '{"a":\n', 'event,user_id\n[1,2']) {
      expect(isJsonDocument(Buffer.from(lines))).toBe(false);
    }
  });

  it('keeps the white space within an element, so that broken JSON stays broken', async () => {
    expect(await linesOf('[{"a": 1 2},\n {"b": tru\n e}, 3 4]', 100)).toEqual(['{"a": 1 2}', '{"b": tru e}', '3 4']);
    expect(await linesOf('{\n "a": -\r\n 5\n}\n', 1)).toEqual(['{ "a": - 5 }']);
  });

  it('that is cut off ends in a line that is no JSON', async () => {
    expect(await linesOf('[{"a":1},{"b":', 100)).toEqual(['{"a":1}', '{"b":']);
  });
});
