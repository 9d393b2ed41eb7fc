import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { Position } from '../../log/port.ts';
import type { TextRow } from '../../queries/export/columns.ts';
import { parquetParts } from '../../queries/export/parquet.ts';
import { type Destination, type FollowBatch, UnfitDestinationError } from './destination.ts';
import { FOLLOW_COLUMNS } from './follow-rows.ts';

export interface S3Options {
  /** `https://host/bucket/prefix`: the address of the store, the bucket, and the keys' beginning. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Names the log and the bots that the objects are for; part of the keys. */
  readonly scope: string;
}

/** Has the last position of an object's rows. */
const LAST = 'x-amz-meta-last';
/** Attempts of a read. */
const READS = 3;
/** Rows of a row group. An object has one or a few. */
const GROUP_ROWS = 10_000;

/**
 * Objects of an S3 store. The key of an object has the position *before* its rows, and the store takes a key once
 * (If-None-Match: *). So the objects of a partition are a chain: each continues where the one before ends. Its metadata
 * say so, whatever writers were killed or are late.
 */
export function s3Destination({ url, region, accessKeyId, secretAccessKey, scope }: S3Options): Destination {
  const [, bucketUrl, prefix] = /^(https?:\/\/[^/]+\/[^/]+)\/?(.*?)\/?$/.exec(url)!;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const bucket = new Bucket(client, bucketUrl!);
  const folder = `${prefix === '' ? '' : `${prefix}/`}${scope}`;
  const partitionFolder = (partition: number): string => `${folder}/partition=${partition}/`;
  const keyOf = (partition: number, after: Position | null): string =>
    `${partitionFolder(partition)}after-${after === null ? '' : placeOf(after)}.parquet`;
  return {
    async open() {
      const probe = `${folder}/follower.probe`;
      await bucket.putOnce(probe, new Uint8Array(), {});
      if (await bucket.putOnce(probe, new Uint8Array(), {}))
        throw new UnfitDestinationError('the store does not honour If-None-Match: it would overwrite an object');
    },
    async positions(partitions) {
      const found = new Map<number, Position>();
      for (let partition = 0; partition < partitions; partition++) {
        const key = await bucket.lastKey(partitionFolder(partition));
        if (key !== null) found.set(partition, await bucket.lastOf(key));
      }
      return found;
    },
    async put(batch) {
      const { partition, after, last } = batch;
      const key = keyOf(partition, after);
      if (await bucket.putOnce(key, await parquetOf(batch), { [LAST]: last })) return last;
      // The object of the key may be this very one, whose answer was lost, or another follower's.
      return bucket.lastOf(key);
    },
    close: async () => {},
  };
}

/** The requests that a follower makes to a bucket. */
class Bucket {
  constructor(
    private readonly client: AwsClient,
    private readonly url: string,
  ) {}

  /** The last key with this beginning; null: there is none. Keys come in the order of their bytes. */
  async lastKey(beginning: string): Promise<string | null> {
    let last: string | null = null;
    for (let token: string | undefined; ; ) {
      const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix: beginning });
      if (token !== undefined) query.set('continuation-token', token);
      const answer = await this.read('GET', `?${query}`);
      if (!answer.ok) throw await failed('list objects', answer);
      // Encoded keys hold no character of XML.
      const text = await answer.text();
      const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => decodeURIComponent(key!));
      last = keys.at(-1) ?? last;
      token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1];
      if (token === undefined) return last;
    }
  }

  /** The last position of an object's rows. */
  async lastOf(key: string): Promise<Position> {
    const answer = await this.read('HEAD', `/${key}`);
    if (!answer.ok) throw await failed(`read the metadata of ${key}`, answer);
    const last = answer.headers.get(LAST);
    if (last === null)
      throw new UnfitDestinationError(`the object ${key} has no metadata ${LAST}: it is no follower's`);
    return last;
  }

  /** @returns false: there is an object of this key already */
  async putOnce(key: string, body: Uint8Array<ArrayBuffer>, metadata: Record<string, string>): Promise<boolean> {
    const digest = createHash('sha256').update(body).digest('hex');
    const answer = await this.request('PUT', `/${key}`, {
      headers: {
        'if-none-match': '*',
        'x-amz-content-sha256': digest,
        'content-type': 'application/vnd.apache.parquet',
        ...metadata,
      },
      body,
    });
    // 412: there is one. 409: another request for the key is under way, so the outcome is to be asked for.
    if (!answer.ok && answer.status !== 412) throw await failed(`put ${key}`, answer);
    await answer.arrayBuffer();
    return answer.ok;
  }

  /** A read that the connection broke is repeated: it may have been kept open for longer than the store does. */
  private async read(method: 'GET' | 'HEAD', path: string): Promise<Response> {
    for (let left = READS; ; left--) {
      try {
        return await this.request(method, path);
      } catch (error) {
        if (left === 1) throw error;
      }
    }
  }

  private async request(
    method: 'GET' | 'HEAD' | 'PUT',
    path: string,
    init: { readonly headers?: Record<string, string>; readonly body?: Uint8Array<ArrayBuffer> } = {},
  ): Promise<Response> {
    try {
      return await this.client.fetch(`${this.url}${path}`, { method, ...init });
    } catch (error) {
      throw new Error(`no answer from ${this.url}: ${causeOf(error)}`, { cause: error });
    }
  }
}

async function failed(what: string, answer: Response): Promise<Error> {
  const text = await answer.text();
  const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1];
  return new Error(`failed to ${what}: ${answer.status}${code === undefined ? '' : ` ${code}`}`);
}

/** Why `fetch` failed. Its own message does not say it. Of several addresses of a host, the first one's failure. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors[0]);
  return error.cause === undefined ? error.message : causeOf(error.cause);
}

/** The part of a position after its partition. It sorts, and needs no encoding in a key. */
function placeOf(position: Position): string {
  const place = position.slice(position.indexOf(':') + 1);
  if (!/^[\w.-]+$/.test(place)) throw new TypeError(`the position ${position} does not fit into a key`);
  return place;
}

async function parquetOf({ rows, after, last }: FollowBatch): Promise<Uint8Array<ArrayBuffer>> {
  async function* pages(): AsyncGenerator<readonly TextRow[]> {
    yield rows;
  }
  const parts: Uint8Array[] = [];
  const metadata = { after: after ?? '', last };
  for await (const part of parquetParts(FOLLOW_COLUMNS, pages(), { groupRows: GROUP_ROWS, metadata })) parts.push(part);
  return new Uint8Array(Buffer.concat(parts));
}
