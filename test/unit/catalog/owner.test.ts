import { describe, expect, it } from 'vitest';
import {
  changeOwner,
  createOwner,
  type IssueKey,
  issueKey,
  type OwnerEvent,
  owner,
  revokeKey,
  rotateKey,
} from '../../../src/domain/catalog/owner.ts';
import { given } from '../../support/decider-specification.ts';

const NOW = Date.UTC(2025, 0, 15, 12);
const HOUR = 3_600_000;
const HASH = 'ab'.repeat(32);

const profile = { owner_id: 7, public_key: 'oPublic', name: 'Ann', currency: 'EUR', plan: 'free' as const };
const created: OwnerEvent = { type: 'owner_created', data: { ...profile, broadcasts_per_month: 100 } };
const request: IssueKey = {
  key_id: 3,
  secret_hash: HASH,
  scope: { type: 'all' },
  kind: 'service',
  name: null,
  expires_at: null,
};
const issued: OwnerEvent = { type: 'key_issued', data: { ...request, public_part: 'oPublic' } };
const revoked = (at: number): OwnerEvent => ({ type: 'key_revoked', data: { key_id: 3, at } });
const revokedNow: OwnerEvent = { type: 'key_revoked', data: { key_id: 3, at: NOW, at_once: true } };

describe('an owner', () => {
  const create = { ...profile, broadcasts_per_month: 100 };

  it('is created once', () => {
    given(owner)
      .when((state) => createOwner(state, create))
      .yields(created);
    given(owner, created)
      .when((state) => createOwner(state, create))
      .isRefused('conflict', 'owner');
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(251) }],
    ['name', { name: 'a\0b' }],
    ['currency', { currency: 'eur' }],
    ['currency', { currency: 'ABC' }],
  ])('is refused for its %s: %j', (path, wrong) => {
    given(owner)
      .when((state) => createOwner(state, { ...create, ...wrong }))
      .isRefused('invalid', path);
    given(owner, created)
      .when((state) => changeOwner(state, wrong))
      .isRefused('invalid', path);
  });

  it('counts the characters of a name as code points', () => {
    given(owner, created)
      .when((state) => changeOwner(state, { name: '🦊'.repeat(250) }))
      .yields({ type: 'owner_changed', data: { name: '🦊'.repeat(250) } });
  });

  it('records only the fields that differ', () => {
    given(owner, created)
      .when((state) => changeOwner(state, { name: 'Ann', plan: 'premium', currency: undefined }))
      .yields({ type: 'owner_changed', data: { plan: 'premium' } });
    given(owner, created)
      .when((state) => changeOwner(state, { name: 'Bea' }))
      .isIdempotent();
  });

  it('must exist to be changed or given a key', () => {
    given(owner)
      .when((state) => changeOwner(state, { name: 'Bea' }))
      .isRefused('not_found', 'owner');
    given(owner)
      .when((state) => issueKey(state, request, NOW))
      .isRefused('not_found', 'owner');
  });
});

describe('a key', () => {
  it.each([
    ['all bots', { type: 'all' } as const, 'oPublic'],
    ['several bots', { type: 'bots', bots: ['bOne', 'bTwo'] } as const, 'oPublic'],
    ['one bot', { type: 'bots', bots: ['bOne'] } as const, 'bOne'],
  ])('for %s is named after its bot or owner', (_, scope, publicPart) => {
    const command = { ...request, scope: scope.type === 'all' ? scope : { ...scope, bots: [...scope.bots] } };
    given(owner, created)
      .when((state) => issueKey(state, command, NOW))
      .yields({ type: 'key_issued', data: { ...command, public_part: publicPart } });
  });

  it('cannot be issued expired', () => {
    given(owner, created)
      .when((state) => issueKey(state, { ...request, expires_at: NOW }, NOW))
      .isRefused('invalid', 'expires');
    given(owner, created)
      .when((state) => issueKey(state, { ...request, expires_at: NOW + 1 }, NOW))
      .yields({ type: 'key_issued', data: { ...request, expires_at: NOW + 1, public_part: 'oPublic' } });
  });

  it('is revoked at once, and once', () => {
    given(owner, created, issued)
      .when((state) => revokeKey(state, 3, NOW))
      .yields(revokedNow);
    given(owner, created, issued)
      .when((state) => revokeKey(state, 3, NOW))
      .isIdempotent();
    given(owner, created, issued)
      .when((state) => revokeKey(state, 4, NOW))
      .isRefused('not_found', 'key');
  });

  it('is rotated with an overlap into a key that differs only in its secret', () => {
    const expiring: OwnerEvent = { ...issued, data: { ...issued.data, name: 'shop', expires_at: NOW + 48 * HOUR } };
    const rotation = { key_id: 3, new_key_id: 4, secret_hash: 'cd'.repeat(32), overlap: 24 * HOUR };
    given(owner, created, expiring)
      .when((state) => rotateKey(state, rotation, NOW))
      .yields(
        { type: 'key_issued', data: { ...expiring.data, key_id: 4, secret_hash: 'cd'.repeat(32), rotates: 3 } },
        revoked(NOW + 24 * HOUR),
      );
  });

  it('can be revoked during the overlap, which then ends', () => {
    given(owner, created, issued, revoked(NOW + HOUR))
      .when((state) => revokeKey(state, 3, NOW))
      .yields(revokedNow);
    expect(
      given(owner, created, issued, revoked(NOW + HOUR), revoked(NOW))
        .state()
        .keys.get(3)?.revoked_at,
    ).toBe(NOW);
    expect(
      given(owner, created, issued, revoked(NOW), revoked(NOW + HOUR))
        .state()
        .keys.get(3)?.revoked_at,
    ).toBe(NOW);
  });

  it.each([
    ['was rotated', [issued, revoked(NOW + HOUR)]],
    ['was revoked', [issued, revoked(NOW - HOUR)]],
    ['has expired', [{ ...issued, data: { ...issued.data, expires_at: NOW } } as OwnerEvent]],
  ])('is not rotated if it %s', (_, past) => {
    given(owner, created, ...past)
      .when((state) => rotateKey(state, { key_id: 3, new_key_id: 4, secret_hash: HASH, overlap: 0 }, NOW))
      .isRefused('conflict', 'key');
  });
});

describe('a key that asks', () => {
  const OWN = 1;
  const issue = (
    key_id: number,
    more: Partial<IssueKey> & { readonly by?: number; readonly rotates?: number } = {},
  ): OwnerEvent => ({
    type: 'key_issued',
    data: { ...request, key_id, public_part: 'oPublic', ...more },
  });
  const bots = (...names: string[]): IssueKey['scope'] => ({ type: 'bots', bots: names });
  const forAll = given(owner, created, issue(OWN, { kind: 'owner' }), issue(2), issue(3, { scope: bots('bA') }));
  const forOne = given(
    owner,
    created,
    issue(OWN, { kind: 'owner', scope: bots('bA') }),
    issue(2),
    issue(3, { scope: bots('bA') }),
  );

  it('issues personal and service keys, and no owner key, which an operator issues', () => {
    forAll
      .when((state) => issueKey(state, { ...request, key_id: 4, kind: 'personal' }, NOW, OWN))
      .yields(issue(4, { kind: 'personal', by: OWN }));
    forAll
      .when((state) => issueKey(state, { ...request, key_id: 4, kind: 'owner' }, NOW, OWN))
      .isRefused('invalid', 'kind');
    forAll
      .when((state) => issueKey(state, { ...request, key_id: 4, kind: 'owner' }, NOW))
      .yields(issue(4, { kind: 'owner' }));
  });

  it('reaches no further than its own bots', () => {
    const wider = [{ type: 'all' } as const, bots('bB'), bots('bA', 'bB')];
    for (const scope of wider)
      forOne
        .when((state) => issueKey(state, { ...request, key_id: 4, scope }, NOW, OWN))
        .isRefused('not_found', 'bots');
    forOne
      .when((state) => issueKey(state, { ...request, key_id: 4, scope: bots('bA') }, NOW, OWN))
      .yields({ type: 'key_issued', data: { ...request, key_id: 4, scope: bots('bA'), public_part: 'bA', by: OWN } });
    forOne.when((state) => revokeKey(state, 2, NOW, OWN)).isRefused('not_found', 'key');
    forOne.when((state) => revokeKey(state, 3, NOW, OWN)).yields(revokedNow);
    const rotation = { new_key_id: 9, secret_hash: HASH, overlap: 0 };
    forOne.when((state) => rotateKey(state, { ...rotation, key_id: 2 }, NOW, OWN)).isRefused('not_found', 'key');
  });

  it('does not lock its holder out', () => {
    const rotation = { key_id: OWN, new_key_id: 9, secret_hash: HASH };
    forAll.when((state) => revokeKey(state, OWN, NOW, OWN)).isRefused('conflict', 'key_id');
    forAll
      .when((state) => rotateKey(state, { ...rotation, overlap: 10 * 60_000 - 1 }, NOW, OWN))
      .isRefused('invalid', 'overlap');
    forAll
      .when((state) => rotateKey(state, { ...rotation, overlap: 10 * 60_000 }, NOW, OWN))
      .yields(issue(9, { kind: 'owner', secret_hash: HASH, rotates: OWN, by: OWN }), {
        type: 'key_revoked',
        data: { key_id: OWN, at: NOW + 10 * 60_000 },
      });
  });

  describe('that was stolen', () => {
    const rotation = { secret_hash: HASH, overlap: HOUR };
    const owners = [created, issue(OWN, { kind: 'owner' }), issue(2, { kind: 'owner' })];
    const rotated = (key_id: number, by: number, new_key_id: number): OwnerEvent[] => [
      issue(new_key_id, { kind: 'owner', rotates: key_id, by }),
      { type: 'key_revoked', data: { key_id, at: NOW + HOUR } },
    ];
    const line = [...owners, ...rotated(OWN, OWN, 3), ...rotated(3, OWN, 4), ...rotated(4, 4, 5)];
    const ended = (...ids: number[]): OwnerEvent[] =>
      ids.map((key_id) => ({ type: 'key_revoked', data: { key_id, at: NOW, at_once: true } }));

    it('rotates no other owner key, and keeps working for at most a day', () => {
      const all = given(owner, ...owners);
      const rotate = (key_id: number, overlap: number, by?: number) =>
        all.when((state) => rotateKey(state, { ...rotation, key_id, new_key_id: 9, overlap }, NOW, by));
      rotate(2, HOUR, OWN).isRefused('conflict', 'key');
      rotate(OWN, 24 * HOUR + 1, OWN).isRefused('invalid', 'overlap');
      rotate(2, 366 * 24 * HOUR).yields(issue(9, { kind: 'owner', rotates: 2 }), {
        type: 'key_revoked',
        data: { key_id: 2, at: NOW + 366 * 24 * HOUR },
      });
    });

    it('replaces the key that replaced it, whose value was lost, and no key of another line', () => {
      const lost = given(owner, ...owners, ...rotated(OWN, OWN, 3), ...rotated(3, OWN, 4));
      const rotate = (key_id: number, by: number) =>
        lost.when((state) => rotateKey(state, { ...rotation, key_id, new_key_id: 5 }, NOW, by));
      rotate(4, OWN).yields(issue(5, { kind: 'owner', rotates: 4, by: OWN }), {
        type: 'key_revoked',
        data: { key_id: 4, at: NOW + HOUR },
      });
      rotate(4, 2).isRefused('conflict', 'key');
    });

    it('is ended with all that it made by rotating itself', () => {
      given(owner, ...line)
        .when((state) => revokeKey(state, OWN, NOW))
        .yields(...ended(OWN, 3, 4, 5));
      given(owner, ...line)
        .when((state) => revokeKey(state, OWN, NOW, 2))
        .yields(...ended(OWN, 3, 4, 5));
      given(owner, ...line, ...ended(OWN))
        .when((state) => revokeKey(state, OWN, NOW, 2))
        .yields(...ended(3, 4, 5));
    });

    it('is ended alone by a key that it made, and where an operator had rotated it', () => {
      given(owner, ...line)
        .when((state) => revokeKey(state, OWN, NOW, 5))
        .yields(...ended(OWN));
      const operators = [issue(3, { kind: 'owner', rotates: OWN }), ...ended(OWN)];
      given(owner, ...owners, ...operators)
        .when((state) => revokeKey(state, OWN, NOW))
        .yieldsNothing();
    });

    it('makes no key that outlives it', () => {
      const end = NOW + 48 * HOUR;
      const ending = given(
        owner,
        created,
        issue(OWN, { kind: 'owner', expires_at: end }),
        issue(2),
        issue(3, { expires_at: end }),
      );
      const issueUntil = (expires_at: number | null) =>
        ending.when((state) => issueKey(state, { ...request, key_id: 4, expires_at }, NOW, OWN));
      issueUntil(null).isRefused('invalid', 'expires');
      issueUntil(end + 1).isRefused('invalid', 'expires');
      issueUntil(end).yields(issue(4, { expires_at: end, by: OWN }));
      const rotate = (key_id: number) =>
        ending.when((state) => rotateKey(state, { ...rotation, key_id, new_key_id: 4 }, NOW, OWN));
      rotate(2).isRefused('conflict', 'key');
      rotate(3).yields(issue(4, { rotates: 3, by: OWN, expires_at: end }), {
        type: 'key_revoked',
        data: { key_id: 3, at: NOW + HOUR },
      });
    });
  });

  it('changes no key once it was revoked', () => {
    const ended = given(owner, created, issue(OWN, { kind: 'owner' }), issue(2), {
      type: 'key_revoked',
      data: { key_id: OWN, at: NOW },
    });
    ended.when((state) => issueKey(state, { ...request, key_id: 4 }, NOW, OWN)).isRefused('conflict', '');
    ended.when((state) => revokeKey(state, 2, NOW, OWN)).isRefused('conflict', '');
    const rotation = { key_id: 2, new_key_id: 9, secret_hash: HASH, overlap: 0 };
    ended.when((state) => rotateKey(state, rotation, NOW, OWN)).isRefused('conflict', '');
    ended
      .when((state) => revokeKey(state, 2, NOW - 1, OWN))
      .yields({ type: 'key_revoked', data: { key_id: 2, at: NOW - 1, at_once: true } });
  });

  it('is revoked at once, though the clock that revoked it was ahead, and by a rotation without an overlap', () => {
    const atOnce = (key_id: number): OwnerEvent => ({
      type: 'key_revoked',
      data: { key_id, at: NOW + HOUR, at_once: true },
    });
    const before = [created, issue(OWN, { kind: 'owner' }), issue(2)];
    given(owner, ...before, atOnce(OWN))
      .when((state) => revokeKey(state, 2, NOW, OWN))
      .isRefused('conflict', '');
    const rotation = { key_id: 2, new_key_id: 9, secret_hash: HASH, overlap: 0 };
    given(owner, ...before)
      .when((state) => rotateKey(state, rotation, NOW + HOUR))
      .yields(issue(9, { rotates: 2, secret_hash: HASH }), atOnce(2));
    // Earlier versions wrote a time alone.
    const timed: OwnerEvent = { type: 'key_revoked', data: { key_id: OWN, at: NOW + HOUR } };
    given(owner, ...before, timed)
      .when((state) => revokeKey(state, OWN, NOW))
      .yields({ type: 'key_revoked', data: { key_id: OWN, at: NOW, at_once: true } });
  });
});
