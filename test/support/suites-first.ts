import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that run a suite on an engine are the shortest to read and take longest: they begin first, so that at the end no
 * worker waits for another. The others by their sizes, as they would without.
 */
export class SuitesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(runsSuite), ...sorted.filter((file) => !runsSuite(file))];
  }
}

function runsSuite({ moduleId }: TestSpecification): boolean {
  return /from '.*\.(suite|contract)\.ts'/.test(readFileSync(moduleId, 'utf8'));
}
