import { useSignal } from '@preact/signals';
import { href } from '../address.ts';
import { request, sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Failure, Pending } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Picker } from '../parts/picker.tsx';
import type { Answer } from '../reports/answer.ts';
import { type ReportConfig, stateOf } from '../reports/config.ts';
import type { Days, Period } from '../reports/period.ts';
import { type ReportState, START, writeState } from '../reports/state.ts';
import { useUsers } from '../reports/users-dialog.tsx';
import { Footnotes, View } from '../reports/view.tsx';
import type { Bot } from '../session.ts';
import { inTurn } from './in-turn.ts';
import { nowOf } from './now.ts';
import { daysToday } from './span.ts';
import { words } from './words.ts';

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
  // The list may still be without a change that the service has answered.
  const changed = useSignal<Readonly<Record<string, boolean>>>({});
  const { data, error } = loaded.value;
  const pin = (uuid: string, pinned: boolean): Promise<void> =>
    run(async () => {
      await sendChange('/v1/reports/pin', { uuid, pinned }, bot.resource_key);
      changed.value = { ...changed.value, [uuid]: pinned };
      reload();
    });
  const isPinned = (report: SavedReport): boolean => changed.value[report.uuid] ?? report.pinned;
  const pinned = data?.items.filter(isPinned) ?? [];
  const others = data?.items.filter((report) => !isPinned(report)) ?? [];
  return (
    <section aria-labelledby="pinned">
      <h2 id="pinned">{words.pinned}</h2>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {refused.value !== undefined && <Failure error={refused.value} />}
      {data !== undefined && (
        <>
          {others.length === 0 && pinned.length === 0 && (
            <p class="quiet-text">
              {words.noSaved} <a href={href('/reports', { bot: bot.resource_key })}>{words.buildOne}</a>
            </p>
          )}
          {others.length > 0 && (
            <Picker
              label={words.toPin}
              value=""
              look="btn small"
              disabled={busy.value}
              options={others.map(({ uuid, name }) => ({ value: uuid, label: name }))}
              onPick={(uuid) => void pin(uuid, true)}
            >
              <Icon name="pin" /> {words.pin}
            </Picker>
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

/** A pinned report over its preset or over as many days as it was saved with, ending today. */
function Pinned({ bot, report: { uuid, name, report_config }, onUnpin }: PinnedProps) {
  const key = bot.resource_key;
  const saved = stateOf(report_config, START);
  const users = useUsers(bot);
  const { loaded, reload } = useLoad(
    () => (signal) =>
      inTurn(async () => {
        const days = daysToday(report_config, bot.timezone, await nowOf(bot, signal));
        const params = { ':date_from': `${days.from} 00:00:00`, ':date_to': `${days.to} 23:59:59` };
        const asked = { uuid, params };
        const answer = await request<Answer>('/v1/reports/run', { method: 'POST', bot: key, body: asked, signal });
        return { answer, days, asked };
      }),
    { poll: () => 'seldom' },
  );
  const { data, loading } = loaded.value;
  // A report beyond the builder has no state: its rows say all.
  const state: ReportState = saved ?? { ...START, type: 'list', chart: 'list' };
  const id = `pinned-${uuid}`;
  return (
    <section class="card" aria-busy={loading} aria-labelledby={id}>
      <div class="btns">
        <h3 id={id}>
          {saved === null || data === undefined ? (
            <bdi>{name}</bdi>
          ) : (
            <a
              href={href('/reports', {
                bot: key,
                report: writeState({ ...saved, period: periodOf(saved, data.days), uuid }),
              })}
            >
              <bdi>{name}</bdi>
            </a>
          )}
        </h3>
        <button type="button" class="btn quiet small" onClick={onUnpin} aria-label={words.unpin(name)}>
          {words.takeOff}
        </button>
      </div>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && (
        <>
          <View
            state={state}
            answer={data.answer}
            onCell={(cell, title) => users.open(data.asked, cell, title)}
            closed
          />
          <Footnotes answer={data.answer} />
        </>
      )}
      {users.dialog}
    </section>
  );
}

/** The preset of a report moves by itself. */
const periodOf = ({ period }: ReportState, days: Days): Period => (typeof period === 'string' ? period : days);
