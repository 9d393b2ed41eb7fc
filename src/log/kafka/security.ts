/** How the client proves itself to the brokers. */
export interface KafkaSecurity {
  readonly tls: boolean;
  /** File with the certificate of the brokers' authority, PEM; undefined: the well-known authorities. */
  readonly caFile: string | undefined;
  readonly sasl:
    | { readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
    | undefined;
}

export const NO_SECURITY: KafkaSecurity = { tls: false, caFile: undefined, sasl: undefined };
