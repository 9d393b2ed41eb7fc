/**
 * How the server runs, for a machine of two cores with a few GB. Given on its command line, so that a new version of the
 * program brings its settings along to an old cluster.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // a socket's path may have 107 bytes, and checkouts lie deeper
  max_connections: '100',
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
  // The service was killed: its running queries end soon, not when they are done.
  client_connection_check_interval: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // No ERROR and no statement: they go to the client, and would carry personal data into the file. LOG and FATAL stay.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_line_prefix: '%m [%p] ',
} as const;

/** For tests: a power cut may destroy the cluster, a kill of any process does not. */
const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } as const;

/** Arguments of `postgres`. */
export function serverArguments(folder: string, port: number, durable: boolean): string[] {
  const all = { port: String(port), ...settings, ...(durable ? {} : notDurable) };
  return ['-D', folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
