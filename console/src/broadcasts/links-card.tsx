import type { StatisticsAnswer } from '../../../src/api/broadcast/statistics-schemas.ts';
import { number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Cut } from '../parts/cut.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { words } from './words.ts';

/** The links whose clicks are counted. */
export function LinksCard({ statistics: { links, total } }: { readonly statistics: StatisticsAnswer }) {
  const launches = new Set(links.map(({ launch }) => launch)).size;
  return (
    <Card title={words.links} flush>
      <DataTable
        caption={words.clicksByLink}
        columns={[
          {
            key: 'url',
            label: words.link,
            head: true,
            show: (_, { url, variant, launch }) => (
              <>
                <Cut text={url} />
                <span class="sub">
                  {[variant, launches > 1 ? words.launchNo(launch) : null].filter((text) => text !== null).join(' · ')}
                </span>
              </>
            ),
          },
          { key: 'clicked', label: words.peopleHead, type: 'number' },
          { key: 'clicks', label: words.clicksHead, type: 'number' },
        ]}
        rows={links}
        foot={
          <tr>
            <th scope="row">{words.eachOnce}</th>
            <td class="n">{number(total.clicked ?? 0)}</td>
            <td class="n">{number(total.clicks ?? 0)}</td>
          </tr>
        }
      />
    </Card>
  );
}
