import type { Answer } from './service.ts';

/** Without a body: a GET. */
export type Send = (path: string, body?: object) => Promise<Answer['body']>;
