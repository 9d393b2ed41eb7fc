import { issueOperator } from '../../src/commands/operations/operator-work.ts';
import type { OperatorRight } from '../../src/domain/operations/operator.ts';
import type { Answer, TestService } from './service.ts';

export interface TestOperator {
  readonly operatorId: number;
  readonly operatorKey: string;
  /** The header with the key. */
  readonly key: Readonly<Record<'api-key', string>>;
}

/** Issues an operator's key. Resolves when the service knows it. */
export async function createOperator(
  service: TestService,
  can: OperatorRight,
  name = `Operator who can ${can}`,
): Promise<TestOperator> {
  const { operatorId, operatorKey } = await issueOperator(service.commands, { name, can });
  await service.projected();
  return { operatorId, operatorKey, key: { 'api-key': operatorKey } };
}

/** Polls a job until it has ended, also while the catalog is late. @returns it as the API shows it */
export async function jobEnd(
  get: (path: string) => Promise<Answer>,
  jobId: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
): Promise<any> {
  for (;;) {
    const { status, body } = await get(`/admin/v1/jobs/${jobId}`);
    if (status !== 200 && status !== 503) throw new Error(`job ${jobId}: ${status} ${JSON.stringify(body)}`);
    if (status === 200 && !['waiting', 'running'].includes(body.data.state)) return body.data;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
