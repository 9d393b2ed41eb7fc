import type { z } from 'zod';
import type { Problem } from '../../domain/problem.ts';
import { ApiError } from '../api-errors.ts';
import { problemsOf } from '../route.ts';

/** The elements of a body (one element or an array of them), and the problems in it. */
export interface ReadElements<T> {
  readonly elements: readonly T[];
  readonly problems: readonly Problem[];
}

/**
 * Reads one element or an array of 1 to `max`. A union schema could only say that neither form fits. This one names the
 * field, after the element's index if the body is an array.
 * @param usual reads an element without the schema; null: the schema must read it
 * @throws ApiError 400 if there are no elements or too many
 */
export function readElements<S extends z.ZodType>(
  schema: S,
  max: number,
  body: unknown,
  usual: (element: unknown) => z.output<S> | null = () => null,
): ReadElements<z.output<S>> {
  const given = Array.isArray(body) ? body : [body];
  if (given.length < 1 || given.length > max) throw new ApiError(400, `send 1 to ${max} elements, not ${given.length}`);
  const elements: z.output<S>[] = [];
  const problems: Problem[] = [];
  for (const [index, element] of given.entries()) {
    const read = usual(element);
    if (read !== null) {
      elements.push(read);
      continue;
    }
    const result = schema.safeParse(element);
    if (result.success) elements.push(result.data);
    else problems.push(...problemsOf(result.error, Array.isArray(body) ? [index] : []));
  }
  return { elements, problems };
}
