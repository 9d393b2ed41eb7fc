import type { FastifyInstance, FastifyReply } from 'fastify';
import { parseTilePath } from '../../proof/tile-path.ts';
import { lastCheckpoint } from '../../queries/proof/last-checkpoint.ts';
import { type Db, OUTPUT_TREE, tileBytes } from '../../queries/proof/stored-trees.ts';

/** How long caches may keep the checkpoint. */
const CHECKPOINT_SECONDS = 10;
/** A tile of a signed tree never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Serves the last checkpoint and the tiles of all trees (C2SP tlog-tiles), to anybody (decisions.md#public-tiles). The output
 * log is at the root, the tree of each partition below `/partition/<number>`. What no checkpoint has signed yet is not served.
 */
export function serveTiles(app: FastifyInstance, db: Db): void {
  app.get('/checkpoint', { schema: { hide: true } }, async (_request, reply) => {
    const last = await lastCheckpoint(db);
    if (last === null) return notFound(reply, 'there is no checkpoint yet');
    void reply.header('cache-control', `public, max-age=${CHECKPOINT_SECONDS}`);
    return reply.type('text/plain; charset=utf-8').send(last.note);
  });

  app.get<{ Params: { '*': string } }>('/tile/*', { schema: { hide: true } }, (request, reply) =>
    answer(reply, OUTPUT_TREE, request.params['*']),
  );

  app.get<{ Params: { '*': string; partition: string } }>(
    '/partition/:partition/tile/*',
    { schema: { hide: true } },
    (request, reply) => {
      const { partition, '*': path } = request.params;
      return answer(reply, /^(0|[1-9]\d{0,5})$/.test(partition) ? Number(partition) : null, path);
    },
  );

  async function answer(reply: FastifyReply, tree: number | null, path: string): Promise<FastifyReply> {
    const tile = parseTilePath(path);
    const last = tree === null || tile === null ? null : await lastCheckpoint(db);
    const size = tree === OUTPUT_TREE ? last?.size : last?.entry.trees[tree!]?.size;
    const bytes = size === undefined ? null : await tileBytes(db, tree!, size, tile!);
    if (bytes === null) return notFound(reply, 'no signed tree has this tile');
    return reply.header('cache-control', FOREVER).type('application/octet-stream').send(bytes);
  }
}

function notFound(reply: FastifyReply, error: string): FastifyReply {
  return reply.status(404).header('cache-control', 'no-store').send({ ok: false, error, error_code: 404 });
}
