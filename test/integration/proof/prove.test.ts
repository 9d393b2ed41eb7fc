import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProofFile, proveAccount } from '../../../src/administration/proof/prove-account.ts';
import { createUnit } from '../../../src/commands/catalog/units.ts';
import { type CheckpointKeys, newCheckpointKeys, parseCheckpointKeys } from '../../../src/proof/checkpoint-keys.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { cause } from '../../support/account-samples.ts';
import { administer } from '../../support/administer.ts';
import { fillAccount, REFERRER } from '../../support/fill-accounts.ts';
import { longOnly } from '../../support/long-only.ts';
import { type ProofService, startProofService } from '../../support/proof-service.ts';
import { ROOT } from '../../support/source-files.ts';

interface Verified {
  readonly commits: number;
  readonly until: number;
  readonly checkpointAt: number;
  readonly balances: readonly { readonly unit_id: number }[];
  readonly history: readonly { readonly at: number; readonly proven?: boolean }[];
}
interface Verifier {
  readonly ProofError: new () => Error;
  verify(text: string): Promise<Verified>;
  report(verified: Verified): string;
}
const { ProofError, report, verify }: Verifier = await import(join(ROOT, 'bin/verify.mjs'));

const run = promisify(execFile);
let proofs: ProofService;
let file: ProofFile;
let text: string;
let balance: Record<string, unknown>[];
let bot: string;

beforeAll(async () => {
  proofs = await startProofService();
  const { service } = proofs;
  const made = await service.createBot({ kind: 'owner' });
  bot = made.publicKey;
  const key = { 'api-key': made.apiKey };
  await service.post('/v1/send-event', [{ event: 'order', user_id: 7 }], key);
  await createUnit(service.commands, { bot, code: 'GEM', name: 'Gems', scale: 1 });
  await service.projected();
  await fillAccount(service, made, async (path, body) => (await service.post(`/v1/${path}`, body, key)).body);
  await service.projected();
  balance = (await service.get(`/v1/referral/balance?user_id=${REFERRER}`, key)).body.data.balance;
  await proofs.signed();
  file = await prove();
  text = JSON.stringify(file);
});
afterAll(() => proofs.stop());

function prove(changes = {}): Promise<ProofFile> {
  const { service, keys } = proofs;
  const context = {
    log: service.log,
    pool: service.database.pool,
    keys,
    policy: null,
    signal: new AbortController().signal,
  };
  return proveAccount(context, { bot, userId: REFERRER, at: null, withEvents: false, ...changes });
}

/** A generator of numbers below a bound that gives the same ones in each run. */
function dice(): (below: number) => number {
  let state = 20260101;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const problemOf = async (changed: string): Promise<string> => {
  try {
    await verify(changed);
  } catch (error) {
    if (error instanceof ProofError) return (error as Error).message;
    throw error;
  }
  return 'valid';
};

describe('a proof file', () => {
  it('shows the balance that the service answers', async () => {
    const { balances, history, commits } = await verify(text);
    const plain = balances.map(({ unit_id, ...amounts }) => ({
      unit_id,
      ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Number(amount)])),
    }));
    expect(plain).toEqual(expect.arrayContaining(balance));
    expect(commits).toBe(file.commits.length);
    expect(history.length).toBeGreaterThan(10);
  });

  it('is checked by a copy of one file, and tells the key to trust', async () => {
    const path = join(proofs.folder, 'proof.json');
    const copy = join(proofs.folder, 'verify.mjs');
    await writeFile(path, text);
    await run('cp', [join(ROOT, 'bin/verify.mjs'), copy]);
    const key = proofs.keys.signers[0]!.verifierKey;
    const { stdout } = await run('node', [copy, path, '--log-key', key]);
    expect(stdout).toContain(`VALID: account-${bot}/${REFERRER}`);
    expect(stdout).toContain(key);
    expect(stdout).toContain('This does not prove that money arrived');
    const other = key.replace('ledger', 'ladder');
    await expect(run('node', [copy, path, '--log-key', other])).rejects.toMatchObject({ code: 1 });
  });

  it('shows the balance of an earlier time', async () => {
    const at = (await verify(text)).history[0]!.at;
    const then = await verify(JSON.stringify(await prove({ at })));
    expect(then.history.length).toBeLessThan((await verify(text)).history.length);
    expect(report(then)).toContain(new Date(at).toISOString());
  });

  it('shows the balance of the checkpoint if it is asked for a later time', async () => {
    const later = await prove({ at: Date.now() + 3_600_000 });
    expect(later.at).toBeNull();
    const { until, checkpointAt } = await verify(JSON.stringify(later));
    expect(until).toBe(checkpointAt);
    expect(await problemOf(JSON.stringify({ ...later, at: checkpointAt + 1 }))).toMatch(/after the checkpoint/);
  });
});

describe('botledger audit', () => {
  it('writes the proof file of an account, and its causes on request', async () => {
    const run = administer({ ...proofs.service.env, PROOF: 'on', CHECKPOINT_KEY: proofs.keyFile });
    const output = join(proofs.folder, 'by-cli.json');
    const command = ['audit', 'prove', '--bot', bot, '--user', String(REFERRER), '--output', output];
    const { commits } = await run(...command);
    expect(commits).toBeGreaterThanOrEqual(file.commits.length);
    expect((await verify(await readFile(output, 'utf8'))).balances).toEqual((await verify(text)).balances);
    await expect(run(...command)).rejects.toThrow(/failed to write .*EEXIST/);
    await expect(run(...command.with(5, '12345'))).rejects.toThrow(/user 12345 has no account/);
    await expect(administer({ ...proofs.service.env, PROOF: 'off' })(...command)).rejects.toThrow(/without PROOF=on/);
    const withEvents = await prove({ withEvents: true });
    expect(await problemOf(JSON.stringify(withEvents))).toBe('valid');
    // The rewards of this account are for events of a commit that the log does not have.
    expect(withEvents.missing).toEqual([cause(0).commit_id]);
    expect(file.missing).toBeUndefined();
  });

  it('makes a file of keys', async () => {
    const output = join(proofs.folder, 'new-key');
    const made = await administer({})('audit', 'make-key', '--name', 'ledger.test/new', '--output', output);
    const keys = parseCheckpointKeys(await readFile(output, 'utf8'));
    expect(keys).toMatchObject({ origin: 'ledger.test/new', signers: [{ verifierKey: made.verifier_key }] });
  });
});

describe('a changed proof file is found', () => {
  longOnly('with a byte changed anywhere, 750 times', async () => {
    const roll = dice();
    for (let i = 0; i < 750; i++) {
      const at = roll(text.length);
      const letter = String.fromCharCode(33 + roll(94));
      if (letter === text[at]) continue;
      const changed = text.slice(0, at) + letter + text.slice(at + 1);
      if ((await problemOf(changed)) === 'valid') expect.fail(`${at}: ${text.slice(at - 20, at + 20)} with ${letter}`);
    }
  });

  it('with a commit dropped, repeated, swapped or inserted, 250 times', async () => {
    const roll = dice();
    for (let i = 0; i < 250; i++) {
      const commits = [...file.commits];
      const [one, other] = [roll(commits.length), roll(commits.length)];
      if (i % 4 === 0) commits.splice(one, 1);
      else if (i % 4 === 1) commits.splice(one, 0, commits[other]!);
      else if (i % 4 === 2 && one !== other) [commits[one], commits[other]] = [commits[other]!, commits[one]!];
      else commits.splice(one, 1, { ...commits[one]!, body: commits[one]!.body.replace(/"at":(\d+)/, '"at":9$1') });
      expect(await problemOf(JSON.stringify({ ...file, commits })), `${i}`).not.toBe('valid');
    }
  });

  it('with its end left out and the map changed to fit', async () => {
    const commits = file.commits.slice(0, -1);
    const map = { ...file.map, revision: commits.length, leaves: commits.length };
    expect(await problemOf(JSON.stringify({ ...file, commits, map }))).toMatch(/another last revision/);
  });

  it('with the account of another user', async () => {
    const stream = file.stream.replace(/\d+$/, '8');
    expect(await problemOf(JSON.stringify({ ...file, stream }))).toMatch(/not the key of this user/);
  });

  it('with the key that another VRF key gives the user, signed or not', async () => {
    const other = parseCheckpointKeys(
      newCheckpointKeys('ledger.test/log', systemSources.randomBytes),
    ) as CheckpointKeys;
    const vrf = Buffer.from(other.vrf.prove(file.stream)).toString('base64');
    expect(await problemOf(JSON.stringify({ ...file, vrf }))).toMatch(/not the key of this user/);
    const entry = file.entry.replace(/^vrf .*$/m, `vrf ${Buffer.from(other.vrf.publicKey).toString('base64')}`);
    expect(await problemOf(JSON.stringify({ ...file, vrf, entry }))).toMatch(/not in the signed tree/);
  });

  it('if it is cut, huge, of another version, or nested deeply, by one sentence', async () => {
    const bad: Record<string, string> = {
      cut: text.slice(0, -1),
      empty: '',
      version: text.replace('botledger-proof/v1', 'botledger-proof/v2'),
      nested: '['.repeat(1_000_000) + ']'.repeat(1_000_000),
      'nested within': JSON.stringify(file).replace(
        '"causes":[]',
        `"causes":[${'['.repeat(50_000)}${']'.repeat(50_000)}]`,
      ),
      types: JSON.stringify({ ...file, map: { ...file.map, steps: [null] } }),
      array: '[]',
    };
    for (const [kind, changed] of Object.entries(bad)) {
      const problem = await problemOf(changed);
      expect(problem, kind).not.toBe('valid');
      expect(problem, kind).toMatch(/^[^\n]{10,200}$/);
    }
    expect(await problemOf(' '.repeat(257 * 1024 * 1024))).toMatch(/larger than/);
    const path = join(proofs.folder, 'cut.json');
    await writeFile(path, bad['cut']!);
    await expect(run('node', [join(ROOT, 'bin/verify.mjs'), `${path}.missing`])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^not checked: ENOENT/),
    });
    await expect(run('node', [join(ROOT, 'bin/verify.mjs'), path])).rejects.toMatchObject({
      code: 1,
      stderr: 'NOT VALID: the file is no JSON: it was cut, or is no proof\n',
    });
  });
});
