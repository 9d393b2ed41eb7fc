import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * The verifiable random function ECVRF-EDWARDS25519-SHA512-TAI of RFC 9381. Only the owner of the secret can compute the
 * output of a text; its proof shows anybody that the output is the only one.
 */

const { Point } = ed25519;
type Point = InstanceType<typeof Point>;
const ORDER = Point.Fn.ORDER;
const SUITE = 3;

export interface Vrf {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The output for a text, 64 bytes. */
  output(alpha: string | Uint8Array): Uint8Array;
  /** The proof of the output, 80 bytes. */
  prove(alpha: string | Uint8Array): Uint8Array;
}

/** @param seed the secret, 32 bytes */
export function createVrf(seed: Uint8Array): Vrf {
  const secret = sha512(seed);
  const scalar = Point.Fn.create(littleEndian(clamped(secret.subarray(0, 32))));
  const publicKey = Point.BASE.multiply(scalar).toBytes();
  const gammaOf = (alpha: string | Uint8Array): readonly [Point, Point] => {
    const point = encodeToCurve(publicKey, bytesOf(alpha));
    return [point, point.multiply(scalar)];
  };
  return {
    publicKey,
    output: (alpha) => outputOf(gammaOf(alpha)[1]),
    prove(alpha) {
      const [point, gamma] = gammaOf(alpha);
      const nonce = Point.Fn.create(littleEndian(sha512(secret.subarray(32), point.toBytes())));
      const proven = [point, gamma, Point.BASE.multiply(nonce), point.multiply(nonce)];
      const challenge = challengeOf(publicKey, proven);
      const response = Point.Fn.create(nonce + littleEndian(challenge) * scalar);
      return Buffer.concat([gamma.toBytes(), challenge, bytesOfScalar(response)]);
    },
  };
}

/** The output that the proof shows for a text; null: the proof is wrong. */
export function verifyVrf(publicKey: Uint8Array, alpha: string | Uint8Array, proof: Uint8Array): Uint8Array | null {
  if (publicKey.length !== 32 || proof.length !== 80) return null;
  const key = decodePoint(publicKey);
  const gamma = decodePoint(proof.subarray(0, 32));
  const challenge = proof.subarray(32, 48);
  const response = littleEndian(proof.subarray(48));
  if (key === null || gamma === null || response >= ORDER || key.isSmallOrder()) return null;
  const point = encodeToCurve(publicKey, bytesOf(alpha));
  const factor = littleEndian(challenge);
  const u = times(Point.BASE, response).subtract(times(key, factor));
  const v = times(point, response).subtract(times(gamma, factor));
  const expected = challengeOf(publicKey, [point, gamma, u, v]);
  return Buffer.compare(expected, challenge) === 0 ? outputOf(gamma) : null;
}

/** RFC 9381, 5.4.1.1: tries one counter after another until its hash is a point. */
function encodeToCurve(publicKey: Uint8Array, alpha: Uint8Array): Point {
  for (let counter = 0; counter < 256; counter++) {
    const tried = sha512([SUITE, 1], publicKey, alpha, [counter, 0]);
    const point = decodePoint(tried.subarray(0, 32))?.clearCofactor();
    if (point !== undefined && !point.is0()) return point;
  }
  throw new Error('no counter of 256 gives a point of the curve');
}

function challengeOf(publicKey: Uint8Array, points: readonly Point[]): Buffer {
  return sha512([SUITE, 2], publicKey, ...points.map((point) => point.toBytes()), [0]).subarray(0, 16);
}

function outputOf(gamma: Point): Buffer {
  return sha512([SUITE, 3], gamma.clearCofactor().toBytes(), [0]);
}

function decodePoint(bytes: Uint8Array): Point | null {
  try {
    return Point.fromBytes(Uint8Array.from(bytes));
  } catch {
    return null; // noble says by its error that the bytes are no point, which is half of all cases
  }
}

const times = (point: Point, factor: bigint): Point => (factor === 0n ? Point.ZERO : point.multiplyUnsafe(factor));

function clamped(bytes: Uint8Array): Uint8Array {
  const scalar = Uint8Array.from(bytes);
  scalar[0]! &= 248;
  scalar[31] = (scalar[31]! & 127) | 64;
  return scalar;
}

function sha512(...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  return hash('sha512', Buffer.concat(parts.map((part) => Uint8Array.from(part))), 'buffer');
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function bytesOfScalar(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
}

const bytesOf = (text: string | Uint8Array): Uint8Array => (typeof text === 'string' ? Buffer.from(text) : text);
