import { issueKey, keyIssuedIn, revokeKey, rotateKey } from '../../commands/catalog/keys.ts';
import { ownerStream } from '../../domain/streams.ts';
import { listKeys } from '../../queries/catalog/owners.ts';
import { principalOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { change, OF_OWNER, type Settings } from './change-setting.ts';
import {
  issuedKeyAnswer,
  issueKeyBody,
  keyAnswer,
  keysAnswer,
  keysQuery,
  revokeKeyBody,
  rotateKeyBody,
} from './schemas.ts';

const DEFAULT_OVERLAP_S = 24 * 3600;

/** GET /v1/settings/keys, and what issues, rotates and revokes keys (decisions.md#owner-settings, #lock-out). */
export function keySettings(settings: Settings): AnyRoute[] {
  return [listRoute(settings), issueRoute(settings), rotateRoute(settings), revokeRoute(settings)];
}

function listRoute({ db, context }: Settings): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/settings/keys',
    operationId: 'listKeys',
    summary: 'The keys within the reach of the key, the latest first, with their last use',
    tag: 'Settings',
    access: OF_OWNER,
    query: keysQuery,
    answer: keysAnswer,
    async handle({ request, query }) {
      const { keyId, ownerId, scope } = principalOf(request);
      const keys = await listKeys(await db.at('catalog'), ownerId, context.sources.now(), scope, query);
      return { ok: true, data: { items: keys.map((key) => ({ ...key, is_own: key.key_id === keyId })) } };
    },
  });
}

function issueRoute({ context, waitForChange }: Settings): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/settings/keys/issue',
    operationId: 'issueKey',
    summary: 'Issue a key of kind personal or service. Its value is shown once',
    tag: 'Settings',
    access: OF_OWNER,
    body: issueKeyBody,
    answer: issuedKeyAnswer,
    idempotent: true,
    async handle({ request, body: { bots, kind, name = null, expires_at = null } }) {
      const { ownerId } = principalOf(request);
      return change(request, waitForChange, {
        route: 'settings/keys/issue',
        work: (meta) => issueKey(context, { ownerId, bots, kind, name, expiresAt: expires_at }, meta),
        dataOf: ({ keyId, apiKey }) => ({ key_id: keyId, api_key: apiKey }),
        repeatOf: (first) => ({ key_id: keyIssuedIn(first), api_key: null }),
        streamOf: () => ownerStream(ownerId),
      });
    },
  });
}

function rotateRoute({ context, waitForChange }: Settings): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/settings/keys/rotate',
    operationId: 'rotateKey',
    summary:
      'Issue a key in the place of another. The old key works until the overlap ends. The new value is shown once',
    tag: 'Settings',
    access: OF_OWNER,
    body: rotateKeyBody,
    answer: issuedKeyAnswer,
    idempotent: true,
    errors: [404],
    async handle({ request, body: { key_id: keyId, overlap_seconds = DEFAULT_OVERLAP_S } }) {
      const { ownerId } = principalOf(request);
      return change(request, waitForChange, {
        route: 'settings/keys/rotate',
        work: (meta) => rotateKey(context, { ownerId, keyId, overlap: overlap_seconds * 1000 }, meta),
        dataOf: ({ keyId, apiKey }) => ({ key_id: keyId, api_key: apiKey }),
        repeatOf: (first) => ({ key_id: keyIssuedIn(first), api_key: null }),
        streamOf: () => ownerStream(ownerId),
      });
    },
  });
}

function revokeRoute({ context, waitForChange }: Settings): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/settings/keys/revoke',
    operationId: 'revokeKey',
    summary: 'Revoke another key than the one of the request, and the keys that it made by rotating itself, within 2 s',
    tag: 'Settings',
    access: OF_OWNER,
    body: revokeKeyBody,
    answer: keyAnswer,
    idempotent: true,
    errors: [404],
    async handle({ request, body: { key_id } }) {
      const { ownerId } = principalOf(request);
      return change(request, waitForChange, {
        route: 'settings/keys/revoke',
        work: (meta) => revokeKey(context, { ownerId, keyId: key_id }, meta),
        dataOf: () => ({ key_id }),
        repeatOf: () => ({ key_id }),
        streamOf: () => ownerStream(ownerId),
      });
    },
  });
}
