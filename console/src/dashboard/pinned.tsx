import { go, href } from '../address.ts';
import { request, sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Failure, Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import type { Answer } from '../reports/answer.ts';
import { type ReportConfig, stateOf } from '../reports/config.ts';
import { type Days, daysOf } from '../reports/period.ts';
import { type ReportState, START, writeState } from '../reports/state.ts';
import { Footnotes, View } from '../reports/view.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { endingOn, lengthOf } from './day.ts';
import { inTurn } from './in-turn.ts';

const words = texts.dashboard;

interface SavedReport {
  readonly uuid: string;
  readonly name: string;
  readonly report_config: ReportConfig;
  readonly pinned: boolean;
}

/** Saved reports that are pinned to the bot's dashboard, and a way to pin others. */
export function PinnedReports({ bot }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad(
    () => (signal) => request<{ items: SavedReport[] }>('/v1/reports/list', { bot: bot.resource_key, signal }),
  );
  const { error: refused, busy, run } = useAttempt();
  const { data, error } = loaded.value;
  const pin = (uuid: string, pinned: boolean): Promise<void> =>
    run(async () => {
      await sendChange('/v1/reports/pin', { uuid, pinned }, bot.resource_key);
      reload();
    });
  const pinned = data?.items.filter((report) => report.pinned) ?? [];
  const others = data?.items.filter((report) => !report.pinned) ?? [];
  return (
    <section aria-labelledby="pinned">
      <h2 id="pinned">{words.pinned}</h2>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {refused.value !== undefined && <Failure error={refused.value} />}
      {data !== undefined && (
        <>
          {others.length === 0 && pinned.length === 0 && (
            <p class="quiet">
              {words.noSaved} <a href={href('/reports', { bot: bot.resource_key })}>{words.buildOne}</a>
            </p>
          )}
          {others.length > 0 && (
            <form
              class="row"
              onSubmit={(event) => {
                event.preventDefault();
                void pin(String(new FormData(event.currentTarget).get('uuid')), true);
              }}
            >
              <label>
                {words.toPin}
                <select name="uuid">
                  {others.map(({ uuid, name }) => (
                    <option key={uuid} value={uuid}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              <button type="submit" disabled={busy.value}>
                {words.pin}
              </button>
            </form>
          )}
          <div class="cards">
            {pinned.map((report) => (
              <Pinned key={report.uuid} bot={bot} report={report} onUnpin={() => void pin(report.uuid, false)} />
            ))}
          </div>
        </>
      )}
    </section>
  );
}

interface PinnedProps {
  readonly bot: Bot;
  readonly report: SavedReport;
  readonly onUnpin: () => void;
}

/** A pinned report over as many days as it was saved with, ending today. */
function Pinned({ bot, report: { uuid, name, report_config }, onUnpin }: PinnedProps) {
  const key = bot.resource_key;
  const saved = stateOf(report_config, START);
  const days = endingOn(daysOf('today', bot.timezone, new Date()).to, savedDays(report_config));
  const { loaded, reload } = useLoad(
    () => (signal) =>
      inTurn(() => {
        const params = { ':date_from': `${days.from} 00:00:00`, ':date_to': `${days.to} 23:59:59` };
        return request<Answer>('/v1/reports/run', { method: 'POST', bot: key, body: { uuid, params }, signal });
      }),
  );
  const { data, loading } = loaded.value;
  // A report beyond the builder has no state: its rows say all.
  const state: ReportState = saved ?? { ...START, type: 'list', chart: 'list' };
  const id = `pinned-${uuid}`;
  /** The report itself, where each number opens the users behind it. */
  const report = saved === null ? undefined : writeState({ ...saved, period: days, uuid });
  const link = href('/reports', { bot: key, report });
  return (
    <section class="card" aria-busy={loading} aria-labelledby={id}>
      <div class="row">
        <h3 id={id}>
          {saved === null ? (
            <bdi>{name}</bdi>
          ) : (
            <a href={link}>
              <bdi>{name}</bdi>
            </a>
          )}
        </h3>
        <span class="quiet">{words.lastDays(lengthOf(days))}</span>
        <button type="button" class="plain" onClick={onUnpin} aria-label={words.unpin(name)}>
          {words.takeOff}
        </button>
      </div>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && (
        <>
          <View state={state} answer={data} onCell={() => go(link)} closed />
          <Footnotes answer={data} />
        </>
      )}
    </section>
  );
}

function savedDays(config: ReportConfig): Days {
  const { params } = config['settings'] as { readonly params: Readonly<Record<string, string>> };
  return { from: params[':date_from']!.slice(0, 10), to: params[':date_to']!.slice(0, 10) };
}
