import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect } from 'vitest';

/** Spans that the code under test makes, in this process. */
export interface RecordedSpans {
  /** The spans that have ended since the last reset, in the order of their ends. */
  readonly spans: readonly ReadableSpan[];
  /** Those before the last reset, too. */
  readonly all: readonly ReadableSpan[];
  /** Waits for a span of this name, for which `holds` is true. */
  find(name: string, holds?: (span: ReadableSpan) => boolean): Promise<ReadableSpan>;
  reset(): void;
  /** Other test files share this process: they must run without tracing. */
  stop(): void;
  resume(): void;
}

/** Registers a tracer provider, as an operator does before the service starts. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const resume = (): void => {
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  };
  resume();
  const former: ReadableSpan[] = [];
  return {
    get spans() {
      return exporter.getFinishedSpans();
    },
    async find(name, holds = () => true) {
      const found = (): ReadableSpan | undefined =>
        exporter.getFinishedSpans().find((span) => span.name === name && holds(span));
      await expect.poll(found, { message: `a span ${name}` }).toBeDefined();
      return found()!;
    },
    get all() {
      return [...former, ...exporter.getFinishedSpans()];
    },
    reset() {
      former.push(...exporter.getFinishedSpans());
      exporter.reset();
    },
    stop() {
      trace.disable();
      context.disable();
      propagation.disable();
    },
    resume,
  };
}

/** The text of a span as a commit holds it. */
export function traceparentOf(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

/** Whether a span links to another one. */
export function linksTo(span: ReadableSpan, other: ReadableSpan): boolean {
  return span.links.some(({ context }) => context.spanId === other.spanContext().spanId);
}
