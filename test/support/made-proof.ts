import { mapPartOf, mapRoot } from '../../src/proof/account-map.ts';
import { type CheckpointKeys, newCheckpointKeys, parseCheckpointKeys } from '../../src/proof/checkpoint-keys.ts';
import { checkpointText, tlogProof } from '../../src/proof/checkpoint-text.ts';
import { leafOf } from '../../src/proof/leaf.ts';
import { leafHash, sha256 } from '../../src/proof/merkle-tree.ts';
import { outputEntryText } from '../../src/proof/output-entry.ts';
import { type NoteSigner, signNote } from '../../src/proof/signed-note.ts';
import { systemSources } from '../../src/util/system-sources.ts';

/** The parts of a proof file that a log with its own key may choose. */
export interface MadeProof {
  /** Of the account's one commit. */
  readonly events: readonly object[];
  /** Of the commit: its stored text. */
  readonly commit?: object;
  /** Of the checkpoint, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** Up to when the verifier folds. */
  readonly until?: number | null;
  readonly witnesses?: readonly NoteSigner[];
  readonly policy?: string;
  readonly size?: string;
}

const keys = parseCheckpointKeys(newCheckpointKeys('ledger.test/log', systemSources.randomBytes)) as CheckpointKeys;

/** A proof file of an account with one commit, signed by its own keys, as the owner of any log can make it. */
export function makeProof({ events, commit, at, until = null, witnesses = [], policy, size = '1' }: MadeProof): string {
  const { vrf, signers, origin } = keys;
  const stream = 'account-demo/42';
  const body = JSON.stringify({ id: 'c1', stream, rev: 1, prev: '', at: 1000, events, ...commit });
  const key = vrf.output(stream).subarray(0, 32);
  const entry = outputEntryText({
    at,
    vrfKey: vrf.publicKey,
    map: { accounts: 1, root: mapRoot([mapPartOf({ key, revision: 1, leaves: 1 })]) },
    trees: [{ size: 1, root: leafHash(leafOf(key, 1, sha256(body))) }],
  });
  const text = checkpointText({ origin, size: 1, root: leafHash(Buffer.from(entry)) }).replace('\n1\n', `\n${size}\n`);
  const cosignatures = witnesses.map((witness) => witness.signatureLine(text, 1000)).join('');
  return JSON.stringify({
    format: 'botledger-proof/v1',
    stream,
    at: until,
    policy: policy ?? `log ${signers[0]!.verifierKey}\nquorum none\n`,
    vrf: Buffer.from(vrf.prove(stream)).toString('base64'),
    entry,
    checkpoint: tlogProof(0, [], signNote(text, signers) + cosignatures),
    map: { revision: 1, leaves: 1, steps: [] },
    tree: 0,
    commits: [{ index: 0, body, path: [] }],
    causes: [],
    hashes: [],
  });
}

/** The events of a reward that may be paid from `until` on. */
export function reward(until: number, changes: object = {}): object[] {
  const event = { commit_id: 'e1', index: 0, received: 900 };
  const data = { accrual_id: 1, amount: '5', unit_id: 1, available_at: until, event, rule_id: 1, at: 1000, ...changes };
  const locked = { rule_id: 1, amount: '5', percent: null, at: 1000, source: 'auto' };
  return [
    { type: 'reward_rate_locked', v: 1, data: locked },
    { type: 'reward_accrued', v: 1, data: { ...data, rate: { amount: '5', percent: null } } },
  ];
}
