import type { ClientProgram } from './client-program.ts';

const SOURCES = '--conditions=@botledger/source';

/** The clients of this repository, and the one that CLIENT names by its command. */
export const clients: readonly ClientProgram[] = [
  { name: 'typescript', command: ['node', SOURCES, '--import', 'tsx', 'test/clients/typescript-program.ts'] },
  ...(process.env['CLIENT'] ? [{ name: 'CLIENT', command: process.env['CLIENT'].split(' ') }] : []),
];
