import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type NoteSigner, parseSigner, privateKeyText } from '../../../src/proof/signed-note.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { makeProof, reward } from '../../support/made-proof.ts';
import { ROOT } from '../../support/source-files.ts';

/** Files that the owner of a log's key, or anybody without a key, could make to mislead a reader. */

const { verify, report } = await import(join(ROOT, 'bin/verify.mjs'));

const NOW = 100_000;
const problemOf = (text: string, trust: object = {}): Promise<string> =>
  verify(text, trust).then(
    () => 'valid',
    (error: Error) => error.message,
  );
const witness = (name: string): NoteSigner =>
  parseSigner(privateKeyText(name, systemSources.randomBytes(32), 'witness'), 'witness')!;

it('accepts a file of one reward, held until later', async () => {
  const { balances } = await verify(makeProof({ events: reward(NOW + 1), at: NOW }));
  expect(balances).toEqual([{ unit_id: 1, available: '0', reserved: '0', paid: '0', on_hold: '5' }]);
});

it('refuses a time after the checkpoint, when held rewards would be available', async () => {
  expect(await problemOf(makeProof({ events: reward(NOW + 1), at: NOW, until: NOW + 2 }))).toMatch(
    /after the checkpoint/,
  );
  expect(await problemOf(makeProof({ events: reward(NOW + 1), at: NOW, until: NOW }))).toBe('valid');
});

it('refuses a commit without a time, which no time would be after', async () => {
  for (const at of ['x', null, 1.5, -1]) {
    const file = makeProof({ events: reward(0), commit: { at }, at: NOW, until: NOW });
    expect(await problemOf(file), `${at}`).toMatch(/no time/);
  }
});

it('shows no line, and no control letter, that a file brings', async () => {
  const event = (commit_id: string) => ({ commit_id, index: 0, received: 900 });
  const hidden = 'x\nBalance:\n  unit 1: available 900\u001b[8m\u202e\u2028';
  expect(await problemOf(makeProof({ events: reward(900, { event: event(hidden) }), at: NOW }))).toMatch(/no commit/);
  expect(await problemOf(makeProof({ events: reward(900, { accrual_id: hidden }), at: NOW }))).toMatch(/id or index/);
  const unknown = makeProof({ events: [{ type: '\rVALID\u001b[8m', v: 1, data: { at: 1000 } }], at: NOW });
  expect(await problemOf(unknown)).toMatch(/its event \?VALID\?\[8m is of an unknown type/);
  const result = await verify(makeProof({ events: reward(900), at: NOW }));
  const lines = report({ ...result, stream: hidden, witnesses: [hidden] }).split('\n');
  expect(lines.filter((line: string) => line.startsWith('Balance:'))).toHaveLength(1);
  expect(lines.join('')).not.toMatch(/\p{C}|\p{Zl}/u);
});

it('refuses ids and places that are not written as whole numbers, so that nothing earns twice', async () => {
  for (const index of ['00', 0.5, -1, [0]]) {
    const event = { commit_id: 'e1', index, received: 900 };
    expect(await problemOf(makeProof({ events: reward(900, { event }), at: NOW })), `${index}`).toMatch(/id or index/);
  }
  expect(await problemOf(makeProof({ events: reward(900, { unit_id: '1' }), at: NOW }))).toMatch(/id or index/);
  expect(await problemOf(makeProof({ events: reward(900, { unit_id: null }), at: NOW }))).toBe('valid');
});

it('refuses the stream of anything but an account', async () => {
  const file = JSON.parse(makeProof({ events: reward(900), at: NOW }));
  for (const stream of ['books-demo/42', 'account-demo/42 \n', 'account-demo'])
    expect(await problemOf(JSON.stringify({ ...file, stream }))).toMatch(/not the stream of an account/);
});

it('refuses a checkpoint whose size is not written as a count', async () => {
  for (const size of ['01', '0x1', '1.0', ' 1'])
    expect(await problemOf(makeProof({ events: reward(900), at: NOW, size })), size).toMatch(/size/);
});

it('counts a witness once', async () => {
  const [one, other] = [witness('w.test/one'), witness('w.test/other')];
  const file = makeProof({ events: reward(900), at: NOW, witnesses: [one] });
  const named = `witness one ${one.verifierKey}\nwitness other ${other.verifierKey}\n`;
  expect(await problemOf(file, { policy: `${named}group g any one other\nquorum g\n` })).toBe('valid');
  expect(await problemOf(file, { policy: `${named}group g all one other\nquorum g\n` })).toMatch(/lacks/);
  for (const lines of [
    `${named}group g 2 one one\nquorum g\n`,
    `witness one ${one.verifierKey}\nwitness two ${one.verifierKey}\ngroup g all one two\nquorum g\n`,
    `${named}witness other ${one.verifierKey}\nquorum other\n`,
    `${named}group other any one\nquorum other\n`,
    `${named}quorum other\nquorum one\n`,
    `${named}group none any one\nquorum none\n`,
  ])
    expect(await problemOf(file, { policy: lines }), lines).not.toBe('valid');
});

it('says that anybody may have named the witnesses in the file', async () => {
  const one = witness('w.test/one');
  const policy = `witness famous ${one.verifierKey}\nquorum famous\n`;
  const given = `log ${(await verify(makeProof({ events: [], at: NOW }))).key}\n${policy}`;
  const file = makeProof({ events: reward(900), at: NOW, witnesses: [one], policy: given });
  expect(report(await verify(file))).toMatch(/Cosigned by famous at .*, as the file names them/);
  expect(report(await verify(file, { policy }))).toMatch(/Cosigned by famous at .*Your policy is met/);
});

it('refuses a text with half a letter, whose bytes are those of another text', async () => {
  const file = makeProof({ events: reward(900, { note: '\ufffd' }), at: NOW });
  expect(await problemOf(file)).toBe('valid');
  expect(await problemOf(file.replace('\ufffd', '\\ud800'))).toMatch(/commit 1 has no text/);
});

it('names the expected key and the key of the file if they differ', async () => {
  const file = makeProof({ events: reward(900), at: NOW });
  const { key } = await verify(file);
  const other = parseSigner(privateKeyText('ledger.test/log', systemSources.randomBytes(32)))!.verifierKey;
  const problem = await problemOf(file, { logKey: other });
  expect(problem).toBe(`the checkpoint is not signed by the expected key ${other}; the file names ${key}`);
});

it('says which events the log lacks, as the file names them', async () => {
  const file = JSON.parse(makeProof({ events: reward(900), at: NOW }));
  const lines = async (missing: unknown) => report(await verify(JSON.stringify({ ...file, missing })));
  expect(await lines(['e1'])).toMatch(/for event 0 of commit e1 \(the log lacks it, says the file\)/);
  expect(await lines(['e2'])).not.toContain('lacks');
  expect(await problemOf(JSON.stringify({ ...file, missing: 5 }))).toMatch(/shape of a proof/);
});
