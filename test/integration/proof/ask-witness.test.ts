import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askWitness, type WitnessAnswer } from '../../../src/administration/proof/ask-witness.ts';
import { parsePolicy, type WitnessPolicy } from '../../../src/proof/witness-policy.ts';
import { type GrowingLog, growingLog } from '../../support/growing-log.ts';
import { startTestWitness, type TestWitness } from '../../support/test-witness.ts';

const log = growingLog();
/** The same log with another history after 20 entries. */
const fork = growingLog(20);
const { signal } = new AbortController();
let alpha: TestWitness;
let beta: TestWitness;

beforeEach(async () => {
  alpha = await startTestWitness('alpha', { signers: [log.signer] });
  beta = await startTestWitness('beta', { signers: [log.signer] });
});
afterEach(() => Promise.all([alpha.stop(), beta.stop()]));

async function ask(policyLine: string, size: number, oldSize = 0, of: GrowingLog = log): Promise<WitnessAnswer> {
  const policy = parsePolicy(`${policyLine}\nquorum none\n`) as WitnessPolicy;
  const asked = { size, note: await of.checkpoint(size), consistency: of.consistency };
  return askWitness(policy.witnesses[0]!, asked, oldSize, signal);
}

const cosigned = expect.objectContaining({ type: 'cosigned' });
const contradicts = (error: string) => ({ type: 'contradicts', error });

describe('a witness is asked', () => {
  it('from the size that it answers with 409, if that is not the size that was thought', async () => {
    expect(await ask(alpha.policyLine, 30)).toEqual(cosigned);
    expect(await ask(alpha.policyLine, 300, 0)).toEqual(cosigned);
    expect(await ask(alpha.policyLine, 300, 30)).toEqual(cosigned);
    expect(await ask(alpha.policyLine, 700, 300)).toEqual(cosigned);
  });

  it('again after it was away, and has kept what it saw', async () => {
    await ask(alpha.policyLine, 30);
    await alpha.kill();
    expect(await ask(alpha.policyLine, 31)).toEqual({ type: 'failed', error: 'the call failed: ECONNREFUSED' });
    await alpha.start();
    expect(await ask(alpha.policyLine, 29)).toEqual(
      contradicts('it has seen 30 checkpoints of this log, and the log has 29'),
    );
  });
});

describe('two histories of a log', () => {
  it('shown to one witness are found, and the second gets no cosignature', async () => {
    expect(await ask(alpha.policyLine, 30)).toEqual(cosigned);
    const refused = contradicts('it refuses: its tree of 30 entries is no beginning of this log');
    expect(await ask(alpha.policyLine, 40, 0, fork)).toEqual(refused);
    expect(await ask(alpha.policyLine, 30, 30, fork)).toEqual(contradicts('it has seen another tree of 30 entries'));
    expect(alpha.lines.filter((line) => line.startsWith('REFUSED, perhaps a fork'))).toHaveLength(2);
  });

  it('shown to two witnesses get no quorum of both', async () => {
    expect([await ask(alpha.policyLine, 30), await ask(beta.policyLine, 30, 0, fork)]).toEqual([cosigned, cosigned]);
    expect((await ask(alpha.policyLine, 30, 0, fork)).type).toBe('contradicts');
    expect((await ask(beta.policyLine, 30)).type).toBe('contradicts');
    expect((await ask(beta.policyLine, 50)).type).toBe('contradicts');
    expect(await ask(beta.policyLine, 50, 0, fork)).toEqual(cosigned);
  });

  it('are not told apart before they differ', async () => {
    expect(await ask(alpha.policyLine, 20)).toEqual(cosigned);
    expect(await ask(alpha.policyLine, 40, 0, fork)).toEqual(cosigned);
  });
});

it('an old checkpoint is not cosigned as a new one', async () => {
  await ask(alpha.policyLine, 30);
  expect((await ask(alpha.policyLine, 25)).type).toBe('contradicts');
});

describe('an answer that is none', () => {
  let server: Server | null = null;
  afterEach(() => server?.close());

  async function answering(listener: RequestListener): Promise<WitnessAnswer> {
    server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server!.once('listening', resolve));
    const [, , key] = alpha.policyLine.split(' ');
    return ask(`witness gamma ${key} http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`, 30);
  }

  it.each<[string, RequestListener, RegExp]>([
    ['a cosignature of another witness', (_, response) => response.end('— x AAAAAAAA\n'), /no valid cosignature/],
    ['empty', (_, response) => response.end(), /no valid cosignature/],
    ['of an unknown log', (_, response) => response.writeHead(404).end(), /does not know this log/],
    ['of an unknown key', (_, response) => response.writeHead(403).end(), /does not know a key/],
    ['an error', (_, response) => response.writeHead(500).end('oops\n'), /^it answered 500: oops$/],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end(), /^it answered 302/],
    ['a conflict without a size', (_, response) => response.writeHead(409).end('no'), /^it answered 409: no$/],
    ['endless', (_, response) => response.end('x'.repeat(100_000)), /longer than/],
    ['broken', (_, response) => response.destroy(), /^the call failed/],
  ])('is a failure with its reason: %s', async (_, listener, reason) => {
    expect(await answering(listener)).toEqual({ type: 'failed', error: expect.stringMatching(reason) });
  });

  it('is a failure if the size changes at each request', async () => {
    let size = 1;
    const answer = await answering((_, response) => response.writeHead(409).end(`${size++}\n`));
    expect(answer).toEqual({ type: 'failed', error: expect.stringMatching(/another client/) });
    expect(size).toBe(4);
  });

  it('comes to the address of the policy', async () => {
    let path: string | undefined;
    await answering((request, response) => {
      path = request.url;
      response.end();
    });
    expect(path).toBe('/prefix/add-checkpoint');
  });
});
