/**
 * Checks a proof file of a referrer's account, without the service and without any other code. In Node: `node verify.mjs FILE [--log-key KEY] [--policy FILE]`.
 * In a browser: `verify(text)`. The formats are in docs/decisions.md (Proofs); hashes and signatures are those of RFC 6962, RFC 8032, RFC 9381 and
 * C2SP (signed-note, tlog-checkpoint, tlog-cosignature, tlog-proof, tlog-policy). A check that fails throws a ProofError with one sentence.
 */

const MAX_FILE = 256 * 1024 * 1024;
const NODE = globalThis.process?.versions?.node === undefined ? null : await import('node:crypto');

export class ProofError extends Error {
  name = 'ProofError';
}

/** A text of the file, without letters that would move or hide what a terminal shows. */
const plain = (text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

export function check(holds, sentence) {
  if (!holds) throw new ProofError(plain(sentence));
}

const utf8 = (text) => new TextEncoder().encode(text);
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const hex = (bytes) => bytes.reduce((text, byte) => text + HEX[byte], '');
const same = (one, other) => one.length === other.length && one.every((byte, i) => byte === other[i]);

function bytesOf(text, length, name) {
  check(typeof text === 'string' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text), `${name} is not in base64`);
  const letters = atob(text);
  check(btoa(letters) === text, `${name} is not in base64`);
  const bytes = new Uint8Array(letters.length).map((_, i) => letters.charCodeAt(i));
  check(length === null || bytes.length === length, `${name} has ${bytes.length} bytes instead of ${length}`);
  return bytes;
}

const bigEndian = (value, size) => Uint8Array.from({ length: size }, (_, i) => Number((BigInt(value) >> BigInt(8 * (size - 1 - i))) & 255n));
const littleEndian = (bytes) => BigInt(`0x0${hex(Uint8Array.from(bytes).reverse())}`);
/** The hash of the parts, one after the other. */
async function hashOf(name, parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  for (let i = 0, at = 0; i < parts.length; at += parts[i++].length) bytes.set(parts[i], at);
  return new Uint8Array(NODE === null ? await crypto.subtle.digest(name, bytes) : NODE.hash(name, bytes, 'buffer'));
}

const sha256 = (...parts) => hashOf('SHA-256', parts);
const sha512 = (...parts) => hashOf('SHA-512', parts);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const date = (ms) => new Date(ms).toISOString();
const half = (value) => Math.floor(value / 2);

/** Checks that a tree has the entry of these parts at the index, by the hashes of the siblings from the leaf up (RFC 9162, 2.1.3.2). */
async function checkInclusion(parts, { index, size, root, siblings }, name) {
  check(isCount(index) && isCount(size) && index < size, `${name} is not a leaf of a tree of ${size}`);
  let [own, last, hash] = [index, size - 1, await sha256([0], ...parts)];
  for (const sibling of siblings) {
    check(last > 0, `the proof of ${name} is too long`);
    const isRight = own % 2 === 1 || own === last;
    hash = isRight ? await sha256([1], sibling, hash) : await sha256([1], hash, sibling);
    while (isRight && own % 2 === 0 && own !== 0) [own, last] = [half(own), half(last)];
    [own, last] = [half(own), half(last)];
  }
  check(last === 0 && same(hash, root), `${name} is not in the signed tree: it was changed, or is at another place`);
}

async function checkMap(key, { revision, leaves, steps }, root) {
  let hash = await sha256([0], key, bigEndian(revision, 8), bigEndian(leaves, 8));
  let below = 256;
  for (const { depth, sibling } of steps) {
    check(isCount(depth) && depth < below, 'the proof of the map of accounts has its steps in a wrong order');
    const bit = (key[depth >> 3] >> (7 - (depth & 7))) & 1;
    hash = await sha256([1], bigEndian(depth, 2), ...(bit === 0 ? [hash, sibling] : [sibling, hash]));
    below = depth;
  }
  check(same(hash, root), 'the signed map of accounts has another last revision of this account');
}

// Points of Ed25519 are arrays [X, Y, Z, T].
const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (value) => ((value % P) + P) % P;
/** The unit of a group, combined so often with the element. */
function repeat(combine, unit, element, count) {
  let [result, doubled] = [unit, element];
  for (let rest = count; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = combine(result, doubled);
    doubled = combine(doubled, doubled);
  }
  return result;
}

const power = (base, exponent) => repeat((one, other) => (one * other) % P, 1n, mod(base), exponent);
const D = mod(-121665n * power(121666n, P - 2n));
const ZERO = [0n, 1n, 1n, 0n];
const minus = ([x, y, z, t]) => [mod(-x), y, z, mod(-t)];
function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const [a, b] = [mod((y1 - x1) * (y2 - x2)), mod((y1 + x1) * (y2 + x2))];
  const [c, d] = [mod(2n * t1 * t2 * D), mod(2n * z1 * z2)];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

const times = (point, factor) => repeat(add, ZERO, point, factor);
function pointBytes([x, y, z]) {
  const inverse = power(z, P - 2n);
  const bytes = bigEndian(mod(y * inverse), 32).reverse();
  bytes[31] |= Number(mod(x * inverse) & 1n) << 7;
  return bytes;
}

/** RFC 8032, 5.1.3; null: the bytes are no point. */
function decodePoint(bytes) {
  const copy = Uint8Array.from(bytes);
  const sign = copy[31] >> 7;
  copy[31] &= 127;
  const y = littleEndian(copy);
  if (y >= P) return null;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  let x = mod(u * v ** 3n * power(u * v ** 7n, (P - 5n) / 8n));
  if (mod(v * x * x) === mod(-u)) x = mod(x * power(2n, (P - 1n) / 4n));
  if (mod(v * x * x) !== u || (x === 0n && sign === 1)) return null;
  if (Number(x & 1n) !== sign) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

const BASE = decodePoint(bigEndian(mod(4n * power(5n, P - 2n)), 32).reverse());

async function isSignature(publicKey, message, signature) {
  const [key, s] = [decodePoint(publicKey), littleEndian(signature.subarray(32))];
  if (signature.length !== 64 || key === null || s >= ORDER) return false;
  const k = littleEndian(await sha512(signature.subarray(0, 32), publicKey, message)) % ORDER;
  return same(pointBytes(add(times(BASE, s), minus(times(key, k)))), signature.subarray(0, 32));
}

/** The output of ECVRF-EDWARDS25519-SHA512-TAI (RFC 9381); null: the proof is wrong. */
async function vrfOutput(publicKey, alpha, proof) {
  const [key, gamma] = [decodePoint(publicKey), decodePoint(proof.subarray(0, 32))];
  const [challenge, s] = [proof.subarray(32, 48), littleEndian(proof.subarray(48))];
  if (key === null || gamma === null || s >= ORDER || same(pointBytes(times(key, 8n)), pointBytes(ZERO))) return null;
  let point = null;
  for (let counter = 0; point === null && counter < 256; counter++) {
    const decoded = decodePoint((await sha512([3, 1], publicKey, alpha, [counter, 0])).subarray(0, 32));
    if (decoded !== null) point = times(decoded, 8n);
  }
  const c = littleEndian(challenge);
  const u = add(times(BASE, s), minus(times(key, c)));
  const v = add(times(point, s), minus(times(gamma, c)));
  const points = [point, gamma, u, v].map(pointBytes);
  const expected = (await sha512([3, 2], publicKey, ...points, [0])).subarray(0, 16);
  return same(expected, challenge) ? sha512([3, 3], pointBytes(times(gamma, 8n)), [0]) : null;
}

export async function verifierOf(text) {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  check(name !== undefined, `"${String(text).slice(0, 80)}" is no verifier key`);
  const bytes = bytesOf(encoded, 33, 'a verifier key');
  const keyId = (await sha256(utf8(`${name}\n`), bytes)).subarray(0, 4);
  check(hex(keyId) === id && (bytes[0] === 1 || bytes[0] === 4), `the verifier key of ${name} is not whole`);
  return { text, name, keyId, type: bytes[0], key: bytes.subarray(1) };
}

export function parseNote(note) {
  const end = note.lastIndexOf('\n\n');
  check(end > 0 && note.endsWith('\n'), 'the checkpoint is no signed note');
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map((line) => {
    const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    check(name !== undefined, 'the checkpoint is no signed note');
    const bytes = bytesOf(encoded, null, 'a signature');
    return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
  });
  return { text: note.slice(0, end + 1), signatures };
}

/** When the verifier's key signed the note, in seconds; a log says no time: 0. Null: it did not sign. A witness signs a line with the time before it. */
export async function signedAt({ text, signatures }, { name, keyId, type, key }) {
  const own = signatures.find((signature) => signature.name === name && same(signature.keyId, keyId));
  if (own === undefined) return null;
  const time = type === 1 ? 0n : littleEndian(own.signature.slice(0, 8).reverse());
  const signed = type === 1 ? text : `cosignature/v1\ntime ${time}\n${text}`;
  check(await isSignature(key, utf8(signed), own.signature.subarray(type === 1 ? 0 : 8)), `the signature of ${name} is wrong`);
  return Number(time);
}

/** The logs of a policy, whether its quorum has cosigned the note, and which witnesses have, and when. */
async function readPolicy(policy, note) {
  const [logs, witnesses, members, used] = [[], [], new Map(), new Set(['name none'])];
  const once = (each) => check(!used.has(each) && used.add(each), `the policy has the ${each} twice`);
  let quorum;
  for (const line of policy.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [word, name, ...rest] = line.split(/[ \t]+/);
    check(/^(log|witness|group|quorum)$/.test(word), 'the policy has a line of an unknown kind');
    if (word !== 'log') once(word === 'quorum' ? word : `name ${name}`);
    if (word === 'log') logs.push(await verifierOf(name));
    else if (word === 'witness') {
      const verifier = await verifierOf(rest[0]);
      check(verifier.type === 4, `the policy's witness ${name} has a key of another kind`);
      once(`key ${hex(verifier.key)}`);
      const at = await signedAt(note, verifier);
      members.set(name, at !== null);
      if (at !== null) witnesses.push(`${name} at ${date(at * 1000)}`);
    } else if (word === 'group') {
      const names = rest.slice(1);
      for (const each of names) once(`member ${each}`);
      const needed = rest[0] === 'any' ? 1 : rest[0] === 'all' ? names.length : Number(rest[0]);
      check(needed > 0 && needed <= names.length && names.every((each) => members.has(each)), `the policy's group ${name} is wrong`);
      members.set(name, names.filter((each) => members.get(each)).length >= needed);
    } else quorum = name === 'none' || members.get(name);
  }
  check(quorum !== undefined, 'the policy has no quorum of its witnesses and groups');
  return { logs, witnesses, quorum };
}

/** Checks the signatures by the file's own policy, and by what the reader trusts: a log's key, a policy. */
async function checkSignatures(note, own, { logKey, policy }) {
  const policies = [await readPolicy(policy ?? own, note), await readPolicy(own, note)];
  const trusted = logKey === undefined ? (policies.find(({ logs }) => logs.length > 0)?.logs ?? []) : [await verifierOf(logKey)];
  const keys = [];
  for (const log of trusted) if (log.name === note.text.split('\n')[0] && (await signedAt(note, log)) !== null) keys.push(log.text);
  const texts = (logs) => logs.map(({ text }) => text).join(' or ') || 'none';
  check(keys.length > 0, `the checkpoint is not signed by the expected key ${texts(trusted)}; the file names ${texts(policies[1].logs)}`);
  for (const { quorum } of policies) check(quorum, 'the checkpoint lacks cosignatures that the policy asks for');
  return { key: keys[0], witnesses: policies[0].witnesses, hasPolicy: policy !== undefined };
}

const SCALE = 10n ** 40n;
function decimal(text) {
  const [, sign, whole, digits = ''] = /^(-?)(\d{1,60})(?:\.(\d{1,40}))?$/.exec(text) ?? [];
  check(whole !== undefined, `"${String(text).slice(0, 80)}" is no amount`);
  const value = BigInt(whole) * SCALE + BigInt(digits.padEnd(40, '0'));
  return sign === '-' ? -value : value;
}

function shown(value) {
  const size = value < 0n ? -value : value;
  const digits = `${(size % SCALE) + SCALE}`.slice(1).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${size / SCALE}${digits === '' ? '' : `.${digits}`}`;
}

/** The state of a payout after each step. */
const STATES = 'attempted:open, attempt_failed:attempt failed, accepted:accepted, paid:paid, failed:failed, retried:new, cancelled:cancelled';
const STATE_AFTER = new Map(STATES.split(', ').map((step) => `payout_${step}`.split(':')));

/** Whether a payout allows an event. */
function allows({ method, state, attempts, unsent }, type, { attempt, by, forced }) {
  const isOnItsWay = state === 'open' || state === 'attempt failed';
  const isDue = method === 'webhook' && (state === 'new' || isOnItsWay);
  if (type === 'payout_attempted') return isDue && attempt === attempts + 1;
  if (type === 'payout_attempt_failed' || type === 'payout_accepted') return state === 'open' && attempt === attempts;
  if (type === 'payout_failed') return by === 'admin' ? state === 'accepted' : isDue;
  if (type === 'payout_retried') return state === 'failed' || state === 'attempt failed' || (method === 'webhook' && state === 'new');
  if (type === 'payout_cancelled') return (state === 'new' || state === 'failed') && forced === attempts > unsent;
  return state === 'accepted' || (by === 'admin' ? method === 'manual' && state === 'new' : isOnItsWay);
}

/** Follows the events of an account and checks the rules of an auditor. */
class Account {
  clock = 0;
  history = [];
  units = new Map();
  accruals = new Map();
  payouts = new Map();
  decided = new Set();
  rates = new Map();

  unit(id) {
    if (!this.units.has(id)) this.units.set(id, { total: 0n, reserved: 0n, paid: 0n, unclaimed: [] });
    return this.units.get(id);
  }

  balance({ total, reserved, paid, unclaimed }, at) {
    let held = 0n;
    for (const { until, state, amount } of unclaimed) if (until > at && state !== 'cancelled') held += amount;
    return { available: total - held - reserved - paid, reserved, paid, on_hold: held };
  }

  take(revision, { type, v, data }) {
    const rule = (holds, sentence) => check(holds, `revision ${revision} breaks a rule of accounts: ${sentence}`);
    rule(Number.isSafeInteger(data.at) && data.at >= this.clock, 'its time is before the time of the last decision');
    this.clock = data.at;
    rule(!/"(?!commit_id)(\w+_id|index)":(?!\d+[,}]|null)/.test(JSON.stringify(data)), 'an id or index is no whole number');
    const row = (more) => this.history.push({ revision, at: data.at, type, ...more });
    if (type === 'reward_accrued') row(this.accrue(data, rule));
    else if (type === 'reward_refused') this.decide(data, rule);
    else if (type === 'reward_rate_locked') {
      rule(data.source !== 'auto' || !this.rates.has(data.rule_id), `rule ${data.rule_id} has a locked rate already`);
      this.rates.set(data.rule_id, `${data.rate?.amount ?? data.amount} ${data.percent}`);
    } else if (type === 'accrual_reversed') row(this.reverse(data, rule));
    else if (type === 'payout_requested') for (const each of data.payouts) row(this.request(data, each, rule));
    else row(this.step(type, v === 1 && type === 'payout_attempt_failed' ? { ...data, sent: true } : data, rule));
  }

  decide({ rule_id, event }, rule) {
    rule(/^[\w-]{1,100}$/.test(event.commit_id), 'its event has no commit');
    const pair = `${rule_id} ${event.commit_id} ${event.index}`;
    rule(!this.decided.has(pair), `rule ${rule_id} has decided on the event already`);
    this.decided.add(pair);
  }

  accrue({ accrual_id, amount, unit_id, available_at, rate, event, rule_id }, rule) {
    this.decide({ rule_id, event }, rule);
    rule(!this.accruals.has(accrual_id), `accrual ${accrual_id} exists already`);
    rule(decimal(amount) > 0n, `accrual ${accrual_id} is of ${amount}`);
    rule(available_at >= event.received, `accrual ${accrual_id} is available before it was earned`);
    rule(this.rates.get(rule_id) === `${rate.amount} ${rate.percent}`, `accrual ${accrual_id} has another rate than is locked`);
    rule(rate.amount === null || rate.amount === amount, `accrual ${accrual_id} is not of its rate`);
    this.add(accrual_id, { amount: decimal(amount), unit_id, until: available_at, compensates: false });
    return { accrual_id, unit_id, amount, event };
  }

  add(id, accrual) {
    const unit = this.unit(accrual.unit_id);
    const added = { ...accrual, state: 'live', payout: null };
    this.accruals.set(id, added);
    unit.unclaimed.push(added);
    unit.total += accrual.amount;
  }

  request({ at, method }, { payout_id, amount, unit_id }, rule) {
    const unit = this.unit(unit_id);
    const { available } = this.balance(unit, at);
    rule(!this.payouts.has(payout_id), `payout ${payout_id} exists already`);
    rule(available === decimal(amount) && available > 0n, `payout ${payout_id} is of ${amount}, and ${shown(available)} was available`);
    for (const each of unit.unclaimed) if (each.until <= at && each.state !== 'cancelled') each.payout = payout_id;
    const claimed = unit.unclaimed.filter(({ payout }) => payout === payout_id);
    unit.unclaimed = unit.unclaimed.filter(({ payout }) => payout === null);
    unit.reserved += available;
    this.payouts.set(payout_id, { unit_id, unit, amount, method, claimed, state: 'new', attempts: 0, unsent: 0 });
    return { payout_id, unit_id, amount };
  }

  step(type, data, rule) {
    const payout = this.payouts.get(data.payout_id);
    const after = STATE_AFTER.get(type);
    rule(after !== undefined, `its event ${String(type).slice(0, 80)} is of an unknown type`);
    rule(payout !== undefined, `there is no payout ${data.payout_id}`);
    rule(allows(payout, type, data), `${type} of payout ${data.payout_id}, which is ${payout.state}`);
    payout.state = after;
    if (type === 'payout_attempted') payout.attempts = data.attempt;
    if (type === 'payout_attempt_failed' && !data.sent) payout.unsent++;
    const { unit, unit_id, amount, claimed } = payout;
    if (payout.state === 'paid' || payout.state === 'cancelled') unit.reserved -= decimal(amount);
    if (payout.state === 'paid') unit.paid += decimal(amount);
    if (payout.state === 'cancelled') for (const each of claimed) unit.unclaimed.push(Object.assign(each, { payout: null }));
    return { payout_id: data.payout_id, unit_id, amount };
  }

  reverse({ accrual_id, compensation_id, at }, rule) {
    const accrual = this.accruals.get(accrual_id);
    rule(accrual !== undefined, `there is no accrual ${accrual_id} to reverse`);
    rule(accrual.state === 'live' && !accrual.compensates, `accrual ${accrual_id} is ${accrual.state} already`);
    const wasPaid = accrual.payout !== null && this.payouts.get(accrual.payout).state === 'paid';
    rule(wasPaid === (compensation_id !== null), `accrual ${accrual_id} was ${wasPaid ? '' : 'not '}paid`);
    const { amount, unit_id } = accrual;
    accrual.state = wasPaid ? 'reversed' : 'cancelled';
    if (!wasPaid) this.unit(unit_id).total -= amount;
    else {
      rule(!this.accruals.has(compensation_id), `accrual ${compensation_id} exists already`);
      this.add(compensation_id, { amount: -amount, unit_id, until: at, compensates: true });
    }
    return { accrual_id, compensation_id, unit_id, amount: shown(-amount) };
  }
}

function parseFile(text) {
  check(text.length <= MAX_FILE, `the file is larger than ${MAX_FILE} characters`);
  const file = ((given) => given?.data ?? given)(JSON.parse(text)); // the answer of the API has the file as its data
  check(file?.format === 'botledger-proof/v1', 'the file is not of the format botledger-proof/v1');
  for (const name of ['stream', 'policy', 'vrf', 'entry', 'checkpoint']) check(typeof file[name] === 'string', `the file lacks "${name}"`);
  for (const name of ['commits', 'causes', 'hashes']) check(Array.isArray(file[name]), `the file lacks "${name}"`);
  check(Array.isArray(file.map?.steps), 'the file lacks the proof of the map');
  check(/^account-[^\s/]+\/\d+$/.test(file.stream), `"${file.stream.slice(0, 80)}" is not the stream of an account`);
  check(isCount(file.map.revision) && file.map.leaves === file.map.revision, 'the map must have a leaf of each revision');
  check(file.at === null || isCount(file.at), 'the file has a wrong "at"');
  return file;
}

function parseEntry(text) {
  const [, time, vrf, root, trees] = /^botledger-output\/v1\ntime (\d{1,15})\nvrf (\S+)\nmap \d+ (\S+)\n((?:tree .+\n)*)$/.exec(text) ?? [];
  check(time !== undefined, 'the entry of the output log cannot be read');
  const lines = trees.split('\n').slice(0, -1);
  const parsed = lines.map((line, i) => {
    const [, number, size, encoded] = /^tree (\d+) (\d{1,15}) (\S+)$/.exec(line) ?? [];
    check(Number(number) === i, 'the entry of the output log cannot be read');
    return { size: Number(size), root: bytesOf(encoded, 32, "a tree's root") };
  });
  return { at: Number(time), vrfKey: bytesOf(vrf, 32, 'the VRF key'), mapRoot: bytesOf(root, 32, "the map's root"), trees: parsed };
}

/** The checkpoint, after a check that it has the entry as its last one. */
async function checkOutput({ checkpoint, entry, policy }, trust) {
  const end = checkpoint.indexOf('\n\n');
  const [first, index, ...siblings] = checkpoint.slice(0, end).split('\n');
  check(first === 'c2sp.org/tlog-proof@v1' && /^index \d{1,15}$/.test(index), 'the checkpoint is no tlog-proof');
  const note = parseNote(checkpoint.slice(end + 2));
  const signed = await checkSignatures(note, policy, trust);
  const [origin, size, root, ...rest] = note.text.split('\n');
  check(rest.join('\n') === '' && /^[1-9]\d{0,14}$/.test(size), 'the checkpoint is not a name, a size and a root');
  const place = { index: Number(index.slice(6)), size: Number(size), root: bytesOf(root, 32, "the log's root") };
  check(place.index === place.size - 1, 'the entry is not the last one of its checkpoint');
  await checkInclusion([utf8(entry)], { ...place, siblings: siblings.map((each) => bytesOf(each, 32, 'a hash')) }, 'the entry of the output log');
  return { ...signed, origin, size: place.size };
}

/** Checks commits against the tree of their partition. @returns their parsed texts */
async function checkCommits(file, commits, tree, keyOf) {
  const hashes = file.hashes.map((each) => bytesOf(each, 32, 'a hash'));
  const parsed = [];
  for (const [i, { index, body, path }] of commits.entries()) {
    const name = `commit ${i + 1}`;
    check(typeof body === 'string' && body.isWellFormed() && Array.isArray(path), `${name} has no text or no proof`);
    const siblings = path.map((at) => hashes[at]);
    check(!siblings.includes(undefined), `${name} names a hash that is missing`);
    const commit = JSON.parse(body);
    const digest = await sha256(utf8(body));
    const leaf = [keyOf(commit), bigEndian(commit.rev ?? 0, 8), digest];
    await checkInclusion(leaf, { index, ...tree, siblings }, name);
    parsed.push({ ...commit, hash: hex(digest) });
  }
  return parsed;
}

/** Checks the text of a proof file. @throws ProofError the first thing that is wrong */
export async function verify(text, trust = {}) {
  try {
    return await verifyFile(parseFile(text), trust);
  } catch (error) {
    if (error instanceof ProofError) throw error;
    const isJson = !(error instanceof SyntaxError); // if it is, a value in it has a wrong type
    throw new ProofError(isJson ? 'the file does not have the shape of a proof' : 'the file is no JSON: it was cut, or is no proof');
  }
}

async function verifyFile(file, trust) {
  const signed = await checkOutput(file, trust);
  const entry = parseEntry(file.entry);
  check(file.at === null || file.at <= entry.at, 'the file is about a time after the checkpoint');
  const output = await vrfOutput(entry.vrfKey, utf8(file.stream), bytesOf(file.vrf, 80, 'the VRF proof'));
  check(output !== null, 'the account key is not the key of this user');
  const key = output.subarray(0, 32);
  const steps = file.map.steps.map(([depth, sibling]) => ({ depth, sibling: bytesOf(sibling, 32, 'a hash') }));
  await checkMap(key, { ...file.map, steps }, entry.mapRoot);
  const tree = entry.trees[file.tree];
  check(tree !== undefined, 'the signed entry has no tree of the partition');
  const commits = await checkCommits(file, file.commits, tree, () => key);
  check(commits.length === file.map.revision, `the file has ${commits.length} commits, and the account ${file.map.revision}`);
  const causes = await checkCommits(file, file.causes, tree, () => new Uint8Array(32));
  const [shownEvents, missing] = [new Set(causes.map(({ id }) => id)), new Set(file.missing)];
  const account = new Account();
  let before = '';
  for (const [i, { stream, rev, prev, hash, at, events }] of commits.entries()) {
    const isNext = stream === file.stream && rev === i + 1 && isCount(at);
    check(isNext, `commit ${i + 1} is of another stream or revision, or has no time`);
    check(prev === before, `commit ${i + 1} does not continue the commit before it`);
    before = hash;
    if (file.at === null || at <= file.at) for (const event of events) account.take(rev, event);
  }
  const until = file.at ?? entry.at;
  const history = account.history.map((row) => ({ ...row, proven: shownEvents.has(row.event?.commit_id), missing: missing.has(row.event?.commit_id) }));
  const balances = [...account.units].map(([unit_id, unit]) => {
    const amounts = Object.entries(account.balance(unit, Math.max(until, account.clock)));
    return { unit_id, ...Object.fromEntries(amounts.map(([name, value]) => [name, shown(value)])) };
  });
  return { stream: file.stream, until, checkpointAt: entry.at, ...signed, commits: commits.length, balances, history };
}

/** The result as lines for a person. */
export function report({ stream, until, checkpointAt, origin, key, size, witnesses, hasPolicy, commits, balances, history }) {
  const rows = history.map(({ revision, at, type, accrual_id, payout_id, unit_id, amount, event, proven, missing }) => {
    const what = accrual_id === undefined ? `payout ${payout_id}` : `accrual ${accrual_id}`;
    const cause = event
      ? `  for event ${event.index} of commit ${event.commit_id}${proven ? ' (in this file)' : missing ? ' (the log lacks it, says the file)' : ''}`
      : '';
    return `  ${revision}  ${date(at)}  ${type}  ${what}  ${amount} of unit ${unit_id ?? 'none'}${cause}`;
  });
  const sum = ({ unit_id, available, reserved, paid, on_hold }) =>
    `  unit ${unit_id ?? 'none'}: available ${available}, reserved ${reserved}, paid ${paid}, on hold ${on_hold}`;
  const named = hasPolicy ? '. Your policy is met.' : ', as the file names them; check these names with --policy FILE.';
  const lines = [
    `VALID: ${stream} as it was at ${date(until)}, from all ${commits} commits that the log had of it at ${date(checkpointAt)}.`,
    ...rows,
    'Balance:',
    ...balances.map(sum),
    `Signed in checkpoint ${size} of ${origin}; compare its key with the published one: ${key}`,
    `${witnesses.length > 0 ? `Cosigned by ${witnesses.join(', ')}` : 'No witness has cosigned it'}${hasPolicy || witnesses.length > 0 ? named : '.'}`,
    'This does not prove that money arrived, that an event happened outside of the log, or that an event was never withheld from it.',
  ];
  return lines.map(plain).join('\n');
}

if (NODE !== null && process.argv[1]?.endsWith('verify.mjs')) {
  const [{ readFileSync }, { parseArgs }] = [await import('node:fs'), await import('node:util')];
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'log-key': { type: 'string' }, policy: { type: 'string' } } });
    if (positionals.length !== 1) throw new Error('usage: node verify.mjs FILE [--log-key KEY] [--policy FILE]');
    const trust = { logKey: values['log-key'], policy: values.policy && readFileSync(values.policy, 'utf8') };
    process.stdout.write(`${report(await verify(readFileSync(positionals[0], 'utf8'), trust))}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof ProofError ? 'NOT VALID' : 'not checked'}: ${error.message}\n`);
    process.exitCode = error instanceof ProofError ? 1 : 2;
  }
}
