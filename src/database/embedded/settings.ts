import type { ClusterPlace } from './cluster.ts';

/**
 * How the server runs, for a machine of two cores with a few GB. Given on its command line, so that a new version of the
 * program brings its settings along to an old cluster.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // a socket's path may have 107 bytes, and checkouts lie deeper
  // Three threads, each with its pools, a command or two, and what somebody looks at it with.
  max_connections: '200',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  random_page_cost: '1.1',
  jit: 'off', // compiles for longer than our queries run
  // With the default of 1 GB, steady inserting checkpoints every few seconds and writes each page whole again after every one.
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  // A new segment would be 16 MB of zeros, written and flushed while a commit waits: up to 120 ms beside a rebuild.
  wal_init_zero: 'off',
  // An installation of this size reads little ahead, and subscribes to no other server: two processes fewer, and one.
  io_workers: '1',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and details would carry personal data into the file; the client gets them, and knows what to keep.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_line_prefix: '%m [%p] ',
} as const;

/** A killed service's running queries end soon, not when they are done. Windows refuses the setting. */
const whereSupported = process.platform === 'win32' ? {} : { client_connection_check_interval: '5s' };

/** For tests: a power cut may destroy the cluster, a kill of any process does not (with synchronous_commit off it would lose commits). */
const notDurable = { fsync: 'off', full_page_writes: 'off' } as const;

/** Arguments of `postgres`. */
export function serverArguments({ folder, durable }: Pick<ClusterPlace, 'folder' | 'durable'>, port: number): string[] {
  const all = { port: String(port), ...settings, ...whereSupported, ...(durable ? {} : notDurable) };
  return ['-D', folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
