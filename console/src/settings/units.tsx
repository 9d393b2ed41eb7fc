import { Card } from '../parts/card.tsx';
import { Cut } from '../parts/cut.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Bot } from '../session.ts';
import { ChangeForm } from './change-form.tsx';
import { Listed, type Row, useList, useListPages } from './list.tsx';
import { Maker } from './maker.tsx';
import { words } from './words.ts';

/** The units of the bot, and the exchange rates that all owners share. */
export function Units({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const { loaded, reload } = useList('units', bot);
  const { data } = loaded.value;
  return (
    <>
      <Card
        title={words.units}
        lead={words.unitsMean}
        flush={data !== undefined && data.length > 0}
        actions={
          <Maker
            title={words.newUnit}
            form={(close) => (
              <ChangeForm
                path="units/create"
                bot={bot}
                submit={words.createUnit}
                fields={[
                  { name: 'code', label: words.code, required: true, hint: words.codeHint },
                  { name: 'name', label: words.name },
                  { name: 'scale', label: words.scale, type: 'integer', value: '2', required: true },
                ]}
                body={({ code, name, scale }) => ({ code, name: name === '' ? null : name, scale: Number(scale) })}
                onDone={() => {
                  close();
                  reload();
                }}
              />
            )}
          />
        }
      >
        <Listed list={loaded.value} reload={reload} none={words.noUnits}>
          <SortedTable<Row>
            name="units"
            caption={words.units}
            textOf={({ code, name }) => `${code} ${name}`}
            columns={[
              { key: 'code', label: words.code, head: true },
              { key: 'name', label: words.name, show: (name) => <Cut text={String(name ?? '–')} /> },
              { key: 'unit_id', label: words.number, type: 'id' },
              { key: 'scale', label: words.scale, type: 'number' },
            ]}
            rows={data ?? []}
          />
        </Listed>
      </Card>
      <Rates bot={bot} />
    </>
  );
}

function Rates({ bot }: { readonly bot: string }) {
  const { list, reload, pager } = useListPages('exchange-rates', bot);
  const { data } = list;
  return (
    <Card title={words.rates} lead={words.ratesMean} flush={data !== undefined && data.length > 0} footer={pager}>
      <Listed list={list} reload={reload} none={words.noRates}>
        <DataTable
          caption={words.rates}
          columns={[
            { key: 'from', label: words.from },
            { key: 'to', label: words.to },
            { key: 'rate', label: words.rate, type: 'number' },
            { key: 'date', label: words.since, type: 'date' },
          ]}
          rows={data ?? []}
        />
      </Listed>
    </Card>
  );
}
