import { type TracerProvider, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pause } from '../../../src/util/pause.ts';
import { inSpan, isTracing, MAX_LINKS, sendSpans } from '../../../src/util/tracing.ts';
import { type RecordedSpans, recordSpans } from '../../support/recorded-spans.ts';

let recorded: RecordedSpans;
beforeAll(() => {
  recorded = recordSpans();
});
afterAll(() => recorded.stop());

const internal = { kind: 'internal', attributes: {} } as const;
const traceparent = (n: number): string => `00-${'a'.repeat(32)}-${n.toString(16).padStart(16, '0')}-01`;

it(`links to the first ${MAX_LINKS} spans, to each once, and to nothing that is no traceparent`, async () => {
  const bad = ['', 'x', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, `${traceparent(1)}-more`];
  const links = [...bad, ...Array.from({ length: MAX_LINKS * 2 }, (_, n) => traceparent((n >> 1) + 1))];
  await inSpan('exactly as many', { ...internal, links }, async () => {});
  await inSpan('too many', { ...internal, links: [...links, traceparent(999)] }, async () => {});
  for (const name of ['exactly as many', 'too many'])
    expect((await recorded.find(name)).links.map(({ context }) => Number.parseInt(context.spanId, 16))).toEqual(
      Array.from({ length: MAX_LINKS }, (_, n) => n + 1),
    );
});

it('marks a span as failed by the name of the error, and passes the error on', async () => {
  const failing = inSpan('failing', internal, async () => {
    throw new RangeError('user 4242');
  });
  await expect(failing).rejects.toThrow('user 4242');
  const { status, attributes, events } = await recorded.find('failing');
  expect([status, attributes, events]).toEqual([{ code: 2 }, { 'error.type': 'RangeError' }, []]);
});

it('a root span is in no other span', async () => {
  await inSpan('outer', internal, () => inSpan('inner', { ...internal, root: true }, async () => {}));
  expect((await recorded.find('inner')).parentSpanContext).toBeUndefined();
});

it('a stop waits for the collector, but not forever', async () => {
  let sent = false;
  recorded.stop();
  try {
    const slow = async () => {
      await pause(50);
      sent = true;
    };
    for (const forceFlush of [slow, () => new Promise(() => {}), () => Promise.reject(new Error('refused'))]) {
      trace.setGlobalTracerProvider({ getTracer: () => trace.getTracer('none'), forceFlush } as TracerProvider);
      await sendSpans(200);
      trace.disable();
    }
    expect(sent).toBe(true);
  } finally {
    recorded.resume();
  }
});

it('needs no tracer provider', async () => {
  recorded.stop();
  try {
    expect(isTracing()).toBe(false);
    await sendSpans(1000);
    expect(await inSpan('off', internal, async ({ traceparent }) => traceparent)).toBeUndefined();
  } finally {
    recorded.resume();
  }
  expect(isTracing()).toBe(true);
});
