import type { EventLog } from '../log/port.ts';
import { categoryOf } from '../log/stream-name.ts';
import { inSpan, isTracing } from '../util/tracing.ts';

/**
 * Returns the log with a span for each append. The commit carries that span, so that its readers link to it
 * (decisions.md#traces). Without tracing it is the log itself.
 */
export function tracedLog(log: EventLog): EventLog {
  if (!isTracing()) return log;
  return {
    ...log,
    append(commit, options) {
      const category = categoryOf(commit.stream);
      const attributes = {
        'botledger.log.engine': log.engine,
        'botledger.stream.category': category,
        'botledger.commit.events': commit.events.length,
      };
      return inSpan(`append ${category}`, { kind: 'producer', attributes }, async (span) => {
        const appended = await log.append({ ...commit, trace: span.traceparent }, options);
        if (appended.repeated !== null) span.set({ 'botledger.append.repeated': true });
        return appended;
      });
    },
  };
}
