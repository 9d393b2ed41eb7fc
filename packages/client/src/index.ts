export type { CallOptions, ClientOptions, ReceiptOptions } from './call.ts';
export { type Client, createClient } from './client.ts';
export * from './errors.ts';
export type { ExportKind, ExportQuery, ExportRow, ExportRows } from './export.ts';
export { createForwarder, type Forwarder, type ForwarderOptions, type UserTools } from './forwarder.ts';
export type { Methods } from './methods.ts';
export type { Queue, QueueOptions } from './queue.ts';
export type { Receipt } from './receipt.ts';
export type { Sleep } from './repeat.ts';
export type { OnRequest, RequestReport } from './request-report.ts';
export type { Kept, QueueSpool, Spool } from './spooled.ts';
export type * from './types.ts';
export {
  type PayoutCreated,
  type VerifyOptions,
  type WebhookHeaders,
  type Webhooks,
  WebhookVerificationError,
  webhooks,
} from './webhooks.ts';
