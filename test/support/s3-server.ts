import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StoredObject {
  readonly body: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface S3Server {
  /** With the bucket and a prefix. */
  readonly url: string;
  /** By key, in the order of the keys. */
  objects(): ReadonlyMap<string, StoredObject>;
  /** Whether the store honours If-None-Match. */
  conditional: boolean;
  /**
   * Decides over each put of rows: `answer` stores and answers, else the connection breaks, and the object is stored after the result of
   * `later`, if there is one.
   */
  onPut: () => 'answer' | { readonly later: Promise<void> | null };
  settled(): Promise<void>;
  close(): Promise<void>;
}

const BUCKET = 'events';
const KEYS_PER_PAGE = 3;

/** A double of an S3 store with paths in the style `/bucket/key`. It checks that requests are signed, and keeps objects in memory. */
export async function startS3(): Promise<S3Server> {
  const stored = new Map<string, StoredObject>();
  const late: Promise<void>[] = [];

  /** @returns the status */
  function store(key: string, request: IncomingMessage, body: Buffer): number {
    if (double.conditional && request.headers['if-none-match'] === '*' && stored.has(key)) return 412;
    const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
    stored.set(key, { body, metadata: Object.fromEntries(metadata) as Record<string, string> });
    return 200;
  }

  function list(query: URLSearchParams, response: ServerResponse): void {
    const after = query.get('continuation-token') ?? '';
    const keys = [...double.objects().keys()].filter((key) => key.startsWith(query.get('prefix')!) && key > after);
    const page = keys.slice(0, KEYS_PER_PAGE);
    const next = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const contents = page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key></Contents>`).join('');
    response.end(`<?xml version="1.0"?><ListBucketResult>${next}${contents}</ListBucketResult>`);
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://double');
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (!isSigned(request, body))
      return response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    const [, bucket, ...rest] = pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    if (bucket !== BUCKET) return response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
    if (request.method === 'GET') return list(searchParams, response);
    if (request.method === 'HEAD') {
      const found = stored.get(key);
      return response.writeHead(found === undefined ? 404 : 200, found?.metadata).end();
    }
    const what = key.endsWith('.parquet') ? double.onPut() : 'answer';
    if (what === 'answer') return response.writeHead(store(key, request, body)).end();
    if (what.later !== null) late.push(what.later.then(() => void store(key, request, body)));
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const double: S3Server = {
    url: `http://127.0.0.1:${port}/${BUCKET}/from/botledger`,
    objects: () => new Map([...stored].sort(([a], [b]) => (a < b ? -1 : 1))),
    conditional: true,
    onPut: () => 'answer',
    async settled() {
      await Promise.all(late);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return double;
}

/** Whether the request has a signature of version 4 over its body's digest. The signature itself is not computed again. */
function isSigned({ headers, method }: IncomingMessage, body: Buffer): boolean {
  const signature =
    /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/region\/s3\/aws4_request, SignedHeaders=(\S+), Signature=[0-9a-f]{64}$/;
  const [, signed] = signature.exec(headers.authorization ?? '') ?? [];
  if (signed === undefined || headers['x-amz-date'] === undefined) return false;
  if (method !== 'PUT') return true;
  const digest = createHash('sha256').update(body).digest('hex');
  return signed.split(';').includes('if-none-match') && headers['x-amz-content-sha256'] === digest;
}
