import type { ComponentChildren } from 'preact';
import { href } from '../address.ts';
import type { Value } from '../api.ts';
import { dayName } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { spoken, spokenValue } from '../parts/names.ts';
import type { Person } from './person-data.ts';
import { words } from './words.ts';

interface ProfileCardsProps {
  readonly bot: string;
  readonly person: Person;
}

/** A person's profile, custom fields and saved segments. */
export function ProfileCards({ bot, person: { user, segments } }: ProfileCardsProps) {
  const own = Object.entries(user.custom_fields);
  return (
    <div class="stack">
      <Card title={words.profile}>
        <dl class="facts">
          <dt>{words.userId}</dt>
          <dd>
            {user.user_id} <CopyButton text={String(user.user_id)} label={words.copyId} />
          </dd>
          {factsOf({ bot, user }).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      </Card>
      {own.length > 0 && (
        <Card title={words.properties}>
          <dl class="facts">
            {own.map(([name, value]) => (
              <Fact key={name} name={spoken(name)}>
                <bdi>{typeof value === 'object' ? JSON.stringify(value) : String(value as Value)}</bdi>
              </Fact>
            ))}
          </dl>
        </Card>
      )}
      {segments.length > 0 && (
        <Card title={words.segments}>
          <div class="chips">
            {segments.map((name) => (
              <span key={name} class="chip tag cut" title={name}>
                <bdi>{name}</bdi>
              </span>
            ))}
          </div>
        </Card>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>{children}</dd>
    </>
  );
}

/** The facts that are known. */
function factsOf({ bot, user }: { readonly bot: string; readonly user: Person['user'] }) {
  const { language_code, date_create, addition_fields: visit, referral, gender, timezone, is_premium } = user;
  const source = ['source', 'medium', 'campaign', 'term', 'content'].flatMap((part) => visit[`utm_${part}`] ?? []);
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    [words.language, language_code && spokenValue('user.language_code', language_code)],
    [words.firstSeen, date_create && dayName(date_create)],
    [words.source, source.length > 0 && <bdi>{source.join(' · ')}</bdi>],
    [
      words.referredBy,
      referral && <a href={href(`/users/${referral.referrer_id}`, { bot })}>{referral.referrer_id}</a>,
    ],
    [words.code, referral?.code && <bdi>{referral.code}</bdi>],
    [words.premium, is_premium !== null && (is_premium ? words.yes : words.no)],
    [words.gender, gender && <bdi>{gender}</bdi>],
    [words.zone, timezone && <bdi>{timezone}</bdi>],
  ];
  return facts.filter(([, value]) => value);
}
