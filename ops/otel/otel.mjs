// Sends the traces of Botledger to an OpenTelemetry collector (docs/traces.md):
//   npm ci --prefix ops/otel
//   node --import ./ops/otel/otel.mjs dist/app/main.js
// The threads of the service load this file, too. The usual variables OTEL_* apply, such as OTEL_EXPORTER_OTLP_ENDPOINT.
import { SamplingDecision, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';

const { ParentBasedSampler, TraceIdRatioBasedSampler } = tracing;

/** The part of the traces that is kept. */
const ratio = Number(process.env.OTEL_TRACES_SAMPLER_ARG ?? 1);
const byRatio = new TraceIdRatioBasedSampler(ratio);

/** Keeps what a kept span caused: a batch of a read model, a reward or a webhook begins a trace of its own and links to it. */
const root = {
  shouldSample(context, traceId, name, kind, attributes, links) {
    return links.some((link) => (link.context.traceFlags & TraceFlags.SAMPLED) !== 0)
      ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
      : byRatio.shouldSample(context, traceId, name, kind, attributes, links);
  },
  toString: () => `linked or ${byRatio}`,
};

new NodeSDK({
  serviceName: process.env.OTEL_SERVICE_NAME ?? 'botledger',
  traceExporter: new OTLPTraceExporter(),
  // The flag of a caller's traceparent decides, if the caller sends one.
  sampler: new ParentBasedSampler({ root }),
  instrumentations: [],
}).start();
