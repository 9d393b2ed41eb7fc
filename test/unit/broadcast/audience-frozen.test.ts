import { it } from 'vitest';
import { type AudienceEvent, freezeChunk, frozenAudience } from '../../../src/domain/broadcast/audience-frozen.ts';
import { packChats } from '../../../src/domain/broadcast/packed-chats.ts';
import { given } from '../../support/decider-specification.ts';

const chunk = (index: number, offset: number, ...chats: number[]): AudienceEvent => ({
  type: 'audience_chunk_frozen',
  data: { broadcast_id: 5, index, offset, as_of: 1000, chats: packChats(chats) },
});
const closed = (count: number): AudienceEvent => ({ type: 'audience_closed', data: { broadcast_id: 5, count } });
const freeze =
  (chats: number[], isLast = false, asOf = 1000) =>
  (state: Parameters<typeof freezeChunk>[0]) =>
    freezeChunk(state, { broadcastId: 5, asOf, chats, isLast });

it('begins with a chunk', () => {
  given(frozenAudience)
    .when(freeze([-5, 7]))
    .yields(chunk(0, 0, -5, 7));
});

it('continues above the last chat; each chunk names its first index', () => {
  given(frozenAudience, chunk(0, 0, -5, 7), chunk(1, 2, 8))
    .when(freeze([9, 10]))
    .yields(chunk(2, 3, 9, 10));
});

it('is closed with its last chunk, or without one', () => {
  given(frozenAudience, chunk(0, 0, -5, 7))
    .when(freeze([8], true))
    .yields(chunk(1, 2, 8), closed(3));
  given(frozenAudience, chunk(0, 0, -5, 7))
    .when(freeze([], true))
    .yields(closed(2));
  given(frozenAudience).when(freeze([], true)).yields(closed(0));
});

it('takes no chat twice', () => {
  given(frozenAudience, chunk(0, 0, -5, 7))
    .when(freeze([7, 8]))
    .isRefused('conflict', 'chats');
  given(frozenAudience, chunk(0, 0, -5, 7))
    .when(freeze([-5, 8]))
    .isRefused('conflict', 'chats');
});

it('mixes no two moments', () => {
  given(frozenAudience, chunk(0, 0, -5, 7))
    .when(freeze([8], false, 2000))
    .isRefused('conflict', 'chats');
});

it('takes nothing more once it is closed', () => {
  given(frozenAudience, chunk(0, 0, -5, 7), closed(2))
    .when(freeze([8], true))
    .isRefused('conflict', 'chats');
  given(frozenAudience, closed(0)).when(freeze([], true)).isRefused('conflict', 'chats');
});
