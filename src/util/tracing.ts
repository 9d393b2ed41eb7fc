import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

/**
 * Spans of OpenTelemetry (decisions.md#traces). No other file knows the package. An operator registers a tracer provider
 * before the service starts (docs/traces.md); without one nothing here does anything.
 */

/** A W3C `traceparent`: version, trace, span and flags. */
export type Traceparent = string;

export interface SpanOptions {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** No bot, owner, user, key, secret, body or text of an error. */
  readonly attributes: Attributes;
  /** The spans that caused this one, of other traces. The first {@link MAX_LINKS} count, each once. */
  readonly links?: readonly Traceparent[];
  /** Begins a new trace. */
  readonly root?: boolean;
}

/** A span under way, or nothing without tracing. */
export interface ActiveSpan {
  /** Undefined: the span is not sampled, or there is none. */
  readonly traceparent: Traceparent | undefined;
  set(attributes: Attributes): void;
  /** Marks the span as failed. @param type a name or number that the program knows */
  fail(type: string): void;
}

/** A span that ends by a call, and not with a function. */
export interface OpenSpan extends ActiveSpan {
  /** Runs `work`, and all that it starts, inside of the span. */
  run(work: () => void): void;
  end(): void;
}

/** How long a stop waits for the collector. */
export const SEND_SPANS_MS = 2000;

/** Each link of a span is sent with it. */
export const MAX_LINKS = 32;

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** The delegate of a proxy that no provider was registered with. */
const NO_PROVIDER = new ProxyTracerProvider().getDelegate();

function provider(): TracerProvider {
  const registered = trace.getTracerProvider();
  return 'getDelegate' in registered ? (registered as ProxyTracerProvider).getDelegate() : registered;
}

/** Whether a tracer provider is registered. */
export function isTracing(): boolean {
  return provider() !== NO_PROVIDER;
}

/** Runs `work` in a span. An error of `work` marks the span as failed, by the error's name. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: ActiveSpan) => Promise<T>,
): Promise<T> {
  if (!isTracing()) return work(NO_SPAN);
  const span = begin(name, options, context.active());
  try {
    return await context.with(span.context, work, undefined, span);
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'error');
    throw error;
  } finally {
    span.end();
  }
}

/** Begins a span as the child of the one that the headers of a request name, if they do. */
export function beginRequestSpan(name: string, attributes: Attributes, headers: object): OpenSpan {
  return begin(name, { kind: 'server', attributes }, propagation.extract(context.active(), headers));
}

/** Waits until the spans that have ended are sent. Never rejects: an unreachable collector must not fail a stop. */
export async function sendSpans(withinMs: number): Promise<void> {
  const { forceFlush } = provider() as { forceFlush?: () => Promise<void> };
  if (forceFlush === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  // The SDK reports the error by its own log.
  const sent = forceFlush.call(provider()).catch(() => undefined);
  await Promise.race([sent, late]);
  clearTimeout(timer);
}

const NO_SPAN: ActiveSpan = { traceparent: undefined, set() {}, fail() {} };

function tracer(): Tracer {
  return trace.getTracer('botledger');
}

function begin(
  name: string,
  { kind, attributes, links = [], root = false }: SpanOptions,
  parent: Context,
): OpenSpan & { readonly context: Context } {
  const options = { kind: KINDS[kind], attributes, links: linksTo(links), root };
  const span = tracer().startSpan(name, options, parent);
  const within = trace.setSpan(parent, span);
  return {
    context: within,
    traceparent: traceparentOf(span),
    set: (given) => void span.setAttributes(given),
    fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
    run: (work) => context.with(within, work),
    end: () => span.end(),
  };
}

function traceparentOf(span: Span): Traceparent | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return isSampled && isSpanContextValid(span.spanContext()) ? `00-${traceId}-${spanId}-01` : undefined;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function linksTo(traceparents: readonly Traceparent[]): Link[] {
  const links: Link[] = [];
  for (const given of new Set(traceparents)) {
    if (links.length === MAX_LINKS) break;
    const [, traceId, spanId, flags] = TRACEPARENT.exec(given) ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) continue;
    const linked = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
    if (isSpanContextValid(linked)) links.push({ context: linked });
  }
  return links;
}
