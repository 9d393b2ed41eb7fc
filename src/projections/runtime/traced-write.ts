import type { RecordedCommit } from '../../log/port.ts';
import { inSpan, isTracing, MAX_LINKS, type Traceparent } from '../../util/tracing.ts';
import type { Part } from './writer.ts';

/** Runs `write` in a span that links to the commits of the parts. Without a commit that is traced there is no span. */
export function tracedWrite(projection: string, parts: readonly Part[], write: () => Promise<void>): Promise<void> {
  if (!isTracing()) return write();
  const commits = parts.flatMap((part) => part.commits);
  const links = tracesOf(commits);
  if (links.length === 0) return write();
  const attributes = {
    'botledger.projection': projection,
    'botledger.partitions': parts.map(({ partition }) => partition),
    'messaging.batch.message_count': commits.length,
  };
  return inSpan(`project ${projection}`, { kind: 'consumer', root: true, links, attributes }, write);
}

/** The traces of the first commits that have one. */
function tracesOf(commits: readonly RecordedCommit[]): Traceparent[] {
  const traces: Traceparent[] = [];
  for (const { trace } of commits) {
    if (trace === undefined) continue;
    traces.push(trace);
    if (traces.length === MAX_LINKS) break;
  }
  return traces;
}
