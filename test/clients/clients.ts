import { pythonOfTests } from '../support/python.ts';
import type { ClientProgram } from './client-program.ts';

const python = await pythonOfTests();

/** The clients of this repository, and the one that CLIENT names by its command. */
export const clients: readonly ClientProgram[] = [
  {
    name: 'typescript',
    command: ['node', '--conditions=@botledger/source', '--import', 'tsx', 'test/clients/typescript-program.ts'],
  },
  {
    name: 'python',
    command: ['path' in python ? python.path : 'python3', 'packages/python/conformance.py'],
    ...('lacks' in python && { lacks: python.lacks }),
  },
  ...(process.env['CLIENT'] ? [{ name: 'CLIENT', command: process.env['CLIENT'].split(' ') }] : []),
];
