/**
 * The types that the benchmarks use of the packages that only they install, so that the compiler checks the benchmarks
 * also where only the service is installed. autocannon has no types; the other packages' own types agree with these.
 */

declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly requests: readonly {
      readonly method: 'POST';
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }[];
    /** Seconds. */
    readonly duration: number;
    readonly connections: number;
    /** Requests per second of all connections together. */
    readonly overallRate?: number;
  }

  interface Result {
    readonly '2xx': number;
    readonly non2xx: number;
    /** By status. */
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number } | undefined>>;
    readonly errors: number;
    readonly requests: { readonly total: number };
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
  }

  export default function autocannon(options: Options): Promise<Result>;
}

declare module 'chdb' {
  export class Session {
    constructor(path: string);
    query(sql: string, format: string): string;
  }
}

declare module '@duckdb/node-api' {
  export class DuckDBInstance {
    static create(path: string): Promise<DuckDBInstance>;
    connect(): Promise<DuckDBConnection>;
  }

  export interface DuckDBConnection {
    run(sql: string): Promise<unknown>;
    runAndReadAll(sql: string): Promise<{ getRows(): unknown[][] }>;
  }
}
