import type { Detail } from '../../api.ts';
import { Icon } from '../../parts/icon.tsx';
import { type Draft, type Version, withoutVersion, withVersion } from './draft.ts';
import { Problems } from './problems.tsx';
import { words } from './words.ts';

const MOST = 10;

export interface VersionTabsProps {
  readonly draft: Draft;
  /** The index of the open version. */
  readonly at: number;
  readonly problems: readonly Detail[];
  readonly onOpen: (at: number) => void;
  readonly onChange: (versions: readonly Version[], at: number) => void;
}

/** The variants of a message: which of them is open, its name and its share. One message alone has no tabs. */
export function VersionTabs({ draft, at, problems, onOpen, onChange }: VersionTabsProps) {
  const { versions } = draft;
  const open = versions[at]!;
  const change = (part: Partial<Version>): void => onChange(versions.with(at, { ...open, ...part }), at);
  return (
    <>
      <div class="row-between versions">
        {versions.length > 1 ? (
          <div
            class="tabs bare"
            role="tablist"
            aria-label={words.variants}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (step === undefined) return;
              const next = (at + step + versions.length) % versions.length;
              onOpen(next);
              event.currentTarget.querySelectorAll('button')[next]?.focus();
            }}
          >
            {versions.map(({ name, share }, index) => (
              <button
                key={index}
                type="button"
                role="tab"
                aria-selected={index === at}
                tabIndex={index === at ? 0 : -1}
                onClick={() => onOpen(index)}
              >
                <bdi class="cut" title={name}>
                  {name}
                </bdi>{' '}
                <span class="count">{share} %</span>
              </button>
            ))}
          </div>
        ) : (
          <span />
        )}
        {versions.length < MOST && (
          <button type="button" class="btn quiet small" onClick={() => onChange(withVersion(draft), versions.length)}>
            <Icon name="plus" /> {words.addVariant}
          </button>
        )}
      </div>
      {versions.length > 1 && (
        <>
          <div class="version">
            <label>
              {words.variantName}
              <input
                class="input"
                value={open.name}
                maxLength={100}
                onInput={(event) => change({ name: event.currentTarget.value })}
              />
            </label>
            <label>
              {words.variantShare}
              <input
                class="input"
                inputMode="numeric"
                size={4}
                value={open.share}
                onInput={(event) => change({ share: event.currentTarget.value.trim() })}
              />
            </label>
            <button
              type="button"
              class="btn quiet small"
              onClick={() => onChange(withoutVersion(draft, at), Math.max(0, at - 1))}
            >
              {words.removeVariant}
            </button>
          </div>
          <p class="quiet-text small-text">{words.variantsMean}</p>
          <Problems of={problems.filter(({ path }) => path === 'variants')} at="variants" />
          <Problems of={problems} at={`variants.${at}.name`} />
          <Problems of={problems} at={`variants.${at}.share`} />
        </>
      )}
    </>
  );
}
