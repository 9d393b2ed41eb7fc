import { describe, expect, it } from 'vitest';
import { addCheckpointText, decideCosigning, parseAddCheckpoint } from '../../../src/proof/add-checkpoint.ts';
import { type Checkpoint, checkpointText, parseCheckpoint } from '../../../src/proof/checkpoint-text.ts';
import {
  cosignatureTime,
  parseNote,
  parseSigner,
  parseVerifier,
  privateKeyText,
  signatureBy,
  signNote,
} from '../../../src/proof/signed-note.ts';
import { parsePolicy, type WitnessPolicy } from '../../../src/proof/witness-policy.ts';
import { growingLog } from '../../support/growing-log.ts';

const bytes = (fill: number): Buffer => Buffer.alloc(32, fill);
const witnessOf = (fill: number) =>
  parseSigner(privateKeyText(`witness.test/${fill}`, bytes(fill), 'witness'), 'witness')!;

describe('a cosignature', () => {
  /** Made by filippo.io/torchwood v0.6.1, with the seed of 32 bytes 7. */
  const KEY = 'witness.example/w1+aa4a09d1+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs';
  const TEXT = checkpointText({ origin: 'log.example/log', size: 17, root: bytes(3) });
  const LINE =
    '— witness.example/w1 qkoJ0QAAAABrCR6yiByVK8AZ6s3PjGM5L4wkh7OCUzquX8Jzuo1Mx81eBXQEkLOHI6UDks14vk/gjoGBjHg6qSiMt+Ju1A4b2YOGBQ==\n';

  it('is byte for byte the cosignature of torchwood', () => {
    const note = parseNote(`${TEXT}\n${LINE}`)!;
    const found = signatureBy(note, parseVerifier(KEY, 'witness')!)!;
    const signer = parseSigner(privateKeyText('witness.example/w1', bytes(7), 'witness'), 'witness')!;
    expect(signer.verifierKey).toBe(KEY);
    expect(signer.signatureLine(TEXT, cosignatureTime(found))).toBe(LINE);
    expect(signer.signatureLine(TEXT, cosignatureTime(found) + 1)).not.toBe(LINE);
  });

  it('is of its time, text and key, and no signature of a log', () => {
    const verifier = parseVerifier(KEY, 'witness')!;
    const { signature, ...rest } = parseNote(`${TEXT}\n${LINE}`)!.signatures[0]!;
    const changed = Buffer.from(signature);
    changed[7]! ^= 1;
    const noteOf = (text: string, bytesOf: Buffer) => ({ text, signatures: [{ ...rest, signature: bytesOf }] });
    expect(signatureBy(noteOf(TEXT, signature), verifier)).toBeDefined();
    expect(signatureBy(noteOf(TEXT, changed), verifier)).toBeUndefined();
    expect(signatureBy(noteOf(`${TEXT}x\n`, signature), verifier)).toBeUndefined();
    expect(signatureBy(noteOf(TEXT, signature.subarray(8)), verifier)).toBeUndefined();
    expect(parseVerifier(KEY)).toBeNull();
    expect(parseSigner(privateKeyText('a', bytes(1)), 'witness')).toBeNull();
  });
});

describe('a policy', () => {
  const log = growingLog().signer.verifierKey;
  const key = (fill: number) => witnessOf(fill).verifierKey;
  const lines = [
    `log ${log} https://log.test`,
    '  # a comment',
    '',
    `witness A ${key(2)} https://a.test/w/`,
    `\twitness B\t${key(3)}`,
    `witness C ${key(4)} http://127.0.0.1:1/`,
    'group two 2 A B',
    'group all all two C',
    'quorum all',
  ];

  it('has its logs, witnesses with their addresses, and a quorum of groups', () => {
    const policy = parsePolicy(`${lines.join('\n')}\n`) as WitnessPolicy;
    expect(policy.logs).toEqual([log]);
    expect(policy.witnesses.map(({ name, url }) => [name, url])).toEqual([
      ['A', 'https://a.test/w'],
      ['B', null],
      ['C', 'http://127.0.0.1:1'],
    ]);
    const isQuorum = (...names: string[]) => policy.isQuorum!(new Set(names));
    expect([isQuorum('A', 'B', 'C'), isQuorum('A', 'B'), isQuorum('A', 'C'), isQuorum('two', 'C')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const some = parsePolicy([...lines.slice(0, 6), 'group some any A B C', 'quorum some'].join('\n')) as WitnessPolicy;
    expect([some.isQuorum!(new Set(['C'])), some.isQuorum!(new Set())]).toEqual([true, false]);
    expect(parsePolicy('quorum none\n')).toMatchObject({ logs: [], witnesses: [], isQuorum: null });
  });

  it.each([
    ['witnesses A', /^line 1: must begin with log, witness, group or quorum, not witnesses/],
    [`log ${key(2)}`, /^line 1: the verifier key of a log must be of Ed25519/],
    ['log', /^line 1: must be log/],
    [`log ${log}\nlog ${log}`, /^line 2: another log has the same key/],
    [`witness A ${log}`, /^line 1: the verifier key of a witness must be of Ed25519 cosignatures/],
    ['witness A', /^line 1: must be witness/],
    [`witness A ${key(2)}\nwitness B ${key(2)}`, /^line 2: another witness has the same key/],
    [`witness A ${key(2)}\nwitness A ${key(3)}`, /^line 2: there is a witness or group A already/],
    [`witness none ${key(2)}`, /^line 1: the name none/],
    [`witness A ${key(2)} ftp://a`, /^line 1: the address of a witness/],
    ['group g any A', /^line 1: no line above defines A/],
    ['group g constructor', /^line 1: must be group/],
    [`witness A ${key(2)}\ngroup g constructor A`, /^line 2: the number of needed members/],
    [`witness A ${key(2)}\ngroup g 2 A`, /^line 2: the number of needed members must be any, all, or 1 to 1/],
    [`witness A ${key(2)}\ngroup g 0 A`, /^line 2: the number of needed members/],
    [`witness A ${key(2)}\ngroup g any A A`, /^line 2: A is a member already/],
    [`witness A ${key(2)}\ngroup g any A\ngroup h any A`, /^line 3: A is a member already/],
    ['quorum', /^line 1: must be quorum/],
    ['quorum x', /^line 1: no line above defines x/],
    ['quorum none\nquorum none', /^line 2: there is a line quorum already/],
    ['quorum none\r', /^line 1: it has a control character/],
    ['# nothing', /^it has no line quorum/],
  ])('with an error says in which line: %j', (text, problem) => {
    expect(parsePolicy(text)).toMatch(problem);
  });
});

describe('a witness', () => {
  const log = growingLog();
  const keys = [parseVerifier(log.signer.verifierKey)!];
  const seen = async (size: number): Promise<Checkpoint> =>
    parseCheckpoint(parseNote(await log.checkpoint(size))!.text)!;
  const decide = async (body: string, size = 0) => {
    const before = size === 0 ? null : await seen(size);
    return decideCosigning(body, keys, () => before);
  };

  it('reads a request as it was written, and no other', async () => {
    const body = await log.request(5, 300);
    const parsed = parseAddCheckpoint(body)!;
    expect(addCheckpointText(parsed)).toBe(body);
    expect(parsed).toMatchObject({ oldSize: 5 });
    const hash = `${bytes(1).toString('base64')}\n`;
    for (const wrong of ['', 'old 1', 'old 01\n\nx', 'old -1\n\nx', 'old 1\nx\n\nx', `old 1\n${hash.repeat(64)}\nx`])
      expect(parseAddCheckpoint(wrong), wrong.slice(0, 20)).toBeNull();
    expect(parseAddCheckpoint(`old 1\n${hash.repeat(63)}\nx`)?.proof).toHaveLength(63);
  });

  it('cosigns each tree that begins with the tree that it saw last, also the same tree', async () => {
    for (const [from, to] of [
      [0, 1],
      [1, 1],
      [1, 2],
      [2, 300],
      [255, 256],
      [256, 700],
      [700, 700],
    ] as const)
      expect(await decide(await log.request(from, to), from), `${from} to ${to}`).toMatchObject({
        status: 200,
        checkpoint: { size: to },
      });
  });

  it('says which tree it saw last, and cosigns no earlier tree', async () => {
    expect(await decide(await log.request(0, 9), 7)).toEqual({ status: 409, size: 7, isFork: false });
    expect(await decide(await log.request(5, 6), 7)).toEqual({ status: 409, size: 7, isFork: false });
    const old = await log.checkpoint(6);
    expect(await decide(addCheckpointText({ oldSize: 7, proof: [], note: old }), 7)).toMatchObject({ status: 400 });
  });

  it('refuses a fork', async () => {
    const fork = growingLog(4);
    expect(await decide(await fork.request(7, 20), 7)).toMatchObject({ status: 422 });
    expect(await decide(await fork.request(7, 7), 7)).toEqual({ status: 409, size: 7, isFork: true });
    expect(await decide(await fork.request(3, 20), 3), 'before the fork').toMatchObject({ status: 200 });
    const unproven = addCheckpointText({ oldSize: 0, proof: [bytes(1)], note: await log.checkpoint(3) });
    expect(await decide(unproven)).toMatchObject({ status: 422 });
  });

  it('refuses unknown logs, keys and texts', async () => {
    expect(await decide(await growingLog(9, 'other.test/log').request(0, 1))).toMatchObject({ status: 404 });
    const stranger = parseSigner(privateKeyText('log.test/log', bytes(9)))!;
    const text = checkpointText(await seen(3));
    const ask = (note: string) => decide(addCheckpointText({ oldSize: 0, proof: [], note }));
    expect(await ask(signNote(text, [stranger]))).toMatchObject({ status: 403 });
    expect(await ask(signNote(text, [stranger, log.signer]))).toMatchObject({ status: 200 });
    expect(await ask(signNote(`${text}extension\n`, [log.signer]))).toMatchObject({ status: 400 });
    expect(await decide('old 0')).toMatchObject({ status: 400 });
  });
});
